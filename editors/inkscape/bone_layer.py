"""The commands of the submenu "Bone Layer" of Inkscape: they start render-frames for the drawing that is open.

Inkscape runs this file with the arguments of a dialog and the path of a copy of the document, takes the document that
is written to standard output, and shows what is written to standard error. It uses the standard library alone, and
leaves every byte of the document as it is but for the layer of a posed copy.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from pathlib import Path
from xml.parsers import expat

SVG = "http://www.w3.org/2000/svg"
INKSCAPE = "http://www.inkscape.org/namespaces/inkscape"
SODIPODI = "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"
XLINK = "http://www.w3.org/1999/xlink"
# Of all that a posed copy adds to a document.
PREFIX = "posed-"
# What says where something is drawn.
GEOMETRY = ("d", "points", "transform", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "width", "height", "viewBox")


class Refusal(Exception):
    """A reason for which nothing is done, for the artist."""


def program(wanted):
    """The path of render-frames: as given, on the PATH, or where cargo and pip put programs."""
    if wanted:
        found = shutil.which(wanted)
        if found is None:
            raise Refusal(f"{wanted} is no program. Correct the path in the dialog, or leave it empty.")
        return found
    places = [os.environ.get("PATH", ""), str(Path.home() / ".cargo/bin"), str(Path.home() / ".local/bin")]
    found = shutil.which("render-frames", path=os.pathsep.join(places))
    if found is None:
        raise Refusal(
            "The program render-frames is not found. Download it from the releases of bone-layer, or build it with\n"
            "`cargo install --path crates/render-frames`; then put it on the PATH, or write its path in the dialog.\n"
            "An Inkscape from a Snap or a Flatpak may not see programs of the system."
        )
    return found


def environment():
    """The variables of programs that are started: without those of Inkscape's own Python."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def run(command, folder):
    """What a program prints, or its message as a refusal."""
    done = subprocess.run(command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    printed, message = (text.decode("utf-8", "replace").strip() for text in (done.stdout, done.stderr))
    if done.returncode != 0:
        raise Refusal(message or f"{command[0]} ended with code {done.returncode}")
    return "\n".join(text for text in (message, printed) if text)


def drawing_path():
    """The file of the document."""
    path = os.environ.get("DOCUMENT_PATH", "")
    if not path or not Path(path).is_file():
        raise Refusal("Save the drawing as an SVG first: a rig is a file beside it.")
    return Path(path).resolve()


def rig_path(wanted, drawing):
    """The rig of a drawing: as given, the one with its name, or one beside it that has it."""
    if wanted:
        rig = (drawing.parent / Path(wanted).expanduser()).resolve()
        if not rig.is_file():
            raise Refusal(f"{rig} is no file. Correct the path in the dialog, or leave it empty.")
        return rig
    with_name = [drawing.with_suffix(".ron"), drawing.with_suffix(".rig.json")]
    found = [rig for rig in with_name if rig.is_file()]
    if not found:
        beside = sorted([*drawing.parent.glob("*.ron"), *drawing.parent.glob("*.rig.json")])
        line = re.compile(r'"?\bdrawing"?\s*:\s*"(?:\./)?' + re.escape(drawing.name) + '"')
        found = [rig for rig in beside if line.search(rig.read_text("utf-8", "replace"))]
    if not found:
        raise Refusal(f"There is no rig of {drawing.name} beside it. Make one with “First rig from this drawing”.")
    return found[0]


def places(data):
    """Where everything of a drawing is, for comparison: kinds of elements with what places them."""
    all_places = []
    for element in tree.fromstring(data).iter():
        if isinstance(element.tag, str) and element.tag.startswith("{" + SVG + "}"):
            values = (" ".join(re.split(r"[\s,]+", element.get(name, "").strip())) for name in GEOMETRY)
            all_places.append((element.tag, *values))
    return all_places


def require_saved(document, drawing):
    """Refuses a document that is not what its file has: programs read the file."""
    if document != drawing.read_bytes() and places(document) != places(drawing.read_bytes()):
        raise Refusal("The drawing has changes that are not saved. Save it first: its file is what is read.")


class Layers:
    """The ids of a document with the posed copies that they are in, where its content ends, and the bytes of the layers of posed copies."""

    def __init__(self, data):
        self.ids, self.posed, self.end, self.root = [], [], None, {}
        self.open = []
        self.depth = 0
        self.data = data
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.finish
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            raise Refusal(f"the document cannot be read: {error}") from error
        if self.end is None or not data[self.end:].startswith(b"</"):
            raise Refusal("The drawing is empty.")

    def start(self, _tag, attributes):
        """A tag that opens."""
        own = attributes.get("id", "")
        is_posed = self.depth == 1 and own.startswith(PREFIX)
        if self.depth == 0:
            self.root = attributes
        self.open.append((self.parser.CurrentByteIndex, own) if is_posed else None)
        self.ids.append((own, next((layer for _, layer in filter(None, self.open)), None)))
        self.depth += 1

    def finish(self, _tag):
        """A tag that closes."""
        self.depth -= 1
        opened = self.open.pop()
        if opened:
            start, own = opened
            self.posed.append((start, self.data.index(b">", self.parser.CurrentByteIndex) + 1, own))
        if self.depth == 0:
            self.end = self.parser.CurrentByteIndex


def to_user_units(root, width, height):
    """The transform from pixels of a frame to the user units of a document: the inverse of its viewBox."""
    numbers = re.split(r"[\s,]+", root.get("viewBox", "").strip())
    if len(numbers) != 4:
        return None
    left, top, across, down = map(float, numbers)
    if not (across > 0 and down > 0):
        return None
    x_scale, y_scale = width / across, height / down
    aspect = root.get("preserveAspectRatio", "xMidYMid meet").split()
    if aspect[0] != "none":
        x_scale = y_scale = max(x_scale, y_scale) if "slice" in aspect else min(x_scale, y_scale)
        shares = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
        along, below = (shares.get(part, 0.5) for part in (aspect[0][1:4], aspect[0][5:8]))
    else:
        along = below = 0.0
    left -= along * (width - x_scale * across) / x_scale
    top -= below * (height - y_scale * down) / y_scale
    values = (1 / x_scale, 0, 0, 1 / y_scale, left, top)
    return "matrix(" + " ".join(f"{value:.10g}" for value in values) + ")"


def posed_layer(frame, name, root, taken):
    """The content of a frame as a locked layer, with ids that no element of the document has."""
    picture = tree.fromstring(frame)
    for parent in list(picture.iter()):
        for child in [child for child in parent if child.get("id", "").startswith(PREFIX)]:
            parent.remove(child)
    layer_id = PREFIX + re.sub(r"[^A-Za-z0-9_-]", "-", name)
    ids = [element.get("id") for element in picture.iter() if element.get("id")]
    while layer_id in taken or any(f"{layer_id}-{own}" in taken for own in ids):
        layer_id += "-"
    new = {own: f"{layer_id}-{own}" for own in ids}
    reference = re.compile(r"""url\(\s*["']?#([^)"']+?)["']?\s*\)""")
    for element in picture.iter():
        # Names of the originals would be ambiguous in the rig.
        element.attrib.pop(f"{{{INKSCAPE}}}label", None)
        for key, value in element.attrib.items():
            if key == "id":
                value = new[value]
            elif key in ("href", f"{{{XLINK}}}href") and value.startswith("#"):
                value = "#" + new.get(value[1:], value[1:])
            else:
                value = reference.sub(lambda found: f"url(#{new.get(found[1], found[1])})", value)
            element.set(key, value)
    layer = tree.Element(f"{{{SVG}}}g", {"id": layer_id})
    layer.set(f"{{{INKSCAPE}}}groupmode", "layer")
    layer.set(f"{{{INKSCAPE}}}label", f"posed {name}")
    layer.set(f"{{{SODIPODI}}}insensitive", "true")
    units = to_user_units(root, float(picture.get("width")), float(picture.get("height")))
    if units:
        layer.set("transform", units)
    layer.extend(picture)
    return tree.tostring(layer)


def with_posed_copy(document, frame, name, keep):
    """The document with a layer that is the frame, in place of that of the same moment, or of all posed copies."""
    found = Layers(document)
    own = PREFIX + re.sub(r"[^A-Za-z0-9_-]", "-", name)
    stays = [layer for _, _, layer in found.posed if keep and layer.rstrip("-") != own.rstrip("-")]
    out, at = b"", 0
    for start, end, layer in found.posed:
        if layer in stays:
            continue
        # The line end behind it came with it.
        end += document[end:].startswith(b"\n")
        out, at = out + document[at:start], end
    taken = {own for own, layer in found.ids if layer is None or layer in stays}
    layer = posed_layer(frame, name, found.root, taken)
    return out + document[at:found.end] + layer + b"\n" + document[found.end:]


def first_rig(options, document, drawing):
    """Writes a rig for the drawing."""
    require_saved(document, drawing)
    command = [program(options.program), "init", str(drawing)]
    message = run(command + (["--force"] if options.force else []), drawing.parent)
    return document, f"The rig is {drawing.with_suffix('.ron')}\n\n{message}"


def open_page(options, document, drawing):
    """Starts the live page, which stays when Inkscape ends."""
    rig = rig_path(options.rig, drawing)
    with tempfile.TemporaryFile() as log:
        started = {"creationflags": 0x208} if os.name == "nt" else {"start_new_session": True}
        page = subprocess.Popen(
            [program(options.program), "live", str(rig), "--quiet"], cwd=rig.parent, env=environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, **started,
        )
        try:
            # One that cannot start ends at once.
            code = page.wait(timeout=1.5)
        except subprocess.TimeoutExpired:
            return document, ""
        log.seek(0)
        if code != 0:
            raise Refusal(log.read().decode("utf-8", "replace").strip() or f"the page ended with code {code}")
    return document, ""


def posed_copy(options, document, drawing):
    """Puts a frame of a clip over the drawing, as a layer."""
    rig = rig_path(options.rig, drawing)
    with tempfile.TemporaryDirectory() as folder:
        command = [program(options.program), "render", str(rig), "--format", "svg", "--progress", "none", "--quiet"]
        command += ["--frames", str(options.frame), "--output", str(Path(folder) / "{clip}" / "#.svg")]
        message = run(command + (["--clip", options.clip] if options.clip else []), rig.parent)
        frames = sorted(Path(folder).glob("*/*.svg"))
        if len(frames) != 1:
            raise Refusal(message or "there is no such frame")
        name = f"{options.clip or frames[0].parent.name} {options.frame}"
        return with_posed_copy(document, frames[0].read_bytes(), name, options.keep), message


def read_bones(options, document, drawing):
    """Reads the lines of the bones again."""
    require_saved(document, drawing)
    rig = rig_path(options.rig, drawing)
    return document, run([program(options.program), "init", "--update", str(rig)], rig.parent)


COMMANDS = {"first": first_rig, "page": open_page, "posed": posed_copy, "bones": read_bones}


def main(arguments):
    """Runs a command; the document goes to standard output in any case."""
    def flag(text):
        return text.lower() == "true"

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", choices=COMMANDS, required=True)
    parser.add_argument("--program", default="")
    parser.add_argument("--rig", default="")
    parser.add_argument("--clip", default="")
    parser.add_argument("--frame", type=int, default=0)
    parser.add_argument("--force", type=flag, default=False)
    parser.add_argument("--keep", type=flag, default=False)
    parser.add_argument("document")
    # Inkscape adds arguments of its own: the ids of what is selected.
    options, _ = parser.parse_known_args(arguments)
    for prefix, space in (("", SVG), ("inkscape", INKSCAPE), ("sodipodi", SODIPODI), ("xlink", XLINK)):
        tree.register_namespace(prefix, space)
    document = Path(options.document).read_bytes()
    try:
        document, message = COMMANDS[options.command](options, document, drawing_path())
    except (Refusal, OSError, tree.ParseError) as error:
        message = str(error)
    if message:
        print(message, file=sys.stderr)
    sys.stdout.buffer.write(document)


if __name__ == "__main__":
    main(sys.argv[1:])
