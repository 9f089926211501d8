"""Formats the results of run_on_gpu.py as Markdown for docs/measurements.md."""


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(str(word) for word in row) + " |" for row in rows]
    return "\n".join(lines)


def milliseconds(value):
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def device(found):
    used = found["used"]
    return (f"{used['name']} ({used['driver']}, Vulkan {used['vulkan']}, {used['memory_mb']} MB); {found['cpu']['name']}, "
            f"{found['processors']} CPUs; {found['system']}; FFmpeg {found['ffmpeg']}.")


def parity(found):
    rows = [[mode, of["combinations"], of["mismatched_cells"]] for mode, of in found["modes"].items()]
    failed = "".join(f"\n- {line}" for line in found["failed"][:20])
    return (f"{found['combinations']} of {found['of']} combinations of mode, color, dither, stability and charset, "
            f"{found['frames_each']} frames each, {found['cells']} cells: {found['mismatched_cells']} cells and "
            f"{found['mismatched_pixels']} pixels differ; {found['with_validation_messages']} combinations with validation "
            f"messages.{failed}\n\n" + table(["mode", "combinations", "differing cells"], rows))


def suites(found):
    return table(["suite", "tests", "failed", "skipped", "device", "seconds"],
                 [[one["name"], one["tests"], ", ".join(one["failed"][:10]) or 0, ", ".join(one["skipped"][:10]) or 0,
                   ", ".join(one["devices"]), one["seconds"]] for one in found["suites"]])


def decoders(found):
    listed = "; ".join(f"{asked}: {', '.join(names) or 'none'}" for asked, names in found["listed"].items())
    rows = [[row["codec"], row["asked"], row["failure"] or row["result"], row.get("decoder", ""), row.get("path", ""),
             row.get("host_bytes_per_frame", ""), row.get("mismatched_cells", "")] for row in found["rows"]]
    return f"The device lists: {listed}.\n\n" + table(
        ["codec", "--hwdec", "result", "decoder", "frame path", "host bytes per frame", "differing cells"], rows)


def bound(row):
    if row["bound_ms"] is None:
        return "none"
    return milliseconds(row["bound_ms"]) + ("" if row["within_bound"] else ", exceeded")


def stages(found):
    copy = found["copy"]
    rows = [[f"{row['width']}x{row['height']}", row["looks"], milliseconds(row["map_ms"]), milliseconds(row["draw_ms"]),
             milliseconds(row["pack_ms"]), f"{(row['map_bytes'] + row['draw_bytes']) / 1e6:.1f}",
             milliseconds(row["moving_ms"]), f"{100 * row['copy_share']:.0f} %",
             bound(row)] for row in found["rows"]]
    return (f"A copy of {copy['bytes'] >> 20} MiB in GPU memory: {copy['median_ms']:.3f} ms, "
            f"{copy['gigabytes_per_s']:.0f} GB/s read and written (median of {copy['runs']}).\n\n"
            + table(["frame (NV12)", "looks", "map, ms", "draw, ms", "pack, ms", "MB of map and draw",
                     "time to copy these MB, ms", "share of copy bandwidth", "bound of map and draw, ms"], rows))


def host(found):
    return table(["frame (NV12)", "frames", "path", "MB", "import, ms", "map, ms", "whole frame, ms", "GB/s"],
                 [[f"{row['width']}x{row['height']}", row["frames"], row["engine"], f"{row['bytes'] / 1e6:.1f}",
                   milliseconds(row["import_ms"]), milliseconds(row["map_ms"]), milliseconds(row["frame_ms"]),
                   f"{row['bytes'] / row['frame_ms'] / 1e6:.1f}"] for row in found["rows"]])


def shaders(found):
    if not found["supported"]:
        return "The driver does not report pipelines: it lacks VK_KHR_pipeline_executable_properties."
    rows = [[one["name"], one["count"], executable["name"], executable["subgroup"],
             ", ".join(f"{statistic['name']} {statistic['value']}" for statistic in executable["statistics"])]
            for one in found["pipelines"] for executable in one["executables"]]
    return (table(["pipeline", "created", "executable", "subgroup", "the driver's statistics"], rows)
            + f"\n\nSpills: {'; '.join(found['spilled']) or 'none reported'}.")


def depths(found):
    return table(["frames in flight", "fps"], [[row["in_flight"], f"{row['fps']:.0f}"] for row in found["rows"]])


def pipeline(found):
    rows = []
    for row in found["rows"]:
        if "decode_fps" in row:
            rows.append([row["codec"], row["asked"], row["result"], row["decoder"], f"{row['decode_fps']:.0f}",
                         f"{row['pipeline_fps']:.0f}", f"{100 * (row['decode_fps'] / row['pipeline_fps'] - 1):+.1f} %",
                         row["host_bytes_per_frame"]])
        else:
            rows.append([row["codec"], row["asked"], row["result"], "", "", "", "", ""])
    return table(["codec", "--hwdec", "result", "decoder", "decoding only, fps", "with map, draw, pack, fps", "added time",
                  "host bytes per frame"], rows)


def start(found):
    return table(["start", "device, ms", "pipelines, ms", "first frame, ms", "runs"],
                 [[kind, milliseconds(of["device"]), milliseconds(of["pipelines"]), milliseconds(of["first_frame"]), of["runs"]]
                  for kind, of in found.items() if kind in ("cold", "warm")])


TITLES = {"device": (None, device), "parity": ("Parity", parity), "suites": ("Test suites under validation", suites),
          "decoders": ("Decoders", decoders), "stages": ("Time on the GPU", stages),
          "host": ("Frames in host memory", host), "shaders": ("Compiled pipelines", shaders), "depths": ("Frames in flight", depths),
          "pipeline": ("Offline, end to end", pipeline), "start": ("Startup", start)}


def markdown(results):
    used = results.get("device", {})
    parts = [f"## {used.get('date', 'no date')}: {used.get('used', {}).get('name', 'no device')}"]
    for name, (title, written) in TITLES.items():
        if name not in results:
            continue
        found = results[name]
        if title:
            parts.append(f"### {title}")
        try:
            parts.append(written(found))
        except (KeyError, TypeError, ZeroDivisionError):
            pass  # an incomplete section also has a "failure", printed below
        if found.get("failure"):
            parts.append(f"**Failed:** {found['failure']}")
    return "\n\n".join(parts) + "\n"
