"""Coverage masks of glyphreel's glyphs, read from its recordings, and pictures drawn with these masks."""

import pathlib
import re
import subprocess
import tempfile
import unicodedata

import numpy as np

import pictures

ASCII = "".join(chr(code) for code in range(32, 127))

# Points on a cell's edges, named as in the Unicode names of diagonal blocks. (x, y) are fractions of the cell's size.
_POINTS = {"UPPER LEFT": (0, 0), "UPPER MIDDLE LEFT": (0, 1 / 3), "LOWER MIDDLE LEFT": (0, 2 / 3), "LOWER LEFT": (0, 1),
           "UPPER CENTRE": (0.5, 0), "LOWER CENTRE": (0.5, 1), "UPPER RIGHT": (1, 0), "UPPER MIDDLE RIGHT": (1, 1 / 3),
           "LOWER MIDDLE RIGHT": (1, 2 / 3), "LOWER RIGHT": (1, 1)}


class Undrawable(Exception):
    """Raised if glyphreel's font lacks `character`."""

    def __init__(self, character):
        super().__init__(f"U+{ord(character):04X}")
        self.character = character


class GlyphAtlas:
    """Records and caches coverage masks of characters in one cell size and font.

    `program`: glyphreel's binary. `cell`: (width, height) in pixels. `font`: the value of --font; None: the default.
    """

    def __init__(self, program, cell=(8, 16), font=None):
        self.program, self.cell, self.font = program, cell, font
        self.undrawable = set()
        self._numbers = {}
        self._masks = np.zeros((0, cell[1], cell[0]), np.uint8)
        self.add(ASCII)

    def add(self, characters):
        """Adds the masks of new characters. If the font lacks a character, its mask is from diagonal_block(). If that
        function returns None, the mask is blank, and the character is added to `undrawable`."""
        new = [character for character in dict.fromkeys(characters) if character not in self._numbers]
        for start in range(0, len(new), 150):
            batch = new[start:start + 150]
            masks = {}
            while batch:
                try:
                    masks.update(zip(batch, self._record(batch)))
                    break
                except Undrawable as missing:
                    diagonal = diagonal_block(missing.character, self.cell)
                    if diagonal is None:
                        self.undrawable.add(missing.character)
                        diagonal = np.zeros((self.cell[1], self.cell[0]), np.uint8)
                    masks[missing.character] = diagonal
                    batch.remove(missing.character)
            for character, mask in masks.items():
                self._numbers[character] = len(self._numbers)
                self._masks = np.concatenate([self._masks, mask[None]])

    def _record(self, characters):
        """Returns the masks of up to 150 characters. Records a picture in which cell i has the gray value i, so that
        glyphreel draws the ramp's character i there.

        The ramp begins with ASCII, so that the baseline is the same as in every charset with ASCII.
        """
        ramp = list(dict.fromkeys(ASCII + "".join(characters)))
        width, height = self.cell
        gray = np.zeros(256, np.uint8)
        gray[:len(ramp)] = np.arange(len(ramp))
        cells = gray.reshape(16, 16)
        picture = np.repeat(np.repeat(cells, height, 0), width, 1)
        with tempfile.TemporaryDirectory() as folder:
            source, drawn = pathlib.Path(folder, "in.png"), pathlib.Path(folder, "out.mkv")
            pictures.write_png(source, np.repeat(picture[..., None], 3, 2))
            command = [self.program, "record", source, "--grid", "16x16", "--cell", f"{width}x{height}", "--fit",
                       "stretch", "--mode", "ramp", "--sample", "corner", "--color", "mono", "--ramp=" + "".join(ramp),
                       "--thresholds", ",".join(str(i) for i in range(1, len(ramp))), "--quiet"]
            if self.font:
                command += ["--font", self.font]
            done = subprocess.run([str(word) for word in command + ["--codec", "ffv1", "-o", drawn]], stdin=subprocess.DEVNULL,
                                  capture_output=True)
            message = done.stderr.decode(errors="replace")
            if done.returncode != 0:
                named = re.search(r"U\+([0-9A-Fa-f]{4,6})", message)
                if named and chr(int(named[1], 16)) in characters:
                    raise Undrawable(chr(int(named[1], 16)))
                raise RuntimeError(f"glyphreel cannot draw the glyphs: {message.strip()}")
            text = pathlib.Path(folder, "out.txt")
            pictures.run([*command, "-o", text])
            written = "".join(text.read_text().replace("\f", "").split("\n"))[:len(ramp)]
            if written != "".join(ramp):
                raise RuntimeError("glyphreel wrote characters that differ from its ramp; check its ramp mode")
            frame = next(pictures.decode(drawn, (16 * width, 16 * height), "bt709"))[..., 0]
        masks = frame.reshape(16, height, 16, width).swapaxes(1, 2).reshape(256, height, width)
        return [masks[ramp.index(character)] for character in characters]

    def draw(self, characters, foreground, background):
        """Returns a picture of cells. `characters`: array (rows, columns) of str. `foreground` and `background`: uint8
        (rows, columns, 3).

        Uses glyphreel's arithmetic: where the coverage is `m` (0..255), the color is `(t + (t >> 8)) >> 8`, with
        `t = foreground * m + background * (255 - m) + 128`.
        """
        self.add(characters.ravel())
        kinds, inverse = np.unique(characters, return_inverse=True)
        numbers = np.array([self._numbers[str(kind)] for kind in kinds])[inverse].reshape(characters.shape)
        mask = self._masks[numbers].astype(np.uint32)[..., None]
        total = (foreground[:, :, None, None].astype(np.uint32) * mask
                 + background[:, :, None, None] * (255 - mask) + 128)
        cells = ((total + (total >> 8)) >> 8).astype(np.uint8)
        rows, columns, height, width, _ = cells.shape
        return cells.swapaxes(1, 2).reshape(rows * height, columns * width, 3)

    def text(self, line, scale=1):
        """Returns a picture (uint8 RGB) of one line of text, white on black, enlarged `scale` times."""
        characters = np.array([list(line)])
        shape = (*characters.shape, 3)
        drawn = self.draw(characters, np.full(shape, 255, np.uint8), np.zeros(shape, np.uint8))
        return np.repeat(np.repeat(drawn, scale, 0), scale, 1)


def diagonal_block(character, cell):
    """Returns the mask of a diagonal block or of a triangular part (U+1FB3C..U+1FB6F), from its Unicode name. Returns
    None for other characters.

    chafa uses these characters. A pixel's coverage is sampled at 16 x 16 points.
    """
    name = unicodedata.name(character, "")
    width, height = cell
    x = (np.arange(width * 16) + 0.5) / (width * 16)
    y = ((np.arange(height * 16) + 0.5) / (height * 16))[:, None]
    cut = re.fullmatch(r"((?:UPPER|LOWER) (?:LEFT|RIGHT)) BLOCK DIAGONAL (.*) TO (.*)", name)
    parts = re.fullmatch(r"(.*) TRIANGULAR (?:ONE QUARTER|THREE QUARTERS) BLOCK", name)
    if cut and cut[2] in _POINTS and cut[3] in _POINTS:
        (x_1, y_1), (x_2, y_2) = _POINTS[cut[2]], _POINTS[cut[3]]
        corner_x, corner_y = _POINTS[cut[1]]

        def side(at_x, at_y):
            return (x_2 - x_1) * (at_y - y_1) - (y_2 - y_1) * (at_x - x_1)

        inside = side(x, y) * side(corner_x, corner_y) > 0
    elif parts:
        quarters = {"UPPER": (y < x) & (y < 1 - x), "LOWER": (y > x) & (y > 1 - x),
                    "LEFT": (x < y) & (x < 1 - y), "RIGHT": (x > y) & (x > 1 - y)}
        inside = np.any([quarters[part] for part in parts[1].split(" AND ")], axis=0)
    else:
        return None
    coverage = inside.reshape(height, 16, width, 16).mean(axis=(1, 3))
    return np.rint(coverage * 255).astype(np.uint8)
