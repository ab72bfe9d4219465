//! Skinning against formulas and independent solvers.

mod any_input;
mod beside;
mod brush;
mod carried;
mod editing;
mod folds;
mod limb;
mod linear;
mod mirrored;
mod paint;
mod pieces;
mod puppet;
mod slits;
mod solving;
mod typed;
mod warps;
mod weights;
mod weights_of_wrong_drawings;
