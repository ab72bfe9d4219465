#!/usr/bin/env python3
"""Writes files as Inkscape does for its effect Power stroke, with outlines that follow from what the effect means:
points are a time along the segments and half a width; between points the offset is a curve over the length, level at
the points, with handles at `beta` of the way; the outline is the path moved along its normals by the offset.

    python3 tests/inks/powerstroke.py
"""
import math
import os

STEPS = 100
FILES = {
    # name: path as cubics, points, interpolation, beta, caps
    "brow": ([(20, 80), [(50, 20), (110, 20), (150, 70)]], [(0.3, 6), (0.7, 9)], "CubicBezierJohan", 0.2, "zerowidth"),
    "wave": ([(20, 60), [(50, 0), (90, 0), (110, 60)], [(130, 120), (170, 120), (190, 60)]],
             [(0.2, 3), (1.0, 10), (1.6, 4)], "CubicBezierJohan", 0.2, "butt"),
    "ramp": ([(20, 100), [(80, 90), (120, 60), (180, 20)]], [(0.1, 2), (0.5, 8), (0.9, 3)], "Linear", 0.2, "butt"),
}


def cubic(p, t):
    s = 1 - t
    w = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
    return tuple(sum(w[k] * p[k][axis] for k in range(4)) for axis in (0, 1))


def normal(p, t):
    h = 1e-5
    (ax, ay), (bx, by) = cubic(p, max(0, t - h)), cubic(p, min(1, t + h))
    dx, dy = bx - ax, by - ay
    length = math.hypot(dx, dy)
    return (-dy / length, dx / length)


def bezier(a, b, c, d, t):
    s = 1 - t
    return s ** 3 * a + 3 * s * s * t * b + 3 * s * t * t * c + t ** 3 * d


def offset(points, time, kind, beta):
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= time <= x1:
            share = (time - x0) / (x1 - x0) if x1 > x0 else 0
            if kind == "Linear":
                return y0 + (y1 - y0) * share
            low, high = 0.0, 1.0
            for _ in range(60):
                middle = (low + high) / 2
                if bezier(0, beta, 1 - beta, 1, middle) < share:
                    low = middle
                else:
                    high = middle
            return bezier(y0, y0, y1, y1, low)
    return points[-1][1]


def write(name, path, points, kind, beta, cap):
    start, *rest = path
    pieces, at = [], start
    for a, b, c in rest:
        pieces.append((at, a, b, c))
        at = c
    ends = (0, 0) if cap == "zerowidth" else (points[0][1], points[-1][1])
    known = [(0, ends[0])] + points + [(len(pieces), ends[1])]
    left, right = [], []
    for number, piece in enumerate(pieces):
        for step in range(STEPS + 1):
            t = step / STEPS
            (x, y), (nx, ny) = cubic(piece, t), normal(piece, t)
            r = offset(known, number + t, kind, beta)
            left.append((x + r * nx, y + r * ny))
            right.append((x - r * nx, y - r * ny))
    outline = "M" + "L".join(f"{x:.3f} {y:.3f}" for x, y in left + right[::-1]) + "Z"
    original = f"M {start[0]},{start[1]} " + " ".join("C " + " ".join(f"{x},{y}" for x, y in curve) for curve in rest)
    text = " | ".join(f"{x},{y}" for x, y in points)
    svg = f"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" viewBox="0 0 210 120" width="210" height="120">
  <defs>
    <inkscape:path-effect effect="powerstroke" id="path-effect1" is_visible="true" lpeversion="1.3" offset_points="{text}" not_jump="false" sort_points="true" interpolator_type="{kind}" interpolator_beta="{beta}" start_linecap_type="{cap}" linejoin_type="extrp_arc" miter_limit="4" scale_width="1" end_linecap_type="{cap}"/>
  </defs>
  <path id="{name}" style="fill:#202020;stroke:none" inkscape:path-effect="#path-effect1" inkscape:original-d="{original}" d="{outline}"/>
</svg>
"""
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, f"{name}.svg"), "w") as file:
        file.write(svg)


for name, values in FILES.items():
    write(name, *values)
