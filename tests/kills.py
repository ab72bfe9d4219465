#!/usr/bin/env python3
"""Kills the built program in the middle of its work, once for each kind of output in turn: by SIGKILL, and frames
that are continued also by other signals, by several in a row, and in one of two programs that share the folder.

    KILLS=100 tests/kills.py target/release/render-frames
    KILLS=20 KINDS=8 tests/kills.py

KINDS takes some of the kinds, always those of frames that are continued.

Every file under a final name must be whole: that of a run that was not disturbed, or the one that was there
before. A second run must then give all of them. The moments of the kills are random; the seed is printed, and
SEED=n repeats them as far as a machine does.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/render-frames").resolve()
KILLS = int(os.environ.get("KILLS", "100"))
FEW = int(os.environ.get("KINDS", "1000"))
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 32)))
RIG = str(ROOT / "examples/elbow/rig.ron")
WALK = str(ROOT / "examples/walk/rig.ron")
DRAWING = str(ROOT / "examples/walk/drawing.svg")
RECORDING = str(next((ROOT / "tests/motion").rglob("*.bvh")))
OLD = b"what was there before"

# The name of each kind, its arguments, and a final name that holds something before the run.
KINDS = [
    ("frames that are continued", ["render", WALK, "-o", "f_##.png", "--frames", "0-23", "--existing", "skip"], "f_03.png"),
    ("frames of two programs", ["render", WALK, "-o", "f_##.png", "--frames", "0-23", "--existing", "skip"], "f_03.png"),
    ("frames", ["render", WALK, "-o", "f_##.png", "--frames", "0-11", "--compress", "balanced"], "f_03.png"),
    ("fast frames", ["render", WALK, "-o", "out/{clip}_##.png", "--compress", "fast"], None),
    ("one thread", ["render", RIG, "-o", "f_##.png", "--jobs", "1"], "f_00.png"),
    ("frames as SVG", ["render", WALK, "-o", "f_##.svg", "--format", "svg"], "f_01.svg"),
    ("GIF", ["render", RIG, "-o", "a.gif"], "a.gif"),
    ("APNG", ["render", RIG, "-o", "a.apng"], "a.apng"),
    ("WebP", ["render", RIG, "-o", "a.webp"], "a.webp"),
    ("animated SVG", ["render", WALK, "-o", "a.svg"], "a.svg"),
    ("Lottie", ["render", RIG, "-o", "a.json"], "a.json"),
    ("dotLottie", ["render", RIG, "-o", "a.lottie"], None),
    ("sprite sheet", ["render", RIG, "-o", "a.json", "--sheet", "--scale", "0.5"], "a.json"),
    ("sheet", ["sheet", RIG, "-o", "a.png"], "a.png"),
    ("onion skin", ["onion", WALK, "-o", "a.png"], "a.png"),
    ("plot", ["plot", WALK, "-o", "a.svg"], "a.svg"),
    ("packed rig", ["pack", WALK, "-o", "a.bones", "--force"], "a.bones"),
    ("scaffold", ["init", DRAWING, "-o", "rig.ron", "--force"], "rig.ron"),
    ("recording", ["import", RECORDING, "-o", "rig.ron", "--existing", "overwrite"], "rig.ron"),
]
if shutil.which("ffmpeg"):
    KINDS.append(("MP4", ["render", RIG, "-o", "a.mp4", "--scale", "0.5"], "a.mp4"))
    KINDS.append(("WebM", ["render", RIG, "-o", "a.webm", "--scale", "0.5"], "a.webm"))


def finals(folder):
    """Files under final names: temporary ones and records begin with a point."""
    inside = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in inside
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }


def start(folder, words):
    return subprocess.Popen(
        [PROGRAM, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )


def whole(words):
    """The files of an undisturbed run, and its time."""
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    started = time.monotonic()
    run = start(folder, words)
    err = run.communicate(timeout=300)[1]
    took = time.monotonic() - started
    if run.returncode != 0:
        sys.exit("%s\n%s" % (" ".join(words), err.decode(errors="replace")))
    found = finals(folder)
    shutil.rmtree(folder)
    return found, took


# Each ends the program; those that it handles let it finish what it has begun.
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE]


def kill(rng, name, words, before, want, took):
    """What went wrong, whether the kill came before the end, and the time after which it came."""
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    if before:
        (folder / before).write_bytes(OLD)
    killed, after = False, 0.0
    is_continued = words[-1] == "skip"
    for _ in range(rng.randint(1, 3) if is_continued else 1):
        after = took * rng.uniform(0.05, 1.0)
        number = rng.choice(SIGNALS) if is_continued else signal.SIGKILL
        other = start(folder, words) if name == "frames of two programs" else None
        run = start(folder, words)
        time.sleep(after)
        # The program alone: what it has started ends by itself, or is left behind.
        os.kill(run.pid, number)
        run.stderr.close()
        ended = run.wait()
        killed |= ended in (-number, 128 + number)
        if other:
            other.communicate(timeout=300)
        if other and other.returncode != 0:
            return "the other program ended with %d" % other.returncode, killed, after, folder
    # What the program has started may go on writing.
    time.sleep(0.2 if name in ("MP4", "WebM") else 0.01)
    for path, data in finals(folder).items():
        if data != want.get(path) and not (path == before and data == OLD):
            return "%s has %d bytes, of %d" % (path, len(data), len(want.get(path, b""))), killed, after, folder
    run = start(folder, words)
    err = run.communicate(timeout=300)[1]
    if run.returncode != 0:
        return "the next run failed: %s" % err.decode(errors="replace")[:300], killed, after, folder
    found = finals(folder)
    if found != want:
        wrong = sorted(path for path in set(found) | set(want) if found.get(path) != want.get(path))
        return "after the next run these are others: %s" % ", ".join(wrong[:5]), killed, after, folder
    shutil.rmtree(folder)
    return None, killed, after, folder


if __name__ == "__main__":
    rng = random.Random(SEED)
    KINDS = KINDS[:2] + rng.sample(KINDS[2:], min(max(FEW - 2, 0), len(KINDS) - 2))
    print("seed %d, %d kills of %d kinds" % (SEED, KILLS, len(KINDS)), flush=True)
    times = {name: whole(words) for name, words, _ in KINDS}
    # What differs from run to run cannot be compared: it would be a mistake of its own.
    for name, words, _ in KINDS:
        if whole(words)[0] != times[name][0]:
            print("%s: two runs differ" % name)
    wrong = hits = runs = 0
    # A kill that came too late is repeated.
    while hits < KILLS and runs < 3 * KILLS:
        name, words, before = KINDS[runs % len(KINDS)]
        runs += 1
        why, killed, after, folder = kill(rng, name, words, before, *times[name])
        hits += killed
        if why:
            wrong += 1
            print("%s, killed after %.2f s: %s\n  %s" % (name, after, why, folder), flush=True)
    print("%d kills in the middle of the work, of %d; %d went wrong" % (hits, runs, wrong))
    sys.exit(1 if wrong or hits < KILLS else 0)
