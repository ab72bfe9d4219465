#!/usr/bin/env python3
"""Many tabs edit one rig for a long time through `render-frames live`.

    DURATION=300 TABS=20 RATE=50 tests/soak.py target/release/render-frames

Every tab sets a key of a clip of its own, waits for the answer, and asks for a picture now and then; RATE is the
edits a second of all tabs together. What must hold at the end: every edit was answered, the text has the last value
of each tab and nothing else, on the disk and in every tab; all tabs got the same bytes for each change; undo and redo
lead back to the same text; memory and threads grew no more once the first third was over.
"""

import hashlib
import json
import os
import re
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import live_client

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/render-frames").resolve()
DURATION = float(os.environ.get("DURATION", "300"))
TABS = int(os.environ.get("TABS", "20"))
RATE = float(os.environ.get("RATE", "50"))
# A picture of a tab comes so many seconds after the one before.
PICTURES = 2.0
# Memory may grow so much from the second third to the last.
GROWTH = 1.1
TICKS = os.sysconf("SC_CLK_TCK")
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" viewBox="0 0 400 300">
<rect id="upper" x="80" y="110" width="100" height="30" fill="#c43"/>
<rect id="fore" x="180" y="112" width="90" height="26" fill="#d84"/>
</svg>
"""


def rig(values):
    clips = "".join(
        '        "c%d": (length: 1, bones: { "fore": (rotate: [(0, 0), (1, %d)]) }), // of tab %d\n' % (tab, value, tab)
        for tab, value in enumerate(values)
    )
    return (
        'Rig(\n    version: 1,\n    drawing: "arm.svg",\n    bones: {\n'
        '        "upper": (from: (80, 125), to: (180, 125)),\n        "fore": (parent: "upper", length: 90),\n    },\n'
        '    skin: [Rigid(art: "upper", bone: "upper"), Rigid(art: "fore", bone: "fore")],\n'
        "    clips: {\n%s    },\n)\n" % clips
    )


class Tab(live_client.Page):
    """A page that reads what is there, and parses only what it waits for."""

    def __init__(self, address, number):
        super().__init__(address)
        self.number, self.value, self.waits, self.sent = number, 0, None, 0.0
        self.deltas, self.bytes_got, self.latencies, self.pictures, self.errors = {}, 0, [], 0, []
        self.socket.setblocking(False)

    def edit(self, now):
        self.value += 1
        self.waits = "e%d" % self.value
        self.sent = now
        channel = ["clips", "c%d" % self.number, "bones", "fore", "rotate"]
        self.put({"t": "edit", "id": self.waits, "ops": [
            {"op": "SetKey", "channel": channel, "time": 1, "value": self.value}]})

    def picture(self, at):
        self.put({"t": "frame", "seq": at, "clip": "c%d" % self.number, "time": 0.5, "size": [80, 60], "picture": True})

    def put(self, message):
        self.socket.setblocking(True)
        self.send(message)
        self.socket.setblocking(False)

    def pump(self, now):
        """Reads what came."""
        try:
            while True:
                part = self.socket.recv(1 << 18)
                if not part:
                    raise ConnectionError("tab %d was closed" % self.number)
                self.bytes += part
                self.bytes_got += len(part)
        except BlockingIOError:
            pass
        at = 0
        while (frame := self.frame(at)) is not None:
            kind, start, at = frame
            self.message(kind, self.bytes[start:at], now)
        self.bytes = self.bytes[at:]

    def frame(self, at):
        """Kind, start and end of the frame at a place, if all of it is there."""
        if len(self.bytes) < at + 2:
            return None
        count, start = self.bytes[at + 1] & 0x7F, at + 2
        if count > 125:
            wide = 2 if count == 126 else 8
            count, start = int.from_bytes(self.bytes[start : start + wide], "big"), start + wide
        return (self.bytes[at] & 0xF, start, start + count) if len(self.bytes) >= start + count else None

    def message(self, kind, data, now):
        if kind == 2:
            self.pictures += 1
        elif kind != 1:
            raise ConnectionError("tab %d: a frame of kind %d" % (self.number, kind))
        elif b'"t":"delta"' in data:
            self.deltas[int(re.search(rb'"rev":(\d+)', data)[1])] = hashlib.sha1(data.replace(b'"by":"you"', b'"by":"other"')).digest()
        elif b'"t":"state"' in data:
            self.deltas[json.loads(data)["rev"]] = None
        elif b'"t":"posed"' not in data:
            message = json.loads(data)
            if message.get("id") == self.waits and message["t"] == "done":
                self.latencies.append(now - self.sent)
                self.waits = None
            elif message["t"] in ("error", "failed", "refused", "unsaved", "overtaken"):
                self.errors.append(message)


def usage(process):
    """Memory in MB, threads, and seconds of the processors."""
    status = Path("/proc/%d/status" % process).read_text()
    times = Path("/proc/%d/stat" % process).read_text().rsplit(")", 1)[1].split()
    memory = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1000
    return memory, int(re.search(r"Threads:\s+(\d+)", status)[1]), (int(times[11]) + int(times[12])) / TICKS


def share(sorted_values, part):
    return sorted_values[min(len(sorted_values) - 1, int(part * len(sorted_values)))] if sorted_values else 0


def main():
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    (folder / "arm.svg").write_text(DRAWING)
    path = folder / "rig.ron"
    path.write_text(rig([0] * TABS))
    server, address = live_client.start(PROGRAM, path, folder / "state")
    # The address is printed before the last of the server's own threads has begun.
    time.sleep(1)
    idle = usage(server.pid)
    tabs = [Tab(address, number) for number in range(TABS)]
    selector = selectors.DefaultSelector()
    for tab in tabs:
        selector.register(tab.socket, selectors.EVENT_READ, tab)
    begin = time.monotonic()
    pause = TABS / RATE
    next_edit = [begin + pause * at / TABS for at in range(TABS)]
    next_picture = [begin + PICTURES * at / TABS for at in range(TABS)]
    samples, pictures, begun = [], 0, usage(server.pid)[2]
    next_sample = begin
    while (now := time.monotonic()) < begin + DURATION or any(tab.waits for tab in tabs):
        if now > begin + DURATION + 60:
            sys.exit("an edit was not answered within a minute")
        for at, tab in enumerate(tabs):
            if now >= begin + DURATION:
                break
            if not tab.waits and now >= next_edit[at]:
                tab.edit(now)
                next_edit[at] = max(next_edit[at] + pause, now)
            if now >= next_picture[at]:
                pictures += 1
                tab.picture(pictures)
                next_picture[at] = now + PICTURES
        if now >= next_sample:
            samples.append((now - begin, *usage(server.pid)))
            next_sample = now + 2
        for key, _ in selector.select(0.005):
            key.data.pump(time.monotonic())
    seconds = time.monotonic() - begin
    edits = sum(len(tab.latencies) for tab in tabs)
    spent = usage(server.pid)[2] - begun
    time.sleep(1)
    for tab in tabs:
        tab.pump(time.monotonic())
    want = rig([tab.value for tab in tabs])
    wrong = ["%s: %s" % (tab.number, error) for tab in tabs for error in tab.errors][:5]
    if path.read_text() != want:
        wrong.append("the text is another one")
    revisions = [tab.deltas for tab in tabs]
    last = {max(each) for each in revisions}
    if len(last) != 1:
        wrong.append("tabs are at different changes: %s" % sorted(last))
    differ = sum(
        len({each[number] for each in revisions if each.get(number)}) > 1 for number in revisions[0]
    )
    if differ:
        wrong.append("%d changes were sent as different bytes" % differ)
    # A new tab, and a walk through the steps and back.
    page = live_client.Page(address)
    if sorted(page.state["clips"]) != sorted("c%d" % at for at in range(TABS)):
        wrong.append("a new tab has other clips")
    steps = min(50, edits)
    for kind in ("undo", "redo"):
        for _ in range(steps):
            if page.ask({"t": kind})["t"] != "done":
                wrong.append("%s is refused" % kind)
                break
    if path.read_text() != want:
        wrong.append("after %d steps back and forth the text is another one" % steps)
    page.close()
    for tab in tabs:
        tab.close()
    time.sleep(1)
    threads = usage(server.pid)[1]
    if threads > idle[1]:
        wrong.append("%d threads stay, of %d" % (threads, idle[1]))
    third = len(samples) // 3
    memory = [sample[1] for sample in samples]
    if third and max(memory[2 * third :]) > GROWTH * max(memory[third : 2 * third]):
        wrong.append("memory grows: %.0f MB, then %.0f" % (max(memory[third : 2 * third]), max(memory[2 * third :])))
    latencies = sorted(latency for tab in tabs for latency in tab.latencies)
    deltas = sum(len(tab.deltas) for tab in tabs)
    print("%d tabs, %.0f s: %d edits (%.1f a second of %.0f asked for), %d pictures, %d deltas, %.0f MB sent" % (
        TABS, seconds, edits, edits / seconds, RATE, sum(tab.pictures for tab in tabs), deltas,
        sum(tab.bytes_got for tab in tabs) / 1e6))
    print("answers: median %.0f ms, 99 %% within %.0f ms, longest %.0f ms; %.1f ms of a processor for an edit" % (
        1e3 * share(latencies, 0.5), 1e3 * share(latencies, 0.99), 1e3 * latencies[-1], 1e3 * spent / max(edits, 1)))
    print("memory: %.0f MB before, %.0f to %.0f MB in the thirds %s; threads %d, %d with all tabs, %d at the end" % (
        idle[0], min(memory), max(memory),
        ", ".join("%.0f" % max(memory[at : at + third] or [0]) for at in (0, third, 2 * third)),
        idle[1], max(sample[2] for sample in samples), threads))
    checked = subprocess.run([PROGRAM, "check", path], capture_output=True)
    if checked.returncode != 0:
        wrong.append("the rig has mistakes")
    server.terminate()
    server.wait()
    left = sorted(entry.name for entry in folder.iterdir())
    if left != ["arm.svg", "rig.ron", "state"]:
        wrong.append("files are left: %s" % left)
    for one in wrong:
        print("  " + one)
    print("%d things are wrong" % len(wrong))
    if not wrong:
        shutil.rmtree(folder)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
