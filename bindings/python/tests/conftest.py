"""What the tests share: the rigs of the repository, and the program that draws them independently."""

import os
import subprocess
from pathlib import Path

import pytest

import bone_layer

ROOT = Path(__file__).resolve().parents[3]

FLAG = {
    "flag.ron": """Rig(version: 1, drawing: "flag.svg",
    // The pole stays.
    bones: { "pole": (from: (5, 12), to: (20, 12)), "end": (parent: "pole", to: (35, 12)) },
    skin: [Smooth(art: "flag", bones: ["pole", "end"])],
    clips: { "wave": (length: 2, bones: { "pole": (rotate: [(0, 0), (1, 30), (2, 0)]) }) },
)""",
    "flag.svg": """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">
    <path id="flag" fill="#c33" d="M5 5H35V20H5Z"/></svg>""",
}


@pytest.fixture
def flag():
    return bone_layer.Rig.from_files(FLAG)


@pytest.fixture
def flag_file(tmp_path):
    for name, text in FLAG.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "flag.ron"


@pytest.fixture(scope="session")
def walk():
    return bone_layer.Rig.load(ROOT / "examples/walk/rig.ron")


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("RENDER_FRAMES")
    if not path:
        pytest.fail("RENDER_FRAMES names no render-frames to compare with")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
