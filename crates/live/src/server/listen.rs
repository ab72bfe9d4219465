//! The server: it listens on the loopback, and connects pages with the document and with engines of their own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use bone_format::ReadRules;
use bone_format::session::Selected;
use serde_json::Value;

use super::address::{Address, secret};
use super::assets::asset;
use super::document::{Document, DocumentSender, Refused, Setup, ToDocument};
use super::engine::{Engine, Engines};
use super::export::Exports;
use super::files::WatchedFiles;
use super::folder::{FontSource, RigFolder};
use super::http::{self, Refusal, Request};
use super::journal::{Journal, Locked, RigLock};
use super::outbox::Outbox;
use super::proto::{Reply, Request as PageRequest};
use super::records::Records;
use super::socket::{read_all, write_all};
use super::state::Published;
use super::watcher::{WatchHandle, watch};

/// So many pages are served at a time.
const MOST_PAGES: usize = 32;
/// So many rigs may be open beside the first one.
const MOST_OPEN: usize = 16;
/// So many connections may be without a whole request. One more ends the oldest.
const MOST_HEADS: usize = 64;

/// What is served, and how.
#[derive(Clone)]
pub struct LiveOptions {
    /// The rig file.
    pub rig: PathBuf,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// Whether files are written on request only.
    pub hold: bool,
    /// A folder of this user alone for the lock of the rig, the address of its page, and what a run that is killed has
    /// not written. None: nothing is kept, and two servers of a rig do not know of each other.
    pub records: Option<PathBuf>,
    /// The program that renders for exports: `render-frames`. None: there are no exports.
    pub program: Option<PathBuf>,
    /// Options of that program about fonts and files, so that it reads what this server reads.
    pub program_options: Vec<OsString>,
    /// The files of all frames that it writes: what comes behind the name of a clip, what the page shows, options.
    pub formats: Value,
    /// A folder with newer files of the page, while it is being written.
    pub assets: Option<PathBuf>,
    /// Looks at files from time to time instead of being notified.
    pub poll: bool,
    /// The fonts of drawings with text.
    pub fonts: FontSource,
    /// Which files may be read besides the rig.
    pub rules: ReadRules,
    /// Called with what is selected on a page of this rig.
    pub selected: Option<Arc<dyn Fn(Selected) + Send + Sync>>,
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
            records: None,
            program: None,
            program_options: Vec::new(),
            formats: Value::Array(Vec::new()),
            assets: None,
            poll: false,
            fonts: Arc::new(bone_format::system_fonts),
            rules: ReadRules::default(),
            selected: None,
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
    address: Address,
    engines: Arc<Engines>,
    document: DocumentSender,
    exports: Exports,
    folder: RigFolder,
    /// How rigs beside the first one are served, and those that are.
    options: LiveOptions,
    opened: Mutex<Vec<LiveServer>>,
    assets: Option<PathBuf>,
    stopping: AtomicBool,
    connections: AtomicUsize,
    next_client: AtomicU64,
    /// The connections whose requests are not whole yet.
    heads: Mutex<Streams>,
    /// Those of pages.
    pages: Mutex<Streams>,
}

impl Shared {
    /// The address of another rig, which is served from now on.
    fn serve(&self, rig: PathBuf) -> Result<String, Refused> {
        let mut opened = lock(&self.opened);
        if let Some(known) = opened.iter().find(|server| server.rig == rig) {
            return Ok(known.address.clone());
        }
        if opened.len() >= MOST_OPEN {
            return Err(Refused::new(format!("{MOST_OPEN} rigs are open already: end this server first")));
        }
        match LiveServer::start(LiveOptions { rig, selected: None, ..self.options.clone() }) {
            Ok(server) => {
                let address = server.address.clone();
                opened.push(server);
                Ok(address)
            }
            Err(StartError::Running { address }) if !address.is_empty() => Ok(address),
            Err(error) => Err(Refused::new(error.to_string())),
        }
    }
}

/// Connections by their numbers, which grow.
type Streams = BTreeMap<u64, TcpStream>;

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running server.
pub struct LiveServer {
    shared: Arc<Shared>,
    document: Option<JoinHandle<()>>,
    watcher: Option<(WatchHandle, JoinHandle<()>)>,
    listeners: Vec<(SocketAddr, JoinHandle<()>)>,
    lock: Option<RigLock>,
    address: String,
    rig: PathBuf,
}

impl fmt::Debug for LiveServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address has the secret.
        f.debug_struct("LiveServer").field("port", &self.shared.address.port).finish_non_exhaustive()
    }
}

impl LiveServer {
    /// Opens a rig and serves it. The rig may have mistakes, which the page lists.
    ///
    /// # Errors
    /// If the rig is served already, or the port cannot be used.
    pub fn start(options: LiveOptions) -> Result<Self, StartError> {
        let records = |rig: &Path| options.records.as_ref().map(|folder| Records::of(folder, rig));
        let lock = match RigLock::take(records(&options.rig)) {
            Locked::Mine(lock) => lock,
            Locked::Other(address) => {
                let address = address.map(|it| it.to_string()).unwrap_or_default();
                return Err(StartError::Running { address });
            }
        };
        let former = lock.former().filter(|_| options.port == 0);
        let former = former.and_then(|it| Some((listen(it.port).ok()?, it.secret)));
        let started = former.map_or_else(|| start(options.port), Ok);
        let (listeners, secret) = match started {
            Ok(started) => started,
            Err(error) => {
                lock.release();
                return Err(error);
            }
        };
        let port = listeners.first().and_then(|it| it.local_addr().ok()).map_or(options.port, |it| it.port());
        let address = Address { port, secret };
        lock.announce(&address);
        let (sender, inbox) = channel();
        let sender = DocumentSender::new(sender);
        let (files, engines) =
            (Arc::new(WatchedFiles::new(options.rules.clone())), Arc::<Engines>::default());
        engines.publish(&Published { path: options.rig.as_path().into(), ..Published::default() });
        let shared = Arc::new(Shared {
            address: address.clone(),
            engines: Arc::clone(&engines),
            document: sender.clone(),
            exports: Exports::new(
                Arc::clone(&engines),
                options.program.clone(),
                options.program_options.clone(),
                options.formats.clone(),
            ),
            folder: RigFolder {
                rig: options.rig.clone(),
                rules: options.rules.clone(),
                fonts: Arc::clone(&options.fonts),
            },
            options: LiveOptions { port: 0, ..options.clone() },
            opened: Mutex::default(),
            assets: options.assets.clone(),
            stopping: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
            next_client: AtomicU64::new(1),
            heads: Mutex::default(),
            pages: Mutex::default(),
        });
        let rig = options.rig.clone();
        let setup = Setup {
            journal: Journal::open(records(&options.rig)),
            records: options.records.clone(),
            loading: sender.loading(),
            path: options.rig,
            address: address.clone(),
            hold: options.hold,
            files: Arc::clone(&files),
            engines,
            fonts: options.fonts,
        };
        let watcher = watch(&files, sender, options.poll);
        let document = std::thread::spawn(move || {
            if let Some(document) = Document::open(setup) {
                document.run(&inbox);
            }
        });
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
            address: address.to_string(),
            rig,
        })
    }

    /// The address of the page, with the secret.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Selects on all pages what an editor has selected.
    pub fn select(&self, selection: Selected) {
        self.shared.document.send(ToDocument::Select { selection });
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.shared.address.port
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
        let opened = std::mem::take(&mut *lock(&self.shared.opened));
        opened.into_iter().for_each(LiveServer::stop);
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
        for streams in [&self.shared.heads, &self.shared.pages] {
            for stream in lock(streams).values() {
                let _ = stream.shutdown(Shutdown::Both);
            }
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

/// A port, and a new secret.
fn start(port: u16) -> Result<(Vec<TcpListener>, String), StartError> {
    let listeners = listen(port).map_err(|source| StartError::Port { port, source })?;
    Ok((listeners, secret().map_err(StartError::Random)?))
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    loop {
        let Ok((stream, _)) = listener.accept() else {
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
        let client = shared.next_client.fetch_add(1, Ordering::SeqCst);
        // Without another handle it could not be ended.
        let Ok(clone) = stream.try_clone() else { continue };
        {
            let mut heads = lock(&shared.heads);
            heads.insert(client, clone);
            // A browser sends a request at once; who is silent makes room.
            while heads.len() > MOST_HEADS {
                let oldest = heads.pop_first();
                oldest.map(|(_, stream)| stream.shutdown(Shutdown::Both));
            }
        }
        shared.connections.fetch_add(1, Ordering::SeqCst);
        let shared = Arc::clone(shared);
        std::thread::spawn(move || {
            connection(stream, client, &shared);
            lock(&shared.heads).remove(&client);
            lock(&shared.pages).remove(&client);
            shared.connections.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

fn connection(mut stream: TcpStream, client: u64, shared: &Arc<Shared>) {
    // Small messages are sent at once.
    let _ = stream.set_nodelay(true);
    let _ = stream.set_write_timeout(Some(Duration::from_secs(10)));
    let request = http::read(&mut stream, &shared.address);
    let Some(own) = lock(&shared.heads).remove(&client) else { return };
    match request {
        Err(refusal) => http::refuse(&mut stream, refusal),
        Ok(Request::Asset { path, head }) => match asset(&path, shared.assets.as_deref()) {
            Some((text, kind)) => http::answer(&mut stream, "200 OK", kind, &text, head),
            None => http::refuse(&mut stream, Refusal::NotFound),
        },
        Ok(Request::Socket { key, rest }) => {
            let has_room = {
                let mut pages = lock(&shared.pages);
                let has_room = pages.len() < MOST_PAGES;
                if has_room {
                    pages.insert(client, own);
                }
                has_room
            };
            if !has_room {
                http::refuse(&mut stream, Refusal::Busy);
            } else if http::upgrade(&mut stream, &key).is_ok() {
                socket(stream, client, rest, shared);
            }
        }
    }
}

/// Serves a page until it is closed.
fn socket(stream: TcpStream, client: u64, rest: Vec<u8>, shared: &Arc<Shared>) {
    let Ok(writing) = stream.try_clone() else { return };
    let Ok(ending) = stream.try_clone() else { return };
    // It may have ended already.
    let outbox = Arc::new(Outbox::new(move || drop(ending.shutdown(Shutdown::Both))));
    let writer = {
        let outbox = Arc::clone(&outbox);
        std::thread::spawn(move || write_all(&outbox, &writing))
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
    read_all(stream, &outbox, rest, |text| {
        let message: Value = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) => return outbox.send(&Reply::Error { why: format!("this is not JSON: {error}") }),
        };
        let failure = Reply::failure(&message);
        match PageRequest::read(&message) {
            Err(why) => outbox.send(&failure(why)),
            Ok(PageRequest::Export { id, output, args, replace }) => {
                shared.exports.begin(client, &id, (&output, &args, replace), &outbox);
            }
            Ok(PageRequest::Formats { id }) => {
                outbox.send(&Reply::Formats { id, formats: shared.exports.formats() });
            }
            Ok(PageRequest::Select { of, name, clip, time }) => {
                if let Some(selected) = &shared.options.selected {
                    selected(Selected { thing: of.map(|of| (of, name)), clip, time });
                }
            }
            Ok(PageRequest::Folder { id }) => {
                let (rigs, drawings) = shared.folder.names();
                outbox.send(&Reply::Folder { id, rigs, drawings });
            }
            Ok(PageRequest::Open { id, name, text }) => {
                let (shared, outbox) = (Arc::clone(shared), Arc::clone(&outbox));
                // A large drawing takes a while, and the page goes on.
                std::thread::spawn(move || {
                    let rig = shared.folder.rig_of(&name, text.as_deref());
                    outbox.send(&match rig.and_then(|rig| shared.serve(rig)) {
                        Ok(address) => Reply::Opened { id, address },
                        Err(Refused { why, help, .. }) => Reply::Refused { id, why, help },
                    });
                });
            }
            Ok(PageRequest::Stop { id }) => shared.exports.stop(client, &id),
            Ok(message) if message.is_for_engine() => {
                if !queue.push((message, Box::new(failure))) {
                    outbox.close();
                }
            }
            Ok(message) => shared.document.send(ToDocument::Request { client, message }),
        }
    });
    shared.document.send(ToDocument::Leave { client });
    shared.engines.close(client);
    shared.exports.leave(client);
    drop(engine.join());
    outbox.finish();
    drop(writer.join());
}
