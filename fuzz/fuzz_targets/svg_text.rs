//! Tries any bytes as a drawing: alone, with a good rig, and with the scaffold that is made for it.
#![cfg_attr(feature = "libfuzzer", no_main)]

bone_layer_fuzz::target!(|data| {
    bone_layer_fuzz::svg::svg(data);
    bone_layer_fuzz::whole_way(bone_layer_fuzz::RIG, data);
    bone_layer_fuzz::first_of(data);
});
