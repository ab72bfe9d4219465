"""Rigs, frames and poses."""

import io
import math
import threading

import numpy
import pytest
from PIL import Image

import bone_layer
from bone_layer import BonePose, Rig

from conftest import FLAG, ROOT

EXAMPLES = ["walk", "face", "scarf", "cloak", "lettering", "expressions"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_frames_are_those_of_the_program(name, program, tmp_path):
    path = ROOT / "examples" / name / "rig.ron"
    rig = Rig.load(path)
    clip = rig.clips[0]
    program("render", path, "-o", tmp_path / "#.png", "--clip", clip.name, "--frames", "5", "--progress", "none")
    wanted = numpy.asarray(Image.open(next(tmp_path.glob("*.png"))).convert("RGBA"))
    found = numpy.asarray(rig.render(clip, 5 / rig.fps))
    assert numpy.array_equal(found, wanted)
    packed = Rig.unpack(rig.pack())
    assert numpy.array_equal(numpy.asarray(packed.render(clip.name, 5 / rig.fps)), wanted)
    # Pillow reads the PNG; where nothing is seen it has no colour.
    again = numpy.asarray(Image.open(io.BytesIO(rig.render(clip, 5 / rig.fps).png(fast=True))).convert("RGBA"))
    assert numpy.array_equal(again, wanted)


def test_arrays_share_the_memory_of_frames(walk):
    frame = walk.render("walk", 0.25)
    first, second = numpy.asarray(frame), numpy.asarray(frame)
    assert first.shape == (frame.height, frame.width, 4) and first.dtype == numpy.uint8
    assert numpy.shares_memory(first, second)
    assert not first.flags.writeable
    del frame
    # The array keeps the memory.
    assert first.sum() == second.sum() > 0


def test_views_of_buffers_are_refused_where_they_do_not_fit(walk):
    frame = walk.render("walk", 0.25, scale=0.1)
    view = memoryview(frame)
    assert (view.format, view.ndim, view.contiguous, view.readonly) == ("B", 3, True, True)
    assert bytes(frame) == view.tobytes() and len(view.tobytes()) == frame.width * frame.height * 4
    with pytest.raises(TypeError):
        view[0, 0, 0] = 1
    with pytest.raises(TypeError):
        io.BytesIO(bytes(view.nbytes)).readinto(frame)
    points = walk.pose().outline(walk.elements[0])[1]
    assert memoryview(points).format == "d" and numpy.asarray(points).shape[1] == 2
    assert numpy.frombuffer(points, "d").reshape(-1, 2).tolist() == points.tolist() and len(points) == points.shape[0]


def test_premultiplied_colours_are_multiplied(flag):
    rig = Rig.from_files({**FLAG, "flag.svg": FLAG["flag.svg"].replace("<path", '<path opacity=".5"')})
    straight = numpy.asarray(rig.render()).astype(float)
    multiplied = numpy.asarray(rig.render(premultiplied=True)).astype(float)
    alpha = straight[..., 3:] / 255
    assert numpy.abs(straight[..., :3] * alpha - multiplied[..., :3]).max() <= 1
    assert numpy.array_equal(straight[..., 3], multiplied[..., 3]) and 127 <= straight[..., 3].max() <= 128


def test_frames_go_into_memory_of_the_caller(walk):
    wanted = numpy.asarray(walk.render("walk", 0.5, size=(80, 100)))
    out = numpy.zeros((100, 80, 4), numpy.uint8)
    assert walk.render("walk", 0.5, size=(80, 100), out=out) is out
    assert numpy.array_equal(out, wanted)
    plain = bytearray(80 * 100 * 4)
    assert walk.pose("walk", 0.5).render(size=(80, 100), out=plain) is plain
    assert bytes(plain) == wanted.tobytes()
    # Memory with gaps is filled without them.
    wide = numpy.zeros((100, 160, 4), numpy.uint8)
    walk.render("walk", 0.5, size=(80, 100), out=wide[:, ::2])
    assert numpy.array_equal(wide[:, ::2], wanted) and wide[:, 1::2].sum() == 0
    for wrong in [bytearray(7), bytes(80 * 100 * 4), numpy.zeros((100, 80), "f8"), out[:, ::2], "text"]:
        with pytest.raises((ValueError, BufferError, TypeError)):
            walk.render("walk", 0.5, size=(80, 100), out=wrong)


def test_frames_come_in_order_for_any_number_of_threads(walk):
    wanted = [walk.render("walk", at / 12, scale=0.25) for at in range(12)]
    for threads in [0, 1, 2, 5]:
        frames = walk.frames("walk", fps=12, threads=threads, scale=0.25)
        assert frames.__length_hint__() == 12
        assert [bytes(frame) for frame in frames] == [bytes(frame) for frame in wanted]
    some = list(walk.frames("walk", fps=12, frames=[7, 3], threads=2, scale=0.25))
    assert [bytes(frame) for frame in some] == [bytes(wanted[7]), bytes(wanted[3])]
    assert list(walk.frames("walk", frames=[])) == []
    # Threads end with what they draw for.
    before = threading.active_count()
    half = iter(walk.frames("walk", threads=2, scale=0.25))
    next(half)
    del half
    assert threading.active_count() == before
    for wrong in [{"fps": 0}, {"fps": math.nan}, {"frames": [-1]}, {"frames": range(10**7)}, {"fps": 1e5, "frames": 3}]:
        with pytest.raises((ValueError, TypeError, OverflowError)):
            list(walk.frames("walk", **wrong))


def test_threads_share_a_rig(walk):
    wanted = [bytes(walk.render("walk", at / 10, scale=0.25)) for at in range(10)]
    found = {}

    def draw(first):
        for at in range(first, 10, 2):
            found[at] = bytes(walk.render("walk", at / 10, scale=0.25))

    threads = [threading.Thread(target=draw, args=(first,)) for first in (0, 1)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert [found[at] for at in range(10)] == wanted


def test_poses_are_data(flag):
    pose = flag.pose("wave", 1)
    start, end = pose.bone("pole")
    assert start == pytest.approx((5, 12))
    # 15 units long, turned by 30 degrees.
    assert end == pytest.approx((5 + 15 * math.cos(math.pi / 6), 12 + 15 * math.sin(math.pi / 6)))
    matrices = numpy.asarray(pose.bones)
    assert matrices.shape == (2, 2, 3)
    assert matrices[0] @ [15, 0, 1] == pytest.approx(end)
    steps, points = pose.outline("flag")
    assert bytes(steps)[0] == 0 and bytes(steps)[-1] == 4
    left, top, right, bottom = pose.bounds("flag")
    points = numpy.asarray(points)
    assert points.min(0) == pytest.approx((left, top), abs=0.6) and points.max(0) == pytest.approx((right, bottom), abs=0.6)
    assert pose.hit(*end) == "flag" and pose.hit(39, 39) is None and pose.hit(math.nan, 0) is None
    assert pose.bounds() == pose.bounds("flag")
    assert pose.svg().startswith("<svg") and 'id="flag"' in pose.svg()
    assert bytes(pose.render()) == bytes(flag.render("wave", 1))


def test_bones_are_set_on_top(flag):
    turned = flag.pose(bones={"pole": BonePose(angle=30)})
    assert turned.bone("end")[1] == pytest.approx(flag.pose("wave", 1).bone("end")[1])
    both = flag.pose("wave", 1, bones={"pole": BonePose(angle=-30)})
    assert both.bone("end")[1] == pytest.approx((35, 12))
    kept = flag.pose("wave", 1, bones={"pole": BonePose(move=(5, 12), replace=True)})
    assert kept.bone("pole")[1] == pytest.approx((20, 12))
    assert BonePose(angle=3) == BonePose(angle=3) != BonePose()
    with pytest.raises(ValueError):
        BonePose(angle=math.inf)
    with pytest.raises(bone_layer.UnknownName):
        flag.pose(bones={"pol": BonePose()})
    for call in [flag.pose, flag.render]:
        with pytest.raises(ValueError):
            call("wave", math.nan)


def test_clips_are_files(walk, tmp_path):
    clip = walk.clip("walk")
    assert (clip.name, clip.length, clip.looped) == (walk.clips[0].name, walk.clips[0].length, walk.clips[0].looped)
    for ending in ["webp", "gif", "apng"]:
        clip.save(tmp_path / f"walk.{ending}", fps=6, scale=0.2)
        picture = Image.open(tmp_path / f"walk.{ending}")
        assert picture.n_frames == round(clip.length * 6)
        assert (tmp_path / f"walk.{ending}").read_bytes() == clip.encode(ending, fps=6, scale=0.2)
    assert list(tmp_path.glob("walk.*.*")) == []
    assert clip._repr_html_().startswith('<img alt="walk" src="data:image/webp;base64,')
    assert walk._repr_png_()[:4] == b"\x89PNG"
    for wrong in ["walk.mp4", "walk", "no/walk.gif"]:
        with pytest.raises((bone_layer.BoneLayerError, OSError)):
            clip.save(tmp_path / wrong, fps=6, scale=0.2)
    for fps in [0, -1, math.nan, 1e9]:
        with pytest.raises(ValueError):
            clip.encode("webp", fps=fps)
    long = Rig.from_files({**FLAG, "flag.ron": FLAG["flag.ron"].replace("length: 2", "length: 80000")})
    for call in [lambda: long.clip("wave").encode("gif"), lambda: long.frames("wave")]:
        with pytest.raises(ValueError, match="more than 1000000"):
            call()


def test_packs_load_without_files(walk, tmp_path):
    walk.save(tmp_path / "walk.bones")
    again = Rig.load(tmp_path / "walk.bones")
    assert [clip.name for clip in again.clips] == [clip.name for clip in walk.clips]
    (tmp_path / "cut.bones").write_bytes((tmp_path / "walk.bones").read_bytes()[:5000])
    for load in [lambda: Rig.load(tmp_path / "cut.bones"), lambda: Rig.load(tmp_path / "no.bones"), lambda: Rig.unpack(b"")]:
        with pytest.raises(bone_layer.PackError):
            load()
    with pytest.raises(bone_layer.BoneLayerError, match="no files to edit"):
        again.edit()
    with pytest.raises(FileNotFoundError, match="walk.bones"):
        walk.save(tmp_path / "no" / "walk.bones")


def test_mistakes_have_places(tmp_path):
    broken = FLAG["flag.ron"].replace('"pole", "end"]', '"pole", "ende"]')
    with pytest.raises(bone_layer.RigError, match="ende") as caught:
        Rig.from_files({**FLAG, "flag.ron": broken})
    first = caught.value.diagnostics[0]
    assert (first.severity, first.code, first.file, first.line) == ("error", "unknown-bone", "flag.ron", 4)
    line = broken.splitlines()[3]
    assert line[first.column - 1 :].startswith('"ende"')
    assert any("end" in help for help in first.help) and "flag.ron:4:" in str(first)
    for files in [{}, {"a.ron": ""}, {"a.ron": b"\xff\xfe\x00"}, {"flag.ron": FLAG["flag.ron"]}]:
        with pytest.raises((bone_layer.RigError, ValueError)):
            Rig.from_files(files)
    with pytest.raises(bone_layer.RigError):
        Rig.load(tmp_path / "missing.ron")
    with pytest.raises(TypeError):
        Rig.from_files({"a.ron": 3})


def test_names_are_suggested(walk, flag):
    with pytest.raises(bone_layer.UnknownName) as caught:
        flag.render("wav")
    assert caught.value.near == ("wave",)
    for call in [lambda: flag.clip("x"), lambda: flag.pose().bone("x"), lambda: flag.pose().outline("x")]:
        with pytest.raises(bone_layer.UnknownName):
            call()
    # A clip of another rig has no meaning here.
    with pytest.raises(bone_layer.UnknownName):
        flag.render(walk.clips[0])
    with pytest.raises(TypeError):
        flag.render(3)


def test_sizes_have_limits(flag):
    assert (flag.render(size=(7, 3)).width, flag.render(scale=2.5).height) == (7, 100)
    for wrong in [{"size": (0, 5)}, {"size": (40000, 1)}, {"scale": 0}, {"scale": math.nan}, {"scale": 1, "size": (1, 1)},
                  {"background": "whit"}, {"size": (-1, 2)}]:
        with pytest.raises((ValueError, OverflowError)):
            flag.render(**wrong)
    assert numpy.asarray(flag.render(background="#102030"))[39, 39].tolist() == [16, 32, 48, 255]


def test_what_a_rig_has_is_listed(flag, walk):
    assert flag.size == (40, 40) and flag.elements == ["flag"]
    assert [(bone.name, bone.parent) for bone in flag.bones] == [("pole", None), ("end", "pole")]
    assert flag.bones[0].length == pytest.approx(15)
    assert "2 bones" in repr(flag) and flag.inputs == [] == flag.outfits == flag.machines
    march = Rig.load(ROOT / "examples/march/rig.ron")
    markers = [marker for clip in walk.clips for marker in clip.markers] + march.clips[0].markers
    assert all(0 <= marker.time and marker.name for marker in markers)
