"""A page of `render-frames live` without a browser: a WebSocket (RFC 6455) over a plain socket."""

import itertools
import json
import os
import socket
import subprocess
from pathlib import Path

# What every opening of a WebSocket sends; the key is that of the RFC's example.
OPENING = (
    "GET /socket HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Protocol: bone-layer, %s\r\n\r\n"
)


def start(program, rig, state, before=(), more=()):
    """A server of a rig with its records in the folder `state`, and its address. `before` runs it."""
    words = [*before, str(program), "live", str(rig), "--no-open", "--quiet", *more]
    environment = {**os.environ, "XDG_STATE_HOME": str(state), "NO_COLOR": "1"}
    server = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment
    )
    address = server.stdout.readline().decode().strip()
    if not address.startswith("http://127.0.0.1:"):
        server.kill()
        raise RuntimeError("no address: %r %s" % (address, server.stderr.read().decode(errors="replace")))
    return server, address


class Page:
    """A connection: what it sends and gets, and the state that it follows."""

    def __init__(self, address, timeout=30):
        before, secret = address.split("/#")
        port = int(before.rsplit(":", 1)[1])
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""
        self.ids = itertools.count(1)
        self.state = {}
        self.socket.sendall((OPENING % (port, port, secret)).encode())
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.decode(errors="replace"))
        while not self.state:
            self.read()

    def more(self):
        part = self.socket.recv(1 << 16)
        if not part:
            raise ConnectionError("the connection ended")
        self.bytes += part

    def take(self, count):
        while len(self.bytes) < count:
            self.more()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def send(self, message):
        data = json.dumps(message).encode()
        count = len(data)
        head = b"\x81" + (
            bytes([0x80 | count]) if count < 126
            else b"\xfe" + count.to_bytes(2, "big") if count < 1 << 16
            else b"\xff" + count.to_bytes(8, "big")
        )
        # A mask of zeros leaves the text as it is.
        self.socket.sendall(head + bytes(4) + data)

    def read(self):
        """The next message: an object, or bytes."""
        while True:
            first, second = self.take(2)
            count = second & 0x7F
            if count > 125:
                count = int.from_bytes(self.take(2 if count == 126 else 8), "big")
            data = self.take(count)
            if first & 0xF == 8:
                raise ConnectionError("it was closed")
            if first & 0xF == 2:
                return data
            if first & 0xF == 1:
                message = json.loads(data)
                self.follow(message)
                return message

    def follow(self, message):
        if message["t"] == "state":
            self.state = message
        elif message["t"] == "delta":
            self.state["rev"] = message["rev"]
            for name, value in message["changed"].items():
                if name != "clips":
                    self.state[name] = value
                    continue
                for clip, value in value.items():
                    if value is None:
                        self.state["clips"].pop(clip, None)
                    else:
                        self.state["clips"][clip] = value

    def ask(self, message):
        """The answer to a request."""
        name = "n%d" % next(self.ids)
        self.send({**message, "id": name})
        while True:
            answer = self.read()
            if isinstance(answer, dict) and answer.get("id") == name:
                return answer

    def close(self):
        self.socket.close()


def own_files(folder):
    """The files of a folder by their names; those of this program begin with a point."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }
