#!/usr/bin/env python3
"""Judges the standing feet of `render-frames import`, with forward kinematics of its own.

    python3 tests/corpus/feet.py PROGRAM FILE.bvh...

Each recording becomes a new figure, and, with RIG=rig.ron, a clip of this rig. Of the frames (at most FRAMES, 150 by
default) of the written rig, as `render-frames inspect` poses it, are measured:
- slide: how far the tip of a standing foot moves during a hold, in percent of the leg;
- knee: the greatest second difference of the angle of a knee, and that of the recording, in degrees a frame squared;
- joints: how far starts and ends of bones are from their joints, worst and median, in percent of the height.
A knee fails above 1.5 times the recording's + 2 degrees, a slide above 0.3 %, and joints that are not as far as what is
printed, within 0.25 %. KEEP=folder keeps the rigs.
"""
import os, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import recordings

FRAMES = int(os.environ.get('FRAMES', 150))
SLIDE, SAME = 0.3, 0.25


def knee(hip, knee, ankle):
    """The angle between thigh and shin in all frames, degrees, unwrapped."""
    thigh, shin = knee - hip, ankle - knee
    cross = thigh[:, 0] * shin[:, 1] - thigh[:, 1] * shin[:, 0]
    return np.degrees(np.unwrap(np.arctan2(cross, (thigh * shin).sum(1))))


def pop(angles):
    return np.abs(np.diff(angles, 2)).max()


def holds(text, clip_rate):
    """Side and frames of each hold."""
    found = []
    for side, body in re.findall(r'"plant_([lr])": \(\s*holds: \[(.*?)\],?\s*\)', text, re.S):
        for start, end, rest in re.findall(r'from: ([-\d.]+), until: ([-\d.]+)(.*)', body):
            drift = re.search(r'drift: \(([-\d.]+), ([-\d.]+)\)', rest)
            ground = np.array([float(drift[1]), float(drift[2])]) if drift else np.zeros(2)
            found.append((side, float(start) * clip_rate, float(end) * clip_rate, ground / clip_rate))
    return found


def judged(program, path, base, folder):
    """The row of one recording, or why there is none."""
    rig = Path(folder) / f'{path.stem}{"_on" if base else ""}.ron'
    words = [program, 'import', path, '-o', rig, '--clip', 'recorded', '--frames', f'0-{FRAMES - 1}',
             '--existing', 'overwrite', *(['--rig', base] if base else [])]
    done = subprocess.run(words, capture_output=True, text=True, errors='replace', timeout=550)
    message = done.stderr
    if done.returncode:
        return {'refused': message.splitlines()[0][:100] if message else 'no message'}
    rate, places = recordings.read_bvh(path)
    places = places[1 if 'calibration pose' in message else 0:][:FRAMES]
    names, drawn, lengths = recordings.posed(program, rig, 'recorded', rate, range(len(places)))
    if not recordings.PERSON - {'hip'} <= set(names):
        return {'refused': 'no person'}
    at = lambda name, end=0: drawn[:, 2 * names.index(name) + end]
    stand = holds(rig.read_text(), rate)
    if base:
        # The recording's knees are those that a new figure sees.
        plain = Path(folder) / f'{path.stem}.ron'
        if not plain.exists():
            judged(program, path, None, folder)
        names_of, figure, _ = recordings.posed(program, plain, 'recorded', rate, range(len(places)))
    else:
        names_of, figure = names, drawn
    ends = [k for k in range(figure.shape[1]) if not (k % 2 and names_of[k // 2] in ('head', 'hand_l', 'hand_r'))]
    hips = [ends.index(2 * names_of.index(f'thigh_{side}')) for side in 'rl']
    seen, joints = recordings.aligned(places, figure[:, ends], np.arange(len(places)), hips)
    row = {'holds': len(stand), 'slide': 0.0, 'knee': 0.0, 'of': 0.0, 'side': []}
    for side in 'lr':
        joint = lambda name: seen[:, joints[ends.index(2 * names_of.index(f'{name}_{side}'))]]
        now = pop(knee(*(at(f'{name}_{side}') for name in ('thigh', 'shin', 'foot'))))
        was = pop(knee(*(joint(name) for name in ('thigh', 'shin', 'foot'))))
        row['side'].append((now, was))
    row['over'] = max(now - 1.5 * was for now, was in row['side'])
    row['knee'], row['of'] = max(row['side'], key=lambda one: one[0] - 1.5 * one[1])
    leg = lengths['thigh_l'] + lengths['shin_l']
    for side, start, end, ground in stand:
        frames = np.arange(int(np.ceil(start - 1e-3)), min(int(end + 1e-3), len(places) - 1) + 1)
        if len(frames) > 1:
            tip = at(f'foot_{side}', 1)[frames] - ground * (frames - start)[:, None]
            far = np.linalg.norm(tip - tip[0], axis=1).max()
            row['slide'] = max(row['slide'], 100 * far / leg)
    printed = re.search(r'within ([\d.]+) %', message)
    row['printed'] = float(printed[1])
    loose = re.search(r'not those .*', message)
    row['loose'] = loose[0].count(' s, ') if loose else 0
    if not base:
        height = 1.2 * sum(lengths.get(bone, 0) for bone in ('thigh_l', 'shin_l', 'hip', 'chest', 'neck'))
        off = 100 * np.linalg.norm(seen[:, joints] - drawn[:, ends], axis=-1) / height
        row['worst'], row['median'] = off.max(), np.median(off)
    return row


def main():
    program, files = Path(sys.argv[1]).resolve(), [Path(name) for name in sys.argv[2:]]
    base = os.environ.get('RIG')
    failed = 0
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        folder = os.environ.get('KEEP') or scratch
        Path(folder).mkdir(exist_ok=True)
        found = pool.map(lambda path: judged(program, path, base, folder), files)
        for path, row in zip(files, found):
            if 'refused' in row:
                print(f'{path.name}: {row["refused"]}', flush=True)
                continue
            bad = [f'KNEE +{row["over"] - 2:.2f}'] if row['over'] > 2 else []
            bad += [f'SLIDE {row["slide"]:.2f}'] if row['slide'] > SLIDE else []
            bad += ['PRINTED'] if 'worst' in row and abs(row['worst'] - row['printed']) > SAME else []
            figures = f'worst {row["worst"]:.2f} median {row["median"]:.2f}' if 'worst' in row else ''
            print(f'{path.name}: holds {row["holds"]} loose {row["loose"]} slide {row["slide"]:.3f} knee {row["knee"]:.2f} of '
                  f'{row["of"]:.2f} printed {row["printed"]:.2f} {figures}', *bad, flush=True)
            failed += bool(bad)
    print(f'{failed} failed')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
