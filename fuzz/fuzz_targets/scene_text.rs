//! Tries any bytes as a scene, whose actors play a good rig.
#![cfg_attr(feature = "libfuzzer", no_main)]

bone_layer_fuzz::target!(|data| bone_layer_fuzz::scene(data));
