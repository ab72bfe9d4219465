//! Which rig something belongs to.

use std::sync::Arc;

/// Which rig a state or a clip belongs to. Every rig that is built has its own, and no two that exist at a
/// time are equal: a state keeps its identity alive after its rig is gone.
#[derive(Clone, Debug)]
pub(crate) struct RigIdentity(Arc<()>);

impl RigIdentity {
    pub(crate) fn new() -> Self {
        Self(Arc::new(()))
    }
}

impl PartialEq for RigIdentity {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
