#!/usr/bin/env python3
"""Damages rigs, drawings and recordings, and runs the built program on them: 2 GB of memory and 20 s of a processor each.

    CASES=500 tests/hostile.py target/release/render-frames
    CASES=500 ONLY=recording tests/hostile.py target/release/render-frames

A run is wrong if it prints a panic or an internal error, is ended by a signal or by the time, fails without a
message, or succeeds with files that are no pictures or no JSON, or with a packed rig whose frames are others. A
run that takes half as long on the rig without damage is reported, and is not wrong. The seed is printed; SEED=n
repeats a run. Cases that went wrong are kept in a folder, which is printed.
"""

import collections
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import made_recordings

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/render-frames").resolve()
CASES = int(os.environ.get("CASES", "60"))
ONLY = os.environ.get("ONLY")
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 32)))
MEMORY = 2 << 30
SECONDS = 20
# How often each exit code was seen, and the commands that take as long on the rig without damage.
CODES = collections.Counter()
SLOW = collections.Counter()
LONG = "it took longer than %d s" % SECONDS

NUMBERS = (
    "NaN inf -inf 1e308 -1e308 1e39 1e30 -1e30 1e12 -0 0 1e-320 1e-30 1e-7 99999999999 -1 1e400 0.5 4294967296 "
    "18446744073709551616 2147483648 1e9 32769 3.4e38 100000"
).split()
WORDS = [
    "(", ")", "{", "}", "[", "]", '"', ",", ":", "/*", "<g>", "</g>", "<!--", "\x00", "\x1b[31m", "\u202e", "&amp;", "&#27;",
    '<use href="#flower"/>', '<image href="../x.png"/>', 'transform="scale(0)" ', 'transform="scale(1e30)" ',
    'stroke="red" stroke-width="1e30" ', 'filter="url(#f)" ', 'width="1e9" ', "loop: true, ", "step: 9999, ", "NaN",
    'viewBox="0 0 1e-30 1e30" ', "mask='url(#m)' ", 'stroke-dasharray="1e-9 1e9" ', "repeat: 4000000000, ",
]


def another(rng, text):
    """A number that most fields allow, near another or far from it."""
    try:
        value = float(text)
    except ValueError:
        return text
    factor = rng.choice((-1, 0, 0.001, 0.1, 0.5, 0.99, 1.01, 2, 10, 1000))
    return "%d" % (value * factor) if text.lstrip("-").isdigit() else "%g" % (value * factor)


def bend(rng, data, most=6):
    """Numbers in place of others: most files can still be read, and what they describe is odd."""
    places = list(re.finditer(rb"(?<![\w.])-?\d+(\.\d+)?", data))
    if not places:
        return data
    data = bytearray(data)
    for place in sorted(rng.sample(places, min(len(places), rng.randint(1, most))), key=lambda m: -m.start()):
        data[place.start() : place.end()] = another(rng, place.group().decode()).encode()
    return bytes(data)


def damage(rng, data, strongest=3):
    if rng.random() < 0.5:
        return bend(rng, data)
    data = bytearray(data)
    for _ in range(rng.randint(1, strongest)):
        if not data:
            return bytes(data)
        at = rng.randrange(len(data))
        kind = rng.randrange(12)
        if kind < 6:
            # A number in place of another.
            digits = b"0123456789.-e"
            while at < len(data) and data[at] not in b"0123456789":
                at += 1
            end = at
            while end < len(data) and data[end] in digits:
                end += 1
            data[at:end] = rng.choice(NUMBERS).encode()
        elif kind < 8:
            data[at:at] = rng.choice(WORDS).encode()
        elif kind == 8:
            data[at] = rng.randrange(256)
        elif kind == 9:
            del data[at : at + rng.randrange(1, 200)]
        elif kind == 10:
            end = at + rng.randrange(1, 2000)
            data[at:at] = data[at:end] * rng.randint(1, 3)
        else:
            lines = bytes(data).split(b"\n")
            one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
            data = bytearray(b"\n".join(lines))
    return bytes(data)


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(folder, words, seconds=SECONDS):
    """Seconds are those of a processor; a busy machine may take longer, a program that waits may not."""
    def limited():
        limits()
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))

    environment = {**os.environ, "NO_COLOR": "1", "RUST_BACKTRACE": "0"}
    try:
        done = subprocess.run(
            [PROGRAM, *words], cwd=folder, capture_output=True, timeout=10 * seconds, preexec_fn=limited, env=environment,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return LONG, None, b"", b""
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return LONG, None, b"", b""
    out, err = done.stdout, done.stderr
    CODES[done.returncode] += 1
    why = None
    if any(word in err for word in (b"panicked", b"internal error", b"RUST_BACKTRACE", b"stack overflow")):
        why = "a panic"
    elif done.returncode not in (0, 1, 2, 3):
        why = "exit code %d" % done.returncode
    elif done.returncode != 0 and not err.strip() and not out.strip():
        why = "it failed without a message"
    elif any(byte < 32 and byte not in b"\t\n" or byte == 127 for byte in err):
        why = "control characters on standard error"
    return why, done.returncode, out, err


def is_png(path):
    """Whether a file is a whole PNG: signature, checksums, all rows."""
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        return False
    at, rows, header = 8, b"", None
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if struct.pack(">I", zlib.crc32(kind + body)) != data[at + 8 + length : at + 12 + length]:
            return False
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        rows += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height, depth, colours = header[:4]
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colours]
    return len(zlib.decompress(rows)) == height * (1 + (width * channels * depth + 7) // 8)


def json_of(text):
    def refuse(constant):
        raise ValueError(constant)

    return json.loads(text, parse_constant=refuse)


def copy(original, folder):
    left_out = shutil.ignore_patterns("out", "frames", ".bone-layer", "*.bvh", "*.webp", "*.png", "*.json")
    shutil.copytree(original, folder, dirs_exist_ok=True, ignore=left_out)


def is_long(original, words):
    """Whether a command takes half as long on the rig without damage: little optimisation, or a busy machine."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        copy(original, folder)
        if run(folder, words, SECONDS / 2)[0] != LONG:
            return False
    SLOW["%s of %s" % (" ".join(words), original.name)] += 1
    return True


def check_rig(folder, rig, original, rng):
    """All commands for a rig; what went wrong."""
    view = ",".join(rng.choice(NUMBERS) if rng.random() < 0.4 else str(rng.randint(-99, 400)) for _ in range(4))
    number = rng.choice(NUMBERS)
    frames = {}
    for words in (
        ["check", rig, "--json"],
        ["render", rig, "-o", "out/f_##.png", "--frames", "0,3", "--size", "64x48", "-q"],
        ["render", rig, "-o", "out/f_##.svg", "--frames", "0,3", "--format", "svg", "-q"],
        ["inspect", rig, "--json", "--frame", "2"],
        ["sheet", rig, "-o", "out/sheet.png", "--moments", "2", "--size", "40x30"],
        ["onion", rig, "-o", "out/onion.png", "--size", "64x48"],
        ["plot", rig, "-o", "out/plot.svg"],
        [rig, "-o", "out/vector.json", "-q"],
        [rig, "-o", "out/all.gif", "--size", "32x24", "--frames", "0-2", "-q"],
        ["render", rig, "-o", "out/fit.png", "--fit", "--width", "40", "--frames", "1", "-q"],
        ["render", rig, "-o", "out/view.png", "--view=" + view, "--size", "40x30", "--samples", "4", "--frames", "1", "-q"],
        ["render", rig, "-o", "out/dots.png", "--dither", "ordered", "--scale=" + number, "--frames", "1", "-q"],
        ["render", rig, "-o", "out/margin.png", "--fit", "--margin=" + number, "--height", "30", "--frames", "1", "-q"],
        [rig, "-o", "out/all.webp", "--size", "32x24", "--frames", "0-2", "-q"],
        [rig, "-o", "out/vector.svg", "-q"],
        ["convert", rig],
        ["pack", rig, "-o", "out/a.bones", "--force", "-q"],
        ["render", "out/a.bones", "-o", "out/f_##.png", "--frames", "0,3", "--size", "64x48", "-q"],
    ):
        if words[1] != "out/a.bones":
            shutil.rmtree(folder / "out", ignore_errors=True)
            (folder / "out").mkdir()
        elif not (folder / "out/a.bones").exists():
            continue
        before = sorted(path.name for path in folder.iterdir())
        why, code, out, err = run(folder, words)
        if why is None and code == 0:
            if "out/f_##.png" in words:
                frames[words[1]] = [path.read_bytes() for path in sorted((folder / "out").glob("*.png"))]
            pictures = [path for path in (folder / "out").glob("*.png") if not is_png(path)]
            if pictures:
                why = "%s is no picture" % pictures[0].name
            elif "-o" in words and not [p for p in (folder / "out").iterdir() if p.name != ".bone-layer"]:
                why = "nothing was written"
            elif "--json" in words:
                try:
                    json_of(out)
                except ValueError as error:
                    why = "the JSON cannot be read: %s" % error
            for path in (folder / "out").glob("*.json"):
                try:
                    json_of(path.read_bytes())
                except ValueError as error:
                    why = "%s cannot be read: %s" % (path.name, error)
        if why is None and words[1] == "out/a.bones" and code == 0 and frames.get(rig) != frames[words[1]]:
            why = "the frames of the packed rig are others"
        if why is None and sorted(path.name for path in folder.iterdir()) != before:
            why = "a file outside of the output folder"
        if why == LONG and is_long(original, words):
            continue
        if why:
            return words, why, err
    return None


def check_drawing(folder, drawing):
    for words in (["init", drawing, "-o", "-"], ["inspect", drawing, "--json"], ["sheet", drawing, "--art", "-o", "art.png", "--size", "40x30"]):
        why, code, out, err = run(folder, words)
        if why is None and code == 0 and words[0] == "init":
            (folder / "made.ron").write_bytes(out)
            if run(folder, ["check", "made.ron", "--drawing", drawing])[1] != 0:
                why = "the scaffold has mistakes"
        if why:
            return words, why, err
    return check_made(folder, ["--drawing", drawing])


def check_made(folder, more=()):
    """Renders a rig that was made, in both ways."""
    if not (folder / "made.ron").exists():
        return None
    for words in (
        ["render", "made.ron", *more, "-o", "made.png", "--frames", "0", "--size", "40x30", "-q"],
        ["render", "made.ron", *more, "-o", "made_#.svg", "--frames", "0", "--format", "svg", "--size", "40x30", "-q"],
    ):
        why, code, out, err = run(folder, words)
        if why is None and code == 0 and words[-4] == "--size" and not is_png(folder / "made.png"):
            why = "made.png is no picture"
        if why is None and code not in (0, 1):
            why = "exit code %d for a rig that was made" % code
        if why:
            return words, why, err
    return None


def check_recording(folder, recording):
    words = ["import", recording, "-o", "made.ron", "--existing", "overwrite"]
    why, code, out, err = run(folder, words)
    if why is None and code == 0:
        why, code, out, err = run(folder, ["check", "made.ron"])
        if why is None and code != 0:
            why = "the rig that was made has mistakes"
    if why:
        return words, why, err
    return check_made(folder)


def planted():
    """Recordings that are no files, or lead elsewhere: how many, and what went wrong with them."""
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    ring = json.loads(made_recordings.files(made_recordings.gltf_alone)["a.gltf"])
    ring["nodes"][-1]["children"] = [0]
    itself = json.loads(made_recordings.files(made_recordings.gltf_alone)["a.gltf"])
    itself["nodes"][0]["children"] = [0]
    scene, data = made_recordings.scene(lambda data: "a.bin")
    (folder / "secret.bin").write_bytes(data)
    home = folder / "home"
    home.mkdir()
    (home / "ring.gltf").write_text(json.dumps(ring))
    (home / "itself.gltf").write_text(json.dumps(itself))
    names = ["ring.gltf", "itself.gltf"]
    uris = ["link.bin", "pipe.bin", "../secret.bin", "/dev/zero", "file:///dev/zero", "..%2fsecret.bin", "loop.bin", "sub"]
    (home / "link.bin").symlink_to("../secret.bin")
    (home / "loop.bin").symlink_to("loop.bin")
    (home / "sub").mkdir()
    os.mkfifo(home / "pipe.bin")
    for at, uri in enumerate(uris):
        scene["buffers"][0]["uri"] = uri
        (home / ("uri%d.gltf" % at)).write_text(json.dumps(scene))
        names.append("uri%d.gltf" % at)
    for ending in ("bvh", "amc", "trc", "glb", "csv", "json"):
        os.mkfifo(home / ("pipe." + ending))
        (home / ("zero." + ending)).symlink_to("/dev/zero")
        (home / ("round." + ending)).symlink_to("round." + ending)
        names += [start + ending for start in ("pipe.", "zero.", "round.")]
    # A skeleton that is a device, beside its motion.
    (home / "b.amc").write_bytes(made_recordings.files(made_recordings.asf_amc)["a.amc"])
    (home / "b.asf").symlink_to("/dev/zero")
    names.append("b.amc")
    wrong = []
    for name in names:
        why, code, out, err = run(home, ["import", name, "-o", "made.ron"])
        if why is None and code == 0:
            why = "it was read"
        if why:
            wrong.append("%s: %s\n  %s" % (name, why, err.decode(errors="replace")[:300]))
    if not wrong:
        shutil.rmtree(folder)
    return len(names), wrong


def rigs():
    found = []
    for folder in sorted((ROOT / "examples").iterdir()):
        if (folder / "rig.ron").exists():
            found.append(folder / "rig.ron")
    return found + sorted((ROOT / "tests/rigs").glob("*.ron"))


def drawing_of(text):
    for part in text.split(b'drawing: "')[1:]:
        return part.split(b'"')[0].decode()
    return None


def case(number):
    rng = random.Random(SEED * 1_000_003 + number)
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    kind = ONLY or ("rig", "rig", "drawing", "recording")[number % 4]
    if kind == "rig":
        path = rng.choice(RIGS)
        text = path.read_bytes()
        copy(path.parent, folder)
        which = rng.random()
        drawing = drawing_of(text)
        if which < 0.75 or drawing is None:
            text = damage(rng, text)
        if which > 0.5 and drawing is not None and (folder / drawing).exists():
            (folder / drawing).write_bytes(damage(rng, (folder / drawing).read_bytes()))
        (folder / path.name).write_bytes(text)
        wrong = check_rig(folder, path.name, path.parent, rng)
    elif kind == "drawing":
        path = rng.choice(DRAWINGS)
        (folder / "a.svg").write_bytes(damage(rng, path.read_bytes()))
        wrong = check_drawing(folder, "a.svg")
    else:
        path, read = rng.choice(RECORDINGS)
        files = read()
        # Often so little that it is read all the same.
        harm = (lambda data: bend(rng, data, 1)) if rng.random() < 0.5 else (lambda data: damage(rng, data))
        harmed = rng.choice(sorted(files))
        for name, data in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(harm(data) if name == harmed else data)
        wrong = check_recording(folder, next(iter(files)).split("/")[0])
    if wrong is None:
        shutil.rmtree(folder)
        return None
    words, why, err = wrong
    return "case %d (%s of %s): %s\n  %s\n  %s\n%s" % (
        number, kind, path.relative_to(ROOT), why, folder, " ".join(words), err.decode(errors="replace")[:600],
    )


RIGS = rigs()
DRAWINGS = sorted((ROOT / "tests/drawings").rglob("*.svg")) + sorted((ROOT / "tests/init").rglob("*.svg"))


def recordings():
    """Names, and what reads the files of each: those of others, those that are made, keypoints of a folder."""
    motion = ROOT / "tests/motion"
    poses = sorted((motion / "openpose/synthetic_walk").glob("*.json"))
    found = [(path, lambda path=path: {"a.bvh": path.read_bytes()}) for path in sorted(motion.glob("*.bvh"))]
    found += [(ROOT / make.__name__, lambda make=make: made_recordings.files(make)) for make in made_recordings.ALL]
    found.append((poses[0].parent, lambda: {"poses/" + path.name: path.read_bytes() for path in poses}))
    bad = [path for folder in ("bad", "bad-keypoints") for path in sorted((motion / folder).rglob("*")) if path.is_file()]
    of = lambda path: {"a" + path.suffix: path.read_bytes()}
    return found + [(path, lambda path=path: of(path)) for path in bad[:: max(1, len(bad) // 4)]]


RECORDINGS = recordings()

if __name__ == "__main__":
    print("seed %d, %d cases" % (SEED, CASES), flush=True)
    with ThreadPoolExecutor(max_workers=int(os.environ.get("JOBS", "2"))) as pool:
        wrong = []
        for mistake in filter(None, pool.map(case, range(CASES))):
            wrong.append(mistake)
            print(mistake, flush=True)
    count, found = planted()
    print("%d recordings that are no files or lead elsewhere: %d went wrong" % (count, len(found)))
    for one in found:
        print(one)
    print("exit codes: %s" % ", ".join("%d runs with %d" % (CODES[code], code) for code in sorted(CODES)))
    for words, count in sorted(SLOW.items()):
        print("%d times longer than %d s, and than half of it without damage: %s" % (count, SECONDS, words))
    print("%d of %d cases went wrong" % (len(wrong), CASES))
    sys.exit(1 if wrong or found else 0)
