#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/hw_decode_api.h"
#include "base/io/log.h"
#include "base/mode.h"
#include "base/picture_choices.h"
#include "base/rational.h"
#include "base/time_position.h"

namespace glyphreel::cli {

enum class Verb { Play, Record, Batch, Compare, Bench, Info, Help };
enum class RendererChoice { Auto, Gpu, Cpu };
enum class ColorChoice { Mono, Fg, Full, Ansi16, Ansi256 };
/// --window and --terminal: where to play. Auto: in a window, or in the terminal if there is no display.
enum class PlayPlace { Auto, Window, Terminal };
/// --keep-open: where playback pauses. Yes: on the last frame of the last input. Always: on the last frame of
/// every input.
enum class KeepOpen { No, Yes, Always };

/// The renderer, the GPU, the video decoder, and the number of threads.
struct EngineSettings {
  RendererChoice renderer = RendererChoice::Auto;
  std::string device;  ///< number of a GPU, or part of its name; empty: the fastest GPU
  HwDecodeChoice hwdec = HwDecodeChoice::Auto;
  int threads = 0;  ///< 0: one per CPU

  bool operator==(const EngineSettings&) const = default;
};

/// The grid of cells and its place in the picture or window.
struct LayoutSettings {
  /// --grid; empty: computed from the size of a cell and the size of the picture or window.
  std::optional<GridSize> grid;
  CellSize cell{8, 16};
  std::string font = "DejaVu Sans Mono";
  std::optional<Extent> size;  ///< --size: output size in pixels; the grid is the largest that fits
  Fit fit = Fit::Contain;
  std::optional<Rational> aspect;  ///< --aspect: aspect ratio of the shown picture; empty: the input's ratio

  bool operator==(const LayoutSettings&) const = default;
};

/// Which glyphs there are, and how they are selected.
struct GlyphSettings {
  std::string charset = "ascii";
  bool charset_given = false;   ///< true: the command line has --charset, and `info` describes that charset
  bool charset_chosen = false;  ///< whether Settings::options has --charset
  Mode mode = Mode::Shape;
  std::string ramp;  ///< empty: the charset ordered by measured glyph coverage
  /// The lowest brightness for which each character of `ramp`, except the first, is used: 1 to 255,
  /// ascending. Empty: computed from measured glyph coverage.
  std::vector<int> thresholds;
  Sampling sample = Sampling::Area;
  Luma luma = Luma::Auto;

  bool operator==(const GlyphSettings&) const = default;
};

/// The colors and effects of the picture. Keys and IPC properties can change most of them during playback.
struct PictureSettings {
  ColorChoice color = ColorChoice::Full;
  unsigned foreground = 0xFFFFFF;  ///< 0xRRGGBB
  unsigned background = 0x000000;
  std::string palette_file;            ///< --palette; empty: none
  std::vector<std::uint32_t> palette;  ///< colors of palette_file, 0xRRGGBB; set by session::with_palette()
  Reverse reverse = Reverse::Never;
  bool inverted = false;
  ToneMapping tone_mapping = ToneMapping::Auto;
  int brightness = 0;  ///< -100 to 100; the same for contrast, gamma and saturation
  int contrast = 0;
  int gamma = 0;
  int saturation = 0;
  bool auto_levels = true;
  Dither dither = Dither::None;
  std::optional<double> legibility;  ///< 0 to 1; empty: see mapping::Parameters
  double stability = 0.5;            ///< 0 to 1
  Effect effect = Effect::None;
  int glow = 0;       ///< 0 to 100
  int scanlines = 0;  ///< 0 to 100

  bool operator==(const PictureSettings&) const = default;
};

/// Which part of an input is played or recorded, and how fast and how often it plays.
struct PlaybackSettings {
  std::optional<TimePosition> start;
  std::optional<TimePosition> end;
  std::optional<double> length_seconds;
  std::optional<int> frames;  ///< --frames: maximum number of frames; empty: no limit
  int repeats = 0;            ///< --loop-file: how many times each input is repeated; or RepeatForever
  static constexpr int RepeatForever = -1;
  bool paused = false;
  KeepOpen keep_open = KeepOpen::No;
  bool shuffled = false;
  bool save_position = false;
  double speed = 1;  ///< 0.25 to 4
  bool deinterlace = true;
  bool untimed = false;  ///< frames are shown as soon as they are decoded

  bool operator==(const PlaybackSettings&) const = default;
};

struct AudioSettings {
  bool enabled = true;
  int track = 0;                       ///< --aid: track number, from 1; 0: --aid is "auto"
  std::vector<std::string> languages;  ///< --alang: the preferred ones first
  std::string device;                  ///< --audio-device: a PulseAudio sink; empty: the default one
  double volume = 100;                 ///< percent, 0 to 130
  bool muted = false;
  double delay = 0;  ///< seconds

  bool operator==(const AudioSettings&) const = default;
};

struct SubtitleSettings {
  int track = 0;                       ///< --sid: track number, from 1; 0: --sid is "auto"; NoTrack: "no"
  std::vector<std::string> languages;  ///< --slang: the preferred ones first
  std::string file;                    ///< --sub-file; empty: none
  double delay = 0;                    ///< seconds
  static constexpr int NoTrack = -1;
  double scale = 1;  ///< --sub-scale

  bool operator==(const SubtitleSettings&) const = default;
};

/// The window or terminal in which the inputs are played.
struct WindowSettings {
  PlayPlace place = PlayPlace::Auto;
  TerminalGraphics terminal_graphics = TerminalGraphics::No;
  int osd_level = 1;     ///< 0 to 3
  double osd_scale = 1;  ///< --osd-scale
  /// --wipe: the share of the picture's width, from the left, that shows the source instead of text; empty:
  /// none.
  std::optional<double> wipe;
  bool fullscreen = false;
  /// --screenshot-format: names of formats in base/export_formats.h
  std::vector<std::string> screenshot_formats{"png", "txt"};
  std::string geometry;  ///< WxH or WxH+X+Y; empty: a size that fits the screen
  PresentMode vsync = PresentMode::Auto;
  std::string ipc_socket;  ///< --input-ipc-server: path of the socket; empty: none

  bool operator==(const WindowSettings&) const = default;
};

/// The file that `record` writes.
struct RecordingSettings {
  std::string output;         ///< -o: a file, or a folder for `batch`; parse() replaces "-" with /dev/stdout
  std::string format;         ///< --format: a format in base/export_formats.h; empty: see export_format_of()
  bool transparent = false;   ///< --transparent
  int cast_version = 2;       ///< --cast-version: 2 or 3
  bool svg_outlines = false;  ///< --svg-outlines
  std::string codec;
  std::string pixel_format;  ///< --pix-fmt; empty: see media::find_video_encoder()
  std::optional<int> crf;
  std::string preset;  ///< --preset: a preset of the encoder; empty: this program's choice
  std::optional<long long> bits_per_second;
  std::optional<Rational> frame_rate;  ///< --fps: frames per second of the recording; empty: the input's
  bool embed = false;                  ///< --embed: whether .html and .cast consist of several files
  bool overwrite = false;
  bool resume = false;         ///< --resume: record in segments, and continue a recording that was stopped
  double segment_seconds = 0;  ///< --segment: length of a segment; 0: chosen by the program

  bool operator==(const RecordingSettings&) const = default;
};

/// Conversion of a collection. RecordingSettings::output is the folder for the outputs.
struct BatchSettings {
  std::string to_format;                       ///< --to: a format in base/export_formats.h; empty: none
  std::string name_template = "{dir}/{name}";  ///< --name: see batch::NameTemplate
  std::string files_from;                      ///< --files-from: a file, or "-" for stdin; empty: none
  bool files0 = false;                         ///< --files0: NUL ends each name of files_from
  int jobs = 0;                                ///< --jobs: number of jobs; 0: see batch::choose_jobs()
  int pictures = 0;      ///< --batch: pictures that a job renders together; 0: chosen by the program
  int retries = 1;       ///< --retry: maximum number of further attempts at an item that failed
  bool verify = false;   ///< --verify: finished outputs are opened and decoded
  bool ssim = false;     ///< --ssim: the similarity of each output to its input is measured
  bool dry_run = false;  ///< --dry-run: only print the plan
  std::optional<std::string> list;  ///< --list: print the items that match this filter
  std::string database;             ///< --db; empty: .glyphreel/jobs.db in the output folder
  std::string job_log;              ///< --joblog: a file, or "-" for standard output; empty: none

  bool operator==(const BatchSettings&) const = default;
};

/// Conversion of a collection on a cluster.
struct ClusterSettings {
  std::string where;            ///< --cluster: "slurm" or "ssh:HOSTS"; empty: this machine
  std::string partition, gres;  ///< --partition and --gres, for Slurm; empty: the site's default
  std::string time_limit;       ///< --time: time limit of a task, in Slurm's form; empty: the site's default
  int array_limit = 0;          ///< --array-limit: maximum number of tasks in a job array; 0: see SlurmLimits
  bool detach = false;          ///< --detach: submit the tasks and return
  bool status = false;          ///< --status: print the run's progress
  bool cancel = false;          ///< --cancel: stop the run's tasks
  std::string task_file;        ///< --task: run the task that this file describes; empty: no task

  bool operator==(const ClusterSettings&) const = default;
};

struct BenchSettings {
  bool matrix = false;
  std::optional<int> repetitions;  ///< empty: see run_bench()
  std::string against;             ///< --against: an earlier run or a program; empty: none
  bool peers = false;

  bool operator==(const BenchSettings&) const = default;
};

/// What the program reports, and where.
struct ReportSettings {
  bool json = false;
  bool recent = false;    ///< --recent: `info` lists the files that were played with --save-position
  std::string directory;  ///< --report; empty: none
  std::string stats_file;
  std::string log_file;
  log::Verbosity verbosity = log::Verbosity::Normal;

  bool operator==(const ReportSettings&) const = default;
};

struct ConfigSettings {
  std::string file;         ///< --config; empty: config.toml in config_folder()
  std::string profile;      ///< --profile: names of configuration profiles, separated by commas; empty: none
  bool is_ignored = false;  ///< --no-config: read neither config.toml nor input.conf

  bool operator==(const ConfigSettings&) const = default;
};

/// An option and its value as text; `on` is false for a flag that is turned off.
struct GivenOption {
  std::string name, value;
  bool on = true;

  bool operator==(const GivenOption&) const = default;
};

/// The values of all options. The manual page states the defaults.
struct Settings {
  Verb verb = Verb::Play;
  std::vector<std::string> inputs;

  std::string look = "none";
  std::vector<GivenOption> above_look;  ///< the options of the command line, which override the look's
  /// The options of the command line, the configuration and the look, see with_options().
  std::vector<GivenOption> options;
  /// These settings without the options of the look. with_look() uses them. Null if there is no look.
  std::shared_ptr<const Settings> without_look;

  EngineSettings engine;
  LayoutSettings layout;
  GlyphSettings glyphs;
  PictureSettings picture;
  PlaybackSettings playback;
  AudioSettings audio;
  SubtitleSettings subtitles;
  WindowSettings window;
  RecordingSettings recording;
  BatchSettings batch;
  ClusterSettings cluster;
  BenchSettings bench;
  ReportSettings report;
  ConfigSettings config;

  bool operator==(const Settings&) const = default;
};

}  // namespace glyphreel::cli
