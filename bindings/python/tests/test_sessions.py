"""Edits."""

import pytest

import bone_layer
from bone_layer import Ron, Session

from conftest import FLAG


def test_an_edit_changes_the_least(flag_file):
    session = Session.open(flag_file)
    session.key("wave", "pole", "rotate", 1, 45)
    assert session.text == FLAG["flag.ron"].replace("(1, 30)", "(1, 45)")
    session.key("wave", "pole", "rotate", 1.0, 45, ease=("Bezier", 0.4, 0, 0.6, 1))
    assert "(1, 45, Bezier(0.4, 0, 0.6, 1))" in session.text
    session.edit("SetEase", channel=["clips", "wave", "bones", "pole", "rotate"], time=1, ease="Hold")
    assert "(1, 45, Hold)" in session.text
    assert session.unsaved == [flag_file]
    assert session.save() == [flag_file] and session.unsaved == []
    assert flag_file.read_text() == session.text and "// The pole stays." in session.text
    for _ in range(3):
        assert session.undo()
    assert session.text == FLAG["flag.ron"] and session.undo() is None
    assert session.redo() and "(1, 45)" in session.text


def test_values_go_both_ways(flag_file):
    session = Session.open(flag_file)
    assert session.get(["bones", "pole"]) == {"from": (5, 12), "to": (20, 12)}
    assert session.get(["skin", 0, "bones"]) == ["pole", "end"]
    assert session.get(["skin", 0]) == Ron('Smooth(art: "flag", bones: ["pole", "end"])')
    assert session.get(["clips", "wave", "length"]) == 2
    session.edit("Add", into=["bones"], name="tip", value={"parent": "end", "to": (39, 12), "joint": Ron("Fixed")})
    assert session.get(["bones", "tip", "joint"]) == Ron("Fixed")
    session.set(["skin", 0], Ron('Rigid(art: "flag", bone: "tip")'))
    assert session.rig.bones[2].name == "tip"
    session.remove(["bones", "tip", "joint"])
    session.edit_all("two", [("PlaceBone", {"bone": "tip", "to": (38, 12)}), ("SetParent", {"bone": "tip", "parent": "pole"})])
    assert session.get(["bones", "tip", "parent"]) == "pole"
    assert session.undo() == "two" and session.get(["bones", "tip", "parent"]) == "end"
    session.rename("bone", "pole", "mast")
    assert session.dependants("bone", "mast") and "mast" in session.text and '"pole"' not in session.text
    session.delete("bone", "tip", dependants=True)
    assert [bone.name for bone in session.rig.bones] == ["mast", "end"]


def test_refused_edits_change_nothing(flag_file):
    session = Session.open(flag_file)
    before = session.text
    circle = []
    circle.append(circle)
    for call in [
        lambda: session.set(["bones", "end", "parent"], "nowhere"),
        lambda: session.set(["bones", "end", "to"], float("nan")),
        lambda: session.set(["bones", "end", "to"], "there"),
        lambda: session.set(["nonsense"], 3),
        lambda: session.key("wave", "pole", "rotate", -1, 3),
        lambda: session.key("wave", "no", "rotate", 1, 3),
        lambda: session.key("wave", "pole", "rotate", 1, 3, ease="Jump"),
        lambda: session.remove(["clips", "no"]),
        lambda: session.edit("Explode"),
        lambda: session.edit("SetParent"),
        lambda: session.edit("SetParent", bone="end", colour="red"),
        lambda: session.edit("Rename", of="planet", from_="pole", to="x"),
        lambda: session.set("bones", 3),
        lambda: session.set(["bones", None], 3),
        lambda: session.set(["bones", "pole", "to"], circle),
        lambda: session.set(["bones", "pole", "to"], object()),
        lambda: session.set(["bones", "pole", "to"], {1: 2}),
        lambda: session.delete("bone", "pole"),
        lambda: Ron("Rigid("),
    ]:
        with pytest.raises((bone_layer.EditError, TypeError, ValueError)):
            call()
        assert session.text == before
    with pytest.raises(bone_layer.EditError, match="nowhere"):
        session.set(["bones", "end", "parent"], "nowhere")


def test_what_others_write_is_taken_in(flag_file):
    session = Session.open(flag_file)
    flag_file.write_text(FLAG["flag.ron"].replace("length: 2", "length: 3"))
    with pytest.raises(OSError, match="flag.ron: it was changed by another program"):
        session.key("wave", "pole", "rotate", 1, 45) or session.save()
    assert session.sync() == [flag_file]
    assert session.get(["clips", "wave", "length"]) == 3
    session.save()
    assert "(1, 45)" in flag_file.read_text() and "length: 3" in flag_file.read_text()


def test_rigs_with_mistakes_open(flag_file, tmp_path):
    flag_file.write_text(FLAG["flag.ron"].replace('"end"]', '"ende"]'))
    session = Session.open(flag_file)
    assert session.rig is None and session.diagnostics[0].code == "unknown-bone"
    session.set(["skin", 0, "bones", 1], "end")
    assert session.rig is not None and session.diagnostics == []
    missing = Session.open(tmp_path / "missing.ron")
    assert missing.rig is None and missing.diagnostics
    with pytest.raises(bone_layer.EditError):
        missing.set(["fps"], 3)


def test_rigs_in_memory_are_edited(flag):
    session = flag.edit()
    session.set(["fps"], 30)
    assert "fps: 30" in session.texts["flag.ron"] and session.rig.fps == 30
    with pytest.raises(bone_layer.BoneLayerError, match="in memory"):
        session.save()
    with pytest.raises(bone_layer.BoneLayerError, match="session edits it"):
        session.rig.edit()
