"""Checks that ffprobe and FFmpeg read every container and codec that `record` writes: frames, times, colors, tracks,
chapters, tags, and the A/V offset."""

import json
import pathlib

import numpy as np

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


def probe(path, *entries):
    return json.loads(run("ffprobe", "-v", "error", "-show_entries", ":".join(entries), "-of", "json", path))


def video_times(path):
    times = run("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time", "-of",
                "csv=p=0", path).decode().split()
    return np.array([float(time.strip(",")) for time in times])


def sound(path):
    """Returns the first audio track from time 0 as mono samples at 48 kHz."""
    raw = run("ffmpeg", "-v", "error", "-copyts", "-i", path, "-map", "0:a:0", "-af", "aresample=async=1:first_pts=0", "-ac", "1", "-ar",
              "48000", "-f", "f32le", "-")
    return np.frombuffer(raw, np.float32)


def sound_offset(a, b):
    """Returns by how many seconds b is later than a, found by correlation."""
    length = 1 << 18
    correlation = np.fft.irfft(np.fft.rfft(a, length).conj() * np.fft.rfft(b, length))
    at = int(np.argmax(correlation))
    return (at - length if at > length // 2 else at) / 48000


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
        if path.suffix == ".mov":  # has a different code for German
            tracks = [(kind, {"ger": "deu"}.get(language, language)) for kind, language in tracks]
        check(f"{name}: tracks", tracks == [("audio", "eng"), ("audio", "deu"), ("subtitle", "fra")] or
              tracks[:3] == [("audio", "eng"), ("audio", "deu"), ("subtitle", "fra")] and tracks[3][0] == "data", f"{tracks}")
        chapters = [(float(chapter["start_time"]), chapter["tags"]["title"]) for chapter in found["chapters"]]
        check(f"{name}: chapters", chapters == [(0, "one"), (1.2, "two")], f"{chapters}")
        tags = {key.lower(): value for key, value in found["format"]["tags"].items()}
        check(f"{name}: tags", tags.get("title") == "The clip" and tags.get("artist") == "Nobody", f"{tags}")
        # The A/V offset: the shift of the audio between source and recording, minus the shift of the first frame.
        late = sound_offset(source["sound"], sound(path)) - (times[0] - expected[0])
        check(f"{name}: A/V offset", abs(late) < 1 * MS, f"{late * 1000:+.2f} ms")
