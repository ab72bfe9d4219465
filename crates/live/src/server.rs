//! The server: it listens on the loopback alone, checks every request, and connects pages with the document
//! and with engines of their own.

mod assets;
mod document;
mod engine;
mod export;
mod files;
mod http;
mod journal;
mod keys;
mod overtaken;
mod pose;
mod socket;
mod state;
mod value;
mod watch;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rig_format::ReadRules;
use serde_json::{Value, json};

use self::assets::asset;
pub use self::assets::page_size;
use self::document::{Document, DocumentSender, Setup, ToDocument};
use self::engine::{Engine, Engines, is_for_engine};
use self::export::Exports;
use self::files::{WatchHandle, WatchedFiles, watch};
use self::http::{Identity, Refusal, Request};
use self::journal::{Journal, Locked, RigLock};
use self::socket::{Outbox, read_all};
use self::state::Published;
pub use self::watch::RigWatch;

/// So many connections are served at a time.
const MOST_CONNECTIONS: usize = 32;

/// Gives the fonts of drawings with text.
pub type FontSource = Arc<dyn Fn() -> rig_format::fontdb::Database + Send + Sync>;

/// What is served, and how.
#[derive(Clone)]
pub struct LiveOptions {
    /// The rig file.
    pub rig: PathBuf,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// Whether files are written on request only.
    pub hold: bool,
    /// The program that renders for exports: `render-frames`. None: there are no exports.
    pub program: Option<PathBuf>,
    /// Options of that program about fonts and files, so that it reads what this server reads.
    pub program_options: Vec<OsString>,
    /// A folder with newer files of the page, while it is being written.
    pub assets: Option<PathBuf>,
    /// Looks at files from time to time instead of being notified.
    pub poll: bool,
    /// The fonts of drawings with text.
    pub fonts: FontSource,
    /// Which files may be read besides the rig.
    pub rules: ReadRules,
}

impl fmt::Debug for LiveOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveOptions")
            .field("rig", &self.rig)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

impl LiveOptions {
    /// A rig, on a free port, written after each step.
    pub fn new(rig: impl Into<PathBuf>) -> Self {
        Self {
            rig: rig.into(),
            port: 0,
            hold: false,
            program: None,
            program_options: Vec::new(),
            assets: None,
            poll: false,
            fonts: Arc::new(rig_format::system_fonts),
            rules: ReadRules::default(),
        }
    }
}

/// A server that did not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The rig is served already: by the server at this address, which is empty if it is unknown.
    Running {
        /// The address.
        address: String,
    },
    /// The port cannot be used.
    Port {
        /// The port.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// The system gives no random numbers.
    Random(String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running { address } => write!(f, "the rig is open already: {address}"),
            Self::Port { port: 0, source } => write!(f, "no port can be used: {source}"),
            Self::Port { port, source } => write!(f, "port {port} cannot be used: {source}"),
            Self::Random(why) => write!(f, "the system gives no random numbers: {why}"),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Port { source, .. } = self { Some(source) } else { None }
    }
}

/// What all threads of a server share.
struct Shared {
    identity: Identity,
    engines: Arc<Engines>,
    document: DocumentSender,
    exports: Exports,
    assets: Option<PathBuf>,
    stopping: AtomicBool,
    connections: AtomicUsize,
    next_client: AtomicU64,
    streams: Mutex<BTreeMap<u64, TcpStream>>,
}

impl Shared {
    fn streams(&self) -> MutexGuard<'_, BTreeMap<u64, TcpStream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running server.
pub struct LiveServer {
    shared: Arc<Shared>,
    document: Option<JoinHandle<()>>,
    watcher: Option<(WatchHandle, JoinHandle<()>)>,
    listeners: Vec<(SocketAddr, JoinHandle<()>)>,
    lock: Option<RigLock>,
    address: String,
}

impl fmt::Debug for LiveServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address has the token.
        f.debug_struct("LiveServer").field("port", &self.shared.identity.port).finish_non_exhaustive()
    }
}

impl LiveServer {
    /// Opens a rig and serves it. The rig may have mistakes, which the page lists.
    ///
    /// # Errors
    /// If the rig is served already, or the port cannot be used.
    pub fn start(options: LiveOptions) -> Result<Self, StartError> {
        let lock = match RigLock::take(&options.rig) {
            Locked::Mine(lock) => lock,
            Locked::Other(address) => return Err(StartError::Running { address }),
        };
        let former = lock.former().filter(|_| options.port == 0);
        let (listeners, token) = match former.and_then(|(port, token)| Some((listen(port).ok()?, token))) {
            Some(found) => found,
            None => {
                let port = options.port;
                match (listen(port), token()) {
                    (Ok(listeners), Ok(token)) => (listeners, token),
                    (Err(source), _) => {
                        lock.release();
                        return Err(StartError::Port { port, source });
                    }
                    (_, Err(why)) => {
                        lock.release();
                        return Err(StartError::Random(why));
                    }
                }
            }
        };
        let port = listeners.first().and_then(|it| it.local_addr().ok()).map_or(options.port, |it| it.port());
        let address = format!("http://127.0.0.1:{port}/?token={token}");
        lock.announce(&address);
        let (sender, inbox) = channel();
        let sender = DocumentSender::new(sender);
        let (files, engines) =
            (Arc::new(WatchedFiles::new(options.rules.clone())), Arc::<Engines>::default());
        engines.publish(&Published { path: options.rig.as_path().into(), ..Published::default() });
        let shared = Arc::new(Shared {
            identity: Identity { port, token },
            engines: Arc::clone(&engines),
            document: sender.clone(),
            exports: Exports::new(
                Arc::clone(&engines),
                options.program.clone(),
                options.program_options.clone(),
            ),
            assets: options.assets.clone(),
            stopping: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
            next_client: AtomicU64::new(1),
            streams: Mutex::default(),
        });
        let setup = Setup {
            journal: Journal::open(&options.rig),
            path: options.rig,
            address: address.clone(),
            hold: options.hold,
            files: Arc::clone(&files),
            engines,
            fonts: options.fonts,
        };
        let watcher = watch(&files, sender, options.poll);
        let document = std::thread::spawn(move || Document::open(setup).run(&inbox));
        let mut accepting = Vec::new();
        for listener in listeners {
            let Ok(at) = listener.local_addr() else { continue };
            let shared = Arc::clone(&shared);
            accepting.push((at, std::thread::spawn(move || accept(&listener, &shared))));
        }
        Ok(Self {
            shared,
            document: Some(document),
            watcher: Some(watcher),
            listeners: accepting,
            lock: Some(lock),
            address,
        })
    }

    /// The address of the page, with the token.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.shared.identity.port
    }

    /// Ends: files are written unless on hold, pages get a `bye`, the port is closed.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if self.shared.stopping.swap(true, Ordering::SeqCst) {
            return;
        }
        for (at, thread) in self.listeners.drain(..) {
            // A connection wakes the thread that accepts them.
            drop(TcpStream::connect_timeout(&at, Duration::from_secs(1)));
            drop(thread.join());
        }
        self.shared.exports.stop_all();
        self.shared.document.send(ToDocument::Stop);
        if let Some(thread) = self.document.take() {
            drop(thread.join());
        }
        if let Some((handle, thread)) = self.watcher.take() {
            handle.stop();
            drop(thread.join());
        }
        // Close frames are on their way for a moment.
        for _ in 0..20 {
            if self.shared.connections.load(Ordering::SeqCst) == 0 {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        for stream in self.shared.streams().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        if let Some(lock) = self.lock.take() {
            lock.release();
        }
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// Listens on the loopback of both families, if there are both.
fn listen(port: u16) -> io::Result<Vec<TcpListener>> {
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = first.local_addr()?.port();
    let second = TcpListener::bind((Ipv6Addr::LOCALHOST, port));
    Ok([Ok(first), second].into_iter().flatten().collect())
}

/// 128 random bits as hexadecimal digits.
fn token() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    loop {
        let Ok((mut stream, _)) = listener.accept() else {
            if shared.stopping.load(Ordering::SeqCst) {
                return;
            }
            // No file descriptors are left: some will be.
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        if shared.connections.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
            shared.connections.fetch_sub(1, Ordering::SeqCst);
            let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
            http::refuse(&mut stream, Refusal::Busy);
            continue;
        }
        let shared = Arc::clone(shared);
        std::thread::spawn(move || {
            let client = shared.next_client.fetch_add(1, Ordering::SeqCst);
            if let Ok(clone) = stream.try_clone() {
                shared.streams().insert(client, clone);
            }
            connection(stream, client, &shared);
            shared.streams().remove(&client);
            shared.connections.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

fn connection(mut stream: TcpStream, client: u64, shared: &Arc<Shared>) {
    // Small messages are sent at once.
    let _ = stream.set_nodelay(true);
    let _ = stream.set_write_timeout(Some(Duration::from_secs(10)));
    match http::read(&mut stream, &shared.identity) {
        Err(refusal) => http::refuse(&mut stream, refusal),
        Ok(Request::Enter) => http::enter(&mut stream, &shared.identity),
        Ok(Request::Asset { path, head }) => match asset(&path, shared.assets.as_deref()) {
            Some((text, kind)) => http::answer(&mut stream, "200 OK", kind, "", &text, head),
            None => http::refuse(&mut stream, Refusal::NotFound),
        },
        Ok(Request::Socket { key, rest }) => {
            if http::upgrade(&mut stream, &key).is_ok() {
                socket(stream, client, rest, shared);
            }
        }
    }
}

/// Serves a page until it is closed.
fn socket(stream: TcpStream, client: u64, rest: Vec<u8>, shared: &Arc<Shared>) {
    let Ok(writing) = stream.try_clone() else { return };
    let outbox = Arc::new(Outbox::new(writing));
    let writer = {
        let outbox = Arc::clone(&outbox);
        std::thread::spawn(move || outbox.write_all())
    };
    let queue = shared.engines.open(client);
    let engine = Engine::new(
        client,
        Arc::clone(&shared.engines),
        Arc::clone(&queue),
        Arc::clone(&outbox),
        shared.document.clone(),
    );
    let engine = std::thread::spawn(move || engine.run());
    shared.document.send(ToDocument::Join { client, outbox: Arc::clone(&outbox) });
    read_all(stream, &outbox, rest, |text| match serde_json::from_str::<Value>(text) {
        Ok(message) => {
            if is_for_engine(&message) {
                if !queue.push(message) {
                    outbox.close();
                }
            } else if !shared.exports.take(client, &message, &outbox) {
                shared.document.send(ToDocument::Request { client, message });
            }
        }
        Err(error) => outbox.send(&json!({ "t": "error", "why": format!("this is not JSON: {error}") })),
    });
    shared.document.send(ToDocument::Leave { client });
    shared.engines.close(client);
    shared.exports.leave(client);
    drop(engine.join());
    outbox.finish();
    drop(writer.join());
}
