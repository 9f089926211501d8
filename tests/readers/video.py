"""Checks that ffprobe and FFmpeg read every container and codec that `record` writes: frames, times, colors, tracks,
chapters, tags, and the A/V offset."""

import json
import pathlib
import struct
from fractions import Fraction

import numpy as np

from cells import chunks_of, outputs
from common import Recorder, check, run

FORMATS = {"mp4": ("libx264", "libx265", "libsvtav1", "mpeg4"), "mov": ("libx264", "libx265"),
           "mkv": ("libx264", "libx265", "libvpx-vp9", "av1", "ffv1", "libx264rgb"), "webm": ("libvpx-vp9", "libsvtav1")}
MS = 0.001
CLIP = """1
00:00:00,200 --> 00:00:01,500
a line
"""
CHAPTERS = """;FFMETADATA1
title=The clip
artist=Nobody
[CHAPTER]
TIMEBASE=1/1000
START=0
END=1200
title=one
[CHAPTER]
TIMEBASE=1/1000
START=1200
END=3000
title=two
"""


def probe(path, *words):
    """Returns facts about a file. `words`: entries for ffprobe's -show_entries, then other options of ffprobe, the
    first of which begins with a dash."""
    options = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    return json.loads(run("ffprobe", "-v", "error", "-show_entries", ":".join(words[:options]), *words[options:], "-of", "json", path))


def video_times(path):
    times = run("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time", "-of",
                "csv=p=0", path).decode().split()
    return np.array([float(time.strip(",")) for time in times])


def sound(path):
    """Returns the time of the first sample of the first audio track, and its samples as mono at 48 kHz."""
    found = probe(path, "stream=sample_rate", "packet=pts_time", "packet_side_data", "-select_streams", "a:0", "-read_intervals", "%+#1")
    packet, header = found["packets"][0], path.read_bytes().find(b"OpusHead")
    start = float(packet["pts_time"])
    for each in packet.get("side_data_list", []):
        start += int(each.get("skip_samples", 0)) / int(found["streams"][0]["sample_rate"])
    if path.suffix == ".webm" and header >= 0:
        # FFmpeg rounds the codec delay (pre-skip, RFC 7845) to milliseconds and subtracts it from the times.
        start += int(struct.unpack_from("<H", path.read_bytes(), header + 10)[0] / 48 + 0.5) / 1000
    raw = run("ffmpeg", "-v", "error", "-i", path, "-map", "0:a:0", "-ac", "1", "-ar", "48000", "-f", "f32le", "-")
    return start, np.frombuffer(raw, np.float32)


def sound_offset(a, b):
    """Returns by how many seconds the sound b is later than a, found by correlation."""
    length = 1 << 19
    correlation = np.fft.irfft(np.fft.rfft(a[1], length).conj() * np.fft.rfft(b[1], length))
    at = int(np.argmax(correlation))
    return (at - length if at > length // 2 else at) / 48000 + b[0] - a[0]


def cells_times(path):
    """Returns a time for each frame of a .cells file (docs/cells-format.md): the time of the first frame in the same
    chunk."""
    base, times = None, []
    for kind, payload in chunks_of(path):
        if kind == b"HEAD":
            base = Fraction(*struct.unpack_from("<qq", payload, 14))
        elif kind == b"FRAM":
            pts, count = struct.unpack_from("<qI", payload)
            times += [float(pts * base)] * count
    return np.array(times)


def cells_sound(path):
    """Writes the sound of a .cells file to an Ogg file, and returns its path."""
    target = path.with_suffix(".opus")
    target.write_bytes(b"".join(payload for kind, payload in chunks_of(path) if kind == b"SOND"))
    return target


class VideoReaders(Recorder):
    def make_clip(self):
        (self.folder / "clip.srt").write_text(CLIP)
        (self.folder / "clip.txt").write_text(CHAPTERS)
        path = self.folder / "tracks.mkv"
        run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30000/1001:d=3", "-f", "lavfi", "-i",
            "anoisesrc=r=48000:d=3:seed=5,lowpass=3000", "-f", "lavfi", "-i", "sine=r=48000:d=3", "-i", self.folder / "clip.srt",
            "-i", self.folder / "clip.txt", "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-map_metadata", "4",
            "-map_chapters", "4", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-c:a", "aac", "-c:s", "srt",
            "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu", "-metadata:s:s:0", "language=fra", path)
        return path

    def run(self):
        clip = self.make_clip()
        source = {"times": video_times(clip), "sound": sound(clip)}
        source["start"] = float(probe(clip, "stream=codec_type,start_time")["streams"][0]["start_time"])
        for ending, codecs in FORMATS.items():
            for codec in codecs:
                path = self.folder / f"{codec}.{ending}"
                run(self.program, "record", clip, "-o", path, "--force", "--quiet", "--grid", "40x12", "--codec", codec)
                self.read(f"{ending} with {codec}", path, source)
        path = self.folder / "444.mp4"
        run(self.program, "record", clip, "-o", path, "--force", "--quiet", "--grid", "40x12", "--pix-fmt", "yuv444p",
            "--bitrate", "800k", "--preset", "veryfast")
        self.read("mp4 with 4:4:4, a bit rate and a preset", path, source)
        self.parts()
        self.late_sound()

    def read(self, name, path: pathlib.Path, source):
        found = probe(path, "stream=codec_type,codec_name,pix_fmt,color_space,color_primaries,color_transfer,color_range,"
                      "sample_aspect_ratio", "stream_tags=language", "chapter=start_time", "chapter_tags=title", "format=duration",
                      "format_tags=title,artist")
        times, expected = video_times(path), source["times"]
        off = np.abs(times - expected).max() if len(times) == len(expected) else 9
        decodes = run("ffmpeg", "-v", "warning", "-i", path, "-map", "0:v", "-map", "0:a", "-f", "null", "-") == b""
        check(f"{name}: frames and times", off <= 0.6 * MS and decodes, f"{len(times)} frames, {off * 1000:.2f} ms")
        duration = float(found["format"]["duration"])
        check(f"{name}: duration", abs(duration - 3) < 0.1, f"{duration} s")
        video = found["streams"][0]
        colors = [video.get(f"color_{part}") for part in ("space", "primaries", "transfer", "range")]
        is_rgb = video["pix_fmt"].startswith(("gbr", "bgr"))
        wanted = ["gbr", "bt709", "iec61966-2-1", "pc"] if is_rgb else ["bt709", "bt709", "bt709", "tv"]
        check(f"{name}: color tags", colors == wanted or (is_rgb and path.suffix == ".mkv" and colors[1] == "bt709"),
              f"{video['codec_name']} {video['pix_fmt']} {colors}")
        tracks = [(stream["codec_type"], stream.get("tags", {}).get("language")) for stream in found["streams"][1:]]
        if path.suffix == ".mov":  # .mov has a different code for German
            tracks = [(kind, {"ger": "deu"}.get(language, language)) for kind, language in tracks]
        check(f"{name}: tracks", tracks == [("audio", "eng"), ("audio", "deu"), ("subtitle", "fra")] or
              tracks[:3] == [("audio", "eng"), ("audio", "deu"), ("subtitle", "fra")] and tracks[3][0] == "data", f"{tracks}")
        chapters = [(float(chapter["start_time"]), chapter["tags"]["title"]) for chapter in found["chapters"]]
        check(f"{name}: chapters", chapters == [(0, "one"), (1.2, "two")], f"{chapters}")
        tags = {key.lower(): value for key, value in found["format"]["tags"].items()}
        check(f"{name}: tags", tags.get("title") == "The clip" and tags.get("artist") == "Nobody", f"{tags}")
        self.check_offset(name, path, times, source)

    def check_offset(self, name, path, times, source):
        """Checks the A/V offset of a recording of the source's last frames: the shift of the sound between source and
        recording, minus the shift of the first frame. `times`: those of the recording's frames."""
        late = sound_offset(source["sound"], sound(path)) - (times[0] - source["times"][-len(times)])
        check(f"{name}: A/V offset", abs(late) < 1 * MS, f"{late * 1000:+.2f} ms, {len(times)} frames")

    def parts(self):
        """Checks the A/V offset of recordings that begin at different positions in the clip, some between two frames.
        In some recordings, the sound is encoded as Opus. The clip's timestamps are more precise than milliseconds."""
        clip = self.folder / "exact.mp4"
        run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30000/1001:d=3", "-f", "lavfi", "-i",
            "anoisesrc=r=48000:d=3:seed=5,lowpass=3000", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-c:a", "aac", clip)
        source = {"times": video_times(clip), "sound": sound(clip)}
        for start in ("0", "1", "1.387", "2.1"):
            for name in ("part.mp4", "part.mov", "part.mkv", "part.webm", "part.cells", "part.cast"):
                path = self.record_part(clip, name, "--start", start)
                if name == "part.cells":
                    times, path = cells_times(path), cells_sound(path)
                elif name == "part.cast":
                    count = int(np.sum(source["times"] >= float(start) - 0.5 * MS))
                    times, path = np.full(count, outputs(path)[1][0][0]), path.with_suffix(".ogg")
                else:
                    times = video_times(path)
                self.check_offset(f"{name} from {start} s", path, times, source)

    def record_part(self, clip, name, *options):
        path = self.folder / name
        run(self.program, "record", clip, "-o", path, "--force", "--quiet", "--grid", "40x12", *options,
            *(["--embed"] if name == "part.cast" else []))
        return path

    def late_sound(self):
        """Checks that a .cells file has silence until its sound begins, here 1.5 s after the picture. Otherwise,
        browsers would skip the time before the first sample of the audio file."""
        clip = self.folder / "late.mp4"
        run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=3", "-itsoffset", "1.5", "-f", "lavfi", "-i",
            "anoisesrc=r=48000:d=1.5:seed=5,lowpass=3000", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", clip)
        source = {"times": video_times(clip), "sound": sound(clip)}
        path = self.record_part(clip, "late.cells")
        times, opus = cells_times(path), cells_sound(path)
        begins, samples = sound(opus)
        check("late.cells: silence at the beginning", begins == 0 and np.abs(samples[:48000]).max() < 1e-3, f"begins at {begins} s")
        self.check_offset("late.cells", opus, times, source)
