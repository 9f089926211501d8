#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.h"
#include "base/mode.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// What a benchmark does with each frame.
enum class Workload {
  Decode,  ///< decodes a frame
  Map,     ///< maps a frame in memory to cells
  Draw,    ///< maps a frame in memory and draws its picture
  Text,    ///< decodes and maps a frame and passes the cells on, as a recording to a text file does
  Video,   ///< decodes, maps, draws and encodes a frame, as a recording to a video file does
};
inline constexpr std::string_view WorkloadNames[] = {"decode", "map", "draw", "text", "video"};

inline constexpr int MostInBatch = 32;  ///< frames

/// Where a benchmark decodes, maps and draws.
enum class BenchEngine { Cpu, Gpu };

/// One benchmark: a workload and its settings.
struct BenchCase {
  Workload workload = Workload::Map;
  BenchEngine engine = BenchEngine::Cpu;
  Extent size;  ///< size of the frames in pixels
  GridSize grid;
  Mode mode = Mode::Shape;
  cli::ColorChoice color = cli::ColorChoice::Full;
  int batch = 1;  ///< frames that share a submission to the GPU, 1 to MostInBatch

  bool operator==(const BenchCase&) const = default;
};

/// Returns the benchmark's name, such as "decode/1280x720" or "map/gpu/1280x720/240x67/shape/full". If frames
/// share submissions, the name ends with their number, such as "/batch:8".
[[nodiscard]] std::string case_name(const BenchCase& bench_case);

/// The values that plan_cases() combines. Settings that the user gives are not varied.
struct CaseChoices {
  std::vector<BenchEngine> engines;
  BenchEngine preferred = BenchEngine::Cpu;  ///< the engine that --renderer auto would select
  std::vector<Extent> sizes;                 ///< the first is the input's size
  std::vector<GridSize> grids;
  struct Look {
    Mode mode;
    cli::ColorChoice color;
  };
  std::vector<Look> looks;
  std::vector<int> batches;  ///< numbers of frames, more than 1, that share a submission to the GPU
};

/// What the choices depend on besides the settings.
struct CaseInputs {
  Extent input;           ///< size of the input
  bool scalable = false;  ///< whether the input can be scaled to the other sizes of the matrix
  bool has_gpu = false;
  BenchEngine preferred = BenchEngine::Cpu;  ///< see CaseChoices
};
/// Returns the choices for these settings: few by default, many with --matrix.
[[nodiscard]] CaseChoices choose_cases(const cli::Settings& settings, const CaseInputs& inputs);

/// Returns the benchmarks, one size after the other. Each size has a Map benchmark for every combination of
/// engine, grid and look, and a Draw benchmark for every engine. With a GPU, each size also has a GPU Map
/// benchmark for every combination of grid and batch. Only the first size has the Decode, Text and Video
/// benchmarks.
[[nodiscard]] std::vector<BenchCase> plan_cases(const CaseChoices& choices);

/// Returns the URL of a lavfi input that scales a local file.
[[nodiscard]] std::string scaled_input(std::string_view file, Extent size);

}  // namespace glyphreel::commands
