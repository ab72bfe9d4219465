//! Frames through a pipe into ffmpeg, which writes a video under a temporary name.

use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;

use bone_export::{FilmSound, VideoOptions};
use bone_render::WholeFile;

/// The last bytes of its messages that are kept.
const MESSAGE_BYTES: usize = 4 << 10;

/// Whether ffmpeg can be started.
pub(crate) fn is_there() -> bool {
    let mut command = Command::new("ffmpeg");
    command.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A running ffmpeg. Dropped before it has finished, it is ended, and its file is removed.
pub(crate) struct VideoPipe {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Option<JoinHandle<String>>,
    file: Option<WholeFile>,
    encoder: &'static str,
}

impl VideoPipe {
    pub(crate) fn start(
        path: &Path,
        options: &VideoOptions,
        sounds: &[FilmSound],
        frames: u64,
    ) -> Result<Self, String> {
        let file = WholeFile::create(path).map_err(|error| error.to_string())?;
        // A name that begins with a dash would be an option, so it gets its folder.
        let target = match file.temporary().parent() {
            Some(folder) if !folder.as_os_str().is_empty() => file.temporary().to_owned(),
            _ => Path::new(".").join(file.temporary()),
        };
        let mut command = Command::new("ffmpeg");
        command.args(options.arguments(sounds, frames)).arg(target);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => format!(
                "{} needs ffmpeg, which is not installed (apt install ffmpeg, brew install ffmpeg, winget install ffmpeg).\n\
                 On a machine that has it, a stream of frames does the same: render-frames RIG -o - --format y4m \
                 --background white > walk.y4m, then ffmpeg -colorspace bt709 -i walk.y4m -pix_fmt yuv420p walk.mp4",
                path.display()
            ),
            _ => format!("ffmpeg cannot be started: {error}"),
        })?;
        let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
        // Read beside the writing: a full pipe of messages would stop ffmpeg.
        let messages = std::thread::spawn(move || {
            let mut last = Vec::new();
            let mut part = [0; 1024];
            let Some(mut stderr) = stderr else { return String::new() };
            while let Ok(read @ 1..) = stderr.read(&mut part) {
                last.extend_from_slice(&part[..read]);
                let over = last.len().saturating_sub(MESSAGE_BYTES);
                last.drain(..over);
            }
            String::from_utf8_lossy(&last).trim().to_owned()
        });
        let encoder = options.format.encoder();
        Ok(Self { child, stdin, messages: Some(messages), file: Some(file), encoder })
    }

    /// Writes a frame.
    pub(crate) fn write(&mut self, frame: &[u8]) -> Result<(), String> {
        let Some(stdin) = &mut self.stdin else { return Err("ffmpeg has ended".to_owned()) };
        // Why it takes no more is known when it has ended.
        match stdin.write_all(frame) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => match self.wait() {
                Ok(status) => Err(self.failure(status)),
                Err(message) => Err(message),
            },
            Err(error) => Err(format!("ffmpeg takes no more frames: {error}")),
        }
    }

    /// Waits for the end of ffmpeg, and hands out its file.
    pub(crate) fn finish(mut self) -> Result<WholeFile, String> {
        let status = self.wait()?;
        let written = self.file.as_ref().and_then(|file| std::fs::metadata(file.temporary()).ok());
        match self.file.take() {
            Some(file) if status.success() && written.is_some_and(|about| about.len() > 0) => Ok(file),
            // Dropped, it is removed.
            _ => Err(self.failure(status)),
        }
    }

    fn wait(&mut self) -> Result<ExitStatus, String> {
        // Without its writer the stream of frames ends.
        self.stdin = None;
        self.child.wait().map_err(|error| format!("ffmpeg cannot be waited for: {error}"))
    }

    fn failure(&mut self, status: ExitStatus) -> String {
        let messages = self.messages.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let mut text = match status.success() {
            true => "ffmpeg ended without an error, and has written nothing".to_owned(),
            false => format!("ffmpeg ended before the video was whole ({status})"),
        };
        if !messages.is_empty() {
            text = format!("{text}:\n{messages}");
        }
        if messages.contains("Unknown encoder") {
            text = format!(
                "{text}\nThis ffmpeg was built without {}; install another build of it",
                self.encoder
            );
        }
        text
    }
}

impl Drop for VideoPipe {
    fn drop(&mut self) {
        self.stdin = None;
        if self.file.is_some() {
            // It may have ended by itself.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
