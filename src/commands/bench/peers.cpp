#include "commands/bench/peers.h"

#include <stdlib.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/interrupt.h"
#include "base/io/atomic_file.h"
#include "base/io/log.h"
#include "base/io/own_program.h"
#include "base/io/printable.h"
#include "cli/assets.h"
#include "commands/bench/machine.h"
#include "commands/bench/samples.h"
#include "media/input/child_process.h"
#include "session/statistics.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes Timeout{10};
// MaxPictures: maximum number of frames for chafa. Each frame is a temporary file (8 MB at 1080p).
constexpr int UsualFrames = 240, MaxPictures = 30;
constexpr int UsualRepetitions = 3;
constexpr GridSize PeerGrid{240, 67};

constexpr std::string_view RampShader =
#include "commands/mpv_ramp_glsl.inc"
    ;
constexpr std::string_view RampLoop = R"py(import sys
import cv2
path, frames, columns, rows = sys.argv[1], *map(int, sys.argv[2:5])
video = cv2.VideoCapture(path)
for _ in range(frames):
    found, picture = video.read()
    if not found:
        break
    gray = cv2.cvtColor(cv2.resize(picture, (columns, rows)), cv2.COLOR_BGR2GRAY)
    print("\033[H" + "\n".join("".join(" .:-=+*#%@"[value * 10 // 256] for value in row) for row in gray))
)py";

/// A program to compare: glyphreel or another one. sh runs the scripts, which can use the variables INPUT,
/// FRAMES, COLUMNS, ROWS, WORK (a temporary folder) and GLYPHREEL (the path of this program).
struct Peer {
  std::string_view name;
  std::string_view package;  ///< Debian package; empty: this program
  std::string_view test;     ///< script that succeeds if the program and its dependencies are installed
  std::string_view prepare;  ///< script that is not measured; may be empty
  std::string_view run;
  int max_frames = 1 << 20;
  std::string_view note = {};
};

/// A shell function that plays the input with mpv, as fast as mpv can.
constexpr std::string_view PlayFunction =
    "play() { mpv --no-config --no-audio --really-quiet --untimed --framedrop=no --hwdec=no --no-osc "
    "--frames=\"$FRAMES\" \"$@\" \"$INPUT\" >/dev/null; }\n";

constexpr auto Peers = std::to_array<Peer>({
    {.name = "glyphreel, shapes in full color",
     .package = "",
     .test = "",
     .prepare = "",
     .run = "\"$GLYPHREEL\" record --quiet --no-config --frames \"$FRAMES\" --grid \"${COLUMNS}x$ROWS\" "
            "--format utf8ans -o - "
            "-- \"$INPUT\" >/dev/null"},
    {.name = "glyphreel, ramp in one color",
     .package = "",
     .test = "",
     .prepare = "",
     .run = "\"$GLYPHREEL\" record --quiet --no-config --frames \"$FRAMES\" --grid \"${COLUMNS}x$ROWS\" "
            "--mode ramp --format txt "
            "-o - -- \"$INPUT\" >/dev/null"},
    {.name = "chafa, ascii in full color",
     .package = "chafa",
     .test = "command -v chafa && command -v ffmpeg",
     .prepare =
         "ffmpeg -v error -nostdin -y -i \"$INPUT\" -frames:v \"$FRAMES\" -pix_fmt bgra \"$WORK/%06d.xwd\"",
     .run = "chafa --size \"${COLUMNS}x$ROWS\" --stretch --symbols ascii --colors full \"$WORK\"/*.xwd "
            ">/dev/null",
     .max_frames = MaxPictures,
     .note = "reads frames that were decoded beforehand"},
    {.name = "mpv --vo=tct",
     .package = "mpv",
     .test = "command -v mpv",
     .prepare = "",
     .run = "play --vo=tct --vo-tct-width=\"$COLUMNS\" --vo-tct-height=\"$ROWS\""},
    {.name = "mpv --vo=caca",
     .package = "mpv",
     .test = "command -v mpv && command -v script",
     .prepare = "",
     .run = "export INPUT FRAMES; script -qec \"stty cols $COLUMNS rows $ROWS; TERM=xterm-256color "
            "CACA_DRIVER=slang "
            "mpv --no-config --no-audio --really-quiet --untimed --framedrop=no --hwdec=no "
            "--frames=\\\"\\$FRAMES\\\" --vo=caca "
            "\\\"\\$INPUT\\\"\" /dev/null >/dev/null"},
    {.name = "mpv --vo=gpu-next, ramp shader",
     .package = "mpv xvfb xauth",
     .test = "command -v mpv && { [ -n \"$DISPLAY\" ] || { command -v xvfb-run && command -v xauth; }; }",
     .prepare = "mpv --no-config --vulkan-device=help | sed -n \"s/^ *'\\(.*\\)' (GPU.*/\\1/p\" | sed -n 1p "
                ">\"$WORK/device\"; "
                "sed -i \"s/^#define COLUMNS .*/#define COLUMNS $COLUMNS/; s/^#define ROWS .*/#define ROWS "
                "$ROWS/\" \"$WORK/ramp.glsl\"",
     .run = "export INPUT FRAMES; display=; [ -n \"$DISPLAY\" ] || display='xvfb-run -a -s \"-screen 0 "
            "1920x1080x24\"'; "
            "eval $display mpv --no-config --no-audio --really-quiet --untimed --framedrop=no --hwdec=no "
            "--no-osc --no-border "
            "--vo=gpu-next --gpu-api=vulkan --vulkan-swap-mode=immediate '\"--vulkan-device=$(cat "
            "\"$WORK/device\")\"' "
            "'\"--glsl-shader=$WORK/ramp.glsl\"' '\"--frames=$FRAMES\"' '\"$INPUT\"' >/dev/null",
     .note = "draws pixels in a window"},
    {.name = "timg, half blocks",
     .package = "timg",
     .test = "command -v timg",
     .prepare = "",
     .run = "timg -ph -g\"${COLUMNS}x$ROWS\" -V --frames=\"$FRAMES\" \"$INPUT\" >/dev/null",
     .note = "waits until each frame is due: compare only its CPU time"},
    {.name = "Python and OpenCV, ramp",
     .package = "python3-opencv",
     .test = "/usr/bin/python3 -c 'import cv2'",
     .prepare = "",
     .run = "/usr/bin/python3 \"$WORK/ramp.py\" \"$INPUT\" \"$FRAMES\" \"$COLUMNS\" \"$ROWS\" >/dev/null"},
});

/// The measurements of one peer.
struct Measured {
  const Peer* peer = nullptr;
  bool installed = false;
  int frames = 0;
  std::vector<double> real_s, cpu_s;
  std::string failure;  ///< empty: no failure
};

double children_cpu_s() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class PeerRace {
 public:
  explicit PeerRace(const cli::Settings& settings) : settings_(settings) {}
  ~PeerRace() {
    std::error_code left_behind;  // ignored, because a leftover temporary folder does no harm
    if (!folder_.empty()) fs::remove_all(folder_, left_behind);
  }
  PeerRace(const PeerRace&) = delete;
  PeerRace& operator=(const PeerRace&) = delete;

  [[nodiscard]] Result<int> run() {
    TRY(prepare());
    for (const Peer& peer : Peers) {
      TRY_ASSIGN(Measured measured, prepare_peer(peer));
      measured_.push_back(std::move(measured));
    }
    const int repetitions = settings_.bench.repetitions.value_or(UsualRepetitions);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      for (Measured& each : measured_) TRY(measure(each));
    }
    print();
    return EXIT_SUCCESS;
  }

 private:
  Result<void> prepare() {
    input_ = settings_.inputs.empty() ? "demo:" : settings_.inputs.front();
    if (input_ == "demo:") {
      TRY_ASSIGN(input_, cli::find_asset("demo.mp4"));
    }
    std::error_code problem;
    if (!fs::is_regular_file(input_, problem)) {
      return Error{
          ErrorCode::BadInput,
          fmt::format("--peers needs a local file that the other programs can read, not {}.", input_),
          {}};
    }
    input_ = fs::absolute(input_, problem).string();
    std::string name = (fs::temp_directory_path(problem) / "glyphreel-peers-XXXXXX").string();
    if (problem || ::mkdtemp(name.data()) == nullptr) {
      return Error{ErrorCode::Failed, "--peers needs a temporary folder; set TMPDIR to a writable folder.",
                   name};
    }
    folder_ = name;
    TRY(write_file({.path = folder_ + "/ramp.glsl"}, RampShader));
    return write_file({.path = folder_ + "/ramp.py"}, RampLoop);
  }

  /// Returns the command that sets the environment variables for a Peer's script and runs the script.
  [[nodiscard]] std::vector<std::string> words(std::string_view script, int frames) const {
    const GridSize grid = settings_.layout.grid.value_or(PeerGrid);
    return {"env",
            "INPUT=" + input_,
            fmt::format("FRAMES={}", frames),
            fmt::format("COLUMNS={}", grid.columns),
            fmt::format("ROWS={}", grid.rows),
            "WORK=" + folder_,
            "GLYPHREEL=" + own_program(),
            "sh",
            "-c",
            fmt::format("{}{}", PlayFunction, script)};
  }

  Result<media::ProcessOutcome> run_script(std::string_view script, int frames) const {
    TRY_ASSIGN(media::ProcessOutcome outcome,
               media::run_process(words(script, frames), Timeout, interrupted));
    if (interrupted()) return Error{ErrorCode::Interrupted, "Interrupted before all programs had run.", {}};
    return outcome;
  }

  static bool succeeded(const media::ProcessOutcome& outcome) {
    return outcome.end == media::ProcessOutcome::End::Exited && outcome.exit_code == 0;
  }

  static std::string failure_of(const media::ProcessOutcome& outcome) {
    const std::string line = media::last_error_line(outcome);
    return line.empty() ? fmt::format("exit status {}", outcome.exit_code) : line;
  }

  Result<Measured> prepare_peer(const Peer& peer) {
    Measured measured{.peer = &peer, .installed = true, .real_s = {}, .cpu_s = {}, .failure = {}};
    measured.frames = std::min(settings_.playback.frames.value_or(UsualFrames), peer.max_frames);
    if (!peer.test.empty()) {
      TRY_ASSIGN(const media::ProcessOutcome test, run_script(peer.test, 1));
      measured.installed = succeeded(test);
    }
    if (!measured.installed || peer.prepare.empty()) return measured;
    TRY_ASSIGN(const media::ProcessOutcome prepared, run_script(peer.prepare, measured.frames));
    if (!succeeded(prepared)) measured.failure = failure_of(prepared);
    return measured;
  }

  Result<void> measure(Measured& each) {
    if (!each.installed || !each.failure.empty()) return {};
    if (settings_.report.verbosity != log::Verbosity::Quiet) log::info("{}", each.peer->name);
    const double cpu = children_cpu_s();
    const auto start = std::chrono::steady_clock::now();
    TRY_ASSIGN(const media::ProcessOutcome outcome, run_script(each.peer->run, each.frames));
    if (!succeeded(outcome)) {
      each.failure = failure_of(outcome);
      return {};
    }
    each.real_s.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    each.cpu_s.push_back(children_cpu_s() - cpu);
    return {};
  }

  void print() const {
    if (settings_.report.json) {
      std::puts(session::json_text(json()).c_str());
      return;
    }
    const GridSize grid = settings_.layout.grid.value_or(PeerGrid);
    fmt::print("{} at {}x{} cells\n\n{:<34} {:>7} {:>9} {:>8} {:>11}\n", printable(input_), grid.columns,
               grid.rows, "", "frames", "frames/s", "CPU s", "CPU ms/frame");
    for (const Measured& each : measured_) {
      fmt::print("{:<34} ", each.peer->name);
      if (!each.installed) {
        fmt::print("not installed; apt-get install {}\n", each.peer->package);
      } else if (!each.failure.empty()) {
        fmt::print("failed: {}\n", printable(each.failure));
      } else {
        const double cpu = median(each.cpu_s);
        fmt::print("{:>7} {:>9.1f} {:>8.2f} {:>11.2f}  {}\n", each.frames, each.frames / median(each.real_s),
                   cpu, 1000 * cpu / each.frames, each.peer->note);
      }
    }
    fmt::print("\nTimes from start to end of each program, with output to /dev/null; medians of {} runs.\n",
               settings_.bench.repetitions.value_or(UsualRepetitions));
  }

  [[nodiscard]] nlohmann::json json() const {
    nlohmann::json list = nlohmann::json::array();
    for (const Measured& each : measured_) {
      nlohmann::json peer{
          {"name", each.peer->name}, {"package", each.peer->package}, {"installed", each.installed}};
      if (!each.failure.empty()) peer["failure"] = each.failure;
      if (!each.real_s.empty()) {
        const double cpu = median(each.cpu_s);
        peer.update({{"frames", each.frames},
                     {"real_s", median(each.real_s)},
                     {"cpu_s", cpu},
                     {"fps", each.frames / median(each.real_s)},
                     {"cpu_ms_per_frame", 1000 * cpu / each.frames},
                     {"note", each.peer->note}});
      }
      list.push_back(std::move(peer));
    }
    return {{"context", machine_context()}, {"input", input_}, {"peers", std::move(list)}};
  }

  const cli::Settings& settings_;
  std::string input_, folder_;
  std::vector<Measured> measured_;
};

}  // namespace

Result<int> run_peers(const cli::Settings& settings) {
  return PeerRace(settings).run();
}

}  // namespace glyphreel::commands
