//! Memory that is missing is a message and exit code 1, not an abort. Frames that cannot fit are refused before
//! they are drawn: a system that promises more memory than it has would end the program without a message.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write as _;

use bone_render::FrameSize;

/// The allocator of the system; where it has no more memory the program ends with a message.
struct ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

// SAFETY: every call goes to the allocator of the system with the arguments of the caller, and its result is
// returned as it is. Where there is none, the program ends.
#[allow(unsafe_code, reason = "stable Rust has no other way to replace the abort at missing memory")]
unsafe impl GlobalAlloc for ExitingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those of the system's allocator.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.realloc(at, layout, size) }, size)
    }
}

fn checked(at: *mut u8, size: usize) -> *mut u8 {
    if at.is_null() { end(size) } else { at }
}

/// Prints without allocating, and ends.
#[cold]
#[allow(clippy::exit, reason = "there is no memory to return with")]
fn end(size: usize) -> ! {
    // A closed standard error is ignored.
    let _ = writeln!(
        std::io::stderr(),
        "error: there is not enough memory ({} MB more are needed): choose a smaller size or fewer --jobs",
        size.div_ceil(1_000_000)
    );
    std::process::exit(1)
}

/// Bytes for each pixel of a frame that is drawn: the picture, a layer, filtered rows and compressed bytes.
const PER_PIXEL: u64 = 16;
/// Bytes of a thread's stack and caches besides pixels.
const PER_THREAD: u64 = 16_000_000;

/// How many frames of this size can be drawn at a time with the memory that is free: at most `jobs`.
///
/// # Errors
/// If there is no memory for one.
pub(crate) fn jobs_that_fit(size: FrameSize, jobs: usize) -> Result<usize, String> {
    let Some(free) = available() else { return Ok(jobs) };
    fitting(size, jobs, free)
}

fn fitting(size: FrameSize, jobs: usize, free: u64) -> Result<usize, String> {
    let pixels = u64::from(size.width()) * u64::from(size.height()) * PER_PIXEL;
    // Small frames are tried: other memory than theirs decides.
    if pixels > free && pixels > 4 * PER_THREAD {
        return Err(format!(
            "a frame of {} x {} pixels needs about {} MB of memory, and {} MB are free: choose a smaller --size or --scale",
            size.width(),
            size.height(),
            pixels.div_ceil(1_000_000),
            free / 1_000_000
        ));
    }
    let fit = free / (pixels + PER_THREAD);
    Ok(jobs.min(usize::try_from(fit).unwrap_or(usize::MAX)).max(1))
}

/// The bytes that this process may still have; `None` where the system does not report it.
fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let kilobytes = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
    };
    let machine = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemAvailable:"));
    let container = {
        let number = |path: &str| read(path).and_then(|text| text.trim().parse::<u64>().ok());
        let limits = [
            ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
        ];
        limits.iter().find_map(|(most, used)| Some(number(most)?.saturating_sub(number(used)?)))
    };
    let process = read("/proc/self/limits").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        let most = line.split_whitespace().next()?.parse::<u64>().ok()?;
        let used = read("/proc/self/status").and_then(|text| kilobytes(&text, "VmSize:"))?;
        Some(most.saturating_sub(used))
    });
    [machine, container, process].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_do_not_fit_are_refused_and_others_are_drawn_fewer_at_a_time() {
        let size = |side| FrameSize::new(side, side).expect("a size");
        assert_eq!(fitting(size(100), 8, 1_000_000_000), Ok(8));
        assert_eq!(fitting(size(100), 8, 1_000), Ok(1));
        // 256 MB each.
        assert_eq!(fitting(size(4_000), 8, 900_000_000), Ok(3));
        let error = fitting(size(20_000), 8, 1_000_000_000).unwrap_err();
        assert!(error.contains("6400 MB") && error.contains("1000 MB are free"), "{error}");
        if cfg!(target_os = "linux") {
            assert!(available().is_some_and(|free| free > 1_000_000));
        }
    }
}
