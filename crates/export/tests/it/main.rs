//! Files are read back by decoders that are not ours (`gif`, `png`, `image-webp`), frame by frame, as players
//! compose them. Vector files are evaluated by the rules of their formats, against the drawing that they show.

mod animations;
mod any_input;
mod atlas;
mod deliveries;
#[cfg(feature = "vector")]
mod evaluate_lottie;
#[cfg(feature = "vector")]
mod evaluate_smil;
#[cfg(all(feature = "layers", feature = "vector"))]
mod layers;
mod player;
mod scenes;
mod timing;
#[cfg(feature = "vector")]
mod vector;
