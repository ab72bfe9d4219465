//! The page's document and engine as one module for a browser. It imports nothing: a worker puts bytes into the input,
//! calls a function, and takes messages out.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use bone_authoring::{FileNames, scaffold};
use bone_format::{InMemory, fontdb::Database, no_fonts};
use bone_live::{LocalPage, PageOutput};

#[derive(Default)]
struct Module {
    /// What the worker has written for the next call.
    input: Vec<u8>,
    files: BTreeMap<String, Vec<u8>>,
    page: Option<LocalPage>,
    /// What the worker takes next.
    output: Vec<u8>,
}

impl Module {
    fn take_text(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.input)).into_owned()
    }
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

/// Calls the module; there is one thread, and no call from within another.
fn with<T>(call: impl FnOnce(&mut Module) -> T) -> T {
    MODULE.with(|module| call(&mut module.borrow_mut()))
}

/// Room for so many bytes of input.
#[unsafe(no_mangle)]
pub extern "C" fn page_input(length: usize) -> *mut u8 {
    with(|module| {
        module.input.clear();
        module.input.resize(length, 0);
        module.input.as_mut_ptr()
    })
}

/// Adds a file: the first bytes of the input are its name.
#[unsafe(no_mangle)]
pub extern "C" fn page_file(name_length: usize) {
    with(|module| {
        let mut name = std::mem::take(&mut module.input);
        let bytes = name.split_off(name_length.min(name.len()));
        module.files.insert(String::from_utf8_lossy(&name).into_owned(), bytes);
    });
}

/// Writes a scaffold for the drawing that the input names, as a rig of that name; whether it could be made.
#[unsafe(no_mangle)]
pub extern "C" fn page_scaffold() -> u32 {
    with(|module| {
        let drawing = module.take_text();
        let rig = format!("{}.ron", drawing.strip_suffix(".svg").unwrap_or(&drawing));
        let files = module.files.iter().fold(InMemory::new(), |files, (name, bytes)| files.with(name, bytes.clone()));
        let called = FileNames { drawing: &drawing, rig: &rig };
        let files: Arc<dyn bone_format::Files> = Arc::new(files);
        let made = scaffold(drawing.as_ref(), called, &files, &no_fonts).rig;
        let is_made = made.is_some();
        made.into_iter().for_each(|made| drop(module.files.insert(rig.clone(), made.text.into_bytes())));
        u32::from(is_made)
    })
}

/// Opens the rig that the input names, among the files that were added; whether it is open.
#[unsafe(no_mangle)]
pub extern "C" fn page_open() -> u32 {
    with(|module| {
        let rig = module.take_text();
        module.page = LocalPage::open(&rig, std::mem::take(&mut module.files), Database::new());
        u32::from(module.page.is_some())
    })
}

/// Answers the message in the input.
#[unsafe(no_mangle)]
pub extern "C" fn page_receive() {
    with(|module| {
        let text = module.take_text();
        module.page.iter_mut().for_each(|page| page.receive(&text));
    });
}

/// Puts the next message into the output: 1 a text, 2 bytes, 0 none.
#[unsafe(no_mangle)]
pub extern "C" fn page_next() -> u32 {
    with(|module| match module.page.as_mut().and_then(LocalPage::next_output) {
        Some(PageOutput::Text(text)) => {
            module.output = text.as_bytes().to_vec();
            1
        }
        Some(PageOutput::Bytes(bytes)) => {
            module.output = bytes;
            2
        }
        None => 0,
    })
}

/// Puts a file into the output, by its number in the order of names, behind its name and a zero; whether there is one.
#[unsafe(no_mangle)]
pub extern "C" fn page_saved(number: usize) -> u32 {
    with(|module| {
        let found = module.page.as_ref().and_then(|page| page.files().into_iter().nth(number));
        let is_there = found.is_some();
        module.output = found.map(|(name, bytes)| [name.as_bytes(), &[0], &bytes].concat()).unwrap_or_default();
        u32::from(is_there)
    })
}

/// Where the output is.
#[unsafe(no_mangle)]
pub extern "C" fn page_output() -> *const u8 {
    with(|module| module.output.as_ptr())
}

/// How long it is.
#[unsafe(no_mangle)]
pub extern "C" fn page_output_length() -> usize {
    with(|module| module.output.len())
}
