//! Keypoints as a whole: the synthetic walk against its truth, layouts, people, and files that are wrong.

mod walk;
