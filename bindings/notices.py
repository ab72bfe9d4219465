#!/usr/bin/env python3
"""Writes the licences of everything that a package of ours has in it.

  bindings/notices.py MANIFEST OUT [cargo metadata options]
"""
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

manifest, out, *options = sys.argv[1:]
found = subprocess.run(
    ["cargo", "metadata", "--format-version=1", "--locked", "--manifest-path", manifest, *options],
    check=True, capture_output=True,
)
data = json.loads(found.stdout)
packages = {package["id"]: package for package in data["packages"]}
nodes = {node["id"]: node for node in data["resolve"]["nodes"]}

# What is linked: neither build scripts nor tests, nor macros, which run in the compiler.
waiting, linked = [data["resolve"]["root"]], set()
while waiting:
    one = waiting.pop()
    if one in linked or any("proc-macro" in target["kind"] for target in packages[one]["targets"]):
        continue
    linked.add(one)
    for dependency in nodes[one]["deps"]:
        if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
            waiting.append(dependency["pkg"])

texts, without = defaultdict(list), []
for package in sorted((packages[one] for one in linked), key=lambda package: (package["name"], package["version"])):
    if package["source"] is None:
        continue
    name = f"{package['name']} {package['version']} ({package['license'] or 'see its licence'})"
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE")) and path.is_file())
    for path in files:
        texts[path.read_text(errors="replace").strip()].append(name)
    if not files:
        without.append(name)

with open(out, "w") as file:
    file.write("This package has parts of these, under their licences:\n")
    for text, names in sorted(texts.items(), key=lambda entry: entry[1]):
        file.write("\n" + "=" * 78 + "\n" + "\n".join(sorted(set(names))) + "\n" + "-" * 78 + "\n" + text + "\n")
    if without:
        file.write("\n" + "=" * 78 + "\nWithout a text of their own, under the licences in brackets:\n" + "\n".join(without) + "\n")
print(f"{out}: {sum(packages[one]['source'] is not None for one in linked)} packages, {len(texts)} texts, {len(without)} without one")
