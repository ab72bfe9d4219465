"""Shows frames in layers to programs that are not ours: layers.py PROGRAM RIG...

A .psd is read by psd-tools and ImageMagick, an .ora and files of layers by Pillow. Names, blend modes and opacities
must be the same in all three. Flat pictures are the frame, within a level. What a reader composites may differ where soft
edges lie over each other, since each is rounded to 8 bits: by at most LARGEST levels, and by more than one in a share of
pixels of at most SHARE. Colours are multiplied by alpha. The formulas here are those of the W3C's Compositing and
Blending Level 1.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zipfile

import numpy
from PIL import Image
from psd_tools import PSDImage

STRAIGHT = {
    "multiply": lambda b, s: b * s,
    "screen": lambda b, s: b + s - b * s,
    "darken": numpy.minimum,
    "lighten": numpy.maximum,
    "difference": lambda b, s: abs(b - s),
    "overlay": lambda b, s: numpy.where(b <= 0.5, 2 * b * s, 1 - 2 * (1 - b) * (1 - s)),
}
LONGEST_NAME = 255
LARGEST = 7.0
SHARE = 0.5

DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
    viewBox="0 0 60 40" width="60" height="40">
  <defs><mask id="m"><circle cx="20" cy="20" r="12" fill="#999"/></mask>
    <filter id="f"><feGaussianBlur stdDeviation="2"/></filter>
    <linearGradient id="g"><stop stop-color="#f00" stop-opacity=".3"/><stop offset="1" stop-color="#00f"/></linearGradient></defs>
  <g id="a" inkscape:label="../up/and away"><rect width="40" height="30" fill="url(#g)"/></g>
  <g id="b" inkscape:label="Ünï ✨ 目" opacity=".4"><circle cx="30" cy="20" r="15"/><circle cx="40" cy="20" r="9" fill="#fff"/></g>
  <g id="c" inkscape:label="twice" style="mix-blend-mode:multiply"><rect x="10" y="5" width="40" height="20" fill="#8c4"/></g>
  <g id="d" inkscape:label="twice" mask="url(#m)"><rect width="60" height="40" fill="#c48"/></g>
  <g id="e" inkscape:label="TWICE" style="mix-blend-mode:screen" opacity=".7"><rect x="25" y="15" width="30" height="20" fill="#346"/></g>
  <g id="f1" inkscape:label="&lt;&amp;&quot;&gt;" filter="url(#f)"><rect x="5" y="25" width="20" height="9" fill="#fd0"/></g>
  <g id="h" inkscape:label="{LONG}"><g id="i" opacity=".5"><rect x="40" y="2" width="9" height="9" fill="#0ff"/></g></g>
</svg>""".replace("{LONG}", "long" * 90)


def straight(image):
    return numpy.asarray(image.convert("RGBA"), dtype=float) / 255


def multiplied(pixels):
    out = pixels.copy()
    out[..., :3] *= out[..., 3:]
    return out


def put(onto, picture, opacity, blend):
    """Puts straight pixels over pixels that are multiplied by alpha."""
    source, alpha = picture[..., :3], picture[..., 3:] * opacity
    behind = onto[..., 3:]
    colour = numpy.divide(onto[..., :3], behind, out=numpy.zeros_like(source), where=behind > 0)
    mixed = source if blend == "normal" else STRAIGHT[blend](colour, source)
    onto[..., :3] = alpha * (1 - behind) * source + alpha * behind * mixed + (1 - alpha) * onto[..., :3]
    onto[..., 3:] = alpha + behind - alpha * behind


def composite(layers, size, pixels):
    """Layers back to front: a name, an opacity, a blend mode, and a list or what `pixels` takes."""
    onto = numpy.zeros((size[1], size[0], 4))
    for _, opacity, blend, content in layers:
        if isinstance(content, list):
            inside = composite(content, size, pixels)
            alpha = inside[..., 3:]
            inside[..., :3] = numpy.divide(inside[..., :3], alpha, out=numpy.zeros_like(inside[..., :3]), where=alpha > 0)
        else:
            inside = pixels(content)
        put(onto, inside, opacity, blend)
    return onto


def looks(layers):
    """Names, blend modes and opacities in 255 steps, with nesting."""
    return [
        (name[:LONGEST_NAME], blend, round(opacity * 255), looks(content) if isinstance(content, list) else None)
        for name, opacity, blend, content in layers
    ]


def open_raster(path, flat):
    with zipfile.ZipFile(path) as file:
        first = file.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED), first
        assert path.read_bytes()[38:54] == b"image/openraster" == file.read("mimetype")
        image = xml.etree.ElementTree.fromstring(file.read("stack.xml"))
        size = int(image.get("w")), int(image.get("h"))
        merged = Image.open(file.open("mergedimage.png"))
        assert (multiplied(straight(merged)) == multiplied(straight(flat))).all(), "the merged image is another one"
        thumbnail = Image.open(file.open("Thumbnails/thumbnail.png"))
        assert max(thumbnail.size) <= 256, thumbnail.size

        def layer(node):
            blend = node.get("composite-op").removeprefix("svg:").replace("src-over", "normal")
            content = node if node.tag == "layer" else [layer(inside) for inside in reversed(node)]
            return node.get("name"), float(node.get("opacity")), blend, content

        def pixels(node):
            whole = Image.new("RGBA", size)
            whole.paste(Image.open(file.open(node.get("src"))).convert("RGBA"), (int(node.get("x")), int(node.get("y"))))
            return straight(whole)

        layers = [layer(inside) for inside in reversed(image.find("stack"))]
        return layers, composite(layers, size, pixels)


def files(folder, frame, size):
    described = json.loads((folder / "layers.json").read_text())
    (described,) = [entry for entry in described["frames"] if entry["frame"] == frame]

    def layer(entry):
        content = folder / entry["file"] if "file" in entry else [layer(inside) for inside in entry["layers"]]
        return entry["name"], entry["opacity"], entry["blend"], content

    def pixels(path):
        assert path.resolve().is_relative_to(folder.resolve()), path
        return straight(Image.open(path))

    layers = [layer(entry) for entry in described["layers"]]
    return layers, composite(layers, size, pixels)


def photoshop(path):
    picture = PSDImage.open(path)

    def layer(item):
        content = [layer(inside) for inside in item] if item.is_group() else item
        blend = item.blend_mode.name.lower().replace("_", "-").replace("pass-through", "normal")
        return item.name, item.opacity / 255, blend, content

    layers = [layer(item) for item in picture]
    shown = picture.composite(force=True, alpha=0.0, color=0.0)
    return layers, multiplied(straight(shown)), multiplied(straight(picture.topil()))


def magick(path, count):
    """ImageMagick lists the flat picture, and then the layers that have pixels."""
    names = subprocess.run(["identify", "-format", "%wx%h\n", path], check=True, capture_output=True, text=True).stdout.split()
    assert len(names) == count + 1, (names, count)
    with tempfile.NamedTemporaryFile(suffix=".png") as out:
        subprocess.run(["convert", f"{path}[0]", f"PNG32:{out.name}"], check=True)
        return multiplied(straight(Image.open(out.name)))


def leaves(layers, counts=lambda content: True):
    return sum(leaves(content, counts) if isinstance(content, list) else counts(content) for *_, content in layers)


def main(program, rigs):
    failed = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        drawing = work / "made.svg"
        drawing.write_text(DRAWING)
        subprocess.run([program, "init", drawing, "-o", work / "made.ron"], check=True, capture_output=True)
        # The options besides the size, of each.
        cases = [(pathlib.Path(rig), options) for rig in rigs for options in ([], ["--background", "#fffbe6"])]
        made = work / "made.ron"
        cases += [(made, ["--layers", "h"]), (made, ["--layers", "b", "--layers", "h", "--background", "#aaccff80"])]
        for number, (rig, options) in enumerate(cases):
            folder = work / str(number)
            frame = 0 if rig == made else 5
            name = f"{rig.parent.name} {' '.join(options)}"
            for output in ["a.psd", "a.ora", "{layer}/f_##.png"]:
                words = [program, rig, "-q", "--width", "240", "--frames", str(frame), *options, "-o", folder / output]
                subprocess.run(words, check=True)
            flat = [option for at, option in enumerate(options) if "--layers" not in options[max(at - 1, 0) : at + 1]]
            words = [program, rig, "-q", "--width", "240", "--frames", str(frame), *flat, "-o", folder / "flat.png"]
            subprocess.run(words, check=True)
            flat = Image.open(folder / "flat.png")
            expected = multiplied(straight(flat))
            ora, by_pillow = open_raster(folder / "a.ora", flat)
            listed, by_files = files(folder, frame, flat.size)
            psd, by_psd_tools, merged = photoshop(folder / "a.psd")
            by_magick = magick(folder / "a.psd", leaves(psd, lambda item: item.width > 0))
            assert looks(ora) == looks(listed) == looks(psd), (name, looks(ora), looks(listed), looks(psd))
            row = {"ora": by_pillow, "files": by_files, "psd": by_psd_tools, "psd, flat": merged, "magick": by_magick}
            words = []
            for reader, found in row.items():
                levels = abs(found - expected).max(axis=2) * 255
                most, share = levels.max(), (levels > 1.0).mean()
                words.append(f"{reader} {most:.2f} ({share:.2%})")
                is_flat = reader in ("psd, flat", "magick")
                if most > (1.0 if is_flat else LARGEST) or share > (0 if is_flat else SHARE):
                    failed.append(f"{name}: {words[-1]}")
            print(f"{name}: {leaves(psd)} layers;", ", ".join(words), flush=True)
    for words in failed:
        print(f"FAILED: {words} levels of 255 from the frame")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]) > 0)
