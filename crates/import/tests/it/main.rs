//! Recorded motion: formats, retargeting, mistakes.

mod animals;
mod any_input;
mod bad;
mod bad_keypoints;
mod fit;
mod mistakes;
mod projection;
mod retargeted;
mod skeletons;
mod turning;
