//! The server of the live page, driven by a client with its protocol.

mod client;
mod frames;
mod gestures;
mod rigs;
mod security;
