#!/usr/bin/env python3
"""Compares vector exports of the examples with the engine's frames, in the players that are installed.

    JUDGES=folder-with-node_modules python3 tests/judges/compare.py target/debug/render-frames [name ...]

A name is an example, a rig of tests/rigs or tests/text-rigs, or the path of a rig.ron, with options for the pictures behind it
("walk --margin 20"); without names all examples are compared. At eight times (at frames and
halfway between them) each player's picture is compared with the engine's PNG of that time. The table has the mean difference of all channels (levels of 255, over white), the largest number of
pixels in a picture that no pixel of the engine's at most one away explains ("off"), sizes and keys. rlottie has
whole frames only, and draws dashes and translucent gradients in its own way. `lottie` is lottie-web's SVG renderer,
`canvas` its other one, which is compared if KINDS names it; `html` is the page with controls, from the disk. KINDS selects players (firefox, too: the SVG in Firefox), KEEP keeps the
pictures in a folder. RENEW
writes the table of the examples into docs/vector.md. Exits with 1 if a mean is above its limit (of a rig outside this
checkout: if more than 12 pixels are "off"), or if a file does not fit the schema of Lottie.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stderr + done.stdout


def over_white(path):
    picture = np.asarray(Image.open(path).convert("RGBA"), dtype=np.float64)
    alpha = picture[..., 3:] / 255
    return picture[..., :3] * alpha + 255 * (1 - alpha)


def off(found, truth):
    """Pixels of `found` that no pixel of `truth` at most one away explains: within the range of the 3 by 3
    around it, and 48 levels more."""
    padded = np.pad(truth, ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width = truth.shape[:2]
    around = [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    low, high = np.minimum.reduce(around), np.maximum.reduce(around)
    return int(((found < low - 48) | (found > high + 48)).any(axis=2).sum())


def premultiplied(pixels, width, height):
    """RGBA from premultiplied RGBA."""
    pixels = np.asarray(pixels, dtype=np.float64).reshape(height, width, 4)
    alpha = np.maximum(pixels[..., 3:], 1e-9)
    colours = np.where(pixels[..., 3:] > 0, pixels[..., :3] * 255 / alpha, 0)
    return Image.fromarray(np.concatenate([colours.clip(0, 255), pixels[..., 3:]], axis=2).round().astype(np.uint8))


def thorvg(job):
    import thorvg_python as tvg

    engine = tvg.Engine()
    canvas = tvg.SwCanvas(engine)
    canvas.set_target(job["width"], job["height"])
    animation = tvg.Animation(engine)
    picture = animation.get_picture()
    result = picture.load(job["file"])
    if result != tvg.Result.SUCCESS:
        raise SystemExit(f"ThorVG cannot read {job['file']}: {result}")
    picture.set_size(job["width"], job["height"])
    canvas.add(picture)
    for frame, out in zip(job["times"], job["out"]):
        animation.set_frame(frame)
        canvas.update()
        canvas.draw(True)
        canvas.sync()
        pixels = np.frombuffer(bytes(canvas.buffer_arr), dtype=np.uint8)
        premultiplied(pixels, job["width"], job["height"]).save(out)


def rlottie(job):
    from rlottie_python import LottieAnimation

    text = Path(job["file"]).read_text()
    with LottieAnimation.from_data(text) as animation:
        for frame, out in zip(job["times"], job["out"]):
            size = (job["width"], job["height"])
            buffer = animation.lottie_animation_render(frame_num=int(frame), width=size[0], height=size[1])
            bgra = np.frombuffer(buffer, dtype=np.uint8).reshape(-1, 4)
            premultiplied(bgra[:, [2, 1, 0, 3]], *size).save(out)


def times_of(frames):
    """Eight times, at frames and halfway between them."""
    last = max(frames - 1, 1)
    return sorted({round(2 * last * at / 8) / 2 if at % 2 else round(last * at / 8) for at in range(8)})


# Tiles of patterns have whole pixels in resvg, and rlottie draws dashes in its own way. The gradient of
# `lettering` bends in the engine's frames alone.
LIMITS = {
    ("lettering", "thorvg"): 1.2,
    ("engine", "canvas"): 1.2,
    ("effects", "svg"): 3,
    ("effects", "rlottie"): 1.5,
    ("paint", "svg"): 3,
    ("clips", "rlottie"): 2.5,
    # Both round a gradient that fades to other levels.
    ("keyed_paint", "thorvg"): 2,
    ("keyed_paint", "rlottie"): 2,
    ("trim", "lottie"): 1.2,
    ("trim", "rlottie"): 2.5,
    ("tint", "thorvg"): 1.5,
}
# Drawings of others are small, and full of edges, which every player smooths in its own way: of them the pixels count
# that nothing near explains.
OFF = 12
PLAYERS = ["svg", "firefox", "lottie", "skottie", "thorvg", "rlottie"]


def renew(found):
    """Writes the rows of the examples that have all players into the table of docs/vector.md."""
    page = ROOT / "docs/vector.md"
    lines = page.read_text().splitlines()
    for name, kinds in found.items():
        if not all(kind in kinds for kind in PLAYERS):
            continue
        sizes = [kinds["svg"][1], kinds["lottie"][1], kinds["dot"]]
        cells = [f"{size / 1e3:.0f}" for size in sizes] + [f"{kinds[kind][0]:.2f}" for kind in PLAYERS]
        row = f"| {name} | {' | '.join(cells)} |"
        lines = [row if line.startswith(f"| {name} |") and line.count("|") == row.count("|") else line for line in lines]
    page.write_text("\n".join(lines) + "\n")


def main():
    program = Path(sys.argv[1]).resolve()
    names = sys.argv[2:] or sorted(p.parent.name for p in ROOT.glob("examples/*/rig.ron"))
    kinds = os.environ.get("KINDS", "svg html lottie skottie thorvg rlottie").split()
    vector = ("svg", "html", "firefox")
    keep = os.environ.get("KEEP")
    folder = Path(keep or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    rows, jobs, of_others = [], [], set()
    for at, words in enumerate(names):
        stem, *options = words.split()
        path = Path(stem).resolve()
        if stem.endswith(".ron"):
            stem = path.parent.name
        name = names[at] = stem if not options else f"{stem}.{at}"
        if path.suffix == ".ron" and ROOT not in path.parents:
            of_others.add(name)
        rig = path if path.suffix == ".ron" else ROOT / "examples" / stem / "rig.ron"
        for other in ("rigs", "text-rigs"):
            rig = rig if rig.exists() else ROOT / "tests" / other / f"{stem}.ron"
        report = {}
        for kind, ending in (("svg", "svg"), ("html", "html"), ("lottie", "json"), ("dot", "lottie")):
            if kind == "html" and kind not in kinds:
                continue
            if kind not in vector and not any(k not in vector for k in kinds):
                continue
            file = folder / f"{name}.{ending}"
            report[kind] = (file, run(program, rig, "-o", file, *options))
        some = next(iter(report.values()))[1]
        frames, fps = re.search(r"(\d+) frames at ([\d.]+) a second", some).groups()
        frames, fps = int(frames), float(fps)
        times = times_of(frames)
        # A frame at twice the rate is a half frame.
        halves = [round(2 * time) for time in times]
        pattern = folder / f"{name}_engine_####.png"
        listed = ",".join(map(str, halves))
        run(program, rig, "-o", pattern, "--fps", str(2 * fps), "--frames", listed, "--quiet", *options)
        truths = [folder / f"{name}_engine_{half:04}.png" for half in halves]
        width, height = Image.open(truths[0]).size
        for kind in kinds:
            outs = [str(folder / f"{name}_{at}_{kind}.png") for at in range(len(times))]
            file = report[kind if kind == "html" else "svg" if kind in vector else "lottie"][0]
            shown = [time / fps for time in times] if kind in vector else times
            job = {"kind": kind, "file": str(file), "width": width, "height": height, "times": shown, "out": outs}
            if kind == "rlottie":
                job["times"] = [int(time) for time in times]
            jobs.append(job)
            rows.append((name, kind, report, truths, outs, times))
    in_pages = [job for job in jobs if job["kind"] in ("svg", "html", "firefox", "lottie", "canvas", "skottie")]
    listed = folder / "jobs.json"
    listed.write_text(json.dumps(in_pages))
    if in_pages:
        run("node", HERE / "pages.mjs", listed)
    for job in jobs:
        if job["kind"] == "thorvg":
            thorvg(job)
        elif job["kind"] == "rlottie":
            rlottie(job)
    failures, found = [], {}
    print(f"{'example':12} {'player':8} {'mean':>6} {'worst':>6} {'off':>5} {'kB':>7} {'.lottie':>8} {'keys':>6}")
    for name, kind, report, truths, outs, times in rows:
        means, offs = [], []
        for truth, out, time in zip(truths, outs, times):
            if kind == "rlottie" and time != int(time):
                continue
            a, b = over_white(truth), over_white(out)
            if a.shape != b.shape:
                raise SystemExit(f"{out} is {b.shape}, the engine's frame {a.shape}")
            means.append(np.abs(a - b).mean())
            offs.append(off(b, a))
        file, said = report[kind if kind == "html" else "svg" if kind in vector else "lottie"]
        keys = next((w for w, n in zip(said.split(), said.split()[1:]) if n.startswith("keys")), "")
        dot = report.get("dot")
        dot = f"{dot[0].stat().st_size / 1e3:8.1f}" if dot and kind not in vector else " " * 8
        print(
            f"{name:12} {kind:8} {np.mean(means):6.2f} {max(means):6.2f} {max(offs):5} "
            f"{file.stat().st_size / 1e3:7.1f} {dot} {keys:>6}",
            flush=True,
        )
        found.setdefault(name, {})[kind] = (np.mean(means), file.stat().st_size)
        if report.get("dot"):
            found[name]["dot"] = report["dot"][0].stat().st_size
        limit = LIMITS.get((name, kind), 1.2 if kind == "rlottie" else 1)
        if name in of_others:
            # What a loss line says is seen.
            bends = any("gradients do not bend" in said for _, said in report.values())
            if max(offs) > OFF and not bends:
                failures.append(f"{name} in {kind}: {max(offs)} pixels that nothing near explains are above {OFF}")
        elif np.mean(means) > limit:
            failures.append(f"{name} in {kind}: a mean of {np.mean(means):.2f} is above {limit}")
    for name in names:
        for kind, (_, said) in next(r[2] for r in rows if r[0] == name).items():
            # Of a warning about many pieces the first one and their number.
            warnings = [line for line in said.splitlines() if "warning" in line]
            alike = [re.sub(r'"[^"]*"', '""', line) for line in warnings]
            for at, line in enumerate(warnings):
                if alike.index(alike[at]) == at:
                    print(f"{name} {kind}: {line}" + f" ({alike.count(alike[at])} times)" * (alike.count(alike[at]) > 1))
    if not any(kind not in vector for kind in kinds):
        names = []
    specs = Path(os.environ["JUDGES"]) / "node_modules/.bin/lottie-specs"
    for name in names:
        done = subprocess.run([specs, folder / f"{name}.json"], capture_output=True, text=True)
        if '"type": "error"' in done.stdout or not done.stdout.strip().startswith("["):
            failures.append(f"{name}.json does not fit the schema: {done.stdout[:500]}{done.stderr[:500]}")
    if os.environ.get("RENEW"):
        renew(found)
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(rows) - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
