"""The sections of run_on_gpu.sh, which see for usage."""

import argparse
import concurrent.futures
import contextlib
import ctypes
import datetime
import json
import os
import pathlib
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import types

import gpu_report

SECTIONS = ("device", "parity", "suites", "decoders", "stages", "depths", "pipeline", "start")
# Shares of the time limit: what a section may take at most, however long those before it took.
SHARES = {"device": 0.1, "parity": 0.3, "suites": 0.3, "decoders": 0.25, "stages": 0.25, "depths": 0.15, "pipeline": 0.2,
          "start": 0.1}
HARDWARE = ("cuda", "vulkan", "vaapi")
NOT_BUILT = "not supported by this build"
COMPLAINT = "vulkan validation"


class Trouble(Exception):
    """What a section could not do, in a sentence."""


class Machine:
    """Where the program is, and how it is run."""

    def __init__(self, bundle, limit, quick):
        self.bundle, self.quick = bundle, quick
        self.suite = bundle / "suite"
        self.end = time.monotonic() + limit
        self.limit = limit
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="glyphreel-gpu-"))
        self.environment = {**os.environ, "HOME": str(self.work), "XDG_CACHE_HOME": str(self.work / "cache"),
                            "XDG_CONFIG_HOME": str(self.work / "config"), "LC_ALL": "C.UTF-8"}
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "GLYPHREEL_VALIDATION"):
            self.environment.pop(name, None)
        self.section_end = self.end
        self._used = None

    def begin(self, section):
        """Starts the section's clock; seconds that it has."""
        self.section_end = min(self.end, time.monotonic() + self.limit * SHARES[section])
        return self.left()

    def left(self):
        return self.section_end - time.monotonic()

    def program(self):
        return str(self.bundle / "bin" / "glyphreel")

    def tool(self, name):
        path = self.suite / "bin" / name
        if not path.is_file():
            raise Trouble(f"{name} is not in this bundle: it takes what the target gpu_suite makes")
        return str(path)

    def clip(self, name):
        path = self.suite / "clips" / name
        if not path.is_file():
            raise Trouble(f"the clip {name} is not in this bundle: it takes what the target gpu_suite makes")
        return str(path)

    def suite_environment(self):
        """For the suites' own programs, which bin/glyphreel's launcher does not start: the libraries of lib/system that
        this machine lacks, the validation layer, and the bundle's fonts."""
        folder = self.work / "libraries"
        if not folder.is_dir():
            folder.mkdir()
            for name in (self.bundle / "lib" / "system" / "order").read_text().split():
                try:
                    ctypes.CDLL(name)
                except OSError:
                    (folder / name).symlink_to((self.bundle / "lib" / "system" / name).resolve())
            fonts = self.bundle / "share" / "glyphreel" / "fonts"
            (self.work / "fonts.conf").write_text(
                f'<fontconfig><dir>{fonts}</dir><cachedir>{self.work}/fontcache</cachedir></fontconfig>')
        return {**self.environment, "LD_LIBRARY_PATH": str(folder), "FONTCONFIG_FILE": str(self.work / "fonts.conf"),
                **self.layer()}

    def layer(self):
        return {"VK_LAYER_PATH": str(self.suite / "vulkan")}

    def run(self, words, environment=None, seconds=None):
        """A program's exit status, output and complaints; killed with all that it started when its time is over."""
        allowed = min(self.left(), seconds or self.left())
        if allowed <= 0:
            raise Trouble("no time was left for it")
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment or self.environment, cwd=self.work,
                                   start_new_session=True)
        try:
            stdout, stderr = process.communicate(timeout=allowed)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            # A process that hangs in a driver cannot be killed: it is left behind.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=5)
            raise Trouble(f"{pathlib.Path(words[0]).name} did not end within {allowed:.0f} s") from None
        return types.SimpleNamespace(code=process.returncode, stdout=stdout.decode(errors="replace"),
                                     stderr=stderr.decode(errors="replace"))

    def used(self):
        """The name of the device that the program takes; empty where that cannot be had."""
        if self._used is None:
            try:
                gpus = self.ask([self.program(), "info", "--json"], seconds=60)[0]["gpus"]
            except Trouble:
                gpus = []
            self._used = next((gpu["name"] for gpu in gpus if gpu["usable"]), "")
        return self._used

    def is_held_to_bounds(self):
        """A device whose times and rates have a bound that is a promise: see docs/measurements.md."""
        return any(name in self.used() for name in ("H100", "H200"))

    def ask(self, words, environment=None, seconds=None):
        """A program's answer in JSON."""
        done = self.run(words, environment, seconds)
        try:
            return json.loads(done.stdout), done
        except ValueError:
            raise Trouble(f"{pathlib.Path(words[0]).name} exits {done.code}: {last_words(done.stderr)}") from None


def last_words(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][-300:] if lines else "without a word"


def device(machine):
    answer, _ = machine.ask([machine.program(), "info", "--json"], seconds=60)
    found = {"date": datetime.date.today().isoformat(), "system": platform.platform(), "cpu": answer["cpu"],
             "processors": os.cpu_count(), "gpus": answer["gpus"], "ffmpeg": answer["ffmpeg"]["version"]}
    if shutil.which("nvidia-smi"):
        with contextlib.suppress(Trouble):
            found["nvidia_smi"] = machine.run(["nvidia-smi", "--query-gpu=name,driver_version,vbios_version,memory.total,"
                                               "pcie.link.gen.current,pcie.link.width.current", "--format=csv"],
                                              seconds=20).stdout.strip()
    usable = [gpu for gpu in answer["gpus"] if gpu["usable"]]
    if not usable:
        raise Trouble("the program finds no Vulkan device that it can use: "
                      + ("; ".join(f"{gpu['name']}: {gpu['reason']}" for gpu in answer["gpus"]) or "there is no driver"))
    found["used"] = usable[0]
    return found


def parity(machine):
    """Every mode with every colour, dither, stability and charset, on a few frames of a real clip, under validation."""
    sys.path.insert(0, str(machine.suite / "parity"))
    try:
        import combinations
        import matrix
    except ImportError:
        raise Trouble("the parity matrix is not in this bundle: it takes what the target gpu_suite makes") from None
    wanted = [one for one in combinations.combinations() if not one.clip and not one.environment]
    # Each tenth, then each tenth after those: where time runs out, what was run is spread over all.
    wanted = [one for first in range(10) for one in wanted[first::10]]
    if machine.quick:
        wanted = wanted[::len(wanted) // 6]
    frames = 2 if machine.quick else 6
    arguments = types.SimpleNamespace(binary=machine.program(), clip=str(machine.bundle / "share/glyphreel/demo.mp4"),
                                      start="0,3,7,12", frames=frames, grid=(64, 18), timeout=60)
    os.environ.update(machine.environment, GLYPHREEL_VALIDATION="1", **machine.layer())
    runner = matrix.Matrix(arguments, machine.work)
    runner.prepare([])
    records = []
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        waiting = [pool.submit(lambda one: runner.run(one) if machine.left() > 0 else None, one) for one in wanted]
        records = [record for record in (one.result() for one in waiting) if record]
    wrong = [record for record in records if not record["ok"]]
    complaints = [record for record in records if COMPLAINT in record["stderr"]]
    answers = [record["answer"] for record in records]
    modes = {mode: {"combinations": sum(record["mode"] == mode for record in records),
                    "mismatched_cells": sum(record["answer"].get("mismatched_cells", 0) for record in records
                                            if record["mode"] == mode)} for mode in combinations.MODES}
    found = {"combinations": len(records), "of": len(wanted), "frames_each": frames, "modes": modes,
             "cells": sum(answer.get("cells", 0) for answer in answers),
             "mismatched_cells": sum(answer.get("mismatched_cells", 0) for answer in answers),
             "mismatched_pixels": sum(answer.get("mismatched_pixels", 0) for answer in answers),
             "with_validation_messages": len(complaints), "failed": [f"{one['name']}: {one['trouble']}" for one in wrong]}
    if complaints:
        found["first_message"] = next(line for line in complaints[0]["stderr"].splitlines() if COMPLAINT in line)
    if wrong or complaints:
        found["trouble"] = (f"{len(wrong)} of {len(records)} combinations failed, {len(complaints)} with validation "
                            "messages")
    elif not all(mode["combinations"] for mode in modes.values()):
        found["trouble"] = "there was no time for every mode"
    return found


def suites(machine):
    """The GPU's test suites, under the validation layer."""
    found = {"suites": []}
    troubles = []
    names = ("gpu_tests", "gpu_parity_tests")
    for at, name in enumerate(names):
        report = machine.work / f"{name}.json"
        words = [machine.tool(name), f"--gtest_output=json:{report}"]
        if machine.quick:
            words.append("--gtest_filter=Device*:GpuParity.*Adjust*")
        try:
            # Those after this one get their share.
            environment = {**machine.suite_environment(), "GLYPHREEL_WHOLE_SWEEP": "1"}
            done = machine.run(words, environment, machine.left() / (len(names) - at))
            answer = json.loads(report.read_text())
        except (Trouble, OSError, ValueError) as problem:
            troubles.append(f"{name}: {problem}")
            continue
        cases = [case for suite in answer["testsuites"] for case in suite["testsuite"]]
        failed = [f"{case['classname']}.{case['name']}" for case in cases if case.get("failures")]
        skipped = [f"{case['classname']}.{case['name']}" for case in cases if case.get("result") == "SKIPPED"]
        found["suites"].append({"name": name, "tests": answer["tests"], "failed": failed, "skipped": skipped,
                                "seconds": answer["time"]})
        if failed or done.code != 0:
            troubles.append(f"{name}: {len(failed)} of {answer['tests']} tests failed, exit {done.code}")
    if troubles:
        found["trouble"] = "; ".join(troubles)
    return found


EVERY_NVDEC = ("h264", "hevc")  # what each of NVIDIA's decoders takes
CLIPS = {"h264": "h264.mp4", "hevc": "hevc.mp4", "hevc 10 bit": "hevc10.mp4", "av1": "av1.mp4", "vp9": "vp9.webm"}


def decoder_row(machine, codec, asked):
    """One codec by one decoder: who decoded, which path its frames took, what the host copied, and parity."""
    stats = machine.work / "decoder.json"
    stats.unlink(missing_ok=True)
    clip, row = machine.clip(CLIPS[codec]), {"codec": codec, "asked": asked, "trouble": None}
    common = ["--quiet", "--renderer", "gpu", "--frames", "8" if machine.quick else "60"]
    choice = ["--hwdec", asked]
    output = ["--stats", stats, "--force", clip, "-o", machine.work / "decoder.txt"]
    done = machine.run([machine.program(), "record", *choice, *common, *output], seconds=40)
    if done.code == 2 and "--hwdec" in done.stderr:
        if asked != "no":
            return {**row, "result": NOT_BUILT}
        choice = []
        done = machine.run([machine.program(), "record", *common, *output], seconds=40)
    if done.code != 0:
        return {**row, "result": "failed", "trouble": last_words(done.stderr)}
    facts = json.loads(stats.read_text())
    used = facts["input"].get("hwdec", "no")
    row.update(result="ran" if used == asked else f"fell back to {used}", decoder=facts["input"]["decoder"], hwdec=used,
               path=facts["stages"].get("import", {}).get("engine", ""), frames=facts["frames"]["decoded"],
               host_bytes_per_frame=facts["copies"]["host_bytes_per_frame"], fps=facts["fps"])
    if used != asked == "cuda" and "NVIDIA" in machine.used() and codec in EVERY_NVDEC:
        row["trouble"] = f"fell back to {used} where NVDEC decodes {codec}"
    if used != "no" and row["host_bytes_per_frame"] != 0:
        row["trouble"] = f"{row['host_bytes_per_frame']} bytes of each frame went through the host"
    if used == asked:
        answer, compared = machine.ask([machine.program(), "compare", *choice, "--quiet", "--json", "--frames",
                                        "2" if machine.quick else "12", clip],
                                       {**machine.environment, "GLYPHREEL_VALIDATION": "1", **machine.layer()}, 60)
        row["mismatched_cells"] = answer["mismatched_cells"]
        if answer["mismatched_cells"] or answer["mismatched_pixels"]:
            row["trouble"] = f"{answer['mismatched_cells']} cells differ between GPU and CPU"
        elif COMPLAINT in compared.stderr:
            row["trouble"] = next(line for line in compared.stderr.splitlines() if COMPLAINT in line)
    return row


def decoders(machine):
    rows = []
    for codec in CLIPS:
        for asked in ("no", *HARDWARE):
            try:
                rows.append(decoder_row(machine, codec, asked))
            except Trouble as trouble:
                rows.append({"codec": codec, "asked": asked, "result": "failed", "trouble": str(trouble)})
    found = {"rows": rows}
    wrong = [f"{row['codec']} by {row['asked']}: {row['trouble']}" for row in rows if row["trouble"]]
    if wrong:
        found["trouble"] = "; ".join(wrong)
    return found


def timing(machine, what):
    answer, done = machine.ask([machine.tool("gpu_timing"), *(["--quick"] if machine.quick else []),
                                *[word for one in what for word in ("--only", one)]], machine.suite_environment())
    if done.code != 0:
        raise Trouble(last_words(done.stderr))
    return answer


def stages(machine):
    """What map, draw and pack take beside what moving their bytes takes at the rate of a large copy."""
    copy = timing(machine, ["copy"])["copy"]
    found = {"copy": copy, "rows": timing(machine, ["stages"])["stages"]}
    rate = copy["gigabytes_per_s"] * 1e6  # bytes a millisecond
    for row in found["rows"]:
        row["moving_ms"] = (row["map_bytes"] + row["draw_bytes"]) / rate
        # The bound of issue 5, for 4K: twice the time of moving the bytes, or 60 us.
        row["bound_ms"] = max(2 * row["moving_ms"], 0.06)
        row["within_bound"] = row["map_ms"] + row["draw_ms"] <= row["bound_ms"]
    over = [f"{row['looks']}: {row['map_ms'] + row['draw_ms']:.3f} ms, bound {row['bound_ms']:.3f} ms" for row in found["rows"]
            if row["height"] == 2160 and not row["within_bound"]]
    if over and machine.is_held_to_bounds():
        found["trouble"] = f"map and draw at 4K take longer than they may: {'; '.join(over)}"
    return found


def depths(machine):
    return {"rows": timing(machine, ["depths"])["depths"]}


MOST_ADDED = 0.05  # by map, draw and pack to the time of decoding alone


def pipeline(machine):
    """Frames a second of decoding alone, and of decoding, mapping, drawing and packing."""
    rows, troubles = [], []
    for codec in ("h264", "hevc"):
        for asked in ("no", *HARDWARE):
            words = [machine.tool("pipeline_timing"), "--quiet", "--renderer", "gpu", "--hwdec", asked,
                     *(["--frames", "12"] if machine.quick else []), machine.clip(f"{codec}-long.mp4")]
            row = {"codec": codec, "asked": asked}
            try:
                done = machine.run(words, machine.suite_environment(), 60)
                if done.code == 2 and "--hwdec" in done.stderr:
                    if asked != "no":
                        rows.append({**row, "result": NOT_BUILT})
                        continue
                    del words[words.index("--hwdec"):words.index("--hwdec") + 2]
                    done = machine.run(words, machine.suite_environment(), 60)
                answer = json.loads(done.stdout)
                rows.append({**row, **answer,
                             "result": "ran" if answer["hwdec"] == asked else f"fell back to {answer['hwdec']}"})
                if asked == "no" or answer["hwdec"] != asked:
                    continue
                if answer["host_bytes_per_frame"] != 0:
                    troubles.append(f"{codec} by {asked}: {answer['host_bytes_per_frame']} bytes of each frame went through the host")
                longer = answer["decode_fps"] / answer["pipeline_fps"] - 1
                if longer > MOST_ADDED and machine.is_held_to_bounds():
                    troubles.append(f"{codec} by {asked}: {100 * longer:.1f} % longer than decoding alone")
            except (Trouble, ValueError) as problem:
                rows.append({**row, "result": "failed"})
                troubles.append(f"{codec} by {asked}: {problem}")
    return {"rows": rows, **({"trouble": "; ".join(troubles)} if troubles else {})}


def start(machine):
    """From the start of the process to the first frame, with the driver's and the program's caches empty, and full."""
    runs = {"cold": [], "warm": []}
    for round_number in range(1 if machine.quick else 3):
        caches = machine.work / f"cold-{round_number}"
        environment = {**machine.environment, "XDG_CACHE_HOME": str(caches), "HOME": str(caches),
                       "__GL_SHADER_DISK_CACHE_PATH": str(caches), "MESA_SHADER_CACHE_DIR": str(caches)}
        caches.mkdir()
        for kind in ("cold", "warm", *([] if machine.quick else ["warm", "warm"])):
            stats = machine.work / "start.json"
            done = machine.run([machine.program(), "record", "--quiet", "--renderer", "gpu", "--frames", "1", "--stats", stats,
                                "--force", machine.bundle / "share/glyphreel/demo.mp4", "-o", machine.work / "start.txt"],
                               environment, 60)
            if done.code != 0:
                raise Trouble(last_words(done.stderr))
            runs[kind].append(json.loads(stats.read_text())["startup_ms"])
    return {kind: {part: statistics.median(run[part] for run in found) for part in found[0]} | {"runs": len(found)}
            for kind, found in runs.items()}


def arguments_of(words):
    parser = argparse.ArgumentParser(prog="run_on_gpu.sh")
    parser.add_argument("--only", action="append", choices=SECTIONS)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gpu-results"))
    parser.add_argument("--limit", type=float, default=480)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("bundle", type=pathlib.Path)
    return parser.parse_args(words)


def main(words=None):
    arguments = arguments_of(words)
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / "gpu-results.json"
    results = json.loads(file.read_text()) if file.is_file() else {}
    machine = Machine(arguments.bundle.resolve(), arguments.limit, arguments.quick)
    failed = []
    for name in arguments.only or SECTIONS:
        began = time.monotonic()
        try:
            if machine.begin(name) <= 0:
                raise Trouble("no time was left for it: run it by --only, or raise --limit")
            found = globals()[name](machine)
        except Trouble as trouble:
            found = {"trouble": str(trouble)}
        except Exception as problem:  # the sections after it are run all the same
            found = {"trouble": f"the script failed: {type(problem).__name__}: {problem}"}
        found["seconds"] = round(time.monotonic() - began, 1)
        results[name] = found
        # After each: what was measured is not lost with a machine that goes away.
        file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
        (arguments.out / "gpu-results.md").write_text(gpu_report.markdown(results))
        if found.get("trouble"):
            failed.append(name)
        print(f"{name}: {'FAILED: ' + found['trouble'] if found.get('trouble') else 'done'} ({found['seconds']} s)",
              file=sys.stderr)
    shutil.rmtree(machine.work, ignore_errors=True)
    print(gpu_report.markdown(results))
    if failed:
        print(f"run_on_gpu.sh: failed sections: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
