//! The loop that owns the texts: reads messages, answers what follows from a text, and hands the rest to the worker.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use bone_format::fontdb;
use bone_format::session::Selected;
use bone_format::session::text::{TextEdit, laid_out};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::{Value, json};

use crate::buffer::{ColumnUnit, LineText};
use crate::claim::is_rig;
use crate::names::InRig;
use crate::pages::{InStep, OPEN_PAGE, Pages, SelectedOn};
use crate::protocol::{DocumentParams, RequestFault, parameters};
use crate::uri::{path_of, uri_of};
use crate::view::RigView;
use crate::worker::{self, PictureWanted, RenamedFile, Renaming, WorkerJob, WorkerQueue, WorkerReport};
use crate::{action, beside, completion, finding, hover, outline};

/// How the server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerEnd {
    /// It was asked to shut down before.
    Asked,
    /// The input ended, or the editor left without asking.
    Left,
}

/// Serves an editor over standard input and output until it leaves. Nothing else may be written to standard output.
///
/// # Errors
/// If the input is not of the protocol, or the output cannot be written.
pub fn serve(
    fonts: impl Fn() -> fontdb::Database + Send + Sync + 'static,
    pages: Option<Box<dyn Pages>>,
) -> io::Result<ServerEnd> {
    let (connection, threads) = Connection::stdio();
    let end = serve_connection(connection, Arc::new(fonts), pages);
    threads.join()?;
    Ok(end)
}

/// What happens.
enum Event {
    Client(Message),
    Worker(WorkerReport),
    /// A page of a rig selects something.
    Selected(PathBuf, Selected),
    /// The input ended.
    Closed,
}

fn serve_connection(
    connection: Connection,
    fonts: worker::FontsOf,
    pages: Option<Box<dyn Pages>>,
) -> ServerEnd {
    let Connection { sender, receiver } = connection;
    let (events, happened) = channel();
    let from_client: Sender<Event> = events.clone();
    std::thread::spawn(move || {
        for message in receiver {
            if from_client.send(Event::Client(message)).is_err() {
                return;
            }
        }
        // The server may have ended.
        let _ = from_client.send(Event::Closed);
    });
    let of_pages = events.clone();
    let selected: SelectedOn = Arc::new(move |rig, selection| {
        // The server may have ended.
        let _ = of_pages.send(Event::Selected(rig.to_owned(), selection));
    });
    let queue = WorkerQueue::default();
    let of_worker = queue.clone();
    std::thread::spawn(move || {
        worker::run(of_worker, fonts, &|report| {
            // The server may have ended.
            let _ = events.send(Event::Worker(report));
        });
    });
    let send = move |message: Message| {
        // An editor that does not read has left; the end of its input follows.
        let _ = sender.send(message);
    };
    let pages = pages.map(|pages| InStep::new(pages, selected));
    let mut server = Server::new(queue.clone(), Box::new(send), pages);
    let end = loop {
        // What the cursor is in takes as long as reading the text: of several places the last is looked at, once nothing
        // else waits.
        let next = happened.try_recv().or_else(|_| {
            if catch_unwind(AssertUnwindSafe(|| server.cursor())).is_err() {
                server.log("the program has a fault: the page does not follow the cursor");
            }
            happened.recv()
        });
        match next {
            Ok(Event::Client(Message::Request(request))) => server.request(request),
            Ok(Event::Client(Message::Notification(notification))) => {
                if notification.method == "exit" {
                    break if server.is_shut_down { ServerEnd::Asked } else { ServerEnd::Left };
                }
                let handled = catch_unwind(AssertUnwindSafe(|| server.notification(notification)));
                if handled.is_err() {
                    server.log("the program has a fault: a notification was not taken in");
                }
            }
            // Of what this server asks nothing needs an answer.
            Ok(Event::Client(Message::Response(_))) => {}
            Ok(Event::Worker(report)) => server.report(report),
            Ok(Event::Selected(rig, selection)) => server.reveal(&rig, selection),
            Ok(Event::Closed) | Err(_) => break ServerEnd::Left,
        }
    };
    queue.end();
    end
}

/// A text that an editor has open.
struct OpenText {
    /// As the editor writes it.
    uri: String,
    version: i64,
    lines: LineText,
    is_rig: bool,
}

struct Server {
    queue: WorkerQueue,
    send: Box<dyn Fn(Message)>,
    unit: ColumnUnit,
    has_snippets: bool,
    /// Whether the editor watches files if it is asked to.
    watches: bool,
    /// Whether the editor shows pictures in hovers.
    pictures: bool,
    /// Whether the editor asks for hints again if it is asked to, and how often it was.
    refreshes: Option<u32>,
    is_initialized: bool,
    is_shut_down: bool,
    texts: BTreeMap<PathBuf, OpenText>,
    views: Vec<RigView>,
    /// The versions of the texts that the views were made of.
    versions: BTreeMap<PathBuf, i64>,
    /// The findings of files as the editor has them, with the version of their text.
    published: BTreeMap<PathBuf, (Option<i64>, Vec<Value>)>,
    /// Requests that the worker has.
    waiting: BTreeSet<RequestId>,
    /// The pages beside the texts.
    pages: Option<InStep>,
    /// Whether the editor shows documents and addresses that it is asked to.
    shows: bool,
    /// Where the cursor went, until the page has it.
    moved: Option<DocumentParams>,
}

type Answer = Result<Value, ResponseError>;

impl Server {
    fn new(queue: WorkerQueue, send: Box<dyn Fn(Message)>, pages: Option<InStep>) -> Self {
        Self {
            queue,
            send,
            unit: ColumnUnit::Utf16,
            has_snippets: false,
            watches: false,
            pictures: false,
            refreshes: None,
            is_initialized: false,
            is_shut_down: false,
            texts: BTreeMap::new(),
            views: Vec::new(),
            versions: BTreeMap::new(),
            published: BTreeMap::new(),
            waiting: BTreeSet::new(),
            pages,
            shows: false,
            moved: None,
        }
    }

    fn reply(&self, id: RequestId, answer: Answer) {
        (self.send)(Message::Response(Response { id, response_result: answer }));
    }

    fn notify(&self, method: &str, params: Value) {
        (self.send)(Message::Notification(Notification { method: method.to_owned(), params }));
    }

    fn log(&self, message: &str) {
        self.notify("window/logMessage", json!({ "type": 1, "message": message }));
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&id, &method, params)));
        match answer {
            Ok(Some(answer)) => self.reply(id, answer),
            // The worker answers.
            Ok(None) => {}
            Err(_) => self.reply(id, Err(RequestFault::InternalError.because("the program has a fault"))),
        }
    }

    fn answer(&mut self, id: &RequestId, method: &str, params: Value) -> Option<Answer> {
        match method {
            "initialize" if self.is_initialized => {
                return Some(Err(RequestFault::InvalidRequest.because("the server is initialized already")));
            }
            "initialize" => return Some(Ok(self.initialize(&params))),
            "shutdown" => {
                self.is_shut_down = true;
                return Some(Ok(Value::Null));
            }
            _ if self.is_shut_down => {
                return Some(Err(RequestFault::InvalidRequest.because("the server is shut down")));
            }
            _ if !self.is_initialized => {
                // ServerNotInitialized.
                let message = "the server is not initialized".to_owned();
                return Some(Err(ResponseError { code: -32002, message, data: None }));
            }
            _ => {}
        }
        if method == "workspace/executeCommand" {
            return Some(self.execute(&params));
        }
        if !METHODS.contains(&method) {
            let message = format!("there is no method {method} here");
            return Some(Err(RequestFault::MethodNotFound.because(message)));
        }
        let params: DocumentParams = match parameters(params) {
            Ok(params) => params,
            Err(error) => return Some(Err(error)),
        };
        let path = path_of(&params.text_document.uri);
        let open = path.as_deref().and_then(|path| Some((path, self.texts.get(path)?)));
        // A text that is no rig has no answers.
        let open = open.filter(|(path, text)| text.is_rig || self.views.iter().any(|view| view.has(path)));
        let Some((path, text)) = open else { return Some(Ok(Value::Null)) };
        if method == "textDocument/rename" {
            return self.rename(id, path.to_owned(), &params);
        }
        let answer = self.of_text(method, &params, path, text);
        let picture = (method == "textDocument/hover" && self.pictures).then(|| {
            let lines_of = |path: &Path, read: &str| self.lines_of(path, read);
            let at = params.position.map(|at| text.lines.offset(at)).unwrap_or_default();
            hover::pictured(&self.in_rig(path, text, &lines_of), at)
        });
        match (answer, picture.flatten()) {
            (Ok(hover), Some(of)) if !hover.is_null() => {
                let wanted = PictureWanted { id: id.clone(), path: path.to_owned(), of, hover };
                self.queue.add(WorkerJob::Picture(wanted));
                self.waiting.insert(id.clone());
                None
            }
            (answer, _) => Some(answer),
        }
    }

    /// What follows from the text and the last view of its rig.
    fn of_text(&self, method: &str, params: &DocumentParams, path: &Path, text: &OpenText) -> Answer {
        let lines = &text.lines;
        let lines_of = |path: &Path, read: &str| self.lines_of(path, read);
        let here = self.in_rig(path, text, &lines_of);
        let at = params.position.map(|at| lines.offset(at)).unwrap_or_default();
        let range = params.range.map(|range| lines.offset(range.start)..lines.offset(range.end));
        Ok(match method {
            "textDocument/completion" => {
                json!({ "isIncomplete": false, "items": completion::completion(&here, at, self.has_snippets) })
            }
            "textDocument/hover" => hover::hover(&here, at).unwrap_or_default(),
            "textDocument/definition" => json!(here.definition(at)),
            "textDocument/references" => json!(here.references(at, params.context.include_declaration)),
            "textDocument/documentHighlight" => json!(here.highlights(at)),
            "textDocument/prepareRename" => {
                let name = here.renamed_at(at)?;
                json!({ "range": lines.range(name.range), "placeholder": &*name.name })
            }
            "textDocument/codeAction" => {
                json!(action::actions(&self.views, (path, &text.uri), lines, range.unwrap_or(0..0)))
            }
            "textDocument/formatting" | "textDocument/rangeFormatting" => {
                let Some(edits) = laid_out(lines.text()) else { return Ok(Value::Null) };
                let touched = edits.iter().filter(|edit| {
                    let touches =
                        |range: &Range<usize>| range.start <= edit.range.end && edit.range.start <= range.end;
                    range.as_ref().is_none_or(touches)
                });
                let edit = |edit: &TextEdit| json!({ "range": lines.range(edit.range.clone()), "newText": edit.text });
                json!(touched.map(edit).collect::<Vec<_>>())
            }
            "textDocument/inlayHint" => {
                let range = range.unwrap_or(0..lines.text().len());
                let view = here.views.first();
                json!(view.map(|view| beside::hints(view, lines, &range)).unwrap_or_default())
            }
            "textDocument/documentColor" => json!(beside::colors(lines)),
            "textDocument/colorPresentation" => json!(beside::presentations(params.color)),
            "textDocument/documentSymbol" => json!(outline::symbols(lines)),
            "textDocument/foldingRange" => json!(outline::folding(lines)),
            "textDocument/selectionRange" => {
                let places = params.positions.iter().map(|at| outline::selection(lines, lines.offset(*at)));
                json!(places.collect::<Vec<_>>())
            }
            _ => Value::Null,
        })
    }

    fn in_rig<'s>(
        &'s self,
        path: &'s Path,
        text: &'s OpenText,
        lines_of: &'s dyn Fn(&Path, &str) -> LineText,
    ) -> InRig<'s> {
        let views = self.views.iter().filter(|view| view.has(path)).collect();
        InRig { path, lines: &text.lines, views, lines_of }
    }

    /// A file as it is now: as the editor has it, or as it was read.
    fn lines_of(&self, path: &Path, read: &str) -> LineText {
        match self.texts.get(path) {
            Some(open) => open.lines.clone(),
            None => LineText::of_disk(read, self.unit),
        }
    }

    fn rename(&mut self, id: &RequestId, path: PathBuf, params: &DocumentParams) -> Option<Answer> {
        let text = self.texts.get(&path)?;
        let at = params.position.map(|at| text.lines.offset(at)).unwrap_or_default();
        let lines_of = |path: &Path, read: &str| self.lines_of(path, read);
        let here = self.in_rig(&path, text, &lines_of);
        let name = match here.renamed_at(at) {
            Ok(name) => name,
            Err(error) => return Some(Err(error)),
        };
        if name.scope.is_some() {
            let edits = here.renamed_in_scope(&name, &params.new_name);
            let files = edits.map(|edits| [(path.clone(), text.lines.text().to_owned(), edits)]);
            return Some(files.and_then(|files| self.workspace_edit(&files)));
        }
        self.waiting.insert(id.clone());
        let (from, to) = (name.name.to_string(), params.new_name.clone());
        self.queue.add(WorkerJob::Rename(Renaming { id: id.clone(), path, of: name.of, from, to }));
        None
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.is_initialized = true;
        let capabilities = &params["capabilities"];
        let units = capabilities["general"]["positionEncodings"].as_array();
        let utf8 = units.is_some_and(|units| units.iter().any(|unit| unit == "utf-8"));
        self.unit = if utf8 { ColumnUnit::Utf8 } else { ColumnUnit::Utf16 };
        let is_true = |value: &Value| value.as_bool().unwrap_or_default();
        self.has_snippets =
            is_true(&capabilities["textDocument"]["completion"]["completionItem"]["snippetSupport"]);
        self.watches = is_true(&capabilities["workspace"]["didChangeWatchedFiles"]["dynamicRegistration"]);
        self.pictures = is_true(&params["initializationOptions"]["pictures"]);
        self.shows = is_true(&capabilities["window"]["showDocument"]["support"]);
        let commands: Vec<&str> = self.pages.iter().map(|_| OPEN_PAGE).collect();
        self.refreshes = is_true(&capabilities["workspace"]["inlayHint"]["refreshSupport"]).then_some(0);
        json!({
            "capabilities": {
                "positionEncoding": if utf8 { "utf-8" } else { "utf-16" },
                "textDocumentSync": { "openClose": true, "change": 2, "save": true },
                "completionProvider": { "triggerCharacters": ["\"", "(", ":", " ", ","] },
                "hoverProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "documentSymbolProvider": true,
                "foldingRangeProvider": true,
                "selectionRangeProvider": true,
                "renameProvider": { "prepareProvider": true },
                "codeActionProvider": { "codeActionKinds": ["quickfix"] },
                "documentFormattingProvider": true,
                "documentRangeFormattingProvider": true,
                "inlayHintProvider": true,
                "colorProvider": true,
                "executeCommandProvider": { "commands": commands },
            },
            "serverInfo": { "name": "bone-layer", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "initialized" if self.watches => self.watch(),
            "textDocument/didOpen" | "textDocument/didChange" | "textDocument/didClose" => {
                match parameters(params) {
                    Ok(params) => self.document(&method, params),
                    Err(error) => self.log(&format!("{method}: {}", error.message)),
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.queue.disk_changed(),
            "boneLayer/cursor" => match parameters(params) {
                Ok(params) => self.moved = Some(params),
                Err(error) => self.log(&format!("{method}: {}", error.message)),
            },
            "$/cancelRequest" => {
                let id: Option<RequestId> = serde_json::from_value(params["id"].clone()).ok();
                if let Some(id) = id.filter(|id| self.waiting.remove(id)) {
                    self.queue.cancel(&id);
                    self.reply(id, Err(RequestFault::RequestCancelled.because("the request was cancelled")));
                }
            }
            _ => {}
        }
    }

    /// Opens the page of the rig that a document is part of.
    fn execute(&mut self, params: &Value) -> Answer {
        let refused = |why: String| Err(RequestFault::RequestFailed.because(why));
        let Some(pages) = self.pages.as_mut().filter(|_| params["command"] == OPEN_PAGE) else {
            return refused(format!("there is no command {} here", params["command"]));
        };
        let path = params["arguments"][0].as_str().and_then(path_of);
        let Some(path) = path else { return refused("the argument is the URI of a rig".to_owned()) };
        // A rig that was opened just now has no view yet.
        let seen = self.views.iter().find(|view| view.has(&path)).and_then(|view| view.files.first());
        let opened = self.texts.get(&path).filter(|text| text.is_rig).map(|_| &path);
        let Some(rig) = seen.or(opened) else {
            return refused(format!("{} is no rig that is open here", path.display()));
        };
        let address = match pages.open(rig) {
            Ok(address) => address,
            Err(why) => return refused(why),
        };
        // The address has the secret of the page: it goes to the editor, and into no file.
        if self.shows {
            self.show(json!({ "uri": address, "external": true }));
        }
        Ok(json!({ "address": address }))
    }

    fn show(&self, params: Value) {
        self.ask("show".to_owned(), "window/showDocument", params);
    }

    /// Selects on the page what the cursor is in, if it was moved.
    fn cursor(&mut self) {
        let Some(params) = self.moved.take() else { return };
        let path = path_of(&params.text_document.uri);
        let Some((path, at)) = path.zip(params.position) else { return };
        let Some(text) = self.texts.get(&path) else { return };
        let rig = self.views.iter().find(|view| view.has(&path)).and_then(|view| view.files.first());
        let Some((pages, rig)) = self.pages.as_mut().zip(rig).filter(|(pages, rig)| pages.has(rig)) else {
            return;
        };
        if let Some(selection) = Selected::at(text.lines.text(), text.lines.offset(at)) {
            pages.select(rig, selection);
        }
    }

    /// Shows in the editor what is selected on a page.
    fn reveal(&mut self, rig: &Path, selection: Selected) {
        let Some(view) = self.views.iter().find(|view| view.files.first().is_some_and(|own| own == rig))
        else {
            return;
        };
        let places = view.texts().filter_map(|(path, read)| {
            let lines = self.lines_of(path, read);
            Some((path, lines.range(selection.place(lines.text())?)))
        });
        let Some((path, range)) = places.into_iter().next() else { return };
        let uri = self.texts.get(path).map_or_else(|| uri_of(path), |open| open.uri.clone());
        let params = json!({ "uri": uri, "takeFocus": false, "selection": range });
        self.pages.iter_mut().for_each(|pages| pages.seen(rig, selection.clone()));
        match self.shows {
            true => self.show(params),
            false => self.notify("boneLayer/reveal", params),
        }
    }

    fn document(&mut self, method: &str, params: DocumentParams) {
        let document = params.text_document;
        let Some(path) = path_of(&document.uri) else { return };
        match method {
            "textDocument/didOpen" => {
                let lines = LineText::new(document.text, self.unit);
                let version = document.version.unwrap_or_default();
                let open = OpenText { uri: document.uri, version, lines, is_rig: false };
                self.texts.insert(path.clone(), open);
            }
            "textDocument/didChange" => {
                let Some(open) = self.texts.get_mut(&path) else { return };
                open.version = document.version.unwrap_or(open.version);
                params
                    .content_changes
                    .iter()
                    .for_each(|change| open.lines.change(change.range, &change.text));
            }
            _ => {
                self.texts.remove(&path);
                return self.queue.close(&path);
            }
        }
        if let Some(open) = self.texts.get_mut(&path) {
            open.is_rig = is_rig(&path, open.lines.text());
            self.queue.set_text(&path, open.lines.text(), open.version);
        }
    }

    /// Asks the editor to report changes of the files that rigs have.
    fn watch(&self) {
        let watchers = ["**/*.ron", "**/*.json", "**/*.svg"].map(|glob| json!({ "globPattern": glob }));
        let register = json!({
            "id": "files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        });
        self.ask("files".to_owned(), "client/registerCapability", json!({ "registrations": [register] }));
    }

    fn ask(&self, id: String, method: &str, params: Value) {
        let request = Request { id: RequestId::from(id), method: method.to_owned(), params };
        (self.send)(Message::Request(request));
    }

    /// Has the editor ask again for hints, which follow the rig.
    fn refresh_hints(&mut self) {
        if let Some(count) = &mut self.refreshes {
            *count = count.wrapping_add(1);
            let id = format!("hints {count}");
            self.ask(id, "workspace/inlayHint/refresh", Value::Null);
        }
    }

    fn report(&mut self, report: WorkerReport) {
        match report {
            WorkerReport::Views(views, versions) => {
                let bones = |views: &[RigView]| -> Vec<_> { views.iter().map(RigView::measures).collect() };
                let changed = bones(&self.views) != bones(&views);
                (self.views, self.versions) = (views, versions);
                self.publish();
                if changed {
                    self.refresh_hints();
                }
            }
            WorkerReport::Renamed(id, edits) => {
                if self.waiting.remove(&id) {
                    let answer = edits.and_then(|files| self.workspace_edit(&files));
                    self.reply(id, answer);
                }
            }
            WorkerReport::Pictured(id, hover) => {
                if self.waiting.remove(&id) {
                    self.reply(id, Ok(hover));
                }
            }
        }
    }

    /// The edits of files by their URIs.
    fn workspace_edit(&self, files: &[RenamedFile]) -> Answer {
        let mut changes = serde_json::Map::new();
        for (path, text, edits) in files {
            let open = self.texts.get(path);
            let lines = match open {
                Some(open) if open.lines.text() != text => {
                    return Err(RequestFault::ContentModified.because("the text was changed meanwhile"));
                }
                Some(open) => open.lines.clone(),
                None => LineText::of_disk(text, self.unit),
            };
            let edits = edits
                .iter()
                .map(|edit| json!({ "range": lines.range(edit.range.clone()), "newText": edit.text }));
            let uri = open.map_or_else(|| uri_of(path), |open| open.uri.clone());
            changes.insert(uri, json!(edits.collect::<Vec<_>>()));
        }
        Ok(json!({ "changes": changes }))
    }

    /// Sends the findings of all files that have some, or had some before.
    fn publish(&mut self) {
        let mut paths = worker::files_with_findings(&self.views);
        paths.extend(self.published.keys().cloned());
        // The first view of an open rig is always reported: editors wait for it.
        paths.extend(
            self.views
                .iter()
                .flat_map(|view| view.files.clone())
                .filter(|file| self.texts.contains_key(file)),
        );
        // Findings are those of the texts that were read.
        let (texts, unit) = (&self.texts, self.unit);
        let lines_of = |path: &Path, read: &str| match texts.get(path) {
            Some(_) => LineText::new(read, unit),
            None => LineText::of_disk(read, unit),
        };
        for path in paths {
            let findings = finding::findings_in(&self.views, &path, &lines_of);
            let version = self.versions.get(&path).copied();
            let open = self.texts.get(&path);
            let is_open = open.is_some() && self.views.iter().any(|view| view.has(&path));
            let made = (version, findings);
            if self.published.get(&path) == Some(&made) {
                continue;
            }
            let uri = open.map_or_else(|| uri_of(&path), |open| open.uri.clone());
            let mut params = json!({ "uri": uri, "diagnostics": made.1 });
            if let Some(version) = version {
                params["version"] = json!(version);
            }
            self.notify("textDocument/publishDiagnostics", params);
            match made.1.is_empty() && !is_open {
                true => self.published.remove(&path),
                false => self.published.insert(path, made),
            };
        }
    }
}

/// The requests about one document.
const METHODS: [&str; 16] = [
    "textDocument/completion",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/codeAction",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/inlayHint",
    "textDocument/documentColor",
    "textDocument/colorPresentation",
];
