//! The rig file: reading, checking and compiling it to a scene.
