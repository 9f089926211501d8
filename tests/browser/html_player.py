#!/usr/bin/python3
"""Plays .html recordings in headless Chromium: tests/browser/html_player.py [PROGRAM] [--seconds N] [--clip FILE] [--hour]

Checks that the canvas equals the program's own pictures bit for bit (with WebGL and without, from a file, from a server
that declares a character set other than the page's, streamed with and without byte ranges, decoded in a worker and in
the page), that seeking shows the right frame, even while another seek is in progress, that sound plays in time, and
that playback ends and repeats. Reports how many frames a second are drawn at 240x67 cells. Then controls.py presses
keys, selects text, asks for reduced motion, and disables scripts. Needs Chromium, ffmpeg, python3-numpy and
python3-pil.

With --hour, instead records the looped clip for one hour with --embed, plays the recording from a server at 16 times
the normal speed, and reports the memory of the page's processes every five minutes of the recording. It takes about 15
minutes.
"""
import argparse
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from controls import Controls

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHROMIUM = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--autoplay-policy=no-user-gesture-required",
            "--mute-audio", "--window-size=1280,720", "--no-first-run"]
# These options make Chromium run WebGL on the CPU. They also slow down the browser's own compositing, so speed is
# measured without them.
WEBGL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
# Runs in the page. `report` sends a result.
FRAME = """<script>
(async () => {
  const player = document.querySelector('glyphreel-player'), wait = ms => new Promise(done => setTimeout(done, ms));
  const report = result => fetch('http://127.0.0.1:PORT/report', {method: 'POST', mode: 'no-cors',
                                                                  body: JSON.stringify(result)});
  try {
BODY
  } catch (error) { await report({error: String(error.stack ?? error)}); }
})();
</script>
"""
PROBE = FRAME.replace("BODY", """
    while (!player.recording?.end) await wait(20);
    const hash = async bytes => [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
      .map(byte => byte.toString(16).padStart(2, '0')).join('');
    const frames = {};
    for (const frame of FRAMES) {
      await player.seek((frame + 0.5) / RATE);
      frames[frame] = await hash(player.pixels);
    }
    // A seek while another one is in progress, and steps.
    const [first, second] = FRAMES.slice(-2);
    player.seek((second + 0.5) / RATE);
    await player.seek((first + 0.5) / RATE);
    const isLast = await hash(player.pixels) === frames[first];
    await player.step(1);
    const isNext = player.shown.key % 1024 === first % 1024 + 1;
    await player.step(-1);
    const isBack = await hash(player.pixels) === frames[first];
    const result = {frames, isLast, isNext, isBack, painter: player.painter.constructor.name, characters: player.characters.slice(0, 200)};
    if (SECONDS) {
      for (let i = 0; player.recording.hasSound && !player.audio && i < 100; ++i) await wait(50);
      await player.seek(0);
      player.play();
      await wait(300);
      const state = () => ({...player.counts, decoded: player.frames.decoded, decoding: player.frames.milliseconds});
      const from = performance.now(), old = state(), at = player.time;
      await wait(SECONDS * 1000);
      const seconds = (performance.now() - from) / 1000, now = state(), drawn = now.drawn - old.drawn;
      Object.assign(result, {fps: drawn / seconds, late: now.late - old.late,
        decodeMs: (now.decoding - old.decoding) / (now.decoded - old.decoded), drawMs: (now.drawing - old.drawing) / drawn,
        speed: (player.time - at) / seconds, off: player.audio ? player.audio.currentTime - player.time : null,
        heap: performance.memory?.usedJSHeapSize, chunks: player.frames.chunks.size});
      player.pause();
      // Repeats at the end, and without `loop` pauses there.
      const {end} = player.recording, passed = async test => { for (let i = 0; i < 200 && !test(); ++i) await wait(50); return test(); };
      player.toggleAttribute('loop', true);
      await player.seek(end - 0.3);
      player.play();
      result.repeats = await passed(() => player.time < end / 2 && player.shown.key < 1000);
      player.toggleAttribute('loop', false);
      player.seek(end - 0.3);
      result.ends = await passed(() => player.isPaused && player.time > end - 0.1);
    }
    await report(result);""")
# Plays until the end at SPEED times the normal speed, which no key can select, and reports every five minutes of the
# recording.
HOUR_PROBE = FRAME.replace("BODY", """
    while (!player.recording?.duration || !player.shown) await wait(20);
    player.play();
    player.setSpeed(4);
    player.speed = SPEED;
    const {duration} = player.recording;
    for (let mark = 0, isEnd = false; !isEnd; mark += 300) {
      isEnd = mark >= duration;
      while (player.time < Math.min(mark, duration - 1)) await wait(50);
      await report({time: player.time, drawn: player.counts.drawn, late: player.counts.late,
                    heap: performance.memory?.usedJSHeapSize, chunks: player.frames.chunks.size, isEnd});
    }""")


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder, and receives the reports of the pages."""

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.has_ranges, self.charset, self.result = folder, True, "", None
        self.reported = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.result = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.reported.set()

    def do_GET(self):
        path = self.server.folder / self.path.lstrip("/")
        if not path.is_file():
            self.send_error(404)
            return
        size = path.stat().st_size
        status, first, last, extra = 200, 0, size - 1, {}
        wanted = self.headers.get("Range")
        if wanted and self.server.has_ranges:
            start, end = wanted.removeprefix("bytes=").split("-")
            first = int(start) if start else size - int(end)
            last = int(end) if start and end else size - 1
            extra["Content-Range"] = f"bytes {first}-{last}/{size}"
            status = 206
        self.send_response(status)
        kind = "text/html" + self.server.charset if path.suffix == ".html" else "application/octet-stream"
        for name, value in {"Content-Type": kind, "Content-Length": str(last - first + 1), **extra}.items():
            self.send_header(name, value)
        self.end_headers()
        with path.open("rb") as file:
            file.seek(first)
            while first <= last and (data := file.read(min(1 << 20, last - first + 1))):
                self.wfile.write(data)
                first += len(data)

    def log_message(self, *_):
        pass


def visit(server, url, flags=(), timeout=180):
    server.reported.clear()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(["chromium", *CHROMIUM, *flags, f"--user-data-dir={profile}", url],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        arrived = server.reported.wait(timeout)
        browser.terminate()
        browser.wait()
    if not arrived:
        return {"error": "no report"}
    return server.result


def probed(page, server, frames, rate, seconds, attributes="", script=""):
    text = page.read_bytes().replace(b"<head>", f"<head><script>{script}</script>".encode(), 1)
    probe = (PROBE.replace("PORT", str(server.port)).replace("FRAMES", json.dumps(frames)).replace("RATE", str(rate))
             .replace("SECONDS", str(seconds)))
    copy = page.with_name("probed-" + page.name)
    text = text.replace(b"<glyphreel-player data-page", b"<glyphreel-player data-page" + attributes.encode(), 1)
    copy.write_bytes(text.replace(b"</body>", probe.encode() + b"</body>"))
    return copy


def expected(program, clip, folder, frames, size, options):
    """Returns {frame number: SHA-256 of the RGBA picture that the program draws}."""
    subprocess.run([program, "record", clip, "-o", folder / "own.mkv", "--codec", "ffv1", "--force", "--quiet",
                    *options], check=True)
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", folder / "own.mkv", "-fps_mode", "passthrough", "-pix_fmt", "rgba", "-f", "rawvideo", "-"],
                         check=True, capture_output=True).stdout
    step = size[0] * size[1] * 4
    return {str(n): hashlib.sha256(raw[n * step:(n + 1) * step]).hexdigest() for n in frames}


def renderer_memory(browser):
    """Returns the resident bytes of those descendants of the browser's process that run pages."""
    parents, sizes = {}, {}
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
            parents[status.parent.name] = fields["PPid"].strip()
            if b"--type=renderer" in (status.parent / "cmdline").read_bytes():
                sizes[status.parent.name] = int(fields["VmRSS"].split()[0]) << 10
        except (OSError, KeyError):
            continue  # the process has ended

    def belongs(process):
        while process in parents and process != str(browser.pid):
            process = parents[process]
        return process == str(browser.pid)
    return sum(size for process, size in sizes.items() if belongs(process))


def play_hour(program, clip, folder, grid):
    """Plays an hour of the clip. Returns whether it played to the end without an error, and prints the memory."""
    speed, looped, page = 16, folder / "hour.mkv", folder / "hour.html"
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "-1", "-i", clip, "-t", "3600", "-c", "copy", looped], check=True)
    subprocess.run([program, "record", looped, "-o", page, "--embed", "--quiet", *grid], check=True)
    print("bytes:", sum(path.stat().st_size for path in folder.glob("hour*") if path != looped), flush=True)
    server = Server(folder)
    probe = HOUR_PROBE.replace("PORT", str(server.port)).replace("SPEED", str(speed)).encode()
    page.write_bytes(page.read_bytes().replace(b"</body>", probe + b"</body>"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(["chromium", *CHROMIUM, f"--user-data-dir={profile}", f"http://127.0.0.1:{server.port}/hour.html"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        result, start = {}, time.monotonic()
        while not result.get("isEnd") and "error" not in result:
            server.reported.clear()
            if not server.reported.wait(3600 / speed + 300):
                result = {"error": "no report"}
                break
            result = server.result
            print(f"{time.monotonic() - start:.0f} s, {renderer_memory(browser) / 1e6:.0f} MB:", result, flush=True)
        os.killpg(browser.pid, signal.SIGTERM)
        browser.wait()
    return "error" not in result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=ROOT / "build/check/src/glyphreel")
    parser.add_argument("--seconds", type=int, default=5, help="seconds of playback in the speed test (default: 5)")
    parser.add_argument("--clip", type=pathlib.Path, help="a video of 60 frames per second and at least 10 s")
    parser.add_argument("--hour", action="store_true", help="play an hour of the looped clip at 16 times the speed, and report the memory")
    options = parser.parse_args()
    if not shutil.which("chromium"):
        sys.exit("This test needs Chromium; install the package chromium.")
    folder = pathlib.Path(tempfile.mkdtemp())
    clip = options.clip or folder / "clip.mkv"
    if not options.clip:
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=60:d=12", "-f", "lavfi", "-i",
                        "sine=d=12", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", clip], check=True)
    if options.hour:
        plays = play_hour(options.program, clip, folder, ["--grid", "240x67"])
        shutil.rmtree(folder)
        sys.exit(0 if plays else 1)
    grid, frames, rate = ["--grid", "240x67"], [0, 1, 47, 48, 100, 250], 60
    short = ["--frames", "300"]
    server = Server(folder)
    want = expected(options.program, clip, folder, frames, (240 * 8, 67 * 16), grid + short)
    page = folder / "show.html"
    subprocess.run([options.program, "record", clip, "-o", page, "--quiet", *grid], check=True)
    embed = folder / "embed.html"
    subprocess.run([options.program, "record", clip, "-o", embed, "--embed", "--quiet", *grid, *short], check=True)
    failures = 0

    def check(name, result, **limits):
        nonlocal failures
        wrong = [n for n in frames if result.get("frames", {}).get(str(n)) != want[str(n)]]
        is_good = not wrong and "error" not in result and not any(value is False for value in result.values()) and all(
            low <= (result.get(key) if result.get(key) is not None else -1e9) <= high
            for key, (low, high) in limits.items())
        failures += not is_good
        shown = {key: value for key, value in result.items() if key not in ("frames", "characters")}
        print("ok  " if is_good else "FAIL", name, f"wrong frames: {wrong}" if wrong else "", shown, flush=True)

    url = f"http://127.0.0.1:{server.port}/"
    probe = probed(page, server, frames, rate, 0, " data-gl")
    check("file", visit(server, probe.as_uri(), WEBGL))
    check("server", visit(server, url + probe.name, WEBGL))
    server.charset = "; charset=utf-8"
    check("server that declares UTF-8", visit(server, url + probe.name, WEBGL))
    server.charset = ""
    check("canvas without WebGL", visit(server, url + probed(page, server, frames, rate, 0, " data-2d").name))
    probe = probed(page, server, frames, rate, 0, script="delete self.Worker")
    check("decoded in the page", visit(server, url + probe.name))
    probe = probed(embed, server, frames, rate, 0)
    check("streamed by ranges", visit(server, url + probe.name))
    server.has_ranges = False
    check("streamed from start to end", visit(server, url + probe.name))
    server.has_ranges = True
    check("playing", visit(server, url + probed(page, server, frames, rate, options.seconds).name),
          speed=(0.97, 1.03), off=(-0.1, 0.1))
    failures += Controls(options.program, clip, folder, CHROMIUM).run()
    shutil.rmtree(folder)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
