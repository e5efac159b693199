"""A conflux serve that tests talk to, as a browser would or as nobody should."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.parse

from support import COMMAND, CommandTest


class Server:
    """A running conflux serve; `folder` is where it keeps its files."""

    def __init__(self, temporary, *words, cwd=None):
        self.temporary = pathlib.Path(temporary)
        self.process = subprocess.Popen(
            [COMMAND, "serve", "--json", *map(str, words)], cwd=cwd, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(temporary)})
        said = ""
        while not said.rstrip().endswith("}"):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(self.process.stderr.read())
            said += line
        self.address = json.loads(said)["address"]
        self.port = json.loads(said)["port"]
        self.token = self.address.split("#")[1]
        self.host = f"127.0.0.1:{self.port}"

    @property
    def folder(self):
        return next(self.temporary.glob("conflux-serve-*"), None)

    def head(self, method, path, *, leave_out=(), **changes):
        """A head that would be admitted, but for what a test changes."""
        headers = {"Host": self.host, "X-Conflux-Token": self.token, "Connection": "close"}
        if method == "POST":
            headers["Origin"] = f"http://{self.host}"
        headers.update({name.replace("_", "-"): value for name, value in changes.items()})
        lines = [f"{name}: {value}" for name, value in headers.items() if name not in leave_out]
        return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode()

    def raw(self, data, timeout=20.0):
        """Sends bytes and returns all that comes back."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            with contextlib.suppress(OSError):  # it may have heard enough and hung up
                connection.sendall(data)
            out = b""
            with contextlib.suppress(ConnectionResetError, TimeoutError):
                while more := connection.recv(1 << 16):
                    out += more
            return out

    def status(self, data):
        """The status of the answer to bytes; 0 when there is none."""
        answer = self.raw(data)
        return int(answer.split()[1]) if answer.startswith(b"HTTP/1.") else 0

    def ask(self, method, path, body=b"", **changes):
        """Status and body of the answer to a request."""
        if method == "POST":
            changes["Content_Length"] = len(body)
        answer = self.raw(self.head(method, path, **changes) + body)
        head, _, rest = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), rest

    def post(self, path, **words):
        return self.ask("POST", path, json.dumps(words).encode())

    def send_table(self, text, name="t.csv"):
        body = text if isinstance(text, bytes) else text.encode()
        return self.ask("POST", "/api/table", body, X_File_Name=urllib.parse.quote(name))

    def state(self):
        return json.loads(self.ask("GET", "/api/state")[1])

    def wait(self, seconds=120):
        """The state when no work is left."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            state = self.state()
            if not (state["job"] and state["job"]["running"]):
                return state
            time.sleep(0.05)
        raise TimeoutError(state["job"])

    def children(self):
        """Processes that it has started and that live."""
        path = pathlib.Path("/proc")
        found = []
        for status in path.glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                words = status.read_text().rsplit(")", 1)[1].split()
                if int(words[1]) == self.process.pid and words[0] != "Z":
                    found.append(int(status.parent.name))
        return found

    def end(self, signal_number=signal.SIGINT):
        """Ends it as Ctrl-C would; returns its code and what it said."""
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        try:
            _, said = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, said


class ServeTest(CommandTest):
    """A test whose servers end with it and keep their files in a folder of its own."""

    def serve(self, *words):
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        server = Server(temporary, *words, cwd=self.folder)
        self.addCleanup(lambda: server.process.poll() is None and server.end(signal.SIGKILL))
        return server

    def serve_moons(self, samples=200):
        """A server that knows a table."""
        self.make_moons(samples)
        server = self.serve("moons.csv")
        server.wait()
        return server
