"""Variants of the input clip for the parity matrix: other bit depths, colors, layouts and orientations of the same
frames. Needs ffmpeg and ffprobe."""

import json
import subprocess
from typing import NamedTuple, Optional

H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-crf", "12")
FFV1 = ("-c:v", "ffv1")


def to_hdr(transfer):
    # npl=203 converts SDR white to 203 cd/m2, the reference white of BT.2408.
    return (f"zscale=tin=bt709:min=bt709:pin=bt709:rin=limited:t={transfer}:m=2020_ncl:p=2020:r=limited:npl=203,"
            "format=yuv420p10le")


class Recipe(NamedTuple):
    """How ffmpeg makes a clip, and the properties that ffprobe must report, since a wrong clip would test nothing."""

    output: tuple
    expected: dict
    suffix: str = ".mkv"
    turn: Optional[int] = None  # degrees, counterclockwise


CLIPS = {
    "10-bit": Recipe((*H264, "-pix_fmt", "yuv420p10le"), {"pix_fmt": "yuv420p10le"}),
    "pq": Recipe(("-vf", to_hdr("smpte2084"), *H264), {"pix_fmt": "yuv420p10le", "color_transfer": "smpte2084"}),
    "hlg": Recipe(("-vf", to_hdr("arib-std-b67"), *H264), {"pix_fmt": "yuv420p10le", "color_transfer": "arib-std-b67"}),
    "444": Recipe((*H264, "-pix_fmt", "yuv444p"), {"pix_fmt": "yuv444p"}),
    "rgb": Recipe((*FFV1, "-pix_fmt", "bgr0"), {"pix_fmt": "bgr0"}),
    "turned-90": Recipe((*H264, "-pix_fmt", "yuv420p"), {"rotation": 90}, ".mp4", 90),
    "turned-180": Recipe((*H264, "-pix_fmt", "yuv420p"), {"rotation": -180}, ".mp4", 180),
    "turned-270": Recipe((*H264, "-pix_fmt", "yuv420p"), {"rotation": -90}, ".mp4", 270),
}


class NotMade(Exception):
    """A clip could not be made; the message says why."""


def run(command):
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True)
    except FileNotFoundError as missing:
        raise NotMade(f"{missing.filename} is not installed") from missing
    if done.returncode != 0:
        raise NotMade(f"{command[0]} failed: {done.stderr.decode(errors='replace').strip()[-400:]}")
    return done.stdout


def ffmpeg(*arguments):
    run(["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments])


def turn(source, degrees, path):
    """Writes a copy with rotation metadata. FFmpeg 6 replaced the metadata tag with -display_rotation."""
    try:
        ffmpeg("-display_rotation", degrees, "-i", source, "-c", "copy", path)
    except NotMade:
        ffmpeg("-i", source, "-c", "copy", "-metadata:s:v:0", f"rotate={degrees}", path)


def facts(path):
    """Returns ffprobe's properties of the video stream, including its rotation."""
    answer = json.loads(run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                             "stream=pix_fmt,color_transfer:stream_side_data=rotation", "-of", "json", path]))
    stream = answer["streams"][0]
    for entry in stream.pop("side_data_list", []):
        stream.update(entry)
    return stream


def make(name, source, start, frames, folder):
    """Makes the clip `name` in `folder` from `frames` frames of `source` beginning at `start`; returns its path."""
    made = CLIPS[name]
    path = folder / f"{name}{made.suffix}"
    written = folder / f"upright-{name}{made.suffix}" if made.turn else path
    ffmpeg("-ss", start, "-i", source, "-map", "0:v:0", "-an", "-sn", "-frames:v", frames, *made.output, written)
    if made.turn:
        turn(written, made.turn, path)
        written.unlink()
    found = facts(path)
    different = {key: found.get(key) for key, value in made.expected.items() if found.get(key) != value}
    if different:
        raise NotMade(f"ffmpeg made clip {name} with {different} instead of {made.expected}")
    return path
