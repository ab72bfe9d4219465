"""Views of frames and tables, in every order of making and giving back: for a judge of memory."""

import gc

import bone_layer

rig = bone_layer.Rig.from_files({
    "flag.ron": """Rig(version: 1, drawing: "flag.svg", bones: { "pole": (from: (5, 12), to: (20, 12)) },
        skin: [Rigid(art: "flag", bone: "pole")],
        clips: { "wave": (length: 1, bones: { "pole": (rotate: [(0, 0), (1, 30)]) }) })""",
    "flag.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path id="flag" d="M1 1H7V6H1Z"/></svg>',
}, fonts=False)
for premultiplied in (False, True):
    frame = rig.render("wave", 0.5, premultiplied=premultiplied)
    first, second = memoryview(frame), memoryview(frame)
    total = sum(first.tobytes())
    first.release()
    del frame
    gc.collect()
    assert second.tobytes().count(0) < len(second) * 32 and sum(second.tobytes()) == total
    del second
pose = rig.pose("wave", 0.5)
steps, points = pose.outline("flag")
views = [memoryview(steps), memoryview(points), memoryview(pose.bones)]
del steps, points, pose
gc.collect()
assert [view.shape for view in views] == [(5,), (4, 2), (1, 2, 3)]
assert all(view.tolist() for view in views)
out = bytearray(8 * 8 * 4)
rig.render("wave", 1, out=out)
assert any(out)
for wrong in (bytearray(3), b"x" * 256):
    try:
        rig.render("wave", 1, out=wrong)
        raise SystemExit("that does not fit")
    except (ValueError, BufferError):
        pass
half = iter(rig.frames("wave", threads=2))
next(half)
del half, rig, views
gc.collect()
print("fine")
