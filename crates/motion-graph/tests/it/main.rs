//! Walks of recorded figures, and any input.

mod along;
mod any_input;
