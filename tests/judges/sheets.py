#!/usr/bin/env python3
"""Shows sprite sheets to Phaser and PixiJS, and files of all frames to Chromium, and compares every frame.

    JUDGES=folder-with-node_modules python3 tests/judges/sheets.py target/debug/render-frames

Sheets are loaded by the programs' own loaders (Phaser as Aseprite's, with its tags; PixiJS with its further pages)
and drawn over white: at most one level from the engine's frames, for rounding. GIF, APNG and WebP are decoded by
Chromium and played in an <img>; APNG and WebP have to be exact where they are opaque, and have the running time of
the clip. An animated SVG has to move in an <img>.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
failures = []


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stderr + done.stdout


def over_white(pixels):
    pixels = pixels.astype(np.float64)
    alpha = pixels[..., 3:] / 255
    return pixels[..., :3] * alpha + 255 * (1 - alpha)


def check(holds, message):
    if not holds:
        failures.append(message)
        print(f"FAILED: {message}")


def frames_of(program, rig, clip, folder, *options):
    run(program, rig, "--clip", clip, "-o", folder / f"{clip}_####.png", "-q", *options)
    return [np.asarray(Image.open(file).convert("RGBA")) for file in sorted(folder.glob(f"{clip}_*.png"))]


def main():
    program = Path(sys.argv[1]).resolve()
    folder = Path(os.environ.get("KEEP") or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    jobs, sheets, files = [], [], []
    cases = [
        ("walk", ["walk"], ["--scale", "0.25"], ["--pivot", "hip"]),
        ("face", ["hello", "around"], ["--scale", "0.2"], ["--trim", "frame", "--clip", "all"]),
        ("first-bone", ["swing"], ["--scale", "0.3"], ["--trim", "frame", "--max-side", "256", "--extrude", "0"]),
        # Transparent, with soft edges and shadows.
        ("clips", ["bend"], ["--scale", "0.4", "--fps", "12"], ["--trim", "frame"]),
        ("paint", ["bend"], ["--scale", "0.4", "--fps", "12"], ["--trim", "clip", "--pivot", "second", "--power-of-two"]),
    ]
    for name, clips, scale, options in cases:
        rig = ROOT / "examples" / name / "rig.ron"
        if not rig.exists():
            rig = ROOT / "tests/rigs" / f"{name}.ron"
        own = folder / name
        own.mkdir(exist_ok=True)
        truth = [frame for clip in clips for frame in frames_of(program, rig, clip, own, *scale)]
        run(program, rig, "-o", own / "sheet.json", "--sheet", "-q", *scale, *options)
        data = json.loads((own / "sheet.json").read_text())
        pages = 1 + len(data["meta"].get("related_multi_packs", []))
        height, width = truth[0].shape[:2]
        for kind in ("phaser", "pixi"):
            if kind == "phaser" and pages > 1:
                continue
            out = [str(own / f"{kind}_{at}.png") for at in range(len(truth))]
            job = {"kind": kind, "folder": str(own), "json": "sheet.json", "png": "sheet.png", "out": out}
            jobs.append({**job, "width": width, "height": height, "clips": str(own / f"{kind}.clips")})
            sheets.append((name, kind, clips, pages, truth, jobs[-1]))
    # Opaque, so that no alpha has to be multiplied in and out again.
    rig = ROOT / "examples/walk/rig.ron"
    own = folder / "files"
    own.mkdir(exist_ok=True)
    white = ["--scale", "0.3", "--background", "white"]
    truth = frames_of(program, rig, "walk", own, *white)
    fine = own / "fine"
    fine.mkdir(exist_ok=True)
    between = frames_of(program, rig, "walk", fine, *white, "--fps", "192")
    height, width = truth[0].shape[:2]
    for ending, kind in (("gif", "gif"), ("apng", "png"), ("webp", "webp"), ("svg", None)):
        file = own / f"walk.{ending}"
        run(program, rig, "--clip", "walk", "-o", file, "-q", *white)
        out = [str(own / f"{ending}_{at}.png") for at in range(2)]
        job = {"kind": "img", "folder": str(own), "file": file.name, "width": width, "height": height, "out": out}
        job |= {"pause": 400, "decoded": str(own / f"{ending}.frames")}
        jobs.append(job | ({"type": f"image/{kind}"} if kind else {}))
        files.append((ending, jobs[-1]))
    listed = folder / "jobs.json"
    listed.write_text(json.dumps(jobs))
    run("node", HERE / "sheets.mjs", listed)

    for name, kind, clips, pages, drawn, job in sheets:
        worst = max(
            np.abs(over_white(frame) - np.asarray(Image.open(out).convert("RGB"))).max()
            for frame, out in zip(drawn, job["out"])
        )
        found = json.loads(Path(job["clips"]).read_text())
        count = sum(len(clip["frames"]) for clip in found.values())
        print(f"{name:12} {kind:7} {len(drawn):4} frames {pages} pages: {worst:.2f} levels at most", flush=True)
        check(worst <= 1.01, f"{name} in {kind} differs by {worst}")
        check(sorted(found) == sorted(clips) and count == len(drawn), f"{name} in {kind} has the clips {found}")
    for ending, job in files:
        shown = [np.asarray(Image.open(out).convert("RGB"), dtype=np.float64) for out in job["out"]]
        moves = np.abs(shown[0] - shown[1]).max()
        check(moves > 64, f"the {ending} does not move in an <img>: {moves}")
        # Of all moments of the clip, one is what is shown: of an SVG, which is no row of frames, any.
        moments = between if ending == "svg" else truth
        nearest = min(np.abs(over_white(frame) - shown[1]).mean() for frame in moments)
        text = f"in an <img> {nearest:.2f} levels from the nearest frame"
        check(nearest < (2 if ending == "svg" else 1), f"{ending} {text}")
        if "type" in job:
            found = json.loads(Path(job["decoded"]).read_text())
            pixels = [
                np.frombuffer(base64.b64decode(frame["pixels"]), dtype=np.uint8).reshape(truth[0].shape)
                for frame in found["frames"]
            ]
            check(len(pixels) == len(truth), f"the {ending} has {len(pixels)} frames of {len(truth)}")
            error = max(np.abs(a.astype(int) - b).max() for a, b in zip(pixels, truth))
            time = sum(frame["duration"] for frame in found["frames"]) / 1e6
            text += f", decoded {error} levels at most, {time:.3f} s, played {found['repeat']}"
            check(ending == "gif" or error == 0, f"the {ending} is off by {error}")
            # Chromium cuts the durations of an APNG to milliseconds.
            cut = len(truth) * 1e-3 if ending == "apng" else 1e-3
            check(abs(time - len(truth) / 24) <= cut, f"the {ending} takes {time} s")
        print(f"walk.{ending:7} {text}", flush=True)
    print(f"{len(sheets) + len(files)} files, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
