#!/usr/bin/env python3
"""Compares imported files of Synfig Studio with the frames of its command line.

    python3 tests/judges/synfig.py target/debug/render-frames [file.sif ...]

Without files all of tests/synfig are compared. Each is imported, and drawn at eight times. The mean is the mean
difference of all channels in levels of 255, both over white; "off" is the largest number of pixels in a picture that no
pixel of the other at most one away explains; "shape" is the share of pixels whose alpha is on another side of 128.
A file of tests/synfig has colours of gamma 1, so that both programs blend alike. Files of others are compared as they
are. KEEP keeps the pictures in a folder. Exits with 1 if a figure is above its limit; without `synfig` nothing is compared, which is an
error if REQUIRE_JUDGES is set.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent.parent
# Mean, pixels that are off, share of alpha: of our own files, and of those of others. Edges alone, which both programs
# smooth in their own ways, are a mean of 0.05 to 0.4 where large shapes fill the page.
OWN, OTHERS = (0.45, 12, 0.003), (1.5, 10_000, 0.005)
# A file of tests/synfig may allow more, with the reason behind it: <!-- limits: 0.5 40 0.004, the reason -->
LIMITS = re.compile(r"<!-- limits: ([\d.]+) (\d+) ([\d.]+)")
SECONDS = 40


def pixels(path):
    return np.asarray(Image.open(path).convert("RGBA"), dtype=np.float64)


def over_white(picture):
    alpha = picture[..., 3:] / 255
    return picture[..., :3] * alpha + 255 * (1 - alpha)


def off(found, truth):
    """Pixels of `found` outside of the range of the 3 by 3 around them in `truth`, by more than 48 levels."""
    padded = np.pad(truth, ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width = truth.shape[:2]
    around = [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    low, high = np.minimum.reduce(around), np.maximum.reduce(around)
    return int(((found < low - 48) | (found > high + 48)).any(axis=2).sum())


def frames_of(film):
    """Numbers of eight frames, as uneven as the film allows, and frames a second."""
    data = film.read_bytes()
    if data[:2] == b"\x1f\x8b":
        import gzip

        data = gzip.decompress(data)
    head = re.search(rb"<canvas[^>]*>", data)[0].decode()
    attribute = lambda name, default: (re.search(rf'\b{name}="([^"]*)"', head) or [None, default])[1]
    fps = float(attribute("fps", "24"))

    def frames(text):
        units = {"h": 3600 * fps, "m": 60 * fps, "s": fps, "f": 1, "": 1}
        return sum(float(n) * units[u] for n, u in re.findall(r"(-?[\d.]+)\s*([hmsf]?)", text))

    first, last = frames(attribute("begin-time", "0f")), frames(attribute("end-time", "0f"))
    count = max(0, int(last - first + 1e-6))
    size = int(float(attribute("width", "480"))), int(float(attribute("height", "270")))
    return sorted({round(count * share) for share in (0, 0.11, 0.24, 0.37, 0.52, 0.68, 0.83, 1)}), first, fps, size


def compare(program, film, folder):
    """Mean, off, share of alpha, or a message."""
    rig = folder / "film.ron"
    made = subprocess.run([program, "import", film, "-o", rig, "--force"], capture_output=True, text=True)
    if made.returncode:
        return made.stderr or made.stdout
    numbers, first, fps, (width, height) = frames_of(film)
    worst = [0.0, 0, 0.0]
    said = made.stderr + made.stdout
    for number in numbers:
        truth = folder / f"truth_{number:04}.png"
        time = f"{(first + number) / fps}s"
        command = ["synfig", film.name, "-t", "png", "-w", str(width), "-h", str(height), "--time", time, "-o", truth]
        try:
            subprocess.run(command, cwd=film.parent, capture_output=True, timeout=SECONDS, check=True)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            return f"synfig draws no frame {number}: {type(error).__name__}"
        found = folder / f"found_{number:04}.png"
        single = folder / "found_####.png"
        picked = [] if len(numbers) == 1 else ["--frames", str(number)]
        drawn = subprocess.run([program, rig, "-o", single, "--force", "--progress", "none", *picked], capture_output=True, text=True)
        if drawn.returncode:
            return drawn.stderr or drawn.stdout
        if not found.exists():
            alone = sorted(folder.glob("found*.png"))
            return f"no frame {number}: {[path.name for path in alone]}"
        a, b = pixels(found), pixels(truth)
        share = float(((a[..., 3] > 127) != (b[..., 3] > 127)).mean())
        a, b = over_white(a), over_white(b)
        here = float(np.abs(a - b).mean()), min(off(a, b), off(b, a)), share
        worst = [max(pair) for pair in zip(worst, here)]
    return (*worst, said)


def main():
    program, *names = sys.argv[1:]
    if not shutil.which("synfig"):
        print("synfig is not installed: nothing is compared with it")
        return 1 if os.environ.get("REQUIRE_JUDGES") else 0
    program = str(Path(program).resolve())
    films = [Path(name).resolve() for name in names] or sorted((ROOT / "tests/synfig").glob("*.sif*"))
    wrong = 0
    for film in films:
        own = film.parent == ROOT / "tests/synfig"
        limits = OWN if own else OTHERS
        if own and (allowed := LIMITS.search(film.read_text())):
            limits = float(allowed[1]), int(allowed[2]), float(allowed[3])
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(os.environ["KEEP"]).resolve() / film.stem if "KEEP" in os.environ else Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            found = compare(program, film, folder)
        if isinstance(found, str):
            print(f"{film.name:40} {found.strip().splitlines()[0] if found.strip() else 'nothing'}", flush=True)
            wrong += 1
            continue
        mean, beyond, share, said = found
        bad = any(value > limit for value, limit in zip(found, limits))
        wrong += bad
        kept = said.strip().splitlines()[-1].split(": ")[-1] if said.strip() else ""
        print(f"{film.name:40} mean {mean:6.3f} off {beyond:5} shape {share:.4f} {'ABOVE' if bad else 'ok   '} {kept}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
