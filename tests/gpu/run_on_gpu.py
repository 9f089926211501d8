"""The sections of run_on_gpu.sh, which documents the usage."""

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

SECTIONS = ("device", "parity", "suites", "decoders", "stages", "host", "shaders", "depths", "pipeline", "start")
# The largest share of the time limit that each section may use. After slow sections, less time is left for later ones.
SHARES = {"device": 0.1, "parity": 0.3, "suites": 0.3, "decoders": 0.25, "stages": 0.25, "host": 0.15, "shaders": 0.1,
          "depths": 0.15, "pipeline": 0.2, "start": 0.1}
HARDWARE = ("cuda", "vulkan", "vaapi")
NOT_BUILT = "not supported by this build"
COMPLAINT = "vulkan validation"


class SectionFailed(Exception):
    """Why a section failed, in one sentence."""


class Machine:
    """Runs the bundle's programs on this machine, within the time limit."""

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
        """Starts the section's clock; returns the seconds available."""
        self.section_end = min(self.end, time.monotonic() + self.limit * SHARES[section])
        return self.left()

    def left(self):
        return self.section_end - time.monotonic()

    def program(self):
        return str(self.bundle / "bin" / "glyphreel")

    def tool(self, name):
        path = self.suite / "bin" / name
        if not path.is_file():
            raise SectionFailed(f"{name} is not in this bundle: use the one made by the target gpu_suite")
        return str(path)

    def clip(self, name):
        path = self.suite / "clips" / name
        if not path.is_file():
            raise SectionFailed(f"the clip {name} is not in this bundle: use the one made by the target gpu_suite")
        return str(path)

    def suite_environment(self):
        """Returns the environment for the suites' programs, which run without the launcher bin/glyphreel. This
        environment makes them find the validation layer, the bundle's fonts, and those libraries of lib/system that
        this machine lacks."""
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
        # Keep LD_LIBRARY_PATH: in many container images, only this variable names the driver's folder.
        path = ":".join(filter(None, [str(folder), self.environment.get("LD_LIBRARY_PATH")]))
        return {**self.environment, "LD_LIBRARY_PATH": path, "FONTCONFIG_FILE": str(self.work / "fonts.conf"),
                **self.layer()}

    def layer(self):
        return {"VK_LAYER_PATH": str(self.suite / "vulkan")}

    def run(self, words, environment=None, seconds=None):
        """Runs a program; returns its exit status, stdout and stderr. On timeout kills the program and its children."""
        allowed = min(self.left(), seconds or self.left())
        if allowed <= 0:
            raise SectionFailed("no time left: raise --limit")
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment or self.environment, cwd=self.work,
                                   start_new_session=True)
        try:
            stdout, stderr = process.communicate(timeout=allowed)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            # A process that hangs in a driver cannot be killed. Leave it running.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=5)
            raise SectionFailed(f"{pathlib.Path(words[0]).name} did not end within {allowed:.0f} s") from None
        return types.SimpleNamespace(code=process.returncode, stdout=stdout.decode(errors="replace"),
                                     stderr=stderr.decode(errors="replace"))

    def used(self):
        """Returns the name of the GPU that the program uses; empty if unknown."""
        if self._used is None:
            try:
                gpus = self.ask([self.program(), "info", "--json"], seconds=60)[0]["gpus"]
            except SectionFailed:
                gpus = []
            best = best_gpu(gpus)
            self._used = best["name"] if best else ""
        return self._used

    def is_held_to_bounds(self):
        """Whether the time bounds, which are for an H200, apply to this GPU. An H100 has the same multiprocessors."""
        return any(name in self.used() for name in ("H100", "H200"))

    def ask(self, words, environment=None, seconds=None):
        """Runs a program that prints JSON; returns the parsed JSON and the process's result."""
        done = self.run(words, environment, seconds)
        try:
            return json.loads(done.stdout), done
        except ValueError:
            raise SectionFailed(f"{pathlib.Path(words[0]).name} exited with status {done.code}: "
                                f"{last_words(done.stderr)}") from None


def best_gpu(gpus):
    """Returns the GPU of `info --json` that `record` uses; None if no GPU is usable."""
    kinds = ("discrete GPU", "integrated GPU", "virtual GPU", "other", "CPU")
    return min((gpu for gpu in gpus if gpu["usable"]), key=lambda gpu: kinds.index(gpu["kind"]), default=None)


def last_words(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][-300:] if lines else "no message"


def device(machine):
    answer, _ = machine.ask([machine.program(), "info", "--json"], seconds=60)
    found = {"date": datetime.date.today().isoformat(), "system": platform.platform(), "cpu": answer["cpu"],
             "processors": os.cpu_count(), "gpus": answer["gpus"], "ffmpeg": answer["ffmpeg"]["version"]}
    if shutil.which("nvidia-smi"):
        with contextlib.suppress(SectionFailed):
            found["nvidia_smi"] = machine.run(["nvidia-smi", "--query-gpu=name,driver_version,vbios_version,memory.total,"
                                               "pcie.link.gen.current,pcie.link.width.current", "--format=csv"],
                                              seconds=20).stdout.strip()
    found["used"] = best_gpu(answer["gpus"])
    if not found["used"]:
        raise SectionFailed("the program finds no usable Vulkan device: "
                            + ("; ".join(f"{gpu['name']}: {gpu['reason']}" for gpu in answer["gpus"]) or "there is no driver"))
    if found["used"]["kind"] == "CPU":
        found["failure"] = f"the program finds no GPU, only {found['used']['name']}: install the GPU's Vulkan driver"
    return found


def parity(machine):
    """Runs every mode with every color, dither, stability and charset, on a few frames of a real clip, under validation."""
    sys.path.insert(0, str(machine.suite / "parity"))
    try:
        import combinations
        import matrix
    except ImportError:
        raise SectionFailed("the parity matrix is not in this bundle: use the one made by the target gpu_suite") \
            from None
    wanted = [one for one in combinations.combinations() if not one.clip and not one.environment]
    # First run combinations 0, 10, 20 ..., then 1, 11, 21 ..., and so on. If the time is up before the end, the
    # combinations tested by then are spread evenly over the whole list.
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
             "with_validation_messages": len(complaints), "failed": [f"{one['name']}: {one['failure']}" for one in wrong]}
    if complaints:
        found["first_message"] = next(line for line in complaints[0]["stderr"].splitlines() if COMPLAINT in line)
    if wrong or complaints:
        found["failure"] = (f"{len(wrong)} of {len(records)} combinations failed, {len(complaints)} with validation "
                            "messages")
    elif not all(mode["combinations"] for mode in modes.values()):
        found["failure"] = "the time ended before every mode was tested: raise --limit"
    return found


# dma_buf_tests skips its tests where the driver cannot import the kernel's udmabufs.
SUITES = ("gpu_tests", "gpu_parity_tests", "vulkan_video_tests", "dma_buf_tests", "cuda_tests")
# The tests that these filters exclude need fake drivers. The section "decoders" decodes with the real drivers.
FILTERS = {"dma_buf_tests": "DmaBuf.*", "cuda_tests": "-*FakeCuda*"}
QUICK = "Device*:GpuParity.*Adjust*:VulkanVideo.EachFormat*:DmaBuf.Invalid*:CudaTest.FrameImporter*"


def suites(machine):
    """Runs the GPU's test suites under the validation layer."""
    found = {"suites": []}
    failures = []
    names = [name for name in SUITES if name != "cuda_tests" or "NVIDIA" in machine.used()]
    for at, name in enumerate(names):
        report = machine.work / f"{name}.json"
        try:
            words = [machine.tool(name), f"--gtest_output=json:{report}"]
            if machine.quick or name in FILTERS:
                words.append(f"--gtest_filter={QUICK if machine.quick else FILTERS[name]}")
            # Each suite may use an equal share of the remaining time, so that time is left for the later ones.
            environment = {**machine.suite_environment(), "GLYPHREEL_WHOLE_SWEEP": "1"}
            done = machine.run(words, environment, machine.left() / (len(names) - at))
            answer = json.loads(report.read_text())
        except (SectionFailed, OSError, ValueError) as problem:
            failures.append(f"{name}: {problem}")
            continue
        cases = [case for suite in answer["testsuites"] for case in suite["testsuite"]]
        failed = [f"{case['classname']}.{case['name']}" for case in cases if case.get("failures")]
        skipped = [f"{case['classname']}.{case['name']}" for case in cases if case.get("result") == "SKIPPED"]
        devices = sorted({case["device"] for case in cases if "device" in case})
        found["suites"].append({"name": name, "tests": answer["tests"], "failed": failed, "skipped": skipped,
                                "seconds": answer["time"], "devices": devices})
        others = [device for device in devices if device != machine.used()]
        if others:
            failures.append(f"{name} used {', '.join(others)}, but the program used {machine.used()}")
        if failed or done.code != 0:
            failures.append(f"{name}: {len(failed)} of {answer['tests']} tests failed, exit status {done.code}")
    if failures:
        found["failure"] = "; ".join(failures)
    return found


CLIPS = {"h264": "h264.mp4", "hevc": "hevc.mp4", "hevc 10 bit": "hevc10.mp4", "av1": "av1.mp4", "vp9": "vp9.webm"}


def listed_codecs(machine):
    """Returns, for each value of --hwdec, the codecs that the device decodes. An unavailable API has an empty list."""
    return {asked: names or [] for asked, names in timing(machine, ["codecs"])["codecs"].items()}


def decoder_row(machine, codec, asked, listed):
    """Tests one codec with one value of --hwdec. Returns a row of the report. The row includes the decoder used, how
    the GPU got the frames, the bytes that the host copied, and the number of cells that differ between GPU and CPU."""
    stats = machine.work / "decoder.json"
    stats.unlink(missing_ok=True)
    clip, row = machine.clip(CLIPS[codec]), {"codec": codec, "asked": asked, "failure": None}
    common = ["--quiet", "--renderer", "gpu", "--color", "full", "--frames", "8" if machine.quick else "60"]
    choice = ["--hwdec", asked]
    output = ["--stats", stats, "--force", clip, "-o", machine.work / "decoder.txt"]
    done = machine.run([machine.program(), "record", *choice, *common, *output], seconds=40)
    if done.code == 2 and "--hwdec" in done.stderr:
        if asked != "no":
            return {**row, "result": NOT_BUILT}
        choice = []
        done = machine.run([machine.program(), "record", *common, *output], seconds=40)
    if done.code != 0:
        return {**row, "result": "failed", "failure": last_words(done.stderr)}
    facts = json.loads(stats.read_text())
    used = facts["input"].get("hwdec", "no")
    row.update(result="ran" if used == asked else f"fell back to --hwdec {used}", decoder=facts["input"]["decoder"],
               hwdec=used, path=facts["stages"].get("import", {}).get("engine", ""), frames=facts["frames"]["decoded"],
               host_bytes_per_frame=facts["copies"]["host_bytes_per_frame"], fps=facts["fps"])
    if used != asked and codec in listed:
        row["failure"] = f"fell back to --hwdec {used}, although the device lists {codec}"
    if used != "no" and row["host_bytes_per_frame"] != 0:
        row["failure"] = f"{row['host_bytes_per_frame']} bytes of each frame went through the host"
    if used == asked:
        answer, compared = machine.ask([machine.program(), "compare", *choice, "--quiet", "--json", "--frames",
                                        "2" if machine.quick else "12", clip],
                                       {**machine.environment, "GLYPHREEL_VALIDATION": "1", **machine.layer()}, 60)
        row["mismatched_cells"] = answer["mismatched_cells"]
        if answer["mismatched_cells"] or answer["mismatched_pixels"]:
            row["failure"] = f"{answer['mismatched_cells']} cells differ between GPU and CPU"
        elif COMPLAINT in compared.stderr:
            row["failure"] = next(line for line in compared.stderr.splitlines() if COMPLAINT in line)
    return row


def decoders(machine):
    rows = []
    listed = listed_codecs(machine)
    for codec in CLIPS:
        for asked in ("no", *HARDWARE):
            try:
                rows.append(decoder_row(machine, codec, asked, listed.get(asked, [])))
            except SectionFailed as failure:
                rows.append({"codec": codec, "asked": asked, "result": "failed", "failure": str(failure)})
    found = {"listed": listed, "rows": rows}
    wrong = [f"{row['codec']} by {row['asked']}: {row['failure']}" for row in rows if row["failure"]]
    if wrong:
        found["failure"] = "; ".join(wrong)
    return found


def timing(machine, what):
    answer, done = machine.ask([machine.tool("gpu_timing"), *(["--quick"] if machine.quick else []),
                                *[word for one in what for word in ("--only", one)]], machine.suite_environment())
    if done.code != 0:
        raise SectionFailed(last_words(done.stderr))
    if answer["device"] != machine.used():
        raise SectionFailed(f"gpu_timing used {answer['device']}, but the program used {machine.used()}")
    return answer


# The time that map and draw may take together, in milliseconds, by the frame's size: with cells of 8x16 pixels, 1080p has
# a grid of 240x67 and 4K one of 480x135. No other size has a bound.
BOUNDS_MS = {(1920, 1080): 0.08, (3840, 2160): 0.15}


def stages(machine):
    """Measures the times of map, draw and pack. Compares the time of map and draw with BOUNDS_MS and with the time to copy
    the bytes that they read and write, at the rate of a large copy."""
    copy = timing(machine, ["copy"])["copy"]
    found = {"copy": copy, "rows": timing(machine, ["stages"])["stages"]}
    rate = copy["gigabytes_per_s"] * 1e6  # bytes per ms
    over = []
    for row in found["rows"]:
        taken = row["map_ms"] + row["draw_ms"]
        row["moving_ms"] = (row["map_bytes"] + row["draw_bytes"]) / rate
        row["copy_share"] = row["moving_ms"] / taken
        row["bound_ms"] = BOUNDS_MS.get((row["width"], row["height"]))
        row["within_bound"] = row["bound_ms"] is None or taken <= row["bound_ms"]
        if not row["within_bound"]:
            over.append(f"{row['width']}x{row['height']} {row['looks']}: {taken:.3f} ms, bound {row['bound_ms']:.3f} ms, "
                        f"{100 * row['copy_share']:.0f} % of copy bandwidth")
    if over and machine.is_held_to_bounds():
        found["failure"] = f"map and draw exceed their bound: {'; '.join(over)}"
    return found


def host(machine):
    """Measures the cost of frames in host memory, where software decoders write, and of frames in GPU memory."""
    return {"rows": timing(machine, ["host"])["host"]}


# If a statistic's name contains one of these texts, the statistic counts what does not fit into registers. NVIDIA's
# driver reports no spills, only the memory of each thread (local memory), which also holds arrays with computed
# indices.
SPILLS = ("spill", "local memory")


def shaders(machine):
    """Lists the statistics, such as registers and spills, that the driver reports for each compiled pipeline."""
    found = timing(machine, ["pipelines"])["pipelines"]
    spilled = [f"{one['name']}: {statistic['name']} {statistic['value']}" for one in found["pipelines"]
               for executable in one["executables"] for statistic in executable["statistics"]
               if any(part in statistic["name"].lower() for part in SPILLS) and statistic["value"] > 0]
    return {**found, "spilled": spilled}


def depths(machine):
    return {"rows": timing(machine, ["depths"])["depths"]}


MOST_ADDED = 0.05  # how much time map, draw and pack may add, relative to the time of decoding alone


def pipeline(machine):
    """Measures frames per second of decoding only, and of decoding, mapping, drawing and packing."""
    rows, failures = [], []
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
                             "result": "ran" if answer["hwdec"] == asked
                             else f"fell back to --hwdec {answer['hwdec']}"})
                if asked == "no" or answer["hwdec"] != asked:
                    continue
                if answer["host_bytes_per_frame"] != 0:
                    failures.append(f"{codec} by {asked}: {answer['host_bytes_per_frame']} bytes of each frame went through the host")
                longer = answer["decode_fps"] / answer["pipeline_fps"] - 1
                if longer > MOST_ADDED and machine.is_held_to_bounds():
                    failures.append(f"{codec} by {asked}: map, draw and pack add {100 * longer:.1f} % to decoding")
            except (SectionFailed, ValueError) as problem:
                rows.append({**row, "result": "failed"})
                failures.append(f"{codec} by {asked}: {problem}")
    return {"rows": rows, **({"failure": "; ".join(failures)} if failures else {})}


def start(machine):
    """Measures the startup times to the first frame, with empty and with warm caches of the driver and the program."""
    runs = {"cold": [], "warm": []}
    for round_number in range(1 if machine.quick else 3):
        caches = machine.work / f"cold-{round_number}"
        environment = {**machine.environment, "XDG_CACHE_HOME": str(caches), "HOME": str(caches),
                       "__GL_SHADER_DISK_CACHE_PATH": str(caches), "MESA_SHADER_CACHE_DIR": str(caches)}
        caches.mkdir()
        for kind in ("cold", "warm", *([] if machine.quick else ["warm", "warm"])):
            stats = machine.work / "start.json"
            done = machine.run([machine.program(), "record", "--quiet", "--renderer", "gpu", "--color", "full", "--frames", "1",
                                "--stats", stats, "--force", machine.bundle / "share/glyphreel/demo.mp4", "-o", machine.work / "start.txt"],
                               environment, 60)
            if done.code != 0:
                raise SectionFailed(last_words(done.stderr))
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
                raise SectionFailed("no time left: run this section alone with --only, or raise --limit")
            found = globals()[name](machine)
        except SectionFailed as failure:
            found = {"failure": str(failure)}
        except Exception as problem:  # later sections still run
            found = {"failure": f"the script failed: {type(problem).__name__}: {problem}"}
        found["seconds"] = round(time.monotonic() - began, 1)
        results[name] = found
        # Write the results after each section, in case the machine is lost.
        file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
        (arguments.out / "gpu-results.md").write_text(gpu_report.markdown(results))
        if found.get("failure"):
            failed.append(name)
        print(f"{name}: {'FAILED: ' + found['failure'] if found.get('failure') else 'done'} ({found['seconds']} s)",
              file=sys.stderr)
    shutil.rmtree(machine.work, ignore_errors=True)
    print(gpu_report.markdown(results))
    if failed:
        print(f"run_on_gpu.sh: failed sections: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
