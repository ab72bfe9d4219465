//! Handles: the place of an entry and its generation, so that one that was closed is not mistaken for what has its
//! place now.

use std::sync::{Arc, Mutex, MutexGuard};

use bone_drawing::FlatFrame;
use bone_player::{Character, Player};

use crate::EventC;

/// What a handle stands for.
#[derive(Clone)]
pub(crate) enum Entry {
    Figure(Character),
    Player(Arc<Mutex<OpenPlayer>>),
}

/// A player with what its caller reads until its next call.
pub(crate) struct OpenPlayer {
    pub(crate) player: Player,
    pub(crate) events: Vec<EventC>,
    pub(crate) flat: FlatFrame,
    pub(crate) words: Vec<u32>,
    #[cfg(feature = "mesh")]
    pub(crate) mesh: bone_mesh::FrameMesh,
    #[cfg(feature = "mesh")]
    pub(crate) draws: Vec<crate::DrawC>,
    #[cfg(feature = "raster")]
    pub(crate) pixels: Vec<u8>,
}

impl Entry {
    pub(crate) fn player(player: Player) -> Self {
        Self::Player(Arc::new(Mutex::new(OpenPlayer {
            player,
            events: Vec::new(),
            flat: FlatFrame::default(),
            words: Vec::new(),
            #[cfg(feature = "mesh")]
            mesh: bone_mesh::FrameMesh::new(),
            #[cfg(feature = "mesh")]
            draws: Vec::new(),
            #[cfg(feature = "raster")]
            pixels: Vec::new(),
        })))
    }
}

struct Place {
    /// Counts how often the place was used.
    generation: u32,
    entry: Option<Entry>,
}

struct Table {
    places: Vec<Place>,
    free: Vec<usize>,
}

static TABLE: Mutex<Table> = Mutex::new(Table { places: Vec::new(), free: Vec::new() });

fn table() -> MutexGuard<'static, Table> {
    // Nothing that holds it leaves it half changed.
    TABLE.lock().unwrap_or_else(|held| held.into_inner())
}

/// The place and the generation of a handle. The first generation is 1, so that no handle is 0.
fn split(handle: u64) -> (usize, u32) {
    ((handle & 0xffff_ffff) as usize, (handle >> 32) as u32)
}

pub(crate) fn open(entry: Entry) -> u64 {
    let mut table = table();
    let at = table.free.pop().unwrap_or_else(|| {
        table.places.push(Place { generation: 0, entry: None });
        table.places.len() - 1
    });
    let place = &mut table.places[at];
    place.generation += 1;
    place.entry = Some(entry);
    u64::from(place.generation) << 32 | at as u64
}

pub(crate) fn get(handle: u64) -> Option<Entry> {
    let (at, generation) = split(handle);
    let table = table();
    table.places.get(at).filter(|place| place.generation == generation)?.entry.clone()
}

/// False if nothing has this handle.
pub(crate) fn close(handle: u64) -> bool {
    let (at, generation) = split(handle);
    let mut table = table();
    let place = table.places.get_mut(at).filter(|place| place.generation == generation);
    let Some(entry) = place.and_then(|place| place.entry.take()) else { return false };
    // A place whose generations are used up is not used again.
    if generation < u32::MAX {
        table.free.push(at);
    }
    drop(table);
    // What it drops may take long.
    drop(entry);
    true
}
