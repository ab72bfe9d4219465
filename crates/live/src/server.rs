//! What is behind the page: the document and the engine that poses and draws, and the server that connects pages with
//! them. The server listens on the loopback alone, checks every request, and gives each page an engine of its own.

mod address;
#[cfg(feature = "server")]
mod assets;
mod document;
mod engine;
#[cfg(feature = "server")]
mod export;
mod files;
#[cfg(feature = "server")]
mod folder;
#[cfg(feature = "server")]
mod http;
mod journal;
mod keys;
#[cfg(feature = "server")]
mod listen;
#[cfg(not(feature = "server"))]
mod local;
mod machines;
mod outbox;
mod overtaken;
mod pose;
mod proto;
mod records;
mod rows;
#[cfg(feature = "server")]
mod socket;
mod staged;
mod state;
#[cfg(feature = "server")]
mod watch;
#[cfg(feature = "server")]
mod watcher;

#[cfg(feature = "server")]
pub use self::assets::page_size;
#[cfg(not(feature = "server"))]
pub use self::local::{LocalPage, PageOutput};
#[cfg(feature = "server")]
pub use self::watch::RigWatch;
#[cfg(feature = "server")]
pub use self::{
    folder::FontSource,
    listen::{LiveOptions, LiveServer, StartError},
};
