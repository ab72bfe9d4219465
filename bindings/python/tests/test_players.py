"""Players."""

import math

import numpy
import pytest
from PIL import Image

import bone_layer
from bone_layer import BonePose, Rig

from conftest import FLAG, ROOT


def test_an_exact_moment_is_that_of_the_rig(walk):
    player = walk.player()
    for time in [0, 0.31, 1.7]:
        player.exact("walk", time)
        assert bytes(player.render()) == bytes(walk.render("walk", time))
        bone = walk.bones[4].name
        a, b, c, d, e, f = player.bone(bone)
        assert walk.pose("walk", time).bone(bone)[0] == pytest.approx((e, f))


def test_clips_play_and_tell_of_it(flag):
    player = flag.player()
    playing = player.play("wave", repeat=2)
    kinds = [event.kind for _ in range(50) for event in player.step(0.1)]
    assert kinds == ["loop", "end"]
    assert player.time(playing) == pytest.approx(2) or player.time(playing) == 0
    layer = player.layer("wave", add=True, bones=["end"], weight=0.5)
    player.set_weight(layer, 1)
    player.seek(layer, 1)
    player.set_speed(layer, 0)
    player.step(0)
    player.stop(layer, fade=0.1)
    assert "removed" in [event.kind for _ in range(3) for event in player.step(0.1)]
    with pytest.raises(bone_layer.BoneLayerError):
        player.seek(layer, 0)
    player.rest(fade=0.2)
    for wrong in [lambda: player.step(-1), lambda: player.step(math.nan), lambda: player.play("wave", speed=math.inf),
                  lambda: player.play("wave", repeat="always"), lambda: player.set_weight(playing, 1)]:
        with pytest.raises((bone_layer.BoneLayerError, ValueError)):
            wrong()


def test_inputs_turn_what_the_rig_has():
    rig = Rig.load(ROOT / "examples/face/rig.ron")
    player = rig.player()
    assert rig.inputs
    player.step(0)
    rest = bytes(player.render())
    changed = 0
    for name in rig.inputs:
        for value in [1, (30.0, 20.0)]:
            try:
                player.set_input(name, value)
            except (bone_layer.BoneLayerError, TypeError):
                continue
            player.step(0)
            changed += bytes(player.render()) != rest
            player.set_input(name, None)
            player.step(0)
            assert bytes(player.render()) == rest, name
    assert changed > 0
    with pytest.raises(bone_layer.UnknownName):
        player.set_input("mix:nothing", 1)
    with pytest.raises(bone_layer.BoneLayerError, match="no trigger"):
        player.fire(rig.inputs[0])


def test_machines_play_by_their_inputs():
    found = [Rig.load(path) for path in sorted(ROOT.glob("examples/*/rig.ron")) if "machines" in path.read_text()]
    assert found
    rig = found[0]
    player = rig.player()
    player.start(rig.machines[0])
    player.step(0)
    first = player.state()
    triggers = 0
    for name in rig.inputs:
        if name.startswith("machine:"):
            try:
                player.fire(name)
                triggers += 1
            except bone_layer.BoneLayerError:
                player.set_input(name, True)
    events = [event for _ in range(20) for event in player.step(0.1)]
    assert first and any(event.kind == "input" for event in events)
    assert any(event.kind == "state" and event.name for event in events)


def test_what_is_set_is_drawn(flag):
    player = flag.player()
    player.step(0)
    plain = numpy.asarray(player.render())
    assert plain[10, 20].tolist() == [204, 51, 51, 255]
    player.set_color("flag", "teal")
    assert numpy.asarray(player.render())[10, 20].tolist() == [0, 128, 128, 255]
    player.set_color("flag", (0, 0, 1, 0.5))
    assert numpy.asarray(player.render())[10, 20].tolist() == [0, 0, 255, 128]
    player.set_color("flag", None)
    assert bytes(player.render()) == plain.tobytes()
    player.set_visible("flag", False)
    assert numpy.asarray(player.render()).sum() == 0 and player.bounds() is None
    player.set_visible("flag", None)
    assert bytes(player.render()) == plain.tobytes()
    for wrong in [lambda: player.set_color("flag", "tael"), lambda: player.set_color("flag", "red", part="line"),
                  lambda: player.set_color("flag", "red", part="stroke"), lambda: player.set_text("flag", "x"),
                  lambda: player.set_image("flag", b"\x89PNG"), lambda: player.set_image("flag", b"text")]:
        with pytest.raises((bone_layer.BoneLayerError, ValueError)):
            wrong()


def test_pictures_are_set(tmp_path):
    Image.new("RGB", (4, 4), "red").save(tmp_path / "a.png")
    Image.new("RGB", (8, 8), "blue").save(tmp_path / "b.png")
    drawing = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">'
               '<image id="flag" href="a.png" x="10" y="10" width="20" height="20"/></svg>')
    ron = FLAG["flag.ron"].replace('Smooth(art: "flag", bones: ["pole", "end"])', 'Rigid(art: "flag", bone: "pole")')
    files = {"flag.ron": ron, "flag.svg": drawing, "a.png": (tmp_path / "a.png").read_bytes()}
    player = Rig.from_files(files).player()
    player.step(0)
    assert numpy.asarray(player.render())[20, 20].tolist() == [255, 0, 0, 255]
    player.set_image("flag", (tmp_path / "b.png").read_bytes())
    assert numpy.asarray(player.render())[20, 20].tolist() == [0, 0, 255, 255]
    player.set_image("flag", None)
    assert numpy.asarray(player.render())[20, 20].tolist() == [255, 0, 0, 255]


def test_bones_are_set_and_dragged(flag):
    player = flag.player()
    player.set_bone("pole", BonePose(angle=30))
    player.step(0)
    assert player.bone("pole")[:2] == pytest.approx((math.cos(math.pi / 6), math.sin(math.pi / 6)))
    player.set_bone("pole", None)
    player.exact("wave", 0)
    assert player.drag("end", 24, 34) == pytest.approx((24, 34), abs=0.01)
    assert player.hit(5, 12, 3) == "flag"
    player.play("wave")
    player.step(0.1)
    with pytest.raises(bone_layer.BoneLayerError, match="clips play"):
        player.drag("end", 24, 34)
    with pytest.raises(bone_layer.BoneLayerError):
        player.wear([]) or player.drag("end", math.nan, 0)


def test_outfits_are_worn():
    ron = FLAG["flag.ron"].replace(
        "clips:", 'outfits: { "green": (art: {"flag": (fill: "#0a0")}), "bare": (hide: ["flag"]) },\n    clips:'
    )
    rig = Rig.from_files({**FLAG, "flag.ron": ron})
    assert rig.outfits == ["green", "bare"]
    player = rig.player()
    for worn, pixel in [(["green"], [0, 170, 0, 255]), (["green", "bare"], [0, 0, 0, 0]), (None, [204, 51, 51, 255])]:
        player.wear(worn)
        player.step(0)
        assert numpy.asarray(player.render())[10, 20].tolist() == pixel
    with pytest.raises(bone_layer.UnknownName):
        player.wear(["no such"])
