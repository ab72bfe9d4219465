"""The extension of Inkscape, run as Inkscape runs it: inkscape.py PROGRAM. Inkscape itself draws what comes out.

Needs the command inkscape, numpy and Pillow."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
import xml.etree.ElementTree as tree
from pathlib import Path

import numpy
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors/inkscape"
PROGRAM = Path(sys.argv[1]).resolve()
# Mean levels of 255 on white: Inkscape draws edges with another rule.
MOST = 1.5
failed = 0


def check(what, is_so, seen=""):
    global failed
    print("ok    " if is_so else "FAILED", what, " ".join(str(seen).split()))
    failed += not is_so


def run(command, document, path, *arguments, environment=None):
    """A command as Inkscape starts it: in the folder of the script, with a copy of the document."""
    with tempfile.NamedTemporaryFile(suffix=".svg") as copy:
        copy.write(document)
        copy.flush()
        # Inkscape takes the Python of the system.
        python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
        done = subprocess.run(
            [python, "bone_layer.py", "--id=flag", f"--command={command}", *arguments, copy.name],
            cwd=EXTENSION, capture_output=True, check=False,
            env={**os.environ, "PYTHONPATH": "/usr/share/inkscape/extensions", "DOCUMENT_PATH": str(path), **(environment or {})},
        )
    check(f"{command} ends as it should", done.returncode == 0, done.stderr.decode()[-400:] if done.returncode else "")
    return done.stdout, done.stderr.decode()


def on_white(path, size=None):
    picture = Image.open(path).convert("RGBA")
    if size and picture.size != size:
        picture = picture.crop((0, 0, *size))
    white = Image.new("RGBA", picture.size, "white")
    return numpy.asarray(Image.alpha_composite(white, picture).convert("RGB"), dtype=float)


def judge_posed(name, folder, drawing, rig, clip, frame):
    document = drawing.read_bytes()
    arguments = [f"--program={PROGRAM}", f"--clip={clip}", f"--frame={frame}"]
    out, message = run("posed", document, drawing, *arguments)
    check(f"{name}: nothing is reported", message == "", message)
    layers = re.findall(rb'<g [^>]*id="(posed-[^"]*)"[^>]*insensitive="true"[^>]*>', out)
    check(f"{name}: there is one locked layer", len(layers) == 1, layers)
    start = out.index(b'<g xmlns="http://www.w3.org/2000/svg"')
    end = out.rindex(b"</g>\n") + 5
    check(f"{name}: all else is as it was", out[:start] + out[end:] == document)
    ids = [element.get("id") for element in tree.fromstring(out).iter() if element.get("id")]
    check(f"{name}: {len(ids)} ids are all different", len(ids) == len(set(ids)))
    layer = out[start:end].decode()
    used = set(re.findall(r"url\(#([^)]*)\)", layer)) | set(re.findall(r'href="#([^"]*)"', layer))
    check(f"{name}: {len(used)} references of the layer are its own", used <= set(ids) and all(i.startswith("posed-") for i in used))
    label = tree.fromstring(out).find(f".//*[@id='{layers[0].decode()}']").get("{http://www.inkscape.org/namespaces/inkscape}label")
    check(f"{name}: its name has the moment", label == f"posed {clip} {frame}", label)
    again, _ = run("posed", out, drawing, *arguments)
    check(f"{name}: a second copy replaces the first", again == out)
    other = [*arguments[:2], f"--frame={frame + 1}"]
    moved, _ = run("posed", out, drawing, *other)
    both, _ = run("posed", out, drawing, *other, "--keep=true")
    count = lambda text: text.count(b'insensitive="true"')
    check(f"{name}: another moment replaces it, or is beside it", (count(moved), count(both)) == (1, 2) and moved != out)
    ids = [element.get("id") for element in tree.fromstring(both).iter() if element.get("id")]
    check(f"{name}: ids of both differ", len(ids) == len(set(ids)))
    # Inkscape draws the layer alone, and the program the frame.
    result, picture = folder / f"{name}-out.svg", folder / f"{name}.png"
    result.write_bytes(out)
    ours = folder / f"{name}-ours.png"
    subprocess.run([PROGRAM, "render", rig, "--clip", clip, "--frames", str(frame), "-o", ours, "--progress", "none", "--quiet"], check=True)
    expected = on_white(ours)
    height, width = expected.shape[:2]
    subprocess.run(
        ["inkscape", f"--export-id={layers[0].decode()}", "--export-id-only", "--export-area-page", f"--export-width={width}",
         f"--export-height={height}", f"--export-filename={picture}", result], check=True, capture_output=True,
    )
    apart = numpy.abs(on_white(picture, (width, height)) - expected).mean()
    check(f"{name}: Inkscape draws our frame", apart < MOST, f"{apart:.3f} of 255")


def main():
    work = Path(tempfile.mkdtemp(prefix="inkscape-"))
    drawing = work / "mm bones.svg"
    shutil.copy(ROOT / "tests/init/inkscape-mm-bones.svg", drawing)
    document = drawing.read_bytes()
    given = f"--program={PROGRAM}"

    # What is missing is said, and nothing changes.
    out, message = run("first", document, "", given)
    check("a document without a file is refused", out == document and "Save the drawing" in message, message)
    out, message = run("first", document, drawing, environment={"PATH": "/nowhere", "HOME": "/nowhere"})
    check("a missing program is explained", out == document and "not found" in message and "releases" in message)
    out, message = run("posed", document, drawing, given)
    check("a missing rig is explained", out == document and "First rig" in message, message)

    # The first rig.
    out, message = run("first", document, drawing, given)
    rig = drawing.with_suffix(".ron")
    check("the first rig is beside the drawing", out == document and rig.is_file() and str(rig) in message, message[:200])
    text = rig.read_text()
    out, message = run("first", document, drawing, given)
    check("a rig that is there stays", out == document and rig.read_text() == text and "--force" in message, message[:200])
    rig.write_text("// mine\n" + text)
    out, message = run("first", document, drawing, given, "--force=true")
    check("it is replaced on request", out == document and rig.read_text() == text)

    # The lines of the bones, from the saved file alone.
    changed = document.replace(b"M 50,100 V 56", b"M 54,100 V 56", 1)
    out, message = run("bones", changed, drawing, given)
    check("changes that are not saved are refused", out == changed and "Save it first" in message and rig.read_text() == text, message)
    out, message = run("bones", document, drawing, given)
    check("lines that are where they were move nothing", out == document and rig.read_text() == text, message[:200])
    drawing.write_bytes(changed)
    out, message = run("bones", changed, drawing, given)
    check("lines that moved move bones", out == changed and rig.read_text() != text and "moved" in message, message[:200])

    # The page: a program of its own, which answers after the extension has ended.
    log = work / "page.txt"
    page = work / "page.sh"
    page.write_text(f'#!/bin/sh\nexport XDG_STATE_HOME="{work}"\nexec "{PROGRAM}" "$1" "$2" --no-open > "{log}" 2>&1 & echo $! > "{work}/pid"; wait\n')
    page.chmod(0o755)
    out, message = run("page", changed, drawing, f"--program={page}")
    check("the page leaves the document alone", out == changed and message == "", message)
    address = None
    for _ in range(200):
        address = address or re.search(r"http://[\w.:/?=&#-]+", log.read_text() if log.exists() else "")
        time.sleep(0.1)
        if address:
            break
    answer = urllib.request.urlopen(address[0], timeout=20).status if address else None
    check("the page is served after the command", answer == 200, address and address[0].split("?")[0].split("#")[0])
    os.kill(int((work / "pid").read_text()), signal.SIGINT)
    page.write_text("#!/bin/sh\necho no port is free >&2\nexit 1\n")
    out, message = run("page", changed, drawing, f"--program={page}")
    check("a page that cannot start is reported", out == changed and message == "no port is free\n", message)

    # Posed copies: units of millimetres, of pixels, and a viewBox of its own shape. The first rig has a clip.
    clip = re.search(r'clips:\s*\{(?:\s*//[^\n]*)*\s*"([^"]*)"', rig.read_text())[1]
    judge_posed("millimetres", work, drawing, rig, clip, 3)
    arm = work / "arm"
    shutil.copytree(ROOT / "examples/arm", arm)
    svg = next(arm.glob("*.svg"))
    clip = re.search(r'clips:\s*\{(?:\s*//[^\n]*)*\s*"([^"]*)"', (arm / "rig.ron").read_text())[1]
    judge_posed("pixels", work, svg, arm / "rig.ron", clip, 12)
    # The rig has other names than the drawing: it is found by what it says.
    text = svg.read_text()
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    tag = re.search(r"<svg[^>]*>", text)[0]
    framed = re.sub(r'\s(?:width|height|viewBox)="[^"]*"', "", tag)
    framed = framed[:-1] + f' width="300" height="400" viewBox="-20 -10 {float(box[1]) + 40} {float(box[2]) + 20}" preserveAspectRatio="xMinYMax">'
    svg.write_text(text.replace(tag, framed, 1))
    judge_posed("own shape", work, svg, arm / "rig.ron", clip, 12)

    # Inkscape takes the files of the commands.
    profile = work / "profile"
    shutil.copytree(EXTENSION, profile / "extensions/bone-layer")
    subprocess.run(
        ["inkscape", f"--export-filename={work / 'any.png'}", drawing], check=True, capture_output=True,
        env={**os.environ, "INKSCAPE_PROFILE_DIR": str(profile)},
    )
    errors = profile / "extension-errors.log"
    said = errors.read_text() if errors.exists() else ""
    check("Inkscape finds no mistake in the commands", "bone" not in said.lower(), said[:300])
    shutil.rmtree(work, ignore_errors=True)
    sys.exit(failed > 0)


main()
