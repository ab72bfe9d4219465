//! Tries any bytes as a rig, with a good drawing.
#![cfg_attr(feature = "libfuzzer", no_main)]

bone_layer_fuzz::target!(|data| bone_layer_fuzz::whole_way(data, bone_layer_fuzz::SVG));
