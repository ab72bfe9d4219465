#!/usr/bin/env python3
"""Makes a file for each service that `render-frames presets` lists, and reads it with programs of others.

    python3 tests/judges/deliveries.py target/debug/render-frames [rig ...] [--only NAME,NAME]

A rig is an example or a path; without one they are walk and face. Sizes, rates, lengths and bytes are compared with
the rules below, which are written here again. Readers are Pillow, ffprobe and ffmpeg, webpinfo, pngcheck, gifsicle,
gzip and rlottie, and chunks are read with struct; what is missing is skipped with a line, and an error if
REQUIRE_PLAYERS is set. KEEP keeps the files in a folder.
"""

import gzip
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent.parent

# The ending, a test of the size, the most frames a second, the least and the most frames, seconds, bytes, and plays.
RULES = {
    "telegram": ("tgs", lambda w, h: (w, h) == (512, 512), 60, (1, 180), 3, 65536, {None}),
    "telegram-video": ("webm", lambda w, h: max(w, h) == 512, 30, (1, 90), 3, 262144, {None}),
    "whatsapp": ("webp", lambda w, h: (w, h) == (512, 512), 125, (1, 1250), 10, 512000, {0}),
    "signal": ("apng", lambda w, h: w == h and 10 <= w <= 512, 60, (1, 180), 3, 307200, {0}),
    "discord": ("apng", lambda w, h: (w, h) == (320, 320), 60, (1, 300), 5, 524288, {0}),
    "discord-emoji": ("gif", lambda w, h: (w, h) == (128, 128), 50, (1, 3000), 60, 262144, {0}),
    "slack": ("gif", lambda w, h: (w, h) == (128, 128), 50, (1, 50), 60, 131072, {0}),
    "twitch": ("gif", lambda w, h: w == h and (w in (28, 56) or 112 <= w <= 4096), 50, (1, 60), 60, 524288, {0}),
    "imessage": ("apng", lambda w, h: w == h and w in (300, 408, 618), 60, (1, 3600), 60, 500000, {0}),
    "line": ("apng", lambda w, h: w <= 320 and h <= 270 and max(w, h) >= 270, 60, (5, 20), 4, 307200, {1, 2, 3, 4}),
}

# What reads the files, besides Pillow.
READERS = {"apng": ["pngcheck"], "webp": ["webpinfo"], "gif": ["gifsicle"], "webm": ["ffmpeg", "ffprobe"], "tgs": ["gzip"]}


def run(*command, fine=(0,)):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in fine:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def by_pillow(path):
    """Size, frames, milliseconds of each, whether a pixel is not opaque."""
    with Image.open(path) as image:
        count = getattr(image, "n_frames", 1)
        times, clear = [], False
        for at in range(count):
            image.seek(at)
            image.load()
            times.append(image.info.get("duration", 0))
            clear |= image.convert("RGBA").getextrema()[3][0] < 255
        return image.size, count, times, clear


def apng(path):
    run("pngcheck", "-q", path)
    data, at, plays, controls = path.read_bytes(), 8, None, []
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        content = data[at + 8 : at + 8 + length]
        if name == b"acTL":
            count, plays = struct.unpack(">II", content)
        if name == b"fcTL":
            controls.append(struct.unpack(">IIIIIHHBB", content))
        at += 12 + length
    assert count == len(controls), f"acTL has {count} frames, and there are {len(controls)}"
    size, frames, times, clear = by_pillow(path)
    assert controls[0][1:5] == (*size, 0, 0), "the first frame is not whole"
    assert frames == count, f"Pillow finds {frames} frames, and there are {count}"
    return size, count, [1000 * over / (under or 100) for *_, over, under, _, _ in controls], plays, clear


def webp(path):
    run("webpinfo", "-quiet", path)
    data, at, plays, times = path.read_bytes(), 12, None, []
    assert struct.unpack("<I", data[4:8])[0] + 8 == len(data)
    while at < len(data):
        name, length = struct.unpack("<4sI", data[at : at + 8])
        content = data[at + 8 : at + 8 + length]
        if name == b"ANIM":
            plays = struct.unpack("<H", content[4:6])[0]
        if name == b"ANMF":
            times.append(int.from_bytes(content[12:15], "little"))
        at += 8 + length + length % 2
    size, frames, _, clear = by_pillow(path)
    assert frames == len(times)
    return size, frames, times, plays, clear


def gif(path):
    info = run("gifsicle", "--info", path)
    plays = 0 if "loop forever" in info else int((re.search(r"loop count (\d+)", info) or [0, 0])[1]) + 1
    size, frames, times, clear = by_pillow(path)
    assert f"{frames} image" in info, info
    return size, frames, times, plays, clear


def webm(path):
    found = json.loads(run("ffprobe", "-v", "error", "-count_packets", "-show_streams", "-show_format", "-of", "json", path))
    (stream,) = found["streams"]
    assert stream["codec_name"] == "vp9" and stream["tags"].get("alpha_mode") == "1", stream
    frames, seconds = int(stream["nb_read_packets"]), float(found["format"]["duration"])
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-c:v", "libvpx-vp9", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgba", "-"],
        capture_output=True, check=True,
    ).stdout
    size = stream["width"], stream["height"]
    pixels = np.frombuffer(raw, dtype=np.uint8).reshape(frames, size[1], size[0], 4)
    return size, frames, [1000 * seconds / frames] * frames, None, bool((pixels[..., 3] < 255).any())


def tgs(path):
    """Also compares frames with the engine's, as rlottie draws them."""
    from rlottie_python import LottieAnimation

    run("gzip", "-t", "-S", ".tgs", path)
    document = json.loads(gzip.decompress(path.read_bytes()))
    assert next(iter(document)) == "tgs" and document["tgs"] == 1 and document["ddd"] == 0
    assert document["fr"] in (30, 60) and not {"markers", "fonts", "chars"} & set(document)

    def layers(listed):
        for layer in listed:
            assert layer["ty"] not in (1, 2, 5, 9), f"a layer of type {layer['ty']}"
            assert not layer.get("hasMask") and "masksProperties" not in layer, "a mask"
            assert "tm" not in layer and layer.get("sr", 1) == 1 and not layer.get("ao") and not layer.get("ddd")
            assert layer.get("tt", 1) in (1, 2), "a luminance matte"
            kinds = set(re.findall(r'"ty": "(\w+)"', json.dumps(layer.get("shapes", []))))
            assert not kinds & {"rp", "sr", "gs", "mm"}, kinds

    layers(document["layers"])
    for asset in document["assets"]:
        assert "p" not in asset, "an image"
        layers(asset["layers"])
    count = document["op"] - document["ip"]
    with LottieAnimation.from_tgs(str(path)) as animation:
        # rlottie counts the frame in which the last one ends, too.
        assert animation.lottie_animation_get_totalframe() in (count, count + 1)
    return (document["w"], document["h"]), count, [1000 / document["fr"]] * count, None, True


def over_white(picture):
    picture = np.asarray(picture.convert("RGBA"), dtype=np.float64)
    alpha = picture[..., 3:] / 255
    return picture[..., :3] * alpha + 255 * (1 - alpha)


def played(program, rig, path, folder):
    """The largest mean difference of four frames between rlottie and the engine, in levels of 255 over white."""
    from rlottie_python import LottieAnimation

    document = json.loads(gzip.decompress(path.read_bytes()))
    count, worst = document["op"], 0
    with LottieAnimation.from_tgs(str(path)) as animation:
        for frame in sorted({0, count // 3, count // 2, count - 1}):
            still = folder / f"{path.stem}_{frame}.png"
            run(program, rig, "-q", "-o", still, "--frames", frame, "--fps", document["fr"], "--size", "512x512")
            drawn = animation.render_pillow_frame(frame_num=frame, width=512, height=512)
            worst = max(worst, float(np.abs(over_white(drawn) - over_white(Image.open(still))).mean()))
    return worst, gzip.decompress(path.read_bytes()).count(b'"td"')


def main():
    words = sys.argv[1:]
    only = words.pop(words.index("--only") + 1).split(",") if "--only" in words else list(RULES)
    words = [word for word in words if word != "--only"]
    program, names = Path(words[0]).resolve(), words[1:] or ["walk", "face"]
    folder = Path(os.environ.get("KEEP") or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    listed = {row["name"]: row for row in json.loads(run(program, "presets", "--json"))}
    failures = [f"{name} has no rules here" for name in listed if name not in RULES]
    done = 0
    print(f"{'for':15} {'rig':6} {'size':>8} {'frames':>6} {'fps':>5} {'bytes':>7} {'of':>7} {'s':>5}  what")
    for target in only:
        missing = [reader for reader in READERS[RULES[target][0]] if not shutil.which(reader)]
        if missing:
            print(f"SKIPPED: {target} needs {', '.join(missing)}")
            failures += [f"{target} was not judged"] if os.environ.get("REQUIRE_PLAYERS") else []
            continue
        ending, fits, fps, (least, most), seconds, budget, plays = RULES[target]
        for name in names:
            rig = Path(name) if name.endswith(".ron") else ROOT / "examples" / name / "rig.ron"
            path = folder / f"{Path(name).stem}-{target}.{ending}"
            began = time.time()
            said = run(program, rig, "-o", path, "--for", target, "--progress", "none", fine=(0, 1, 2))
            took, last = time.time() - began, said.strip().splitlines()[-1]
            if not path.exists():
                # An error is an answer, if it has what was tried or what is against the rules.
                fine = "Tried were" in said or "cannot be a Telegram sticker" in said or "--frames" in said
                done += fine
                failures += [] if fine else [f"{target} of {name}: {said}"]
                print(f"{target:15} {name:6} {said.strip()}")
                continue
            try:
                size, frames, times, found, clear = globals()[ending](path)
                length = path.stat().st_size
                assert fits(*size), f"{size}"
                assert least <= frames <= most and all(each >= 1000 / fps - 4 for each in times), (frames, times)
                assert sum(times) <= 1000 * seconds + 11, sum(times)
                assert length <= budget == listed[target]["most_bytes"] and found in plays, (length, found)
                if target == "line":
                    whole = sum(times) * found / 1000
                    assert abs(whole - round(whole)) < 0.01 and 1 <= round(whole) <= 4, (times, found)
                if target == "whatsapp" or (name == "walk" and size[0] == size[1] and ending != "tgs"):
                    assert clear, "no pixel is transparent"
                what = last.split(" s, ", 1)[-1].split(":")[0]
                if ending == "tgs":
                    off, mattes = played(program, rig, path, folder)
                    what += f", {off:.2f} off in rlottie ({mattes} mattes)"
                    # rlottie rounds every pixel of the page down where it draws a layer with a matte.
                    assert off <= 1.3 + 0.6 * mattes, f"{off} levels off in rlottie"
                print(
                    f"{target:15} {name:6} {size[0]:4}x{size[1]:<3} {frames:6} {1000 * len(times) / sum(times):5.1f} "
                    f"{length:7} {budget:7} {took:5.1f}  {what}",
                    flush=True,
                )
                done += 1
            except AssertionError as error:
                failures.append(f"{target} of {name}: {error}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{done} of {len(only) * len(names)} within rules and budget, or refused with reasons")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
