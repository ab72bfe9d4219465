//! Bones and their motion: skeletons, poses, forward kinematics, clips.
