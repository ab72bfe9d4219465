//! Events: one list for the rig, and for each clip when they happen.

use std::collections::BTreeMap;

use bone_rig::{EventId, RigEvent};

use crate::doc::{EventDoc, RigDoc, SoundDoc};
use crate::half::whole;
use crate::schema::content::words;

/// The events of a rig.
#[derive(Debug, Default)]
pub(super) struct RigEvents {
    /// Those that differ, in the order of the document.
    pub(super) events: Vec<RigEvent>,
    /// Time of the keys and event of each event of each clip.
    clips: Vec<Vec<(f64, EventId)>>,
}

impl RigEvents {
    pub(super) fn new(doc: &RigDoc) -> Self {
        let mut all = Self::default();
        let mut known: BTreeMap<Vec<u64>, EventId> = BTreeMap::new();
        for clip in &doc.clips {
            let whole = whole(doc, clip);
            let clip = whole.as_ref().unwrap_or(clip);
            // A sound begins as an event happens.
            let sounds: Vec<EventDoc> = clip.sounds.iter().map(SoundDoc::event).collect();
            let keys = clip.events.keys.iter().chain(&sounds).map(|key| {
                let event = *known.entry(words(&(&key.name, &key.payload))).or_insert_with(|| {
                    let name = key.name.value.clone();
                    all.events.push(RigEvent { name, payload: key.payload.clone() });
                    EventId::from_index(all.events.len() - 1)
                });
                (key.time.value, event)
            });
            all.clips.push(keys.collect());
        }
        all
    }

    /// Those of the clip at a place of the document.
    pub(super) fn of(&self, clip: usize) -> &[(f64, EventId)] {
        self.clips.get(clip).map_or(&[], Vec::as_slice)
    }

    /// The words of what a clip has of them, which are those of the rig by their places.
    pub(super) fn words_of(&self, clip: usize) -> Vec<(f64, u64)> {
        self.of(clip).iter().map(|(time, event)| (*time, event.index() as u64)).collect()
    }
}
