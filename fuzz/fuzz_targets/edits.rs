//! Tries any bytes as edits of a rig.
#![cfg_attr(feature = "libfuzzer", no_main)]

fn target(data: &[u8]) {
    let target: fn(&[u8]) = bone_layer_fuzz::edits::edits;
    target(data);
}

#[cfg(feature = "libfuzzer")]
libfuzzer_sys::fuzz_target!(init: bone_layer_fuzz::watch_panics(), |data: &[u8]| {
    bone_layer_fuzz::or_abort(target, data);
});

#[cfg(not(feature = "libfuzzer"))]
fn main() {
    bone_layer_fuzz::try_files(target);
}
