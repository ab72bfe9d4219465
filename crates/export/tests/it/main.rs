//! Files are read back by decoders that are not ours (`gif`, `png`, `image-webp`), frame by frame, as players
//! compose them.

mod animations;
mod atlas;
mod player;
mod scenes;
mod timing;
