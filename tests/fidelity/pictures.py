"""Reads and writes pictures: clips with the ffmpeg command, PNG files with its own code."""

import json
import struct
import subprocess
import zlib
from fractions import Fraction
from typing import NamedTuple

import numpy as np


# ffmpeg output options for lossless video.
EXACT = ["-c:v", "ffv1", "-pix_fmt", "bgr0"]


class Clip(NamedTuple):
    """Properties of a clip's video stream. `width` and `height`: as displayed, after rotation and sample aspect ratio.
    `matrix`: the color matrix as named by ffmpeg's scale filter."""

    width: int
    height: int
    frames: int
    rate: Fraction
    matrix: str


def run(command, **options):
    """Runs a command and returns its standard output as bytes. Raises RuntimeError if the command fails."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed ({done.returncode}): {done.stderr.decode(errors='replace')[-600:]}")
    return done.stdout


def probe(path):
    """Returns the Clip of a file. Decodes the file to count the frames."""
    listing = json.loads(run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_frames", "-show_entries",
                              "stream=width,height,nb_read_frames,r_frame_rate,sample_aspect_ratio,color_space"
                              ":stream_side_data=rotation", "-of", "json", path]))
    stream = listing["streams"][0]
    width, height = stream["width"], stream["height"]
    aspect = stream.get("sample_aspect_ratio", "1:1").replace(":", "/")
    if aspect not in ("0/1", "1/1", "N/A"):
        width = round(width * Fraction(aspect))
    rotation = next((entry["rotation"] for entry in stream.get("side_data_list", []) if "rotation" in entry), 0)
    if rotation % 180:
        width, height = height, width
    # Untagged HD is BT.709, as in glyphreel. (ffmpeg would use BT.601.)
    high = stream["height"] >= 720 or stream["width"] >= 1280
    matrix = {"bt709": "bt709", "bt2020nc": "bt2020", "smpte170m": "bt601", "bt470bg": "bt601"}.get(
        stream.get("color_space"), "bt709" if high else "bt601")
    return Clip(width, height, int(stream["nb_read_frames"]), Fraction(stream["r_frame_rate"]), matrix)


def spread(total, count):
    """Divides `total` frames into `count` equal parts. Returns the number of the middle frame of each part."""
    count = min(count, total)
    return [(2 * i + 1) * total // (2 * count) for i in range(count)]


def decode(path, size, matrix, limit=None):
    """Yields the clip's frames, or the first `limit`, as uint8 RGB, upright, scaled to `size` (width, height). `matrix`
    is as in Clip. Chroma is interpolated to full resolution."""
    width, height = size
    flags = "bicubic+accurate_rnd+full_chroma_int+full_chroma_inp"
    scale = f"scale={width}:{height}:in_color_matrix={matrix}:flags={flags}"
    command = ["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:v:0", "-vf", scale, "-vsync", "passthrough",
               *(["-frames:v", limit] if limit else []), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE) as process:
        while True:
            raw = process.stdout.read(width * height * 3)
            if len(raw) < width * height * 3:
                break
            yield np.frombuffer(raw, np.uint8).reshape(height, width, 3)
    if process.returncode != 0:
        raise RuntimeError(f"ffmpeg cannot decode {path}; try another clip")


def encode(path, frames, rate, options):
    """Encodes uint8 RGB frames of one size with ffmpeg and the given output options."""
    height, width = frames[0].shape[:2]
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r",
               str(rate), "-i", "-", *options, path]
    subprocess.run([str(word) for word in command], input=b"".join(frame.tobytes() for frame in frames), check=True)


def write_png(path, picture):
    """Writes uint8 RGB as a PNG file (ISO/IEC 15948) with one IDAT chunk and the filter `Up` for every row."""
    height, width = picture.shape[:2]
    rows = picture.reshape(height, width * 3)
    above = np.vstack([np.zeros((1, width * 3), np.uint8), rows[:-1]])
    filtered = np.hstack([np.full((height, 1), 2, np.uint8), rows - above])

    def chunk(kind, payload):
        return (struct.pack(">I", len(payload)) + kind + payload + struct.pack(">I", zlib.crc32(kind + payload)))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(filtered.tobytes(), 6)) + chunk(b"IEND", b""))
