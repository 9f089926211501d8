#!/usr/bin/env python3
"""Reimplements the classic program, whose output glyphreel's classic settings reproduce (docs/mapping.md).

Each cell is (width // columns) x (height // rows) source pixels. The gray value of its top left pixel,
(4899 R + 9617 G + 1868 B + 8192) >> 14, selects one of five characters. Prints one line per row, and a form feed
after each frame. With --compare, prints no frames, but compares them with a text export of glyphreel:

    classic_reference.py clip.mkv --columns 160 --rows 45 > reference.txt
    classic_reference.py clip.mkv --columns 160 --rows 45 --compare export.txt

Exit codes: 0 done, 1 too many cells differ, 2 wrong usage or an unreadable input.
"""

import argparse
import itertools
import shutil
import subprocess
import sys

try:
    import cv2
except ImportError:
    cv2 = None

# The first threshold above the gray value selects the character. If no threshold is above it, the character is LAST.
THRESHOLDS = ((52, " "), (103, "1"), (154, "7"), (215, "2"))
LAST = "8"


def character_of(gray):
    for threshold, character in THRESHOLDS:
        if gray < threshold:
            return character
    return LAST


CHARACTERS = [character_of(gray) for gray in range(256)]


class InputError(Exception):
    """The input is unreadable. The message gives the reason."""


class Frame:
    """The top left pixels of one picture's cells, row by row, with three bytes in `bgr` for each pixel."""

    def __init__(self, bgr, columns, cv2_gray=None):
        self.bgr = bgr
        self.columns = columns
        self.cv2_gray = cv2_gray

    def gray(self):
        b, g, r = self.bgr[0::3], self.bgr[1::3], self.bgr[2::3]
        return [(4899 * red + 9617 * green + 1868 * blue + 8192) >> 14 for red, green, blue in zip(r, g, b)]

    def rows(self):
        text = "".join(CHARACTERS[gray] for gray in self.gray())
        return [text[start:start + self.columns] for start in range(0, len(text), self.columns)]


def cell_size(width, height, columns, rows):
    if columns > width or rows > height:
        raise InputError(f"a picture of {width}x{height} is too small for {columns}x{rows} cells")
    return width // columns, height // rows


def frames_by_cv2(path, columns, rows):
    capture = cv2.VideoCapture(path)
    if not capture.isOpened():
        raise InputError(f"OpenCV cannot open {path}")
    while True:
        decoded, picture = capture.read()
        if not decoded:
            return
        height, width = picture.shape[:2]
        cell_width, cell_height = cell_size(width, height, columns, rows)
        corners = picture[:rows * cell_height:cell_height, :columns * cell_width:cell_width]
        # Convert the whole picture, as the classic program does. Converting only `corners` could round differently in OpenCV.
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        cv2_gray = gray[:rows * cell_height:cell_height, :columns * cell_width:cell_width]
        yield Frame(corners.tobytes(), columns, list(cv2_gray.tobytes()))


def picture_size(path):
    probe = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height",
                            "-of", "csv=p=0:s=x", path], capture_output=True, text=True)
    size = probe.stdout.split()[0].strip("x").split("x") if probe.returncode == 0 and probe.stdout.split() else []
    if len(size) != 2:
        raise InputError(f"ffprobe finds no video in {path}: {probe.stderr.strip()}")
    return int(size[0]), int(size[1])


def frames_by_ffmpeg(path, columns, rows):
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        raise InputError("ffmpeg and ffprobe are needed to decode without OpenCV")
    width, height = picture_size(path)
    cell_width, cell_height = cell_size(width, height, columns, rows)
    # OpenCV ignores the stream's matrix and uses BT.601; so does this conversion.
    command = ["ffmpeg", "-v", "error", "-nostdin", "-noautorotate", "-i", path, "-map", "0:v:0", "-vsync", "passthrough",
               "-vf", "scale=in_color_matrix=bt601:flags=bicubic", "-pix_fmt", "bgr24", "-f", "rawvideo", "-"]
    size = width * height * 3
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=1 << 20) as decoder:
        try:
            while True:
                picture = decoder.stdout.read(size)
                if len(picture) < size:
                    break
                corners = bytearray()
                for row in range(rows):
                    line = picture[row * cell_height * width * 3:(row * cell_height + 1) * width * 3]
                    for column in range(columns):
                        at = column * cell_width * 3
                        corners += line[at:at + 3]
                yield Frame(bytes(corners), columns)
            if decoder.wait() != 0:
                raise InputError(f"ffmpeg failed on {path}")
        finally:
            decoder.kill()  # needed if the caller stops before the last frame


def checked(frames, tally):
    """Yields the frames. If OpenCV decoded them, counts in `tally` the cells, and how many of the cells' gray values
    and characters differ between cv2.cvtColor and the formula."""
    for frame in frames:
        if frame.cv2_gray is not None:
            for formula, converted in zip(frame.gray(), frame.cv2_gray):
                tally["samples"] += 1
                tally["gray"] += formula != converted
                tally["characters"] += CHARACTERS[formula] != CHARACTERS[converted]
        yield frame


def exported_frames(path):
    """Returns the frames of a text export, each as a list of rows."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    pieces = text.split("\f")
    if pieces and pieces[-1].strip("\r\n") == "":
        pieces.pop()
    frames = []
    for piece in pieces:
        rows = piece.split("\n")
        if rows and rows[-1] == "":
            rows.pop()
        frames.append(rows)
    return frames


def compare(frames, exported, columns, rows, at_least):
    cells = mismatches = 0
    first = None
    count = 0
    for number, (frame, given) in enumerate(itertools.zip_longest(frames, exported)):
        count += 1
        cells += columns * rows
        truth = frame.rows() if frame is not None else []
        given = given or []
        for row in range(max(rows, len(given))):
            expected = truth[row] if row < len(truth) else ""
            actual = given[row] if row < len(given) else ""
            for column, (one, other) in enumerate(itertools.zip_longest(expected, actual)):
                if one != other:
                    mismatches += 1
                    first = first or (number, column, row, one, other)
    share = 1 - mismatches / cells if cells else 0.0
    print(f"frames {count}, cells {cells}, mismatches {mismatches}, share equal {share:.6f}")
    if first:
        print("first mismatch: frame {}, column {}, row {}: expected {!r}, got {!r}".format(*first))
    return 0 if share >= at_least else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clip")
    parser.add_argument("--columns", type=int, required=True)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--frames", type=int, help="stop after this many frames of the clip and of the export")
    parser.add_argument("--decoder", choices=("cv2", "ffmpeg"), help="default: cv2 if installed")
    parser.add_argument("--compare", metavar="FILE.txt", help="a text export of glyphreel")
    parser.add_argument("--at-least", type=float, default=0.999, metavar="SHARE",
                        help="required share of equal cells (default 0.999)")
    options = parser.parse_args()
    if options.columns < 1 or options.rows < 1 or (options.frames is not None and options.frames < 1):
        parser.error("--columns, --rows and --frames must be positive")
    decoder = options.decoder or ("cv2" if cv2 else "ffmpeg")
    if decoder == "cv2" and cv2 is None:
        parser.error("OpenCV for Python is not installed; install python3-opencv, or pass --decoder ffmpeg")

    decode = frames_by_cv2 if decoder == "cv2" else frames_by_ffmpeg
    tally = {"samples": 0, "gray": 0, "characters": 0}
    try:
        frames = decode(options.clip, options.columns, options.rows)
        frames = checked(itertools.islice(frames, options.frames), tally)
        status = 0
        if options.compare:
            exported = exported_frames(options.compare)[:options.frames]
            status = compare(frames, exported, options.columns, options.rows, options.at_least)
        else:
            count = 0
            for frame in frames:
                sys.stdout.write("".join(row + "\n" for row in frame.rows()) + "\f")
                count += 1
            if count == 0:
                raise InputError(f"{options.clip} has no frames")
    except InputError as error:
        print(f"classic_reference.py: {error}", file=sys.stderr)
        return 2
    if tally["samples"]:
        print("cv2.cvtColor against the formula: {samples} samples, {gray} gray values differ, {characters} characters "
              "differ".format(**tally), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
