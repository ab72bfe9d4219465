//! Tries any bytes as a drawing: alone, with a good rig, and with the scaffold that is made for it.
#![cfg_attr(feature = "libfuzzer", no_main)]

fn target(data: &[u8]) {
    let target: fn(&[u8]) = |data| {
        bone_layer_fuzz::svg::svg(data);
        bone_layer_fuzz::whole_way(bone_layer_fuzz::RIG, data);
        bone_layer_fuzz::first_of(data);
    };
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
