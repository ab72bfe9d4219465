//! Renders the frames of a rigged drawing.

fn main() {}
