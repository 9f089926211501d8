// Measures how fast libchafa converts frames to cells. Reads raw RGB24 frames and prints one JSON object. The
// times exclude decoding. The time for printing is reported separately.
//
//   ffmpeg -i clip.mp4 -frames:v 30 -pix_fmt rgb24 -f rawvideo - |
//     chafa_bench --size 1920x1080 --grid 240x67 -

#include <chafa.h>
#include <getopt.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

template <auto Release>
struct Releaser {
  template <typename T>
  void operator()(T* object) const {
    Release(object);
  }
};
void close_file(std::FILE* file) {
  if (file != stdin) std::fclose(file);
}
using Canvas = std::unique_ptr<ChafaCanvas, Releaser<chafa_canvas_unref>>;
using CanvasConfig = std::unique_ptr<ChafaCanvasConfig, Releaser<chafa_canvas_config_unref>>;
using SymbolMap = std::unique_ptr<ChafaSymbolMap, Releaser<chafa_symbol_map_unref>>;
using File = std::unique_ptr<std::FILE, Releaser<close_file>>;

struct Options {
  std::string input;  ///< path of the frames; "-": standard input
  std::string size = "1920x1080";
  std::string grid = "240x67";
  std::string color = "full";
  int frames = 0;   ///< maximum number of frames to read; 0: all
  int threads = 0;  ///< 0: one per core
};

constexpr const char* Usage =
    "Usage: chafa_bench [--size WxH] [--grid COLUMNSxROWS] [--color full|fg|mono] [--frames N] [--threads N] "
    "FILE|-\n";

struct Pair {
  int width = 0;
  int height = 0;
};

/// Parses "WxH" as two positive numbers. Returns zeros if `text` is invalid.
Pair parse_pair(const std::string& text) {
  Pair pair;
  char rest = 0;
  const bool valid = std::sscanf(text.c_str(), "%dx%d%c", &pair.width, &pair.height, &rest) == 2;
  return valid && pair.width > 0 && pair.height > 0 ? pair : Pair{};
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

nlohmann::json statistics(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return {{"median", times[times.size() / 2]},
          {"min", times.front()},
          {"mean", sum / static_cast<double>(times.size())}};
}

/// Returns a canvas with libchafa's defaults (work factor 0.5, DIN99d off, no dithering) and the same ASCII
/// symbols as glyphreel.
Canvas make_canvas(Pair grid, const std::string& color) {
  const SymbolMap symbols(chafa_symbol_map_new());
  chafa_symbol_map_add_by_tags(symbols.get(), CHAFA_SYMBOL_TAG_ASCII);
  const CanvasConfig config(chafa_canvas_config_new());
  chafa_canvas_config_set_geometry(config.get(), grid.width, grid.height);
  chafa_canvas_config_set_cell_geometry(config.get(), 8, 16);
  chafa_canvas_config_set_symbol_map(config.get(), symbols.get());
  chafa_canvas_config_set_pixel_mode(config.get(), CHAFA_PIXEL_MODE_SYMBOLS);
  chafa_canvas_config_set_canvas_mode(config.get(),
                                      color == "mono" ? CHAFA_CANVAS_MODE_FGBG : CHAFA_CANVAS_MODE_TRUECOLOR);
  chafa_canvas_config_set_fg_only_enabled(config.get(), color == "full" ? FALSE : TRUE);
  return Canvas(chafa_canvas_new(config.get()));
}

int run(const Options& options) {
  const Pair size = parse_pair(options.size);
  const Pair grid = parse_pair(options.grid);
  if (size.width == 0 || grid.width == 0) {
    std::cerr << "--size and --grid expect WIDTHxHEIGHT, such as 1920x1080\n";
    return 2;
  }
  const File file(options.input == "-" ? stdin : std::fopen(options.input.c_str(), "rb"));
  if (!file) {
    std::cerr << options.input << " cannot be read; give a file of raw RGB24 frames, or - for stdin\n";
    return 4;
  }
  const int threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  chafa_set_n_threads(threads);
  const Canvas canvas = make_canvas(grid, options.color);

  std::vector<std::uint8_t> picture(static_cast<std::size_t>(size.width) *
                                    static_cast<std::size_t>(size.height) * 3);
  std::vector<double> draw_times;
  std::vector<double> print_times;
  std::size_t printed_bytes = 0;
  while (options.frames == 0 || static_cast<int>(draw_times.size()) < options.frames) {
    if (std::fread(picture.data(), 1, picture.size(), file.get()) != picture.size()) break;
    const auto draw_start = Clock::now();
    chafa_canvas_draw_all_pixels(canvas.get(), CHAFA_PIXEL_RGB8, picture.data(), size.width, size.height,
                                 size.width * 3);
    draw_times.push_back(milliseconds_since(draw_start));
    const auto print_start = Clock::now();
    GString* const text = chafa_canvas_print(canvas.get(), nullptr);
    print_times.push_back(milliseconds_since(print_start));
    printed_bytes += text->len;
    g_string_free(text, TRUE);
  }
  if (draw_times.empty()) {
    std::cerr << options.input << " has less than one frame of " << options.size
              << " RGB24 pixels; check --size and the input\n";
    return 4;
  }

  const nlohmann::json draw = statistics(draw_times);
  const nlohmann::json report = {
      {"program", "libchafa"},
      {"version", std::to_string(CHAFA_MAJOR_VERSION) + "." + std::to_string(CHAFA_MINOR_VERSION) + "." +
                      std::to_string(CHAFA_MICRO_VERSION)},
      {"size", options.size},
      {"grid", options.grid},
      {"symbols", "ascii"},
      {"color", options.color},
      {"threads", threads},
      {"frames", draw_times.size()},
      {"ms_per_frame", draw},
      {"fps", 1000.0 / draw.at("mean").get<double>()},
      {"print_ms_per_frame", statistics(print_times)},
      {"printed_bytes_per_frame", printed_bytes / draw_times.size()},
  };
  std::cout << report.dump(2) << '\n';
  return 0;
}

/// Returns the options, or nothing if the command line is invalid.
std::optional<Options> parse(int argc, char** argv) {
  static constexpr std::array<option, 6> Names = {{{"size", required_argument, nullptr, 's'},
                                                   {"grid", required_argument, nullptr, 'g'},
                                                   {"color", required_argument, nullptr, 'c'},
                                                   {"frames", required_argument, nullptr, 'f'},
                                                   {"threads", required_argument, nullptr, 't'},
                                                   {}}};
  Options options;
  for (int name = 0; (name = getopt_long(argc, argv, "", Names.data(), nullptr)) != -1;) {
    if (name == 's') {
      options.size = optarg;
    } else if (name == 'g') {
      options.grid = optarg;
    } else if (name == 'c') {
      options.color = optarg;
    } else if (name == 'f') {
      options.frames = std::atoi(optarg);
    } else if (name == 't') {
      options.threads = std::atoi(optarg);
    } else {
      return std::nullopt;
    }
  }
  const bool has_color = options.color == "full" || options.color == "fg" || options.color == "mono";
  if (optind + 1 != argc || !has_color || options.frames < 0 || options.threads < 0) return std::nullopt;
  options.input = argv[optind];
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> options = parse(argc, argv);
  if (options) return run(*options);
  std::cerr << Usage;
  return 2;
}
