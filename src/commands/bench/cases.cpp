#include "commands/bench/cases.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/options/options.h"
#include "cli/parse.h"

namespace glyphreel::commands {
namespace {

using cli::ColorChoice;

constexpr GridSize UsualGrid{240, 67};  // for 1920 x 1080 pixels with cells of 8 x 16 pixels
constexpr GridSize MatrixGrids[] = {{80, 24}, {160, 45}, UsualGrid};
constexpr Extent MatrixSizes[] = {{640, 360}, {1280, 720}, {1920, 1080}, {3840, 2160}};
constexpr int MatrixBatches[] = {8, MostInBatch};
constexpr ColorChoice MatrixColors[] = {ColorChoice::Mono, ColorChoice::Fg, ColorChoice::Full};

/// Whether the command line sets this option. Always true with --look, because a look may set any option.
bool is_set(const cli::Settings& settings, std::string_view name) {
  return settings.look != cli::Settings{}.look || cli::is_explicit(settings, name);
}

std::vector<CaseChoices::Look> choose_looks(const cli::Settings& settings) {
  const bool one_mode = is_set(settings, "mode") || is_set(settings, "ramp");
  const bool one_color = is_set(settings, "color") || is_set(settings, "palette");
  if (one_mode && one_color) return {{settings.glyphs.mode, settings.picture.color}};
  if (!settings.bench.matrix && !one_mode && !one_color)
    return {{Mode::Ramp, ColorChoice::Mono}, {Mode::Shape, ColorChoice::Full}};
  std::vector<CaseChoices::Look> looks;
  for (const Mode mode : AllModes) {
    if (one_mode ? mode != settings.glyphs.mode : !settings.bench.matrix && mode == Mode::Edge) continue;
    if (one_color || !settings.bench.matrix) {
      looks.push_back({mode, settings.picture.color});
      continue;
    }
    for (const ColorChoice color : MatrixColors) looks.push_back({mode, color});
  }
  return looks;
}

}  // namespace

std::string case_name(const BenchCase& bench_case) {
  const std::string_view workload = WorkloadNames[static_cast<std::size_t>(bench_case.workload)];
  const std::string size = fmt::format("{}x{}", bench_case.size.width, bench_case.size.height);
  if (bench_case.workload == Workload::Decode) return fmt::format("{}/{}", workload, size);
  const std::string batch = bench_case.batch > 1 ? fmt::format("/batch:{}", bench_case.batch) : "";
  return fmt::format("{}/{}/{}/{}x{}/{}/{}{}", workload,
                     bench_case.engine == BenchEngine::Gpu ? "gpu" : "cpu", size, bench_case.grid.columns,
                     bench_case.grid.rows, mode_name(bench_case.mode), cli::color_name(bench_case.color),
                     batch);
}

CaseChoices choose_cases(const cli::Settings& settings, const CaseInputs& inputs) {
  CaseChoices choices{.engines = {},
                      .preferred = inputs.preferred,
                      .sizes = {inputs.input},
                      .grids = {},
                      .looks = {},
                      .batches = {}};
  if (settings.engine.renderer != cli::RendererChoice::Gpu) choices.engines.push_back(BenchEngine::Cpu);
  if (settings.engine.renderer != cli::RendererChoice::Cpu && inputs.has_gpu)
    choices.engines.push_back(BenchEngine::Gpu);
  if (settings.layout.grid) {
    choices.grids = {*settings.layout.grid};
  } else if (settings.bench.matrix) {
    choices.grids.assign(std::begin(MatrixGrids), std::end(MatrixGrids));
  } else {
    choices.grids = {UsualGrid};
  }
  if (settings.bench.matrix && inputs.scalable) {
    for (const Extent size : MatrixSizes) {
      if (size != inputs.input) choices.sizes.push_back(size);
    }
  }
  choices.looks = choose_looks(settings);
  if (settings.bench.matrix) choices.batches.assign(std::begin(MatrixBatches), std::end(MatrixBatches));
  return choices;
}

std::vector<BenchCase> plan_cases(const CaseChoices& choices) {
  std::vector<BenchCase> cases;
  const CaseChoices::Look last = choices.looks.back();
  const GridSize grid = choices.grids.back();
  for (const Extent size : choices.sizes) {
    const bool is_first = size == choices.sizes.front();
    if (is_first) cases.push_back({.workload = Workload::Decode, .size = size, .grid = {}});
    for (const BenchEngine engine : choices.engines) {
      for (const GridSize each : choices.grids) {
        for (const auto& look : choices.looks)
          cases.push_back({Workload::Map, engine, size, each, look.mode, look.color});
        if (engine != BenchEngine::Gpu) continue;
        for (const int batch : choices.batches)
          cases.push_back({Workload::Map, engine, size, each, last.mode, last.color, batch});
      }
      cases.push_back({Workload::Draw, engine, size, grid, last.mode, last.color});
    }
    if (!is_first) continue;
    for (const Workload workload : {Workload::Text, Workload::Video})
      cases.push_back({workload, choices.preferred, size, grid, last.mode, last.color});
  }
  return cases;
}

std::string scaled_input(std::string_view file, Extent size) {
  // The parser of the filter graph and the parser of the filter's options each remove one level of escapes.
  std::string escaped;
  for (const char c : file) {
    if (std::string_view("\\':").find(c) != std::string_view::npos) escaped += "\\";
    escaped += c;
  }
  std::string twice;
  for (const char c : escaped) {
    if (std::string_view("\\'[],;").find(c) != std::string_view::npos) twice += "\\";
    twice += c;
  }
  return fmt::format("lavfi:movie={},scale={}:{}", twice, size.width, size.height);
}

}  // namespace glyphreel::commands
