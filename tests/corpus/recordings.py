#!/usr/bin/env python3
"""Runs `render-frames import` over recordings that others made, and judges what was written.

    python3 tests/corpus/recordings.py [PROGRAM]

PROGRAM is `target/debug/render-frames` by default. Of every recording of `recordings.txt`:
- it is read, or refused with a message that names it;
- the bones of a person are there, or those of an animal with the names of its joints;
- the printed distance is the one that is measured here: less by SAME at most, or more by twice that, for the view is
  fitted here, which takes a part of the distance away;
- no joint has a second difference above the greatest one of the recording by more than JERK.
The last two are judged for BVH by forward kinematics of its own; the joints of the rig are those of
`render-frames inspect`. Variables: ONLY=word takes the recordings with this word in their paths, CORPUS=folder keeps
the packages, RENEW=1 writes docs/recordings.md, REQUIRE_CORPUS=1 fails if a package cannot be fetched.
"""
import hashlib, json, math, os, re, shutil, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENDS = {'.bvh', '.amc', '.trc', '.glb', '.gltf', '.vrm', '.vrma', '.csv'}
# Percent of the height.
SAME, JERK = 0.25, 1.0
FRAMES = 400
PERSON = {'hip', *(f'{part}_{side}' for part in ('thigh', 'shin', 'foot') for side in 'lr')}


def listed():
    """The packages with their files and what is expected of each."""
    packages = []
    for number, line in enumerate((HERE / 'recordings.txt').read_text().splitlines(), 1):
        if not line.strip() or line.strip().startswith('#'):
            continue
        cells = line.split()
        if line[0] == ' ':
            limits = {'jerk': JERK, 'frames': FRAMES}
            while cells[-1].split('=')[0] in limits:
                key, value = cells.pop().split('=')
                limits[key] = type(limits[key])(value)
            path, kind = ' '.join(cells[:-1]), cells[-1]
            if kind not in ('person', 'animal', 'joints', 'refused') or not packages:
                sys.exit(f'recordings.txt, line {number}: a file has a path and what it is')
            packages[-1][1].append((path, kind, limits))
        elif len(cells) == 4:
            packages.append((cells, []))
        else:
            sys.exit(f'recordings.txt, line {number}: a package has a client, a name, a version and a checksum')
    return packages


def fetched(client, name, version, checksum, into):
    """The folder of the files of a package; fetched once."""
    folder = into / f'{client}-{name}-{version}'.replace('/', '_').replace(':', '_')
    mark = folder / '.fetched'
    if mark.exists() and mark.read_text() == checksum:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    fresh = folder / 'archive'
    fresh.mkdir(parents=True)
    pip = [sys.executable, '-m', 'pip', 'download', '-q', '--no-deps']
    command = {
        'apt': ['apt-get', 'download', '-qq', f'{name}={version}'],
        'npm': ['npm', 'pack', '--silent', f'{name}@{version}'],
        'pip': [*pip, f'{name}=={version}'],
        'sdist': [*pip, '--no-binary', ':all:', f'{name}=={version}'],
    }[client]
    done = subprocess.run(command, cwd=fresh, capture_output=True, text=True)
    archives = sorted(fresh.iterdir())
    if done.returncode or len(archives) != 1:
        raise OSError((done.stderr.strip().splitlines() or ['nothing was fetched'])[-1])
    archive = archives[0]
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != checksum:
        raise OSError(f'the checksum is {found}, and the list has {checksum}')
    files = folder / 'files'
    files.mkdir()
    if archive.suffix == '.deb':
        subprocess.run(['dpkg-deb', '-x', archive, files], check=True)
    else:
        shutil.unpack_archive(archive, files, 'zip' if archive.suffix in ('.whl', '.zip') else 'gztar')
    mark.write_text(checksum)
    return folder


def samples(folder, entries):
    """The files of a package, by path."""
    files, named = folder / 'files', {path for path, *_ in entries}
    for path, kind, limits in entries:
        if path.endswith('/'):
            for file in sorted((files / path).rglob('*')):
                inside = str(file.relative_to(files))
                if file.suffix.lower() in ENDS and inside not in named:
                    yield inside, file, kind, limits
        else:
            yield path, files / path, kind, limits


def rotations(axis, degrees):
    """Rotation matrices about an axis, one a frame; column vectors, right-handed."""
    sin, cos = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    one, two = (axis + 1) % 3, (axis + 2) % 3
    turns = np.tile(np.eye(3), (len(degrees), 1, 1))
    turns[:, one, one], turns[:, one, two] = cos, -sin
    turns[:, two, one], turns[:, two, two] = sin, cos
    return turns


def read_bvh(path):
    """Frames a second, and the positions of all joints, ends included: frame, joint, axis."""
    words = path.read_bytes().decode('utf-8-sig', 'replace').split()
    joints, open_joints, at = [], [], 0
    while words[at].upper() != 'MOTION':
        word = words[at].upper()
        if word in ('ROOT', 'JOINT', 'END'):
            brace = words.index('{', at)
            parent = open_joints[-1] if open_joints else None
            name = ' '.join(words[at + 1:brace]) if word != 'END' else joints[parent]['name'] + '_End'
            joints.append({'name': name, 'parent': parent, 'channels': []})
            at = brace - 1
        elif word == '{':
            open_joints.append(len(joints) - 1)
        elif word == '}':
            open_joints.pop()
        elif word == 'OFFSET':
            joints[-1]['offset'] = np.array([float(x) for x in words[at + 1:at + 4]])
            at += 3
        elif word == 'CHANNELS':
            count = int(words[at + 1])
            joints[-1]['channels'] = words[at + 2:at + 2 + count]
            at += 1 + count
        at += 1
    time_at = next(k for k in range(at, len(words)) if words[k].lower() == 'time:')
    width = sum(len(joint['channels']) for joint in joints)
    numbers = np.array([float(x) for x in words[time_at + 2:]])
    numbers = numbers[:len(numbers) // width * width].reshape(-1, width)
    count, column = len(numbers), 0
    places, turns = np.zeros((count, len(joints), 3)), []
    for number, joint in enumerate(joints):
        offset, turn = np.tile(joint['offset'], (count, 1)), np.tile(np.eye(3), (count, 1, 1))
        for channel in joint['channels']:
            axis, values = 'XYZ'.index(channel[0].upper()), numbers[:, column]
            column += 1
            if channel.lower().endswith('position'):
                offset[:, axis] = values
            else:
                turn = turn @ rotations(axis, values)
        parent = joint['parent']
        if parent is not None:
            offset = places[:, parent] + np.einsum('fij,fj->fi', turns[parent], offset)
            turn = turns[parent] @ turn
        places[:, number] = offset
        turns.append(turn)
    return 1 / float(words[time_at + 1]), places


def posed(program, rig, clip, rate, frames):
    """Names of bones, their starts and ends in frames (start, end, start, ...), and their lengths."""
    def one(frame):
        words = [program, 'inspect', rig, '--clip', clip, '--fps', repr(rate), '--frame', str(frame), '--json']
        return json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    found = [one(frame) for frame in frames]
    ends = [[end for bone in one['posed']['bones'] for end in (bone['origin'], bone['tip'])] for one in found]
    names = [bone['name'] for bone in found[0]['posed']['bones']]
    return names, np.array(ends), {bone['name']: bone['length'] for bone in found[0]['bones']}


def nearest(seen, drawn):
    """For each drawn end the joint that is nearest to it in nearly all frames, and these distances."""
    far = np.linalg.norm(seen[:, :, None] - drawn[:, None], axis=-1)
    far = np.quantile(far, 0.95, axis=0)
    return far.argmin(0), far.min(0)


def looked_at(count, most, rate, message):
    """The frames that are measured: all, or so many in threes over the recording, and those around the farthest place
    that is printed."""
    if count <= most:
        return np.arange(count)
    farthest = re.search(r'the farthest is .* at ([\d.]+) s', message)
    middles = [*np.linspace(1, count - 2, most // 3).round(), float(farthest[1]) * rate if farthest else 1]
    near = {int(min(max(round(middle), 1), count - 2)) + by for middle in middles for by in (-1, 0, 1)}
    return np.array(sorted(near))


def aligned(whole, drawn, frames, left_of):
    """The joints as the picture shows them: places in all frames, and for each drawn end its joint. `left_of` gives the
    ends whose joints are the right and the left hip. The facing is that of the whole recording, of which some frames
    are drawn."""
    tried, places = [], whole[frames]
    few = slice(None, None, max(1, len(places) // 12))
    for up in range(3):
        for sign in (1, -1):
            flat = [axis for axis in range(3) if axis != up]
            high = -sign * places[..., up]
            scale = np.ptp(drawn[0, :, 1]) / max(np.ptp(high[0]), 1e-9)
            for degrees in range(0, 360, 10):
                along = places[..., flat] @ [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]
                seen = np.stack([along, high], -1)[few] * scale
                seen += (drawn[few].mean(1) - seen.mean(1))[:, None]
                joints, far = nearest(seen, drawn[few])
                tried.append((far.mean(), up, sign, math.radians(degrees), joints))
    first = min(tried, key=lambda one: one[0])
    # A figure that stands looks much the same from all sides: the nearest facing may be another one.
    around = [one for one in tried if one[1:3] == first[1:3]][::3]
    starts = [(first, left_of), *((one, hips) for one in around for hips in (left_of, None))]
    found = [refined(whole, drawn, frames, start[1:], hips) for start, hips in starts]
    return min(found, key=lambda one: one[0])[1:]


def refined(whole, drawn, frames, start, left_of):
    """From a start (axis up, its sign, facing, joints): how far the nearer ends are, places, and joints."""
    up, sign, angle, joints = start
    flat = [axis for axis in range(3) if axis != up]
    for _ in range(8):
        high, ground = -sign * whole[..., up], whole[..., flat]
        if left_of and joints[left_of[0]] != joints[left_of[1]]:
            # Seen from the side: left, the mean direction between the hips, is along the line of sight.
            across = whole[:, joints[left_of[1]]] - whole[:, joints[left_of[0]]]
            across = across[:, flat] / np.linalg.norm(across[:, flat], axis=1)[:, None]
            left = across.mean(0)
            sides = [math.atan2(left[0], -left[1]), math.atan2(-left[0], left[1])]
            angle = min(sides, key=lambda side: abs(math.remainder(side - angle, math.tau)))
        else:
            wide = np.column_stack([ground[frames][:, joints].reshape(-1, 2), np.ones(drawn[..., 0].size)])
            solved = np.linalg.lstsq(wide, drawn[..., 0].ravel(), rcond=None)[0]
            angle = math.atan2(solved[1], solved[0])
        seen = np.stack([ground @ [math.cos(angle), math.sin(angle)], high], -1)
        # Feet that were moved so that they stand would shift all: the nearer half of the ends decides.
        pairs = np.ones(drawn.shape[:2], bool)
        for _ in range(4):
            mine, there = seen[frames][:, joints][pairs], drawn[pairs]
            a, b = mine.mean(0), there.mean(0)
            scale = ((mine - a) * (there - b)).sum() / ((mine - a) ** 2).sum()
            off = np.linalg.norm((seen[frames][:, joints] - a) * scale + b - drawn, axis=-1)
            pairs = off <= np.median(off)
        seen = (seen - a) * scale + b
        last, (joints, _) = joints, nearest(seen[frames], drawn)
        if (last == joints).all():
            break
    return np.median(off), seen, joints


def jerks(ends, frames):
    """The greatest second difference of each end, where three frames are beside each other."""
    beside = frames[2:] - frames[:-2] == 2
    return np.linalg.norm(np.diff(ends, 2, axis=0)[beside], axis=-1).max(0)


def judged(program, path, rig, clip, message, most):
    """Figures of an imported BVH in percent of the height: printed, measured, and the jerk above the recording's."""
    rate, places = read_bvh(path)
    whole = places[1 if 'calibration pose' in message else 0:]
    all_frames = np.arange(min(FRAMES, len(whole)))
    frames = looked_at(len(all_frames), most, rate, message)
    bones, drawn, lengths = posed(program, rig, clip, rate, frames)
    # A head or a hand that ends where it begins, or beside itself, gets an end that the file does not have.
    made_up = [bone for bone in ('head', 'hand_l', 'hand_r') if bone in bones]
    kept = [k for k in range(drawn.shape[1]) if not (k % 2 and bones[k // 2] in made_up)]
    hips = [kept.index(2 * bones.index(f'thigh_{side}')) for side in 'rl'] if 'thigh_l' in bones else None
    seen, joints = aligned(whole, drawn[:, kept], frames, hips)
    seen = seen[all_frames]
    off = np.linalg.norm(seen[frames][:, joints] - drawn[:, kept], axis=-1)
    if 'thigh_l' in bones:
        height = 1.2 * sum(lengths.get(bone, 0) for bone in ('thigh_l', 'shin_l', 'hip', 'chest', 'neck'))
    else:
        height = max(np.ptp(seen[..., 1], axis=1).max(), np.ptp(seen[0, :, 0]))
    # Ends that are not in the file have the greatest jerk of any joint as their measure.
    over = jerks(drawn[:, kept], frames).max() - jerks(seen, all_frames).max()
    printed = float(re.search(r'within ([\d.]+) %', message)[1])
    place = re.search(r'the farthest is the (start|end) of "([^"]+)"', message)
    unjudged = place and place[1] == 'end' and place[2] in made_up
    return printed, None if unjudged else 100 * off.max() / height, 100 * over / height


def examined(program, path, kind, limits):
    """Figures and defects of one recording."""
    with tempfile.TemporaryDirectory() as folder:
        return figures(program, path, kind, limits, Path(folder) / 'rig.ron')


def figures(program, path, kind, limits, rig):
    clip = 'recorded'
    words = [program, 'import', path, '-o', rig, '--clip', clip, '--frames', f'0-{FRAMES - 1}']
    done = subprocess.run(words, capture_output=True, text=True, errors='replace', timeout=300)
    message, row = done.stderr.strip(), {'kind': kind, 'wrong': []}
    wrong = row['wrong'].append
    if done.returncode not in (0, 2, 3) or 'panicked' in message:
        wrong(f'ends with {done.returncode}: {message[-200:]}')
        return row
    if done.returncode:
        row['refused'] = re.sub(r'^error: (\S*/\S+: )?', '', message.splitlines()[0])
        if kind != 'refused':
            wrong(f'refused: {row["refused"]}')
        elif path.name not in message:
            wrong('the message does not name the file')
        return row
    listed_bones = subprocess.run([program, 'inspect', rig, '--json'], capture_output=True, check=True).stdout
    bones = {bone['name'] for bone in json.loads(listed_bones)['bones']}
    is_animal = 'this is an animal' in message
    found = 'animal' if is_animal else 'person' if PERSON <= bones else 'joints'
    if found != kind:
        wrong(f'{found}, not {kind}')
    row['printed'] = float(re.search(r'within ([\d.]+) %', message)[1])
    if path.suffix.lower() == '.bvh':
        printed, measured, over = judged(program, path, rig, clip, message, limits['frames'])
        row |= {'measured': measured, 'over': over}
        if measured is not None and not -SAME <= printed - measured <= 2 * SAME:
            wrong(f'{printed} % is printed, {measured:.2f} % is measured')
        if over > limits['jerk']:
            wrong(f'a joint jerks by {over:.2f} % more than any of the recording')
    return row


def table(rows):
    number = lambda value: '' if value is None else f'{value:.2f}'
    lines = [
        '# Recordings of others', '',
        'Made by `tests/corpus/recordings.py`. In percent of the height: the printed distance of the joints from the',
        'recording, the same measured by another program, and how much the greatest second difference of a joint is',
        'above that of the recording.', '',
        '| recording | is | printed | measured | jerk |', '|---|---|---|---|---|',
    ]
    refused = {}
    for package, name, row in rows:
        if 'refused' in row:
            refused[package, row['refused']] = refused.get((package, row['refused']), 0) + 1
        else:
            figures = ' | '.join(number(row.get(key)) for key in ('printed', 'measured', 'over'))
            lines.append(f'| {package} {name} | {row["kind"]} | {figures} |')
    lines += ['', 'Refused:', '', '| package | files | reason |', '|---|---|---|']
    lines += [f'| {package} | {count} | {reason} |' for (package, reason), count in refused.items()]
    return '\n'.join(lines) + '\n'


def main():
    program = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / 'target/debug/render-frames').resolve()
    keep = Path(os.environ.get('CORPUS') or ROOT / 'target/corpus')
    only, start, wanted, rows, missing = os.environ.get('ONLY', ''), time.monotonic(), [], [], 0
    for (client, name, version, checksum), entries in listed():
        try:
            folder = fetched(client, name, version, checksum, keep)
        except (OSError, subprocess.SubprocessError) as error:
            print(f'SKIPPED: {name} {version}: {error}')
            missing += 1
            continue
        wanted += [(name, *sample) for sample in samples(folder, entries) if only in f'{name}/{sample[0]}']
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda sample: examined(program, *sample[2:]), wanted)
        for (name, inside, path, *_), row in zip(wanted, found):
            rows.append((name, path.name, row))
            keys = [key for key in ('printed', 'measured', 'over') if row.get(key) is not None]
            shown = [f'{key} {row[key]:.2f}' for key in keys]
            wrong = [f'WRONG: {what}' for what in row['wrong']]
            print(f'{name}/{inside}: {row.get("refused") or row["kind"]}', *shown, *wrong, flush=True)
    failed = sum(bool(row['wrong']) for *_, row in rows)
    if os.environ.get('RENEW') and not only and not missing:
        (ROOT / 'docs/recordings.md').write_text(table(rows))
    print(f'{len(rows)} recordings in {time.monotonic() - start:.0f} s')
    print(f'{len(rows) - failed} passed, {failed} failed')
    return failed > 0 or (missing > 0 and bool(os.environ.get('REQUIRE_CORPUS')))


if __name__ == '__main__':
    sys.exit(main())
