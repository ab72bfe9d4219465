#!/usr/bin/env python3
"""Frames from Python beside those of Rust, in one run: python3 bench.py DRAW RIG...

DRAW is `cargo build --release --example draw` of this folder. The package must be a release: `build.sh OUT --release`.
"""

import subprocess
import sys
import threading
import time

import bone_layer

FRAMES = 96


def best(turn):
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        for frame in range(FRAMES):
            turn(frame / FRAMES)
        times.append((time.perf_counter() - begin) / FRAMES)
    return min(times) * 1e3


print("| rig | Rust, ms | a frame | into memory, multiplied by alpha | the same, not multiplied | 4 threads | a call, us |")
print("|---|---|---|---|---|---|---|")
for path in sys.argv[2:]:
    rig = bone_layer.Rig.load(path)
    clip, picture = rig.clips[0], rig.render()
    out = bytearray(picture.width * picture.height * 4)
    rust = float(subprocess.run([sys.argv[1], path], check=True, capture_output=True, text=True).stdout)
    ways = [{"premultiplied": True}, {"premultiplied": True, "out": out}, {"out": out}]
    ratios = [best(lambda share: rig.render(clip, clip.length * share, **way)) / rust for way in ways]

    def draw(count):
        for frame in range(count):
            rig.render(clip, clip.length * frame / count, premultiplied=True)

    begin = time.perf_counter()
    draw(400)
    one = time.perf_counter() - begin
    threads = [threading.Thread(target=draw, args=(100,)) for _ in range(4)]
    begin = time.perf_counter()
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    four = time.perf_counter() - begin
    player = rig.player()
    begin = time.perf_counter()
    for _ in range(100_000):
        player.time(0)
    call = (time.perf_counter() - begin) * 10
    print(f"| {path.split('/')[-2]} | {rust:.2f} | {ratios[0]:.2f} x | {ratios[1]:.2f} x | {ratios[2]:.2f} x | {one / four:.2f} x | {call:.2f} |", flush=True)
