"""Recordings of a figure that walks on the spot, in each format that `import` reads: made, so that tests can damage
them."""

import base64
import json
import math
import struct

FRAMES = 24
# Joint, parent, and where it is from its parent, in metres: y is up, z to the front.
JOINTS = [
    ("Hips", None, (0, 1.0, 0)),
    ("Spine", "Hips", (0, 0.25, 0)),
    ("Neck", "Spine", (0, 0.25, 0)),
    ("Head", "Neck", (0, 0.2, 0)),
    ("LeftArm", "Spine", (0.18, 0.2, 0)),
    ("LeftForeArm", "LeftArm", (0, -0.28, 0)),
    ("LeftHand", "LeftForeArm", (0, -0.25, 0)),
    ("RightArm", "Spine", (-0.18, 0.2, 0)),
    ("RightForeArm", "RightArm", (0, -0.28, 0)),
    ("RightHand", "RightForeArm", (0, -0.25, 0)),
    ("LeftUpLeg", "Hips", (0.1, 0, 0)),
    ("LeftLeg", "LeftUpLeg", (0, -0.45, 0)),
    ("LeftFoot", "LeftLeg", (0, -0.45, 0)),
    ("RightUpLeg", "Hips", (-0.1, 0, 0)),
    ("RightLeg", "RightUpLeg", (0, -0.45, 0)),
    ("RightFoot", "RightLeg", (0, -0.45, 0)),
]
NUMBERS = {name: at for at, (name, _, _) in enumerate(JOINTS)}
# Markers as motion capture suites call them, with their joints.
MARKERS = [
    ("LShoulder", "LeftArm"), ("RShoulder", "RightArm"), ("LElbow", "LeftForeArm"), ("RElbow", "RightForeArm"),
    ("LWrist", "LeftHand"), ("RWrist", "RightHand"), ("LHip", "LeftUpLeg"), ("RHip", "RightUpLeg"),
    ("LKnee", "LeftLeg"), ("RKnee", "RightLeg"), ("LAnkle", "LeftFoot"), ("RAnkle", "RightFoot"),
    ("Neck", "Neck"), ("Head", "Head"),
]


def turn(joint, frame):
    """The turn of a joint about x, degrees."""
    wave = math.sin(2 * math.pi * frame / FRAMES)
    side = 1 if joint.startswith("Left") else -1
    return {"UpLeg": 30, "Arm": -25, "Leg": 20, "ForeArm": -15}.get(joint.replace("Left", "").replace("Right", ""), 0) * wave * side


def places(frame):
    """Where the joints are in a frame."""
    at, turned = {}, {}
    for name, parent, (x, y, z) in JOINTS:
        if parent is None:
            at[name], turned[name] = (x, y, z), 0.0
            continue
        angle = math.radians(turned[parent])
        px, py, pz = at[parent]
        at[name] = (px + x, py + y * math.cos(angle) - z * math.sin(angle), pz + y * math.sin(angle) + z * math.cos(angle))
        turned[name] = turned[parent] + turn(name, frame)
    return at


def children(name):
    return [joint for joint, parent, _ in JOINTS if parent == name]


def bvh():
    lines, order = ["HIERARCHY"], []

    def add(name, depth):
        _, parent, offset = JOINTS[NUMBERS[name]]
        order.append(name)
        space = "  " * depth
        channels = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
        lines.extend([
            space + ("JOINT " if parent else "ROOT ") + name, space + "{",
            space + "  OFFSET %g %g %g" % offset,
            space + "  CHANNELS " + ("3 Zrotation Xrotation Yrotation" if parent else channels),
        ])
        for child in children(name):
            add(child, depth + 1)
        if not children(name):
            lines.extend([space + "  End Site", space + "  {", space + "    OFFSET 0 0 0.1", space + "  }"])
        lines.append(space + "}")

    add("Hips", 0)
    lines += ["MOTION", "Frames: %d" % FRAMES, "Frame Time: 0.033333"]
    for frame in range(FRAMES):
        lines.append("0 1 0 " + " ".join("0 %.4f 0" % turn(name, frame) for name in order))
    return {"a.bvh": "\n".join(lines) + "\n"}


def asf_amc():
    bones = [joint for joint in JOINTS if joint[1]]
    lines = [":version 1.10", ":name made", ":units", "  mass 1.0", "  length 1.0", "  angle deg", ":root",
             "  order TX TY TZ RX RY RZ", "  axis XYZ", "  position 0 0 0", "  orientation 0 0 0", ":bonedata"]
    for at, (name, _, (x, y, z)) in enumerate(bones):
        length = math.hypot(x, y, z)
        lines += ["  begin", "    id %d" % (at + 1), "    name %s" % name.lower(),
                  "    direction %.6f %.6f %.6f" % (x / length, y / length, z / length), "    length %.6f" % length,
                  "    axis 0 0 0 XYZ", "    dof rx", "    limits (-180 180)", "  end"]
    lines += [":hierarchy", "  begin"]
    for name, _, _ in JOINTS:
        if children(name):
            of = [child.lower() for child in children(name)]
            lines.append("    %s %s" % ("root" if name == "Hips" else name.lower(), " ".join(of)))
    lines.append("  end")
    motion = ["#!OML:ASF a.asf", ":FULLY-SPECIFIED", ":DEGREES"]
    for frame in range(FRAMES):
        motion += [str(frame + 1), "root 0 1 0 0 0 0"]
        motion += ["%s %.4f" % (name.lower(), turn(name, frame)) for name, _, _ in bones]
    return {"a.amc": "\n".join(motion) + "\n", "a.asf": "\n".join(lines) + "\n"}


def trc():
    lines = ["PathFileType\t4\t(X/Y/Z)\ta.trc",
             "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
             "30.00\t30.00\t%d\t%d\tm\t30.00\t1\t%d" % (FRAMES, len(MARKERS), FRAMES),
             "Frame#\tTime" + "".join("\t%s\t\t" % name for name, _ in MARKERS),
             "\t" + "".join("\tX%d\tY%d\tZ%d" % (at, at, at) for at in range(1, len(MARKERS) + 1)), ""]
    for frame in range(FRAMES):
        at = places(frame)
        numbers = "".join("\t%.5f\t%.5f\t%.5f" % at[joint] for _, joint in MARKERS)
        lines.append("%d\t%.4f%s" % (frame + 1, frame / 30, numbers))
    return {"a.trc": "\n".join(lines) + "\n"}


def scene(uri):
    """A glTF scene and its bytes."""
    moving = [name for name, _, _ in JOINTS if any(turn(name, frame) for frame in range(FRAMES))]
    times = struct.pack("<%df" % FRAMES, *(frame / 30 for frame in range(FRAMES)))
    data, views = times, [{"buffer": 0, "byteOffset": 0, "byteLength": len(times)}]
    accessors = [{"bufferView": 0, "componentType": 5126, "count": FRAMES, "type": "SCALAR"}]
    channels, samplers = [], []
    for name in moving:
        rows = b""
        for frame in range(FRAMES):
            half = math.radians(turn(name, frame)) / 2
            rows += struct.pack("<4f", math.sin(half), 0, 0, math.cos(half))
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(rows)})
        data += rows
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": FRAMES, "type": "VEC4"})
        channels.append({"sampler": len(samplers), "target": {"node": NUMBERS[name], "path": "rotation"}})
        samplers.append({"input": 0, "output": len(accessors) - 1})
    nodes = [{"name": name, "translation": offset} for name, _, offset in JOINTS]
    for name, _, _ in JOINTS:
        if children(name):
            nodes[NUMBERS[name]]["children"] = [NUMBERS[child] for child in children(name)]
    buffer = {"byteLength": len(data), **({"uri": uri(data)} if uri else {})}
    return {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes,
        "skins": [{"joints": list(range(len(JOINTS)))}], "buffers": [buffer], "bufferViews": views,
        "accessors": accessors, "animations": [{"name": "Walk", "channels": channels, "samplers": samplers}],
    }, data


def gltf():
    text, data = scene(lambda data: "a.bin")
    return {"a.gltf": json.dumps(text, indent=1), "a.bin": data}


def gltf_alone():
    text, _ = scene(lambda data: "data:application/octet-stream;base64," + base64.b64encode(data).decode())
    return {"a.gltf": json.dumps(text)}


def glb():
    text, data = scene(None)
    text = json.dumps(text).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return {"a.glb": b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks}


def csv():
    """A table of DeepLabCut: the figure from its side."""
    names = [name for name, _ in MARKERS]
    lines = ["scorer" + ",net" * 3 * len(names), "bodyparts" + "".join(",%s" % name for name in names for _ in range(3)),
             "coords" + ",x,y,likelihood" * len(names)]
    for frame in range(FRAMES):
        at = places(frame)
        points = [(300 + 200 * at[joint][2], 400 - 200 * at[joint][1]) for _, joint in MARKERS]
        lines.append(str(frame) + "".join(",%.3f,%.3f,0.9" % point for point in points))
    return {"a.csv": "\n".join(lines) + "\n"}


def sleap():
    """A table with a line for each frame and animal, as SLEAP writes it."""
    names = [name for name, _ in MARKERS]
    lines = ["track,frame_idx,instance.score," + ",".join("%s.x,%s.y,%s.score" % (name, name, name) for name in names)]
    for frame in range(FRAMES):
        for track, right in (("one", 0), ("two", 400)):
            at = places(frame)
            points = [(300 + right + 200 * at[joint][2], 400 - 200 * at[joint][1]) for _, joint in MARKERS]
            lines.append("%s,%d,0.9" % (track, frame) + "".join(",%.3f,%.3f,0.9" % point for point in points))
    return {"a.csv": "\n".join(lines) + "\n"}


def clusters():
    """Markers at the bones of the pelvis and in clusters on thighs, shins and feet, as OpenSim's walks have them."""
    stands = [("R.ASIS", "Hips", (-0.12, 0, 0.1)), ("L.ASIS", "Hips", (0.12, 0, 0.1)), ("V.Sacral", "Hips", (0, 0, -0.08))]
    for side, word in (("R", "Right"), ("L", "Left")):
        for bone, joint in (("Thigh", "UpLeg"), ("Shank", "Leg")):
            for name, place in (("Upper", (0.05, -0.1, 0.02)), ("Front", (0.02, -0.2, 0.08)), ("Rear", (0.04, -0.3, -0.05))):
                stands.append(("%s.%s.%s" % (side, bone, name), word + joint, place))
        for name, place in (("Heel", (0, -0.05, -0.06)), ("Midfoot.Sup", (0, 0, 0.08)), ("Toe.Tip", (0.03, -0.05, 0.15))):
            stands.append(("%s.%s" % (side, name), word + "Foot", place))
        stands.append(("%s.Ankle.Lat" % side, word + "Foot", (0.0, 0.0, 0.0)))
    lines = ["PathFileType  4\t(X/Y/Z) a.trc", "DataRate\tCameraRate\tNumFrames\tNumMarkers",
             "30.00\t30.00\t%d\t%d" % (FRAMES, len(stands)), "Frame#\tTime\t\t" + "\t\t".join(name for name, _, _ in stands), "", ""]
    for frame in range(FRAMES):
        numbers = ""
        for name, joint, (x, y, z) in stands:
            angle = math.radians(turn(joint, frame) + (turn(joint.replace("Leg", "UpLeg"), frame) if joint.endswith("tLeg") else 0))
            px, py, pz = places(frame)[joint]
            hidden = name == "L.Heel" and frame % 9 == 4
            at = (px + x, py + y * math.cos(angle) - z * math.sin(angle), pz + y * math.sin(angle) + z * math.cos(angle))
            numbers += "\t0\t0\t0" if hidden else "\t%.5f\t%.5f\t%.5f" % at
        lines.append("%d\t%.4f%s" % (frame + 1, frame / 30, numbers))
    return {"a.trc": "\n".join(lines) + "\n"}


# Each is the files of a recording, the first of which is given to `import`.
ALL = [bvh, asf_amc, trc, clusters, gltf, gltf_alone, glb, csv, sleap]


def files(make):
    return {name: data.encode() if isinstance(data, str) else data for name, data in make().items()}
