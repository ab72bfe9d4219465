#!/usr/bin/env python3
"""Cuts the power at every moment of a save, in a file system that is only a list of what was asked of it.

    CASES=400 tests/powerloss.py target/release/render-frames

strace records what the program asks of its folder: names that are made, replaced and removed, bytes that are
written, flushes of files and of folders. Then every prefix of this list is what the power allowed. Of it the disk
has what was flushed, and more or less of the rest: names of a folder change in their order, up to any point behind
its last flush; bytes behind the last flush of their file are there, missing, cut off, zeros, or a mixture of blocks.

| what | must hold on every such disk |
|---|---|
| a save of each command | the file is the old or the new one, whole; once the command has ended, the new one |
| edits of `live` | the rig is whole, and an edit that was answered is in it or offered from the journal |
| `--existing skip` | a second run gives every frame, whatever the first one left |

The first two are checked for all disks in memory, and for some by the program itself, as the third: CASES of each.
The same lists without their flushes must fail, or the check would see nothing. The seed is printed; SEED=n repeats it.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import live_client

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/render-frames").resolve()
CASES = int(os.environ.get("CASES", "40"))
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 32)))
EDITS = 24
BLOCK = 512
CALLS = (
    "open,openat,creat,write,pwrite64,writev,lseek,ftruncate,truncate,fsync,fdatasync,rename,renameat,renameat2,link,"
    "linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,sendto,copy_file_range,sendfile,fallocate"
)
TRACED = ["strace", "-f", "-y", "-xx", "-s", str(1 << 26), "-e", "trace=" + CALLS, "-e", "signal=none"]
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" viewBox="0 0 400 300">
<rect id="upper" x="80" y="110" width="100" height="30" fill="#c43"/>
<rect id="fore" x="180" y="112" width="90" height="26" fill="#d84"/>
</svg>
"""
RIG = """// An arm.
Rig(
    version: 1,
    drawing: "arm.svg",
    bones: {
        "upper": (from: (80, 125), to: (180, 125)),
        "fore": (parent: "upper", length: 90),
    },
    skin: [Smooth(art: ["upper", "fore"])],
    clips: {
        "wave": (length: 0.5, bones: { "fore": (rotate: [(0, 10), (0.25, 20), (0.5, 10)]) }),
        "nod": (length: 0.5, bones: { "fore": (rotate: [(0, 0), (0.5, 20)]) }),
    },
)
"""


class Operation:
    """What was asked: a kind, and what it is about."""

    def __init__(self, kind, *about):
        self.kind, self.about = kind, about


class Recorder:
    """Reads the lines of strace as operations below a folder."""

    LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+|\?)")
    TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
    FILE = re.compile(r"^(\d+)<((?:\\x[0-9a-f]{2}|[^>])*)>")

    def __init__(self, root):
        self.root = str(root)
        # The inode of each name; what is there before is inodes, too.
        self.names, self.first, self.positions, self.operations, self.count = {}, {}, {}, [], 0
        for path in Path(root).rglob("*"):
            if path.is_file():
                self.names[str(path)] = self.new()
                self.first[str(path)] = (self.names[str(path)], path.read_bytes())

    def new(self):
        self.count += 1
        return self.count

    @staticmethod
    def decode(text):
        return bytes.fromhex(text.replace("\\x", ""))

    def path(self, text):
        return os.fsdecode(self.decode(text) if text.startswith("\\x") else text.encode())

    def is_ours(self, path):
        return path == self.root or path.startswith(self.root + "/")

    def note(self, kind, *about):
        self.operations.append(Operation(kind, *about))

    def read(self, log):
        begun = {}
        for line in log.read_text(errors="surrogateescape").splitlines():
            process = line.split(" ", 1)[0]
            if line.endswith("<unfinished ...>"):
                begun[process] = line[: -len("<unfinished ...>")]
                self.answers(line)
                continue
            if "resumed>" in line:
                line = begun.pop(process) + line.split("resumed>", 1)[1]
            else:
                self.answers(line)
            found = self.LINE.match(line)
            if found and found[4] != "?" and int(found[4]) >= 0:
                self.call(found[2], found[3], int(found[4]), line)
        return self

    def answers(self, line):
        """A message to a page; it counts from the moment at which it is begun."""
        name = re.match(r"^\d+ +(sendto|write|writev)\(\d+<(?:TCP|socket|\\x54\\x43\\x50|\\x73\\x6f\\x63)", line)
        if name:
            for text, _ in self.TEXT.findall(line):
                self.note("sent", self.decode(text))

    def texts(self, rest):
        return [self.decode(text) for text, _ in self.TEXT.findall(rest)]

    def absolute(self, rest):
        """The paths among the arguments of a call, from the folder that stands before each, or that of the run."""
        folder, paths = None, []
        for at in re.finditer(r'(?:AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2}|[^>])*)>|"((?:\\x[0-9a-f]{2})*)"', rest):
            if at[1] is not None:
                folder = self.path(at[1])
            else:
                paths.append(os.path.normpath(os.path.join(folder or self.root, os.fsdecode(self.decode(at[2])))))
        return paths

    def call(self, name, rest, result, line):
        opened = self.FILE.match(rest)
        file, path = (int(opened[1]), self.path(opened[2])) if opened else (None, None)
        if name in ("open", "openat", "creat"):
            [path] = self.absolute(rest)[:1]
            if not self.is_ours(path):
                self.positions.pop(result, None)
                return
            if ("O_CREAT" in rest or name == "creat") and path not in self.names and not os.path.isdir(path):
                self.names[path] = self.new()
                self.note("name", path, self.names[path])
            elif "O_TRUNC" in rest:
                self.note("cut", self.names[path], 0)
            # The end of a file that is appended to is that of its bytes.
            self.positions[result] = None if "O_APPEND" in rest else 0
        elif name in ("rename", "renameat", "renameat2"):
            one, other = self.absolute(rest)
            if self.is_ours(one) or self.is_ours(other):
                if "RENAME_EXCHANGE" in rest:
                    self.names[one], self.names[other] = self.names[other], self.names[one]
                    self.note("exchange", one, other)
                else:
                    self.names[other] = self.names.pop(one)
                    self.note("rename", one, other)
        elif name in ("link", "linkat"):
            one, other = self.absolute(rest)
            if self.is_ours(other):
                self.names[other] = self.names[one]
                self.note("name", other, self.names[one])
        elif name in ("unlink", "unlinkat", "rmdir"):
            [path] = self.absolute(rest)
            if self.names.pop(path, None):
                self.note("remove", path)
        elif name in ("mkdir", "mkdirat"):
            [path] = self.absolute(rest)
            if self.is_ours(path):
                self.note("folder", path)
        elif path is None or not self.is_ours(path):
            return
        elif name in ("fsync", "fdatasync"):
            if path in self.names:
                self.note("flush", self.names[path])
            elif os.path.isdir(path):
                self.note("flush folder", path)
        elif path not in self.names:
            return
        elif name in ("write", "writev", "pwrite64"):
            data = b"".join(self.texts(rest))[:result]
            position = self.positions.get(file)
            if name == "pwrite64":
                position = int(rest.rsplit(", ", 1)[1])
            self.note("write", self.names[path], position, data)
            if position is not None and name != "pwrite64":
                self.positions[file] = position + result
        elif name == "lseek":
            if self.positions.get(file) is not None:
                self.positions[file] = result
        elif name == "ftruncate":
            self.note("cut", self.names[path], int(rest.rsplit(", ", 1)[1]))
        else:
            raise NotImplementedError(line)


def apply(data, position, more):
    """Bytes with others at a place, or at their end."""
    position = len(data) if position is None else position
    data = data + bytes(max(0, position - len(data)))
    return data[:position] + more + data[position + len(more) :]


class Disk:
    """What may be on the disk after the first operations of a list."""

    WAYS = ("kept", "dropped", "torn", "zeros", "blocks", "any")

    def __init__(self, recorder, without=None):
        self.first = recorder.first
        self.operations = [operation for operation in recorder.operations if operation.kind != without]

    def answered(self, count):
        return [operation.about[0] for operation in self.operations[:count] if operation.kind == "sent"]

    def after(self, count, names, way, rng):
        """The files: `names` is which of the names behind a flush are there, all, none or any."""
        done = self.operations[:count]
        data = {inode: (bytes_, bytes_) for inode, bytes_ in self.first.values()}
        flushes = {}
        for at, operation in enumerate(done):
            if operation.kind == "flush folder":
                flushes[operation.about[0]] = at
        # The bytes of each inode as they were flushed, and as they were written.
        for operation in done:
            if operation.kind == "name":
                data.setdefault(operation.about[1], (b"", b""))
            elif operation.kind == "write":
                inode, position, more = operation.about
                data[inode] = (data[inode][0], apply(data[inode][1], position, more))
            elif operation.kind == "cut":
                inode, size = operation.about
                data[inode] = (data[inode][0], data[inode][1][:size].ljust(size, b"\0"))
            elif operation.kind == "flush":
                inode = operation.about[0]
                data[inode] = (data[inode][1], data[inode][1])
        there = {path: inode for path, (inode, _) in self.first.items()}
        folders = {}

        def is_done(at, path):
            folder = os.path.dirname(path)
            if folder not in folders:
                low = flushes.get(folder, -1)
                folders[folder] = {"all": count, "none": low, "any": rng.randint(low, count)}[names]
            return at <= folders[folder]

        made = set()
        for at, operation in enumerate(done):
            if operation.kind in ("name", "remove", "folder", "rename", "exchange") and is_done(at, operation.about[0]):
                about = operation.about
                if operation.kind == "name":
                    there[about[0]] = about[1]
                elif operation.kind == "remove":
                    there.pop(about[0], None)
                elif operation.kind == "rename":
                    there[about[1]] = there.pop(about[0])
                elif operation.kind == "exchange":
                    there[about[0]], there[about[1]] = there[about[1]], there[about[0]]
                else:
                    made.add(about[0])
        new_folders = {operation.about[0] for operation in done if operation.kind == "folder"}
        files = {}
        for path, inode in there.items():
            parents = [str(parent) for parent in Path(path).parents]
            if not any(parent in new_folders and parent not in made for parent in parents):
                files[path] = self.bytes(*data[inode], way, rng)
        return files

    def bytes(self, flushed, written, way, rng):
        if flushed == written:
            return flushed
        if way == "any":
            way = rng.choice(self.WAYS[:-1])
        if way == "kept":
            return written
        if way == "dropped":
            return flushed
        # Bytes up to the first that differs are on the disk already.
        same = len(os.path.commonprefix([flushed, written]))
        if way == "torn":
            return written[: rng.randint(min(same, len(written)), len(written))]
        kept = [way == "blocks" and rng.random() < 0.5 for _ in range(0, len(written) + BLOCK, BLOCK)]
        rest = bytearray(written)
        for at in range(same, len(written)):
            if not kept[at // BLOCK]:
                rest[at] = flushed[at] if at < len(flushed) else 0
        return bytes(rest)

    def all(self, rng):
        """Every disk: how many operations were asked, and its files."""
        seen = set()
        for count in range(len(self.operations) + 1):
            for names in ("all", "none", "any"):
                for way in self.WAYS:
                    files = self.after(count, names, way, rng)
                    key = (count, hash(frozenset(files.items())))
                    if key not in seen:
                        seen.add(key)
                        yield count, files


def traced(folder, words, log):
    environment = {**os.environ, "NO_COLOR": "1", "XDG_STATE_HOME": str(folder / "state")}
    done = subprocess.run(
        [*TRACED, "-o", log, PROGRAM, *words], cwd=folder, capture_output=True, timeout=300, env=environment,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(map(str, words)), done.stderr.decode(errors="replace")))


def lay(folder, files):
    """The files of a disk in a folder that was emptied."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path, data in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data)
    # Records that others can read are not used.
    for path in [folder / "state", *(folder / "state").rglob("*")]:
        if path.exists():
            path.chmod(0o700 if path.is_dir() else 0o600)


def new_folder():
    folder = Path(tempfile.mkdtemp(prefix="powerloss-")).resolve()
    (folder / "arm.svg").write_text(DRAWING)
    (folder / "rig.ron").write_text(RIG)
    return folder


# Flushes of files, and of folders.
FLUSHES = ("flush", "flush folder")

# The name of each save, its arguments, the file that it writes, and whether that is on the disk when it has ended.
SAVES = [
    ("a shot", ["transitions", "rig.ron", "wave", "nod", "--fade", "0.1", "-o", "rig.ron"], "rig.ron", True),
    ("a copy", ["transitions", "rig.ron", "wave", "nod", "--fade", "0.1", "-o", "copy.ron"], "copy.ron", True),
    ("weights", ["weights", "rig.ron", "--write"], "rig.ron", True),
    ("a scaffold", ["init", "arm.svg", "-o", "first.ron"], "first.ron", True),
    ("a scaffold again", ["init", "arm.svg", "-o", "rig.ron", "--force"], "rig.ron", True),
    ("a converted rig", ["convert", "rig.ron", "-o", "rig.json"], "rig.json", True),
    ("a packed rig", ["pack", "rig.ron", "-o", "old.bones", "--force"], "old.bones", True),
    ("a GIF", ["render", "rig.ron", "-o", "old.gif", "--scale", "0.2", "-q"], "old.gif", False),
    ("an animated SVG", ["render", "rig.ron", "-o", "a.svg", "-q"], "a.svg", False),
    ("a Lottie", ["render", "rig.ron", "-o", "a.json", "-q"], "a.json", False),
]


def saves(rng):
    """How many disks were looked at, and what was wrong with some."""
    looked, wrong, blind = 0, [], []
    for name, words, output, lasts in SAVES:
        folder = new_folder()
        for old in ("old.bones", "old.gif"):
            (folder / old).write_bytes(b"what was there before")
        log = Path(str(folder) + ".log")
        recorder = Recorder(folder)
        path = str(folder / output)
        old = recorder.first.get(path, (None, None))[1]
        traced(folder, words, log)
        recorder.read(log)
        new = Path(path).read_bytes()
        for without in (None, *FLUSHES[: 1 + lasts]):
            disk = Disk(recorder, without)
            found = []
            for count, files in disk.all(rng):
                is_over = count == len(disk.operations) and lasts
                if files.get(path) not in ((new,) if is_over else (old, new)):
                    size = len(files[path]) if path in files else None
                    found.append("%s, after %d of %d operations: %s of %d bytes" % (
                        name, count, len(disk.operations), size, len(new)))
                looked += without is None
            if without is None:
                wrong += found
            elif not found:
                blind.append("%s: nothing is wrong without its operations \"%s\"" % (name, without))
        shutil.rmtree(folder)
        log.unlink()
    return looked, wrong, blind


def journal_value(files):
    """The last value among the steps that the newest journal offers; its lines count up to the first damaged one."""
    journals = sorted(
        (int(path.rsplit(".", 2)[1]), path) for path in files if path.endswith(".journal")
    )
    for _, path in reversed(journals):
        base, steps, offered = None, [], False
        try:
            text = files[path].decode()
        except UnicodeDecodeError:
            continue
        for line in text.splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                break
            if record["t"] == "base":
                base, steps, offered = record["files"], [], False
            elif record["t"] == "saved":
                offered = False
            elif record["t"] == "edit":
                steps.append(record["ops"][0]["value"])
                offered = True
        if base and offered:
            return steps[-1]
    return None


def key(value):
    channel = ["clips", "nod", "bones", "fore", "rotate"]
    return {"t": "edit", "ops": [{"op": "SetKey", "channel": channel, "time": 0.5, "value": value}]}


# The number of a request that was carried out.
EDITED = re.compile(rb'"id":"n(\d+)","rev":\d+,"t":"done"')


def keyed(value):
    return RIG.replace("(0.5, 20)]", "(0.5, %d)]" % value).encode()


def value_of(text):
    """The value that a whole rig has; none of one that is not whole."""
    found = re.search(rb"\(0\.5, (\d+)\)\]\) } ?\),\n    },\n\)\n$", text)
    return int(found[1]) if found and text == keyed(int(found[1])) else None


def edits(rng, hold):
    """Edits of a page; with `hold` their texts are written when it asks for it, once in the middle."""
    folder = new_folder()
    state = folder / "state"
    state.mkdir()
    log = Path(str(folder) + ".log")
    recorder = Recorder(folder)
    rig = folder / "rig.ron"
    more = ["--hold"] if hold else []
    server, address = live_client.start(PROGRAM, rig, state, [*TRACED, "-o", log], more)
    page = live_client.Page(address)
    for value in range(100, 100 + EDITS):
        answer = page.ask(key(value))
        if answer["t"] != "done":
            sys.exit("an edit was not made: %r" % answer)
        if hold and value == 100 + EDITS // 2:
            page.ask({"t": "save"})
    # The power ends without a word to the program.
    children = subprocess.run(["pgrep", "-P", str(server.pid)], capture_output=True, text=True).stdout.split()
    for child in children:
        os.kill(int(child), 9)
    server.wait()
    page.close()
    recorder.read(log)
    looked, wrong, blind, disks = 0, [], [], []
    # Without the journal's flushes the rig has what was answered, unless it is held back.
    for without in (None, *FLUSHES[: 1 + hold]):
        disk = Disk(recorder, without)
        found = []
        for count, files in disk.all(rng):
            # Of each page's messages those that answer its edits.
            last = max((int(number) + 99 for text in disk.answered(count) for number in EDITED.findall(text)), default=20)
            # The answer to the save in the middle has the number of an edit.
            last -= hold and last > 100 + EDITS // 2
            text = files.get(str(rig), b"")
            value = value_of(text)
            if value is None:
                found.append("after %d operations the rig is %r" % (count, text[-80:]))
            elif value < last and (journal_value(files) or 0) < last:
                found.append("after %d of %d operations %d was answered, the rig has %d, the journal %s" % (
                    count, len(disk.operations), last, value, journal_value(files)))
            looked += without is None
            if without is None:
                disks.append((last, files))
        if without is None:
            wrong = found
        elif not found:
            blind.append("edits: nothing is wrong without its operations \"%s\"" % without)
    # What the program itself makes of some of them.
    offered = 0
    for last, files in rng.sample(disks, min(CASES, len(disks))):
        lay(folder, files)
        try:
            server, address = live_client.start(PROGRAM, rig, state)
        except RuntimeError as error:
            wrong.append("live does not start: %s" % error)
            continue
        page = live_client.Page(address)
        if page.state["journal"]:
            offered += 1
            page.ask({"t": "journal", "take": True})
            page.ask({"t": "save"})
        page.close()
        server.terminate()
        server.wait()
        server.stdout.close()
        server.stderr.close()
        value = value_of(rig.read_bytes())
        if value is None or value < last:
            wrong.append("%s after a restart, and %d was answered" % (value, last))
    shutil.rmtree(folder)
    log.unlink()
    return looked, wrong, blind, offered


def frames(rng):
    """A render that may be continued: disks that were looked at, what was wrong, and how many had damaged frames."""
    folder = new_folder()
    log = Path(str(folder) + ".log")
    words = ["render", "rig.ron", "-o", "out/", "--clip", "wave", "--scale", "0.3", "--existing", "skip", "-q"]
    recorder = Recorder(folder)
    traced(folder, words, log)
    recorder.read(log)
    want = live_client.own_files(folder)
    disks = [files for _, files in Disk(recorder).all(rng)]
    wrong, damaged = [], 0
    for files in rng.sample(disks, min(CASES, len(disks))):
        lay(folder, files)
        found = live_client.own_files(folder)
        damaged += any(data != want[name] for name, data in found.items())
        done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, timeout=300)
        found = live_client.own_files(folder)
        if done.returncode != 0:
            wrong.append("the next run failed: %s" % done.stderr.decode(errors="replace")[:300])
        elif found != want:
            names = sorted(name for name in {*found, *want} if found.get(name) != want.get(name))
            wrong.append("after the next run these are others: %s" % ", ".join(names[:5]))
    shutil.rmtree(folder)
    log.unlink()
    return len(disks), wrong, damaged


if __name__ == "__main__":
    print("seed %d" % SEED, flush=True)
    rng = random.Random(SEED)
    looked, wrong, blind = saves(rng)
    print("%d kinds of saves: %d disks, %d wrong" % (len(SAVES), looked, len(wrong)), flush=True)
    for hold in (False, True):
        more, found, unseen, offered = edits(rng, hold)
        print("%d edits of live%s: %d disks, %d wrong; %d started again, work offered by %d" % (
            EDITS, ", held back" if hold else "", more, len(found), CASES, offered), flush=True)
        wrong += found
        blind += unseen
    more, found, damaged = frames(rng)
    print("frames that are continued: %d disks, %d of them continued, %d with damaged frames, %d wrong" % (
        more, CASES, damaged, len(found)), flush=True)
    wrong += found
    if not damaged:
        blind.append("frames: none is damaged")
    for one in wrong[:20]:
        print("  " + one)
    for one in blind:
        print("  this test sees nothing: %s" % one)
    sys.exit(1 if wrong or blind else 0)
