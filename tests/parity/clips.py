"""Clips that the parity matrix makes from the one it is given: other depths, colours, layouts and orientations of the
same pictures. Needs ffmpeg and ffprobe."""

import json
import subprocess
from typing import NamedTuple, Optional

H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-crf", "12")
FFV1 = ("-c:v", "ffv1")


def to_hdr(transfer):
    # White at 203 cd/m2, BT.2408's reference, as a broadcaster converts.
    return (f"zscale=tin=bt709:min=bt709:pin=bt709:rin=limited:t={transfer}:m=2020_ncl:p=2020:r=limited:npl=203,"
            "format=yuv420p10le")


class Made(NamedTuple):
    """How ffmpeg makes a clip, and what ffprobe must say of it: a clip that is not what it is called proves nothing."""

    output: tuple
    expected: dict
    suffix: str = ".mkv"
    turn: Optional[int] = None  # degrees, anticlockwise


CLIPS = {
    "10-bit": Made((*H264, "-pix_fmt", "yuv420p10le"), {"pix_fmt": "yuv420p10le"}),
    "pq": Made(("-vf", to_hdr("smpte2084"), *H264), {"pix_fmt": "yuv420p10le", "color_transfer": "smpte2084"}),
    "hlg": Made(("-vf", to_hdr("arib-std-b67"), *H264), {"pix_fmt": "yuv420p10le", "color_transfer": "arib-std-b67"}),
    "444": Made((*H264, "-pix_fmt", "yuv444p"), {"pix_fmt": "yuv444p"}),
    "rgb": Made((*FFV1, "-pix_fmt", "bgr0"), {"pix_fmt": "bgr0"}),
    "turned-90": Made((*H264, "-pix_fmt", "yuv420p"), {"rotation": 90}, ".mp4", 90),
    "turned-180": Made((*H264, "-pix_fmt", "yuv420p"), {"rotation": -180}, ".mp4", 180),
    "turned-270": Made((*H264, "-pix_fmt", "yuv420p"), {"rotation": -90}, ".mp4", 270),
}


class NotMade(Exception):
    """A clip could not be made; says why."""


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
    """Writes a copy that is to be shown turned. FFmpeg 6 took one way of saying so away and brought another."""
    try:
        ffmpeg("-display_rotation", degrees, "-i", source, "-c", "copy", path)
    except NotMade:
        ffmpeg("-i", source, "-c", "copy", "-metadata:s:v:0", f"rotate={degrees}", path)


def facts(path):
    """What ffprobe says of the video stream, its rotation included."""
    answer = json.loads(run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                             "stream=pix_fmt,color_transfer:stream_side_data=rotation", "-of", "json", path]))
    stream = answer["streams"][0]
    for entry in stream.pop("side_data_list", []):
        stream.update(entry)
    return stream


def make(name, source, start, frames, folder):
    """The path of the clip of that name in `folder`, with `frames` pictures of `source` from `start` on."""
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
        raise NotMade(f"ffmpeg made a clip {name} with {different} instead of {made.expected}")
    return path
