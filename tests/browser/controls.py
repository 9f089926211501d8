"""Controls an .html recording in Chromium as a user does, with keys and with the mouse. Also opens the recording in a
browser that asks for reduced motion, and in a browser that runs no scripts."""

import io
import subprocess

import numpy as np
from PIL import Image

from devtools import Browser

GRID = (40, 12)
RATE = 60
MS = 0.001  # tolerance for times in seconds: recordings store times in whole milliseconds
STATE = """(async () => {
  const player = document.querySelector('glyphreel-player'), {shown, audio} = player;
  const frame = shown ? Math.round((await player.frames.times(Math.floor(shown.key / 1024)))[shown.key % 1024].at * RATE) : -1;
  return {frame, time: player.time, isPaused: player.isPaused, drawn: player.counts.drawn, speed: player.speed,
          text: player.$('pre').textContent, textStyle: getComputedStyle(player.$('pre')).display,
          fullscreen: document.fullscreenElement === player, hasSound: Boolean(audio), isSilent: !audio || audio.paused,
          isMuted: audio?.muted, volume: audio?.volume, rate: audio?.playbackRate, duration: player.recording.duration};
})()""".replace("RATE", str(RATE))
SPEED = """(async () => {
  const player = document.querySelector('glyphreel-player'), from = [performance.now(), player.time, player.audio.currentTime];
  await new Promise(done => setTimeout(done, 3000));
  const seconds = (performance.now() - from[0]) / 1000;
  return [(player.time - from[1]) / seconds, (player.audio.currentTime - from[2]) / seconds];
})()"""
# Observes the player for 2.5 s. Returns the largest advance of the player's time between two successive frames of the
# browser, in seconds, and how many seconds the sound is ahead of the picture at the end.
STEPS = """(async () => {
  const player = document.querySelector('glyphreel-player'), from = performance.now();
  let last = player.time, longest = 0;
  while (performance.now() - from < 2500) {
    await new Promise(requestAnimationFrame);
    longest = Math.max(longest, player.time - last);
    last = player.time;
  }
  return [longest, player.audio.currentTime - player.time];
})()"""
BOX = "(e => [e.x, e.y, e.width, e.height])(document.querySelector('glyphreel-player').$('SELECTOR').getBoundingClientRect())"


class Page:
    """A page in a browser, with a player that has shown its first frame."""

    def __init__(self, browser, url):
        self.browser = browser
        browser.open(url)
        browser.wait_for("document.readyState === 'complete' && document.querySelector('glyphreel-player')?.shown?.key === 0")

    def state(self):
        return self.browser.evaluate(STATE)

    def press(self, key, shift=False, **wanted):
        """Presses a key, waits for the `wanted` state, and returns the state. Fails if the page does not reach it."""
        self.browser.press(key, shift)
        return self.wait(**wanted)

    def wait(self, **wanted):
        state = {}

        def is_reached():
            state.update(self.state())
            return all(abs(state[name] - value) <= MS if isinstance(value, float) else state[name] == value
                       for name, value in wanted.items())
        self.browser.wait(is_reached, lambda: f"{wanted}, not {({name: state[name] for name in wanted})}")
        return state

    def box(self, selector):
        return self.browser.evaluate(BOX.replace("SELECTOR", selector))


class Controls:
    """`clip`: a video of 60 frames per second, with sound, of at least 10 s."""

    def __init__(self, program, clip, folder, flags):
        self.program, self.clip, self.folder, self.flags = program, clip, folder, flags

    def record(self, name, *options):
        path = self.folder / name
        subprocess.run([self.program, "record", self.clip, "-o", path, "--force", "--quiet", "--grid", "{}x{}".format(*GRID),
                        "--color", "full", *options], check=True)
        return path

    def run(self):
        """Returns how many of the cases failed."""
        self.path = self.record("controls.html")
        self.text = [frame.rstrip("\n") for frame in self.record("controls.txt").read_text().split("\f")]
        failures = 0
        with Browser(self.flags) as self.browser:
            for part in (self.seek_keys, self.play_keys, self.speed_keys, self.late_sound, self.fullscreen_key, self.clicks,
                         self.selection, self.reduced_motion, self.without_scripts):
                name = part.__name__.replace("_", " ")
                try:
                    print("ok  ", name, part(), flush=True)
                except (AssertionError, TimeoutError, RuntimeError) as error:
                    print("FAIL", name, repr(error), flush=True)
                    failures += 1
        return failures

    def open(self):
        page = Page(self.browser, self.path.as_uri())
        page.wait(hasSound=True)
        return page

    def seek_keys(self):
        """After each seek key, the player shows the right frame, and the page has the text of that frame."""
        page = self.open()
        end = page.state()["duration"]
        last = len(self.text) - 2
        presses = (("ArrowRight", False, 5.0), ("ArrowRight", True, 6.0), ("ArrowLeft", True, 5.0), (".", False, 5 + 1 / RATE),
                   (".", False, 5 + 2 / RATE), (",", False, 5 + 1 / RATE), ("ArrowLeft", False, 1 / RATE), ("ArrowUp", False, end),
                   ("ArrowDown", False, 0.0), ("End", False, end), ("Home", False, 0.0))
        for key, shift, time in presses:
            frame = min(last, int(time * RATE + 0.001))
            page.press(key, shift, time=float(time), frame=frame, isPaused=True, text=self.text[frame])
        return f"{len(presses)} keys"

    def play_keys(self):
        """The keys that play and pause also start and stop the sound. While the player is paused, the page has the text
        of the frame."""
        page, frames = self.open(), []
        for start, stop in ((" ", " "), ("p", "p"), ("k", "k"), ("p", ".")):
            page.press(start, isPaused=False, isSilent=False, textStyle="none")
            drawn = page.state()["drawn"]
            self.browser.wait(lambda: page.state()["drawn"] > drawn + 10)
            state = page.press(stop, isPaused=True, isSilent=True, textStyle="block")
            page.wait(text=self.text[page.state()["frame"]])
            frames.append(state["frame"])
        assert frames == sorted(set(frames)), frames
        page.press("m", isMuted=True)
        page.press("m", isMuted=False)
        page.press("9", volume=0.95)
        page.press("0", volume=1.0)
        return f"paused at frames {frames}"

    def speed_keys(self):
        page = self.open()
        for key, speed in (("]", 1.1), ("[", 1.0), ("{", 0.5), ("{", 0.25), ("{", 0.25), ("Backspace", 1.0), ("}", 2.0), ("}", 4.0), ("}", 4.0),
                           ("{", 2.0)):
            page.press(key, speed=float(speed), rate=float(speed))
        page.press(" ", isPaused=False, isSilent=False)
        self.browser.wait_for("document.querySelector('glyphreel-player').audio.currentTime > 1")
        speeds = self.browser.evaluate(SPEED)
        assert all(1.9 < speed < 2.1 for speed in speeds), speeds
        return "speeds of picture and sound at 2: {:.3f}, {:.3f}".format(*speeds)

    def late_sound(self):
        """If the sound begins 1.5 s after the picture, the player still plays the first 1.5 s of the picture."""
        clip, page = self.folder / "late.mkv", self.folder / "late.html"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=4", "-itsoffset", "1.5", "-f", "lavfi",
                        "-i", "sine=d=2.5", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", clip], check=True)
        subprocess.run([self.program, "record", clip, "-o", page, "--force", "--quiet", "--grid", "{}x{}".format(*GRID)], check=True)
        shown = Page(self.browser, page.as_uri())
        shown.wait(hasSound=True)
        shown.press(" ", isPaused=False)
        longest, off = self.browser.evaluate(STEPS)
        assert longest < 1 and abs(off) < 0.1, (longest, off)
        return f"longest step {longest:.3f} s, sound {off * 1000:+.0f} ms"

    def fullscreen_key(self):
        page = self.open()
        page.press("f", fullscreen=True)
        screen = self.browser.evaluate("[innerWidth, innerHeight]")
        ratio = GRID[0] * 8 / (GRID[1] * 16)
        width, height = min(screen[0], screen[1] * ratio), min(screen[1], screen[0] / ratio)
        self.browser.wait(lambda: np.allclose(page.box("canvas")[2:], (width, height), atol=1))
        page.press("f", fullscreen=False)
        return f"{width:.0f}x{height:.0f} of {screen}"

    def clicks(self):
        """A click on the picture starts or stops playback, even where the paused picture has text."""
        page = self.open()
        x, y, width, height = page.box("canvas")
        point = x + 0.3 * width, y + 0.3 * height
        page.press(" ", isPaused=False)
        for is_paused in (True, False, True):
            self.browser.drag(point, point)
            page.wait(isPaused=is_paused)
        return "3 clicks"

    def selection(self):
        """The mouse selects the characters that are under it."""
        page = self.open()
        state = page.press("ArrowRight", time=5.0, text=self.text[5 * RATE])
        x, y, width, height = page.box("canvas")
        cell = width / GRID[0], height / GRID[1]

        def at(column, row):
            return x + (column + 0.2) * cell[0], y + (row + 0.5) * cell[1]
        for start, end in (((0, 0), (7, 0)), ((31, 3), (38, 3)), ((5, 4), (35, 9))):
            self.browser.drag(at(*start), at(*end))
            first, last = ((GRID[0] + 1) * row + column for column, row in (start, end))
            selected = self.browser.evaluate("document.querySelector('glyphreel-player').shadowRoot.getSelection().toString()")
            assert selected == state["text"][first:last], f"{selected!r} instead of {state['text'][first:last]!r}"
            assert page.state()["isPaused"], "selecting text started the player"
        return repr(selected[:20])

    def reduced_motion(self):
        """With `autoplay`, the player starts by itself, unless the user prefers reduced motion."""
        text = self.path.read_bytes()
        copy = self.path.with_name("autoplay.html")
        copy.write_bytes(text.replace(b"<glyphreel-player ", b"<glyphreel-player autoplay ", 1).replace(
            b"<head>", b"<head><script>addEventListener('ready', () => { isReady = true; }, true)</script>", 1))
        results = []
        for preference in ("no-preference", "reduce"):
            self.browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": preference}])
            self.browser.open("about:blank")
            self.browser.open(copy.as_uri())
            self.browser.wait_for("self.isReady")
            results.append(self.browser.evaluate(
                "(player => [player.isPaused, getComputedStyle(player.$('.bar')).transitionDuration])"
                "(document.querySelector('glyphreel-player'))"))
        self.browser.send("Emulation.setEmulatedMedia", features=[])
        assert results == [[False, "0.35s"], [True, "0s"]], results
        page = self.open()  # without `autoplay`
        assert page.state()["isPaused"]
        return "starts by itself only with autoplay, and not with reduced motion"

    def without_scripts(self):
        """A browser that runs no scripts shows a still picture of the first frame."""
        wanted = np.asarray(Image.open(self.record("still.png", "--frames", "1")).convert("L").resize(GRID, Image.BOX), float)
        self.browser.send("Emulation.setScriptExecutionDisabled", value=True)
        self.browser.open("about:blank")
        self.browser.open(self.path.as_uri())

        def likeness():
            self.picture = self.browser.screenshot()
            page = Image.open(io.BytesIO(self.picture)).convert("L")
            still = page.crop(page.point(lambda code: 255 * (code > 24)).getbbox())
            shown = np.asarray(still.resize(GRID, Image.BOX), float)
            return np.corrcoef(shown.ravel(), wanted.ravel())[0, 1] if shown.std() > 0 else 0
        try:
            self.browser.wait(lambda: likeness() > 0.7)
        finally:
            self.browser.send("Emulation.setScriptExecutionDisabled", value=False)
            (self.folder / "without-scripts.png").write_bytes(self.picture)
        return f"correlation with the first frame {likeness():.2f}"
