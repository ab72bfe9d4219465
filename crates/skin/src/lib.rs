//! Drawings that follow bones: curves, weights, free offsets, posed outlines.
