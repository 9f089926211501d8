#!/usr/bin/env python3
"""Records damaged files of 29 media formats. `record` must report the damage or record the intact part.

A failed run must leave no file under the final name, and a leftover .part must have at least one frame. The first cases
are the undamaged seed files, which must succeed."""

import struct
import subprocess
import sys

from common import arguments, make_clip, run_cases

PICTURE = ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=1"]
SOUND = ["-f", "lavfi", "-i", "sine=sample_rate=48000:duration=1"]
SUBTITLES = "1\n00:00:00,100 --> 00:00:00,900\nHello <b>there</b>\n"
X264, AAC = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "5", "-pix_fmt", "yuv420p"], ["-c:a", "aac"]
X265 = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none", "-pix_fmt", "yuv420p"]
VP9, MPEG2 = ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"], ["-c:v", "mpeg2video", "-pix_fmt",
                                                                                 "yuv420p"]
MPEG4 = ["-c:v", "mpeg4", "-pix_fmt", "yuv420p"]
ONE = ["-frames:v", "1"]
# name: (inputs besides the picture, encoders)
SEEDS = {
    "h264.mp4": (SOUND, [*X264, *AAC]), "frag.mp4": (SOUND, [*X264, *AAC, "-movflags", "frag_keyframe+empty_moov"]),
    "subs.mkv": ([*SOUND, "-i", "subs.srt"], [*X264, *AAC, "-c:s", "srt"]), "hevc.mkv": ([], X265),
    "vp9.webm": (SOUND, [*VP9, "-c:a", "libopus"]), "prores.mov": (SOUND, ["-c:v", "prores_ks", "-c:a", "pcm_s16le"]),
    "m.avi": (SOUND, [*MPEG4, "-c:a", "libmp3lame"]), "m.ts": (SOUND, [*X264, *AAC]),
    "m.flv": (SOUND, ["-c:v", "flv", "-an"]),
    "m.gif": ([], []), "m.png": ([], ONE), "m.apng": ([], []), "still.webp": ([], ["-c:v", "libwebp", *ONE]),
    "moving.webp": ([], ["-c:v", "libwebp_anim"]), "m.jpg": ([], ONE), "m.bmp": ([], ONE), "m.tiff": ([], ONE),
    "m.y4m": ([], ["-pix_fmt", "yuv420p"]), "m.mpg": (SOUND, [*MPEG2, "-c:a", "mp2", "-r", "25"]),
    "m.ogv": (SOUND, ["-c:v", "libtheora", "-c:a", "libvorbis"]), "m.wmv": (SOUND, ["-c:v", "wmv2", "-c:a", "wmav2"]),
    "m.mjpeg": ([], ["-pix_fmt", "yuvj420p"]), "m.h264": ([], X264), "m.hevc": ([], X265),
    "m.nut": (SOUND, ["-c:v", "ffv1", "-c:a", "flac"]),
    "m.mxf": (SOUND, [*MPEG2, "-c:a", "pcm_s16le", "-r", "25"]), "m.3gp": (SOUND, [*MPEG4, *AAC]),
    "m.vob": (SOUND, [*MPEG2, "-c:a", "ac3", "-r", "25"]), "m.ivf": ([], VP9),
}
PICTURES = (".gif", ".png", ".apng", ".webp", ".jpg", ".bmp", ".tiff")
INTERESTING = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 16384, 65536,
               1 << 24]


def prepare(folder):
    (folder / "subs.srt").write_text(SUBTITLES)
    seeds = {}
    for name, (inputs, encoders) in SEEDS.items():
        path = folder / name
        inputs = [str(folder / word) if word == "subs.srt" else word for word in inputs]
        try:
            seeds[name] = make_clip(path, *PICTURE, *inputs, *encoders).read_bytes()
        except AssertionError as reason:  # This ffmpeg lacks the encoder.
            print(f"mutants: cannot make the seed {name}; skipping it: {str(reason)[:200]}", file=sys.stderr)
    return seeds


def change_size(pick, data):
    """Changes the frame size, found in the header as the adjacent numbers 64 and 48. The file keeps its length."""
    data = bytearray(data)
    for layout, pair in [(layout, pair) for layout in (">HH", "<HH", ">II", "<II") for pair in ((64, 48), (48, 64))]:
        at = bytes(data[:4096]).find(struct.pack(layout, *pair))
        if at >= 0 and pick.random() < 0.7:
            new = [pick.choice([1, 63, 4000, 8192, 16000, 16384, 30000, 65535]) for _ in pair]
            data[at:at + struct.calcsize(layout)] = struct.pack(layout, *new)
    return data


def mutate(pick, data):
    """Damages the bytes at random. Half of the changes are in the first kilobyte, which has the headers."""
    data, length = bytearray(data), len(data)
    at = pick.randrange(min(length, 1024) if pick.random() < 0.5 else length)
    other = pick.randrange(length)
    size = min(pick.choice([1, 2, 4, 16, 100, 1000, 10000]), length)
    kind = pick.randrange(8)
    if kind == 0:
        for _ in range(pick.choice([1, 3, 20])):
            data[(at + pick.randrange(size)) % length] ^= 1 << pick.randrange(8)
    elif kind == 1:
        del data[at:]
    elif kind == 2:
        del data[at:at + size]
    elif kind == 3:
        data[at:at + size] = data[other:other + size]
    elif kind == 4:
        data[at:at] = data[other:other + size] if pick.random() < 0.5 else pick.randbytes(size)
    elif kind == 5:
        layout = pick.choice([">B", ">H", "<H", ">I", "<I", ">Q", "<Q"])
        number = pick.choice(INTERESTING) & ((1 << 8 * struct.calcsize(layout)) - 1)
        data[at:at + struct.calcsize(layout)] = struct.pack(layout, number)
    elif kind == 6:
        data = change_size(pick, data)
    else:
        data[at:at + size] = bytes(len(data[at:at + size]))
    return bytes(data)


def holds_a_frame(path):
    """Whether a .part has a decodable frame."""
    if path.suffix == ".txt":
        return b"\f" in path.read_bytes()
    done = subprocess.run(["ffmpeg", "-v", "quiet", "-nostdin", "-i", path, "-frames:v", "1", "-f", "framecrc", "-"],
                          capture_output=True, check=False)
    return any(line.startswith(b"0,") for line in done.stdout.splitlines())


def one_mutant(case, seeds):
    pick = case.random
    intact = case.number < len(seeds)
    name = sorted(seeds)[case.number] if intact else pick.choice(sorted(seeds))
    data = seeds[name]
    if not intact and name.endswith(PICTURES) and pick.random() < 0.25:
        data = change_size(pick, data)
    for _ in range(0 if intact else pick.choice([0, 1, 1, 2, 4])):
        data = mutate(pick, data) or b"\0"
    (case.work / name).write_bytes(data)
    output = "out" + pick.choice([".mkv", ".txt", ".mp4"])
    outcome = case.run(["record", name, "-o", output, "--grid", "20x6", "--quiet", "--renderer", "cpu"], limit=20)
    case.check_contract(outcome)
    if outcome.late and not outcome.hung:
        case.problem("still running after 20 s")
    if outcome.peak_mb > case.options.megabytes:
        case.problem("memory", f"{outcome.peak_mb:.0f} MB for {len(data)} bytes of {name}")
    if outcome.code not in (0, 130) and (case.work / output).exists():
        case.problem("a failed run left a file under the final name", output)
    if intact and outcome.code != 0:
        case.problem("an undamaged seed failed", name)
    if outcome.code == 0 and not (case.work / output).exists():
        case.problem("exit 0 without an output", output)
    if outcome.code != 0 and not outcome.stderr.strip():
        case.problem("failed without a message")
    for path in case.work.iterdir():
        if path.name in (name, output):
            continue
        if ".part." not in path.name or outcome.code == 0:
            case.problem("stray file", path.name)
        elif not holds_a_frame(path):
            case.problem("a .part without a frame", f"{path.name}, {path.stat().st_size} bytes")
    if (case.work / name).read_bytes() != data:
        case.problem("the input was changed")


if __name__ == "__main__":
    sys.exit(run_cases(arguments(__doc__, 1500, megabytes=2000), one_mutant, prepare))
