#!/usr/bin/env python3
"""Scores glyphreel's modes, and other programs that draw with text, against the source; see docs/fidelity.md.

  tests/fidelity/run.py [--binary FILE] --clip FILE... [--material] [--grid 160x45] [--json FILE] [--sheet FILE.png]

`glyphreel record` records the whole clip, so that the scores include temporal smoothing. Frames spread over the clip
are compared with the source at the drawing's size. The other programs convert the same frames on the same grid; their
characters are drawn with glyphreel's glyphs. Needs python3-numpy and ffmpeg; other programs that are missing are skipped.
"""

import argparse
import json
import pathlib
import shutil
import sys
import tempfile

import numpy as np

import glyphs
import material
import measures
import methods
import peers
import pictures
import sheets

CELL = (8, 16)


def parse_grid(text):
    columns, rows = text.lower().split("x")
    return int(columns), int(rows)


def parse_method(text):
    group, name, *options = text.split(":", 2)
    return methods.Method(group, name, tuple(options[0].split()) if options else ())


class ClipBench:
    """Scores one clip on one grid: reads its frames as sources and returns the rows of its table."""

    def __init__(self, program, atlas, clip, grid, count, folder):
        self.program, self.atlas, self.clip, self.grid, self.folder = program, atlas, clip, grid, folder
        self.about = pictures.probe(clip)
        self.size = (grid[0] * CELL[0], grid[1] * CELL[1])
        self.numbers = pictures.spread(self.about.frames, count)
        shown = (self.about.width, self.about.height)
        self.still = {}
        self.originals, self.original_numbers, self.sources, before = [], [], [], None
        # One pass finds the still cells of every pair of successive frames. It also stores the frames to score, and for
        # each of them the frame after it.
        for number, frame in enumerate(pictures.decode(clip, shown, self.about.matrix)):
            if before is not None:
                self.still[number] = measures.still_cells(before, frame, grid)
            if number in self.numbers or number - 1 in self.numbers:
                self.originals.append(frame)
                self.original_numbers.append(number)
            if number in self.numbers:
                self.sources.append(measures.resample(frame, *self.size))
            before = frame
        self.blurred = [measures.blur(source, CELL[1]) for source in self.sources]

    def row(self, group, name, drawings, flicker):
        blurred = [measures.blur(drawing, CELL[1]) for drawing in drawings]
        score = measures.score_blurred(self.blurred, blurred)._asdict()
        brightened = measures.score_blurred(self.blurred, blurred, exposed="drawing")
        return {"group": group, "name": name, **score, "F_drawing": brightened.F, "rms_L_drawing": brightened.rms_L,
                "flicker": flicker, "flicker_per_s": flicker * float(self.about.rate)}

    def flicker(self, cells):
        """Returns the share of still cells whose glyph changed, over all pairs of successive frames in `cells`, which maps
        each frame's number to its glyphs."""
        changed = count = 0
        for number, still in self.still.items():
            if number in cells and number - 1 in cells:
                found = measures.flicker_of(cells[number - 1], cells[number], still)
                changed, count = changed + found.changed, count + found.still
        return changed / count if count else 0.0

    def ink(self, video, characters):
        """Returns the measures of visible text in the scored frames. Polarity flips also use the frame before each
        of them."""
        white = np.full((*characters.shape[1:], 3), 255, np.uint8)
        numbers = sorted({number - back for number in self.numbers for back in (0, 1) if number >= back})
        contrast = {}
        for number, drawing in zip(numbers, methods.drawn_frames(video, self.size, numbers, self.about.rate)):
            coverage = self.atlas.draw(characters[number], white, np.zeros_like(white))
            contrast[number] = measures.ink_contrast(drawing, coverage, self.grid)
        scored = [contrast[number] for number in self.numbers]
        agreement = [measures.polarity_agreement(ink, measures.flat_cells(source, self.grid))
                     for ink, source in zip(scored, self.sources)]
        flips = [measures.polarity_flips(contrast[number - 1], contrast[number], self.still[number])
                 for number in self.numbers if number - 1 in contrast]

        def share(counts):
            return sum(part for part, _ in counts) / max(1, sum(whole for _, whole in counts))

        return {"visible": float(np.mean([measures.visible_share(ink) for ink in scored])),
                "polarity": share(agreement), "flips": share(flips)}

    def score_method(self, method):
        video, text = self.folder / "drawn.mkv", self.folder / "drawn.txt"
        for output in (video, text):
            methods.record(self.program, method.options, self.clip, self.grid, CELL, output)
        drawings = methods.drawn_frames(video, self.size, self.numbers, self.about.rate)
        cells = methods.written_cells(text, self.grid)
        if len(cells) != self.about.frames:
            raise RuntimeError(f"the text export has {len(cells)} frames instead of {self.about.frames}: {self.clip}")
        row = self.row(method.group, method.name, drawings, self.flicker(dict(enumerate(cells))))
        if method.group == "full":
            row |= self.ink(video, cells.view("U1"))
        return row, drawings

    def score_peer(self, peer):
        files = []
        for i, frame in enumerate(self.originals):
            files.append(self.folder / f"frame{i}.png")
            if not files[-1].exists():
                pictures.write_png(files[-1], frame)
        without = set()
        while True:
            drawn = [peers.cells_of(peer, file, self.grid, without) for file in files]
            used = set(np.unique(np.concatenate([cells.characters.ravel() for cells in drawn])))
            self.atlas.add(sorted(used))
            undrawable = used & self.atlas.undrawable
            if not undrawable - without:
                break
            without |= undrawable
        by_number = dict(zip(self.original_numbers, drawn))
        drawings = [self.atlas.draw(*by_number[number]) for number in self.numbers]
        flicker = self.flicker({number: cells.characters for number, cells in by_number.items()})
        return self.row(peer.group, peer.name, drawings, flicker), drawings


def print_table(title, rows, notes):
    print(f"\n{title}\n")
    print(f"{'':24}{'F':>6}{'T':>7}{'S':>7}{'E':>7}{'rms L*':>8}{'dE2000':>8}{'expos.':>8}{'F drw':>7}{'rms drw':>9}"
          f"{'flicker':>9}{'per s':>7}")
    for group, description in methods.GROUPS.items():
        of_group = [row for row in rows if row["group"] == group]
        if of_group:
            print(description)
        for row in of_group:
            print("  {name:22}{F:6.1f}{T:7.3f}{S:7.3f}{E:7.3f}{rms_L:8.2f}{ciede2000:8.2f}{exposure:8.3f}"
                  "{F_drawing:7.1f}{rms_L_drawing:9.2f}{flicker:9.4f}{flicker_per_s:7.2f}".format(**row))
            if "visible" in row:
                print("    visible text {visible:.3f}, flat neighbors of one polarity {polarity:.3f}, flips {flips:.4f} "
                      "a frame".format(**row))
    for note in notes:
        print(f"  not scored: {note}")


def markdown(report):
    """Returns a run's table in the format of docs/fidelity.md."""
    lines = [f"### {report['clip']}, {report['grid'][0]}x{report['grid'][1]} cells of {CELL[0]}x{CELL[1]}", "",
             "| | F | T | S | E | rms L* | dE2000 | expos. | F drw | rms drw | flicker |", "|---|" + "---|" * 10]
    for group, description in methods.GROUPS.items():
        of_group = [row for row in report["rows"] if row["group"] == group]
        lines += [f"| **{description}** |" + " |" * 10] if of_group else []
        lines += ["| {name} | {F:.1f} | {T:.3f} | {S:.3f} | {E:.3f} | {rms_L:.2f} | {ciede2000:.2f} | {exposure:.3f} | "
                  "{F_drawing:.1f} | {rms_L_drawing:.2f} | {flicker:.4f} |".format(**row) for row in of_group]
    return "\n".join(lines) + "\n"


def bench(atlas, clip, name, grid, arguments, folder):
    """Scores one clip and prints the table. Returns the report, and the columns and rows of the contact sheet."""
    run = ClipBench(arguments.binary, atlas, clip, grid, arguments.frames, folder)
    rows, notes, drawn = [], [], {}
    wanted = [*(methods.METHODS if not arguments.only_given else []), *arguments.method]
    for method in wanted:
        if arguments.groups and method.group not in arguments.groups:
            continue
        try:
            row, drawings = run.score_method(method)
        except methods.Refused as refusal:
            notes.append(f"{method.group} {method.name}: {refusal}")
            continue
        rows.append({"program": "glyphreel", **row})
        rows[-1]["options"] = list(method.options)
        drawn[f"{method.group} {method.name}"] = drawings
        print(f"{name} {grid[0]}x{grid[1]}: {method.group} {method.name}: F {row['F']:.1f}", file=sys.stderr)
    for peer in peers.peers(methods.font_file()) if not arguments.no_peers else []:
        if arguments.groups and peer.group not in arguments.groups:
            continue
        command = peer.command("FILE", *grid)
        if shutil.which(command[0]) is None:
            notes.append(f"{peer.group} {peer.name}: {command[0]} is not installed")
            continue
        row, drawings = run.score_peer(peer)
        rows.append({"program": command[0], **row, "options": command[1:]})
        drawn[f"{peer.group} {peer.name}"] = drawings
        print(f"{name} {grid[0]}x{grid[1]}: {peer.group} {peer.name}: F {row['F']:.1f}", file=sys.stderr)
    print_table(f"{name}, {run.about.width}x{run.about.height}, {len(run.numbers)} of {run.about.frames} frames, "
                f"{grid[0]}x{grid[1]} cells of {CELL[0]}x{CELL[1]}", rows, notes)
    sheet_rows = [(f"{name} {number}", [sheets.tile(picture, arguments.tile) for picture in
                                       [run.sources[i], *(drawings[i] for drawings in drawn.values())]])
                  for i, number in enumerate(run.numbers)]
    report = {"clip": name, "grid": list(grid), "cell": list(CELL), "frames": run.numbers, "rows": rows, "notes": notes}
    return report, ["source", *drawn], sheet_rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=methods.program_at, default=methods.default_program(),
                        help="program to test (default: $GLYPHREEL, or a build in the source tree)")
    parser.add_argument("--clip", nargs="*", default=[], metavar="FILE", help="videos to score on")
    parser.add_argument("--material", nargs="*", metavar="NAME", help="also score generated pictures (default: all)")
    parser.add_argument("--grid", nargs="*", type=parse_grid, default=[(160, 45)], metavar="CxR")
    parser.add_argument("--frames", type=int, default=12, help="number of frames to score per clip (default 12)")
    parser.add_argument("--groups", nargs="*", choices=methods.GROUPS, default=[], help="score only these classes")
    parser.add_argument("--method", nargs="*", type=parse_method, default=[], metavar="GROUP:NAME:OPTIONS",
                        help="additional options to score, such as 'mono:steady:--color mono --stability 1'")
    parser.add_argument("--only-given", action="store_true", help="score only what --method specifies")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--json", metavar="FILE", help="write all scores to this file")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables to this file")
    parser.add_argument("--sheet", metavar="FILE.png", help="write a contact sheet")
    parser.add_argument("--tile", type=int, default=480, help="width of the sheet's pictures in pixels (default 480)")
    arguments = parser.parse_args()
    if not arguments.clip and arguments.material is None:
        parser.error("nothing to score: pass --clip or --material")
    for clip in arguments.clip:
        if not pathlib.Path(clip).is_file():
            parser.error(f"there is no file {clip}; check the path in --clip")

    atlas = glyphs.GlyphAtlas(arguments.binary, CELL)
    reports, sheet_columns, sheet_rows = [], None, []
    with tempfile.TemporaryDirectory() as folder:
        clips = [(clip, pathlib.Path(clip).name) for clip in arguments.clip]
        if arguments.material is not None:
            for name, make in material.made(atlas).items():
                if arguments.material and name not in arguments.material:
                    continue
                clip = pathlib.Path(folder, name.replace(" ", "-") + ".mkv")
                pictures.encode(clip, make(), material.RATE, pictures.EXACT)
                clips.append((clip, name))
        for grid in arguments.grid:
            for clip, name in clips:
                with tempfile.TemporaryDirectory(dir=folder) as own:
                    report, columns, rows = bench(atlas, clip, name, grid, arguments, pathlib.Path(own))
                reports.append(report)
                sheet_columns = sheet_columns or columns
                if columns == sheet_columns:
                    sheet_rows += rows
    version = pictures.run([arguments.binary, "--version"]).decode().splitlines()[0]
    programs = {"glyphreel": version, **{name: peers.version(name) for name in ("chafa", "jp2a", "img2txt")}}
    print("\n" + "; ".join(filter(None, programs.values())))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"programs": programs, "runs": reports}, indent=1) + "\n")
    if arguments.markdown:
        pathlib.Path(arguments.markdown).write_text("\n".join(markdown(report) for report in reports))
    if arguments.sheet:
        sheets.write(arguments.sheet, atlas, sheet_columns, sheet_rows)


if __name__ == "__main__":
    main()
