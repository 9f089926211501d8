"""Checks that Chromium decodes pictures and animations to the same frames as Pillow."""

import hashlib
import pathlib
import sys

import numpy as np

from common import Recorder, check, pillow_frames, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "browser"))

from html_player import Server, visit

PAGE = """<!doctype html><script>
(async () => {
  const report = result => fetch('/report', {method: 'POST', body: JSON.stringify(result)});
  try {
    const data = await (await fetch('NAME')).arrayBuffer();
    const decoder = new ImageDecoder({data, type: 'TYPE', colorSpaceConversion: 'none'});
    await decoder.tracks.ready;
    await decoder.completed;
    const frames = [], durations = [];
    for (let i = 0; i < decoder.tracks.selectedTrack.frameCount; ++i) {
      const {image} = await decoder.decode({frameIndex: i});
      const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
      const context = canvas.getContext('2d', {willReadFrequently: true});
      context.drawImage(image, 0, 0);
      const {data: pixels} = context.getImageData(0, 0, canvas.width, canvas.height);
      frames.push([...new Uint8Array(await crypto.subtle.digest('SHA-256', pixels))]
        .map(byte => byte.toString(16).padStart(2, '0')).join(''));
      durations.push(image.duration / 1000);
      image.close();
    }
    await report({frames, durations});
  } catch (error) { await report({error: String(error.stack ?? error)}); }
})();
</script>"""


def rgba_hash(frame):
    opaque = np.full((*frame.shape[:2], 1), 255, np.uint8)
    return hashlib.sha256(np.concatenate([frame, opaque], axis=2).tobytes()).hexdigest()


class BrowserReaders(Recorder):
    def run(self):
        server = Server(self.folder)
        for name, kind in (("b.gif", "gif"), ("b.apng", "apng"), ("b.webp", "webp"), ("b.png", "png"), ("still-b.webp", "webp")):
            length = ["--frames", "1"] if name in ("b.png", "still-b.webp") else ["--length", "0.5"]
            frames, durations = pillow_frames(self.record(name, *length))
            (self.folder / "page.html").write_text(PAGE.replace("NAME", name).replace("TYPE", f"image/{kind}"))
            result = visit(server, f"http://127.0.0.1:{server.port}/page.html")
            same = result.get("frames") == [rgba_hash(frame) for frame in frames]
            lasts = "still" in name or name == "b.png" or np.allclose(result.get("durations", []), durations, atol=0.5)
            check(f"{name} by Chromium equals Pillow's frames", same and lasts, result.get("error", f"{len(frames)} frames"))
        server.shutdown()
