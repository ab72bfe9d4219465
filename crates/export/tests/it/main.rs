//! Vector files, read back and evaluated by the rules of their formats, against the drawing that they show.

mod evaluate_lottie;
mod evaluate_smil;
mod vector;
