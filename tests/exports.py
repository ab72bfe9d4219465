"""Compares animations, as Pillow reads them, with their frames: exports.py FRAMES.rgba FILE...

PNG and WebP must be exact. Of a GIF the error is printed, and a pixel that is the same in two frames of the
source must be the same in the file.
"""

import math
import sys

from PIL import Image, ImageSequence


def visible(pixels):
    """Pixels with alpha 0 as 0: their colour cannot be seen."""
    alpha = pixels[3::4]
    if 0 not in alpha:
        return bytes(pixels)
    out = bytearray(pixels)
    for at, value in enumerate(alpha):
        if value == 0:
            out[at * 4 : at * 4 + 4] = b"\0\0\0\0"
    return bytes(out)


def shown(path):
    """Frames, each as often as it lasts."""
    image = Image.open(path)
    frames = [(visible(frame.convert("RGBA").tobytes()), frame.info.get("duration")) for frame in ImageSequence.Iterator(image)]
    return image.size, frames


def check(source, path):
    (width, height), frames = shown(path)
    length = width * height * 4
    wanted = [visible(source[at : at + length]) for at in range(0, len(source), length)]
    exact = not path.endswith(".gif")
    if exact:
        # Equal frames are one in the file.
        distinct = [frame for at, frame in enumerate(wanted) if at == 0 or frame != wanted[at - 1]]
        right = distinct == [frame for frame, _ in frames]
        print(f"{path}: {len(frames)} frames, {'exact' if right else 'NOT EXACT'}")
        return right
    if len(frames) != len(wanted):
        print(f"{path}: {len(frames)} frames of {len(wanted)}, not compared")
        return True
    squares = flicker = count = 0
    for at, ((found, _), frame) in enumerate(zip(frames, wanted)):
        for place in range(0, length, 4):
            if frame[place + 3] == 255:
                count += 3
                if found[place : place + 3] != frame[place : place + 3]:
                    squares += sum((found[place + k] - frame[place + k]) ** 2 for k in range(3))
            same = at > 0 and frame[place : place + 4] == wanted[at - 1][place : place + 4]
            if same and found[place : place + 4] != frames[at - 1][0][place : place + 4]:
                flicker += 1
    error = 10 * math.log10(255 * 255 * count / squares) if squares else math.inf
    print(f"{path}: {len(frames)} frames, {error:.1f} dB, {flicker} pixels flicker")
    return flicker == 0 or "rival" in path


if __name__ == "__main__":
    data = open(sys.argv[1], "rb").read()
    results = [check(data, path) for path in sys.argv[2:]]
    sys.exit(0 if all(results) else 1)
