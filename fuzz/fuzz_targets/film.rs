//! Tries any bytes as a film of Synfig.
#![cfg_attr(feature = "libfuzzer", no_main)]

bone_layer_fuzz::target!(bone_layer_fuzz::film::film);
