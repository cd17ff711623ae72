"""A server on 127.0.0.1 that behaves as it is told, request by request."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONTENT = bytes(range(256)) * 400

Behaviour = Callable[[BaseHTTPRequestHandler], None]


class Server(ThreadingHTTPServer):
    """Answers the k-th request as the k-th behaviour says, later ones as the last.

    Attributes:
        requests: (path, Range header or None) of every request so far.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behaviours: list[Behaviour] = [whole]
        self.requests: list[tuple[str, str | None]] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append((self.path, self.headers.get("Range")))
        behaviours = self.server.behaviours
        behaviours[min(len(self.server.requests), len(behaviours)) - 1](self)

    def do_HEAD(self):
        self.do_GET()

    def log_message(self, *arguments):
        pass


def send(handler: BaseHTTPRequestHandler, content: bytes, status: int = 200, announced: int | None = None, **headers):
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(content) if announced is None else announced))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(content)


def whole(handler: BaseHTTPRequestHandler) -> None:
    """Sends the file, or the range that is asked for."""
    _send_range(handler, CONTENT)


def files(contents: Mapping[str, bytes]) -> Behaviour:
    """Sends the content of the path that is asked for, or 404."""

    def behave(handler: BaseHTTPRequestHandler) -> None:
        content = contents.get(handler.path)
        if content is None:
            send(handler, b"no such file", status=404)
        else:
            _send_range(handler, content)

    return behave


def _send_range(handler: BaseHTTPRequestHandler, content: bytes) -> None:
    asked = handler.headers.get("Range")
    if asked is None:
        return send(handler, content)
    start = int(asked.removeprefix("bytes=").removesuffix("-"))
    place = f"bytes {start}-{len(content) - 1}/{len(content)}"
    return send(handler, content[start:], status=206, Content_Range=place)


def blob_of(content: bytes) -> str:
    """Returns the git blob id of a content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@contextmanager
def running() -> Iterator[Server]:
    """Runs a server until the block ends."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
