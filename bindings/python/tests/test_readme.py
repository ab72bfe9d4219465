"""What README.md says runs, in the folder of an example."""

import re
import shutil

from conftest import ROOT


def test_readme(tmp_path, monkeypatch):
    text = (ROOT / "bindings/python/README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) == 7
    shutil.copytree(ROOT / "examples/walk", tmp_path / "walk")
    monkeypatch.chdir(tmp_path / "walk")
    exec("\n".join(blocks), {})
    assert (tmp_path / "walk/wave.webp").stat().st_size > 1000
    assert (tmp_path / "walk/walk.png").stat().st_size > 1000
    assert (tmp_path / "walk/walk.webp").stat().st_size > 1000
