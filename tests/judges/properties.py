#!/usr/bin/env python3
"""Keys every property of the format, and compares what players draw of it with the engine's frames.

    JUDGES=folder-with-node_modules python3 tests/judges/properties.py target/debug/render-frames [property ...]

`format --json` lists the properties; each gets the keys of its example, on art of a small drawing that can have it, in a
clip of its own. The clip becomes a Lottie and an animated SVG. At eight times, at frames and halfway between them,
lottie-web, rlottie (at frames alone) and Chromium have to draw it within a mean of 2 levels of the engine's frame, with
no more than 12 pixels that no pixel near explains; or else a warning has to name what is lost. A property without a
place in the drawing below fails.

The table says for each format whether numbers that players know have keys, or outlines or images do. A Lottie is fit
for a sticker (`.tgs`) if it has none of what those leave out: images, masks, mattes, effects, strokes of gradients,
expressions. RENEW writes the table into docs/vector.md. KEEP keeps the files in a folder.
"""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

from compare import HERE, ROOT, off, over_white, rlottie, run, times_of

DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 180">
  <defs>
    <linearGradient id="sky" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="0" y2="90">
      <stop offset="0" stop-color="#48c"/><stop offset="0.6" stop-color="#ecf" stop-opacity="0.9"/>
    </linearGradient>
    <radialGradient id="sun" gradientUnits="userSpaceOnUse" cx="40" cy="40" r="30">
      <stop offset="0.2" stop-color="#fd6"/><stop offset="0.9" stop-color="#e63"/>
    </radialGradient>
  </defs>
  <path id="back" d="M5 5H235V95H5Z" fill="url(#sky)"/>
  <path id="disc" d="M10 10H90V85H10Z" fill="url(#sun)"/>
  <g id="group"><path id="coat" d="M110 20C150 0 190 30 180 60S120 90 110 60Z" fill="#a63" stroke="#123" stroke-width="3"/>
    <path id="badge" d="M130 40H160V60H130Z" fill="#fff"/></g>
  <path id="line" d="M20 110C60 90 90 150 130 120" fill="none" stroke="#064" stroke-width="6"/>
  {more}
  <g id="mouth"><path id="open" d="M190 110H230V140H190Z" fill="#711"/><path id="closed" d="M190 120H230V128H190Z" fill="#711"/></g>
  <path id="limb" d="M140 100H180V108H140Z" fill="#284"/>
</svg>"""

# Art of which players have their own idea (rlottie: of dashes under a transform), or that becomes an image, or needs a
# font, is there for its own properties alone.
MORE = {
    "dashed": '<path id="dashed" d="M20 150H220" fill="none" stroke="#406" stroke-width="4" stroke-dasharray="12 8"/>',
    "count": '<text id="count" x="40" y="165" font-family="DejaVu Sans" font-size="30">4</text>',
    "coat": '<path id="coat_wide" display="none" d="M100 20C150 -20 200 30 190 60S120 110 100 60Z"/>',
    "lamp.filter": """<filter id="glow" x="-0.3" y="-0.3" width="1.6" height="1.6"><feOffset dx="2" dy="2"/>
        <feGaussianBlur stdDeviation="2" result="soft"/><feFlood flood-color="#fa0" flood-opacity="0.8" result="gold"/>
        <feComposite in="gold" in2="soft" operator="in" result="halo"/><feColorMatrix in="SourceGraphic" type="saturate"
        values="0.9"/><feColorMatrix type="hueRotate" values="10" result="hued"/><feMerge><feMergeNode in="halo"/>
        <feMergeNode in="hued"/></feMerge></filter><path id="lamp" d="M60 125H100V155H60Z" fill="#c44" filter="url(#glow)"/>""",
}

# Where a property has its keys. The others of a table are on the first of it.
PLACES = {
    "Art": {
        "": "coat",
        "switch": "mouth",
        "visible": "badge",
        "dash_offset": "dashed",
        "trim_start": "line",
        "trim_end": "line",
        "trim_offset": "line",
        "tint": "group",
        "shade": "group",
        "text": "count",
    },
    "Gradient": {"": "sky", "center": "sun", "radius": "sun", "focus": "sun"},
    "Filter": {"": "lamp.filter"},
    "Camera": {"": None},
    "Channels": {"": "arm"},
}
# Examples that name what the drawing does not have, or keep still.
KEYS = {
    "angle": "[(0, 0), (1, 40)]",
    "origin": "[(0, (140, 104)), (1, (150, 120))]",
    "origin_x": "[(0, 140), (1, 160)]",
    "origin_y": "[(0, 104), (1, 120)]",
    "setup_origin": "[(0, (140, 104)), (1, (150, 104))]",
    "setup_angle": "[(0, 0), (1, 15)]",
    "parent": '[(0, None), (0.5, "base", World)]',
    "trim_offset": "[(0, 0), (1, 0.6)]",
    "shape": '[(0, "coat"), (0.5, "coat_wide"), (1, {"coat_wide": -0.5})]',
}
# What is seen beside something else alone: the offset of a part of a line, a place at rest of a bone that turns.
WITH = {
    "trim_offset": "trim_end: [(0, 0.4)]",
    "setup_origin": "rotate: [(0, 0), (1, 40)]",
    "setup_angle": "scale_x: [(0, 1), (1, 1.5)]",
}
# What another bone does.
BASE = {"parent": '"base": (rotate: [(0, 0), (1, 20)])'}
# The part of a clip that has a table.
PART = {"Art": "art", "Gradient": "paints", "Filter": "filters", "Camera": "camera", "Channels": "bones"}

RIG = """Rig(version: 1, drawing: "{drawing}.svg", fps: 24,
    bones: {{ "base": (from: (120, 160), to: (120, 170)), "arm": (from: (140, 104), to: (180, 104)) }},
    skin: [Rigid(art: "limb", bone: "arm"), Rigid(art: "closed", bone: "base")],
    clips: {{ "c": (length: 1, {keyed}) }})"""


def rig_of(table, place, values, base=""):
    """A rig in which a target has these values, and a bone these channels."""
    values = ", ".join(value for value in values if value)
    drawing = place if place in MORE else "drawing"
    if not values:
        return RIG.format(drawing=drawing, keyed=f"bones: {{ {base} }}")
    if place is None:
        return RIG.format(drawing=drawing, keyed=f"{PART[table]}: ({values})")
    return RIG.format(drawing=drawing, keyed=f'{PART[table]}: {{ "{place}": ({values}), {base} }}')

LIMIT, OFF = 2, 12
KINDS = ["svg", "lottie", "rlottie"]
# What a Lottie for a sticker must not have: masks, mattes, effects, expressions; layers of images, solids and texts; strokes of
# gradients, repeaters, merged paths.
UNFIT_KEYS = {"masksProperties", "tt", "td", "ef", "x"}
UNFIT_SHAPES = {"gs", "rp", "mm", "sr", "rd"}


def unfit(node, layer=False):
    """What of a Lottie a sticker must not have."""
    found = set()
    if isinstance(node, dict):
        found |= {key for key in UNFIT_KEYS & node.keys() if not (key == "x" and not isinstance(node[key], str))}
        if node.get("ty") in UNFIT_SHAPES:
            found.add(node["ty"])
        if layer and node.get("ty") in (1, 2, 5):
            found.add("image" if node["ty"] == 2 else "solid or text")
        for key, value in node.items():
            for child in value if isinstance(value, list) else [value]:
                found |= unfit(child, key == "layers")
    elif isinstance(node, list):
        for child in node:
            found |= unfit(child)
    return found


def carried(file):
    """How a file has what changes: as images, outlines or other numbers."""
    text = file.read_text()
    if file.suffix == ".svg":
        names = set(re.findall(r'<animate[^>]*?attributeName="([^"]+)"', text))
        names |= {f"transform ({kind})" for kind in re.findall(r'<animateTransform[^>]*?type="([^"]+)"', text)}
        return ", ".join(f"`{name}`" for name in sorted(names)) or "nothing changes"
    names = set()

    def walk(node, path):
        if isinstance(node, dict):
            if node.get("a") == 1:
                names.add(path)
            name = node.get("ty") if isinstance(node.get("ty"), str) else None
            for key, value in node.items():
                inner = f"{name}.{key}" if name else "ks." + key if path == "ks" else key
                # Numbers in a value: stops of a gradient, parts of dashes, coordinates that have keys of their own.
                inner = path if key in ("k", "v", "x", "y") and path else inner
                for child in value if isinstance(value, list) else [value]:
                    walk(child, inner)

    lottie = json.loads(text)
    walk(lottie, "")
    length = lottie["op"] - lottie["ip"]
    cut = [layer for layer in lottie["layers"] if layer["op"] - layer["ip"] < length]
    if any("p" in asset for asset in lottie.get("assets", [])):
        names.add("images")
    if cut:
        names.add("ip")
    return ", ".join(f"`{name}`" for name in sorted(names)) or "nothing changes"


def main():
    program = Path(sys.argv[1]).resolve()
    wanted = set(sys.argv[2:])
    folder = Path(os.environ.get("KEEP") or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    for name, more in {"drawing": "", **MORE}.items():
        (folder / f"{name}.svg").write_text(DRAWING.replace("{more}", more))
    tables = {table["name"]: table["fields"] for table in json.loads(run(program, "format", "--json"))["tables"]}
    jobs, rows, failures = [], [], []
    for table, places in PLACES.items():
        for field in tables[table]:
            name = field["name"]
            if wanted and name not in wanted:
                continue
            keys, more, base = KEYS.get(name, field["example"]), WITH.get(name), BASE.get(name, "")
            place = places.get(name, places[""])
            stem = f"{table}-{name}"
            rig = folder / f"{stem}.ron"
            rig.write_text(rig_of(table, place, [f"{name}: {keys}", more], base))
            said = {}
            for kind, ending in (("svg", "svg"), ("lottie", "json")):
                said[kind] = run(program, rig, "-o", folder / f"{stem}.{ending}")
            frames = int(re.search(r"(\d+) frames at", said["svg"]).group(1))
            times = times_of(frames)
            halves = [round(2 * time) for time in times]
            listed = ",".join(map(str, halves))
            pattern = folder / f"{stem}_engine_####.png"
            run(program, rig, "-o", pattern, "--fps", "48", "--frames", listed, "--quiet")
            truths = [over_white(folder / f"{stem}_engine_{half:04}.png") for half in halves]
            # The same without the property.
            without = folder / f"{stem}_without.ron"
            without.write_text(rig_of(table, place, [more], base))
            pattern = folder / f"{stem}_without_####.png"
            run(program, without, "-o", pattern, "--fps", "48", "--frames", listed, "--quiet")
            plain = [over_white(folder / f"{stem}_without_{half:04}.png") for half in halves]
            if all((a == b).all() for a, b in zip(truths, plain)):
                failures.append(f"{stem}: nothing is seen; it needs a place and keys in {Path(__file__).name}")
            for kind in KINDS:
                outs = [str(folder / f"{stem}_{at}_{kind}.png") for at in range(len(times))]
                shown = [time / 24 for time in times] if kind == "svg" else times
                file = folder / f"{stem}.{'svg' if kind == 'svg' else 'json'}"
                job = {"kind": kind, "file": str(file), "width": 240, "height": 180, "times": shown, "out": outs}
                jobs.append(job | ({"times": [int(time) for time in times]} if kind == "rlottie" else {}))
            rows.append((table, name, said, times, truths, jobs[-len(KINDS) :]))
    listed = folder / "jobs.json"
    listed.write_text(json.dumps([job for job in jobs if job["kind"] != "rlottie"]))
    run("node", HERE / "pages.mjs", listed)
    table_rows = []
    for table, name, said, times, truths, own in rows:
        cells = []
        for job in own:
            if job["kind"] == "rlottie":
                rlottie(job)
            means, offs = [], []
            for truth, out, time in zip(truths, job["out"], times):
                if job["kind"] == "rlottie" and time != int(time):
                    continue
                drawn = over_white(out)
                means.append(np.abs(truth - drawn).mean())
                offs.append(off(drawn, truth))
            lost = "warning" in said["svg" if job["kind"] == "svg" else "lottie"]
            if (max(means) > LIMIT or max(offs) > OFF) and not lost:
                failures.append(f"{table}-{name} in {job['kind']}: {max(means):.2f} levels, {max(offs)} pixels off")
            cells.append(f"{max(means):.2f}" + (" (reported)" if lost else ""))
        files = [folder / f"{table}-{name}.{ending}" for ending in ("svg", "json")]
        sticker = unfit(json.loads(files[1].read_text()))
        cells = [carried(files[0]), carried(files[1]), *cells, "yes" if not sticker else "no: " + ", ".join(sorted(sticker))]
        table_rows.append(f"| `{name}`{' of the camera' if table == 'Camera' else ''} | {' | '.join(cells)} |")
        print(table_rows[-1], flush=True)
    if os.environ.get("RENEW") and not wanted:
        page = ROOT / "docs/vector.md"
        head, rest = page.read_text().split("<!-- properties -->\n")[0], page.read_text().split("<!-- /properties -->\n")[1]
        titles = "| property | SVG | Lottie | Chromium | lottie-web | rlottie | sticker |\n|---|---|---|---|---|---|---|\n"
        body = titles + "\n".join(table_rows) + "\n"
        page.write_text(f"{head}<!-- properties -->\n{body}<!-- /properties -->\n{rest}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(rows)} properties, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
