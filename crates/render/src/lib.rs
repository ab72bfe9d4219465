//! From a posed drawing to pixels: SVG art, frames, sinks.
