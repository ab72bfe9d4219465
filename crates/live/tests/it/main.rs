//! The server of the live page, driven by a client with its protocol.

mod client;
mod edits;
mod frames;
mod gestures;
mod outside;
mod rigs;
mod security;
