"""Loopback servers that stall, disconnect and restart on command."""

import http.server
import pathlib
import re
import socket
import ssl
import subprocess
import threading

from harness import end_process, wait_for

CERTIFICATE = pathlib.Path(__file__).with_name("certificate.pem")  # self-signed, for localhost, with its key


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_listener(port):
    """Waits until a process listens on a TCP port, without connecting: some servers accept only one connection."""
    listening = re.compile(rf"^ *\d+: [0-9A-F]+:{port:04X} [0-9A-F:]+ 0A ", re.MULTILINE)
    tables = [pathlib.Path(f"/proc/net/{name}") for name in ("tcp", "tcp6")]
    wait_for(lambda: any(table.exists() and listening.search(table.read_text()) for table in tables), f"a listener on port {port}")


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        owner = self.server.owner
        try:
            body = (owner.folder / self.path.lstrip("/")).read_bytes()
        except OSError:
            self.send_error(404)
            return
        owner.requests += 1
        wanted = re.match(r"bytes=(\d+)-", self.headers.get("Range", "")) if owner.has_ranges else None
        start = min(int(wanted.group(1)), len(body)) if wanted else 0
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(body) - start))
        if owner.has_ranges:
            self.send_header("Accept-Ranges", "bytes")
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.end_headers()
        self.close_connection = True
        owner.connections.add(self.connection)
        try:
            owner.send(self.connection, body[start:])
        except OSError:
            pass  # the player or disconnect() closed the connection
        owner.connections.discard(self.connection)


class HttpServer:
    """Serves a folder over HTTP, or over HTTPS if `tls`. Sends without a limit if `bytes_per_second` is None. Answers range
    requests if `has_ranges`. Counts all requests in `requests`."""

    def __init__(self, folder, bytes_per_second=None, tls=False, has_ranges=True):
        self.tls, self.has_ranges, self.requests = tls, has_ranges, 0
        self.folder = pathlib.Path(folder)
        self.rate = bytes_per_second
        self.connections = set()
        self.flowing = threading.Event()
        self.flowing.set()
        self.closed = threading.Event()
        self.port = free_port()
        self.server = None
        self.listen()

    def url(self, name):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/{name}"

    def send(self, connection, body):
        step = len(body) if self.rate is None else max(1, self.rate // 20)
        for at in range(0, len(body), max(step, 1)):
            self.flowing.wait(60)
            connection.sendall(body[at:at + step])
            if self.rate is not None:
                self.closed.wait(0.05)

    def stall(self):
        """Stops sending until resume(), for at most 60 s. Connections stay open."""
        self.flowing.clear()

    def resume(self):
        self.flowing.set()

    def disconnect(self):
        """Closes all connections and stops listening until listen() is called."""
        self.server.shutdown()
        self.server.server_close()
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # already closed
        self.server = None

    def listen(self):
        http.server.ThreadingHTTPServer.allow_reuse_address = True
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), _Handler)
        self.server.daemon_threads = True
        if self.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.server.owner = self
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        self.closed.set()
        self.resume()
        if self.server is not None:
            self.disconnect()


class Sender:
    """An ffmpeg process that sends a clip in real time. start() sends the clip from its beginning."""

    def __init__(self, clip, *output):
        self.words = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-re", "-i", str(clip), *map(str, output)]
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        end_process(self.process)
