#!/usr/bin/env python3
"""Judges lip sync of recordings whose text is known, beside the phones of another synthesiser: flite speaks with three voices
made from recorded people, and says when each of its phones ends.

  python3 tests/lips.py target/release/render-frames [-v]

Needs flite, espeak-ng and ffmpeg. A frame of 10 ms is right if the mouth that it shows is that of a phone within 1/24 s; a
closing (m, b, p) is met if the mouth closes within 1/24 s of it.
"""
import os, re, subprocess, sys, tempfile, time

SENTENCES = [
    "My brother Bob made a big apple pie for the party.", "Please put the lamp back beside the empty box.",
    "We saw five small boats move over the bay at noon.", "The old farmer keeps brown sheep and black lambs.",
    "Maybe people from the village will visit us in April.", "Could you open the window before you go to bed?",
    "A purple moth flew above the river this morning.", "He never told me why the music stopped so soon.",
    "Both pilots climbed up the ladder without a problem.", "I would rather stay home and watch the rain fall.",
]
NEAR = 1 / 24
# At least so many frames right on each voice, closings met of all; changes a second.
BARS = (0.84, 63 / 66, 10)
SHAPES = {
    "A": "m b p em", "B": "iy ih ix ux ch dh dx jh ng nx sh th zh en d g k n q r s t y z", "C": "eh ae ah ax hh", "D": "aa",
    "E": "ao er axr", "F": "w uw uh wh", "G": "f v", "H": "l el", "X": "pau", "EF": "ow", "EB": "oy", "DB": "ay", "DF": "aw", "CB": "ey",
}
OF_PHONE = {phone: shapes for shapes, phones in SHAPES.items() for phone in phones.split()}

def judged(voice, text, wave):
    """Mouths of what flite speaks into a file: (from, to, shape)."""
    said = subprocess.run(["flite", "-voice", voice, "-psdur", "-t", text, "-o", wave], check=True, capture_output=True, text=True)
    mouths, last = [], 0.0
    for word in said.stdout.split():
        phone, end = word.split(":")
        shapes, end = OF_PHONE[phone], float(end)
        for at, shape in enumerate(shapes):
            part = lambda at: last + (end - last) * at / len(shapes)
            mouths.append((part(at), part(at + 1), shape))
        last = end
    return mouths

def imported(program, folder, text, fps):
    """Mouths that the program finds, and how long it takes."""
    mouths = "".join(f"<path id='mouth_{letter}' d='M10 20H30V2{at}H10Z'/>" for at, letter in enumerate("ABCDEFGHX"))
    with open(f"{folder}/face.svg", "w") as file:
        file.write(f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 40'><g id='mouths'>{mouths}</g></svg>")
    with open(f"{folder}/face.ron", "w") as file:
        file.write(f'Rig(version: 1, drawing: "face.svg", fps: {fps}, bones: {{"head": (from: (20, 38), to: (20, 2))}},'
                   ' skin: [Rigid(art: "mouths", bone: "head")])')
    start = time.monotonic()
    subprocess.run([program, "import", "line.wav", "--text", text, "--rig", "face.ron", "--mouth", "mouths", "-o", "out.ron",
                    "--force", "--quiet"], cwd=folder, check=True)
    took = time.monotonic() - start
    out = open(f"{folder}/out.ron").read()
    keys = [(float(t), name) for t, name in re.findall(r'\(([\d.]+), "mouth_([A-HX])"\)', out)]
    ends = [t for t, _ in keys[1:]] + [float(re.search(r"length: ([\d.]+)", out)[1])]
    return [(t, end, name) for (t, name), end in zip(keys, ends)], took

def main():
    program = os.path.abspath(sys.argv[1])
    verbose, failed = "-v" in sys.argv, False
    met = all_closings = 0
    sound = work = changes = 0.0
    for voice in ["slt", "rms", "awb"]:
        right = frames = of_voice = 0
        for text in SENTENCES:
            with tempfile.TemporaryDirectory() as folder:
                want = judged(voice, text, f"{folder}/line.wav")
                found, took = imported(program, folder, text, 100)
                seen, _ = imported(program, folder, text, 24)
            length = want[-1][1]
            at = lambda mouths, t: next((shape for start, end, shape in mouths if start <= t < end), "X")
            near = lambda t: {shape for start, end, shape in want if start < t + NEAR and end > t - NEAR}
            times = [(frame + 0.5) / 100 for frame in range(int(length * 100))]
            good = sum(at(found, t) in near(t) for t in times)
            closed = [(start, end) for start, end, shape in want if shape == "A"]
            closings = []
            for start, end in closed:
                if closings and start - closings[-1][1] < 1e-3: closings[-1] = (closings[-1][0], end)
                else: closings.append((start, end))
            hit = lambda mouths: sum(any(shape == "A" and a < end + NEAR and b > start - NEAR for a, b, shape in mouths) for start, end in closings)
            if verbose: print(f"  {good / len(times):.2f} {hit(found)}/{len(closings)} {hit(seen)} on frames, {took:.2f} s: {text}")
            right, frames = right + good, frames + len(times)
            of_voice, all_closings = of_voice + hit(found), all_closings + len(closings)
            sound, work, changes = sound + length, work + took, changes + len(seen) - 1
        met += of_voice
        failed |= right / frames < BARS[0]
        print(f"{voice}: {right / frames:.3f} of frames right, {of_voice} closings met")
    print(f"{met} of {all_closings} closings, {changes / sound:.1f} changes a second on 24 frames, {1000 * work / sound:.0f} ms for a second of sound")
    failed |= met / all_closings < BARS[1] or changes / sound > BARS[2]
    sys.exit(failed)

main()
