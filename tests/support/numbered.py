"""Makes and watches clips whose frames can be identified on the screen by an encoded number, or by flashes."""

import subprocess
import threading
import time

from harness import H264, PATIENCE, TOOLS, lavfi, make_clip, wait_for

COLUMNS, ROWS = 4, 4  # blocks, one bit each: 12 bits of the number, then 4 of its checksum
NUMBER_BITS = 12
# Options that draw white and black with one glyph each, independently of earlier frames.
PLAIN = ["--color", "mono", "--charset", "ascii", "--stability", "0", "--auto-levels", "no"]


def bits_of(number):
    nibbles = number % 16 + number // 16 % 16 + number // 256
    return number | (15 - nibbles % 16) << NUMBER_BITS


def number_of(bits):
    """Returns the number of a frame; None if the checksum is wrong, as in a half-updated picture."""
    number = bits % (1 << NUMBER_BITS)
    return number if bits_of(number) == bits else None


def number_in_text(rows, columns, lines):
    """Returns the number of a frame that was drawn as text. `rows`: the text, a grid of `columns` x `lines` cells."""
    bits = 0
    for block in range(COLUMNS * ROWS):
        x = (block % COLUMNS * 2 + 1) * columns // (2 * COLUMNS)
        y = (block // COLUMNS * 2 + 1) * lines // (2 * ROWS)
        patch = "".join(row[x - 3:x + 3].ljust(6) for row in rows[y - 1:y + 1])
        if sum(character != " " for character in patch) >= 6:
            bits |= 1 << block
    return number_of(bits)


def make_numbered(path, seconds, *arguments, rate=24, first=0, sound=True):
    """Makes a clip of numbered frames with a continuous tone and one keyframe per second."""
    width, height = 128, 72
    frames = seconds * rate
    assert first + frames <= 1 << NUMBER_BITS
    tone = lavfi(f"aevalsrc='0.3*sin(2*PI*1000*t)':s=48000:d={seconds}") if sound else []
    encoder = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-video_size", f"{width}x{height}",
         "-framerate", str(rate), "-i", "-", *tone, *map(str, arguments), *H264, "-g", str(rate), "-bf", "2",
         *(["-c:a", "flac"] if sound else []), str(path)], stdin=subprocess.PIPE)
    white, black = (bytes([shade]) * (width // COLUMNS) for shade in (255, 0))
    for number in range(first, first + frames):
        bits = bits_of(number)
        for row in range(ROWS):
            line = b"".join(white if bits >> (row * COLUMNS + column) & 1 else black for column in range(COLUMNS))
            encoder.stdin.write(line * (height // ROWS))
    encoder.stdin.close()
    assert encoder.wait() == 0, "ffmpeg could not make the clip"
    return path


def make_flashes(path, seconds, rate=30, period=1):
    """Makes a clip that flashes and beeps for 0.1 s at the start of each period except the first."""
    on = f"lt(mod(T,{period}),0.099)*gte(T,{period})"
    return make_clip(path, *lavfi(f"color=black:size=64x36:rate={rate}:duration={seconds},format=gray,geq=lum='255*{on}'"),
                     *lavfi(f"aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t,{period}),0.1)*gte(t,{period})':s=48000:d={seconds}"),
                     *H264, "-g", str(rate), "-c:a", "flac")


class Watch:
    """Records each change of a window's picture as (monotonic seconds, bits); see window_bits."""

    def __init__(self, desktop, window, columns=COLUMNS, rows=ROWS):
        self.seen = []
        self.process = subprocess.Popen([TOOLS / "window_bits", window, str(columns), str(rows)], env=desktop.environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        for line in self.process.stdout:
            when, bits = line.split()
            self.seen.append((float(when), int(bits, 16)))

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.thread.join(10)
        self.process.stdout.close()

    def numbers(self, since=0.0):
        """Returns (time, number) of each frame since that time, without half-updated pictures."""
        found = [(when, number_of(bits)) for when, bits in list(self.seen) if when >= since]
        return [(when, number) for when, number in found if number is not None]

    def number(self):
        """Returns the number of the frame on the screen; None if it cannot be read."""
        return number_of(self.seen[-1][1]) if self.seen else None

    def wait_until_still(self, seconds):
        """Waits until the picture has not changed for this long, such as when a stream stalls. Returns its number."""
        def unchanged():
            if not self.seen or time.monotonic() - self.seen[-1][0] < seconds or self.number() is None:
                return None
            return (self.number(),)
        return wait_for(unchanged, "an unchanged picture")[0]

    def wait(self, condition, what, seconds=PATIENCE):
        """Waits until the number shown meets the condition; returns it."""
        def met():
            number = self.number()
            return (number,) if number is not None and condition(number) else None
        try:
            return wait_for(met, what, seconds)[0]
        except AssertionError as timeout:
            ago = f"{time.monotonic() - self.seen[-1][0]:.1f} s ago" if self.seen else "never"
            raise AssertionError(f"{timeout}; shown: {self.number()}, {ago}") from None

    def flash_times(self):
        """Returns the times at which block 0 became bright."""
        seen = list(self.seen)
        return [when for (_, was), (when, now) in zip(seen, seen[1:]) if now & 1 and not was & 1]
