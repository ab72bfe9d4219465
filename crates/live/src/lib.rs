//! A page in the browser that shows a rig and edits it, and its server on the loopback.
