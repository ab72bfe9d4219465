"""Validates rigs with the JSON Schema of the format, by a validator that is not ours.

The tests write both into target/schema. Every rig of the repository is valid, and each of these changes makes
one invalid.
"""

import copy
import json
import pathlib
import sys

import jsonschema

FOLDER = pathlib.Path(sys.argv[1])
schema = json.loads((FOLDER / "rig.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

rigs = json.loads((FOLDER / "good.json").read_text())
assert len(rigs) > 20, len(rigs)
for case in rigs:
    for error in validator.iter_errors(case["rig"]):
        sys.exit(f"{case['name']}: {error.json_path}: {error.message[:300]}")

GOOD = {
    "version": 1,
    "drawing": "a.svg",
    "bones": {"hip": {"from": [0, 0], "length": 9, "joint": "Pin"}},
    "skin": [{"Rigid": {"art": "head", "bone": "hip"}}],
    "constraints": [{"Ik": {"name": "x", "tip": "hip", "target": [1, 2], "point": "Tip", "mix": 0.5}}],
    "clips": {
        "nod": {
            "bones": {"hip": {"rotate": [[0, 0], [1, 20, {"Bezier": [0.4, 0, 0.6, 1]}]], "scale": [[0, 1], [1, [1, 2]]]}},
            "offsets": {"cape": {"3.in": {"bone": "hip", "keys": [[0, [0, 0]]]}}},
        }
    },
}
BROKEN = [
    ("version", 2),
    ("fps", 0),
    ("blend", "Quadratic"),
    ("wrong", 1),
    ("drawing", None),
    ("bones.hip.from", [0, 0, 0]),
    ("bones.hip.lenght", 9),
    ("bones.hip.length", 0),
    ("bones.hip.joint", "Hinge"),
    ("skin", {"Rigid": {}}),
    ("skin", [{"Rigid": {"art": "head"}}]),
    ("skin", [{"Stiff": {"art": "head", "bone": "hip"}}]),
    ("constraints", [{"Ik": {"tip": "hip", "chain": 1.5}}]),
    ("constraints", [{"Pin": {"tip": "hip"}}]),
    ("clips.nod.bones.hip.rotate", [[0]]),
    ("clips.nod.bones.hip.rotate", [[0, 1, "Smoth"]]),
    ("clips.nod.bones.hip.rotate", []),
    ("clips.nod.offsets.cape", {"three": [[0, [0, 0]]]}),
    ("clips.nod.length", -1),
]
assert validator.is_valid(GOOD), next(validator.iter_errors(GOOD)).message
for path, value in BROKEN:
    broken = copy.deepcopy(GOOD)
    *way, last = path.split(".")
    at = broken
    for name in way:
        at = at[name]
    at[last] = value
    if validator.is_valid(broken):
        sys.exit(f"{path} = {value!r} should be invalid")
print(f"{len(rigs)} rigs are valid, {len(BROKEN)} changes are not")
