"""Checks that ansilove and tmux show the cells of `.ans` and `.xb` files: the glyph and both colors of every cell.

An .ans file has no glyphs. The expected glyphs are those of ansilove's own font, taken from a picture of all 256
characters that ansilove draws."""

import dataclasses

import numpy as np
from PIL import Image

from cells import Screen, glyph_masks
from common import Recorder, check, run
from terminal import COLUMNS, ROWS, Colors, screen_of, terminal

VGA = ["000000", "aa0000", "00aa00", "aa5500", "0000aa", "aa00aa", "00aaaa", "aaaaaa",
       "555555", "ff5555", "55ff55", "ffff55", "5555ff", "ff55ff", "55ffff", "ffffff"]
CELL = (16, 8)  # rows and columns of pixels
MASK_THRESHOLD = 128  # a glyph in an .xb font has the pixels that are at least half covered


def blocks_of(picture):
    """Returns a picture's cells as an array of the shape (rows, columns, 16, 8, 3)."""
    return picture.reshape(ROWS, CELL[0], COLUMNS, CELL[1], 3).transpose(0, 2, 1, 3, 4)


def wrong_cells(blocks, bitmaps, foreground, background):
    """Returns which cells of a picture are not these bitmaps in these colors."""
    wanted = np.where(bitmaps[..., None], foreground[:, :, None, None], background[:, :, None, None])
    return (blocks != wanted).any(axis=(2, 3, 4))


class TextArtReaders(Recorder):
    def run(self):
        self.font = self.ansilove_font()
        self.palette = self.folder / "vga.txt"
        self.palette.write_text("".join(f"#{color}\n" for color in VGA))
        for charset in ("ascii", "dos"):
            self.ans("16 colors", charset, [], ["--color", "full", "--palette", self.palette])
            self.ans("24-bit", charset, ["--color", "full"], ["--color", "full"])
        self.xb()

    def ansilove(self, path, *options):
        """Returns ansilove's picture of a file."""
        picture = self.folder / "ansilove.png"
        run("ansilove", "-q", *options, "-o", picture, path)
        return np.asarray(Image.open(picture).convert("RGB"))

    def ansilove_font(self):
        path = self.folder / "font.bin"
        path.write_bytes(b"".join(bytes([byte, 0x0F]) for byte in range(256)))
        picture = self.ansilove(path, "-c", "256")
        return (picture[..., 0] > 0).reshape(CELL[0], 256, CELL[1]).transpose(1, 0, 2)

    def screens(self, *options):
        """Returns the cells of each frame, from a .utf8ans recording. TerminalReaders checks such recordings
        against pictures."""
        text = self.record("wanted.utf8ans", *options).read_bytes().decode()
        return [screen_of(frame, Colors()) for frame in text.split(f"\x1b[{ROWS}A")]

    def ans(self, dialect, charset, options, same):
        charset = ["--charset", charset]
        screens = self.screens(*charset, *same, "--frames", "30")
        for frames in (1, 2, 30):
            path = self.record("a.ans", *charset, *options, "--frames", str(frames))
            wanted = self.limited(screens[frames - 1], dialect)
            if frames > 1:  # Later frames of an animation leave the last cell as it is: writing it would scroll the screen.
                self.copy_last_cell(self.limited(screens[0], dialect), wanted)
            blocks = blocks_of(self.ansilove(path, "-S"))
            bitmaps = self.font[np.frombuffer("".join(wanted.text()).encode("cp437"), np.uint8)]
            wrong = wrong_cells(blocks, bitmaps.reshape(ROWS, COLUMNS, *CELL), wanted.foreground, wanted.background)
            inked = bitmaps.any(axis=(1, 2)) & ~bitmaps.all(axis=(1, 2))
            check(f"{dialect}, {charset[1]}: .ans of {frames} frames by ansilove", not wrong.any() and inked.mean() > 0.2,
                  f"{wrong.sum()} of {wrong.size} cells are wrong; {inked.mean():.2f} have both colors")
            if dialect == "16 colors":
                self.ans_in_tmux(f"{dialect}, {charset[1]}: .ans of {frames} frames in tmux", path, wanted)

    def limited(self, screen, dialect):
        """Returns a copy of a screen. In the 24-bit dialect, RGB values up to 0x00000F become black,
        because readers take them for palette indices."""
        colors = {}
        for ground in ("foreground", "background"):
            colors[ground] = getattr(screen, ground).copy()
            if dialect == "24-bit":
                colors[ground][(colors[ground] < [1, 1, 16]).all(axis=2)] = 0
        return dataclasses.replace(screen, characters=[list(row) for row in screen.characters], **colors)

    def copy_last_cell(self, source: Screen, target: Screen):
        target.characters[-1][-1] = source.characters[-1][-1]
        target.foreground[-1, -1], target.background[-1, -1] = source.foreground[-1, -1], source.background[-1, -1]

    def ans_in_tmux(self, name, path, wanted):
        text = path.read_bytes().split(b"\x1a")[0].decode("cp437")
        with terminal(self.folder) as pane:
            pane.write(text)
            shown = pane.screen(Colors(VGA), is_ice=True)
        is_space = np.array(wanted.characters) == " "
        wrong = (np.array(shown.characters) != np.array(wanted.characters)) | (shown.background != wanted.background).any(axis=2)
        wrong |= (shown.foreground != wanted.foreground).any(axis=2) & ~is_space
        check(name, not wrong.any(), f"{wrong.sum()} cells are wrong")

    def xb(self):
        for charset in ("ascii", "symbols"):
            options = ["--color", "ansi16", "--charset", charset, "--frames", "1"]
            blocks = blocks_of(self.ansilove(self.record("a.xb", *options), "-S"))
            [screen] = self.screens(*options)
            masks = glyph_masks(self.record("wanted.cells", *options))
            bitmaps = np.array([masks[ord(character)] >= MASK_THRESHOLD for row in screen.characters for character in row])
            colors = [(levels << 2 | levels >> 4).astype(np.uint8) for levels in (  # ansilove expands 6 bits to 8
                (color.astype(int) * 63 + 127) // 255 for color in (screen.foreground, screen.background))]
            wrong = wrong_cells(blocks, bitmaps.reshape(ROWS, COLUMNS, *CELL), *colors)
            check(f"{charset}: .xb by ansilove", not wrong.any(),
                  f"{wrong.sum()} cells are wrong; {len(np.unique(bitmaps, axis=0))} glyphs")
