// Measures the frames per second of only decoding a clip, and of decoding, mapping, drawing and packing it,
// without an encoder. Accepts the options of `glyphreel record` except -o. Prints JSON for
// tests/gpu/run_on_gpu.sh.

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/io/log.h"
#include "cli/parse.h"
#include "commands/offline.h"
#include "media/ffmpeg/log_handler.h"
#include "session/setup.h"
#include "session/statistics.h"

namespace glyphreel {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

/// Returns the next frame, or none at the end of the clip or of the requested range.
Result<std::optional<Frame>> next_frame(media::Source& source, const cli::Settings& settings,
                                        std::int64_t had) {
  if (settings.playback.frames && had >= *settings.playback.frames) return std::optional<Frame>();
  while (true) {
    TRY_ASSIGN(media::SourceItem item, source.read());
    if (std::holds_alternative<media::EndOfStream>(item)) return std::optional<Frame>();
    if (auto* frame = std::get_if<Frame>(&item)) return std::optional<Frame>(std::move(*frame));
  }
}

/// Returns the frames per second from the first frame on: opening the decoder is not included.
double pace(std::int64_t frames, Clock::time_point first) {
  const double seconds = std::chrono::duration<double>(Clock::now() - first).count();
  return frames > 1 && seconds > 0 ? static_cast<double>(frames - 1) / seconds : 0.0;
}

/// Decodes the clip into the renderer's memory and renders it. If `render` is false, only decodes it.
Result<Json> run(const cli::Settings& settings, bool render) {
  StageTimes times;
  session::Statistics statistics;
  session::DeferredHostMemory memory;
  media::DeferredHwDecode hardware;
  TRY_ASSIGN(
      const std::unique_ptr<media::Source> source,
      session::open_input(
          settings,
          {.url = settings.inputs.front(), .memory = &memory, .times = &times, .hardware = &hardware}));
  TRY_ASSIGN(const std::unique_ptr<render::Renderer> renderer,
             commands::make_offline_renderer(settings, 1, times, statistics, hardware));
  memory.bind(renderer->frame_memory());
  TRY_ASSIGN(const std::shared_ptr<const text::GlyphSet> glyphs,
             session::make_glyphs(settings, settings.layout.cell));
  TRY(renderer->configure({.grid = session::offline_layout(settings, source->facts())->grid,
                           .glyphs = glyphs,
                           .mapping = session::mapping_parameters(settings),
                           .picture = PictureFormat::Yuv420p,
                           .want_cells = false}));
  std::int64_t frames = 0;
  std::int64_t waiting = 0;
  std::uint64_t copied = 0;
  Clock::time_point first;
  while (true) {
    TRY_ASSIGN(const std::optional<Frame> frame, next_frame(*source, settings, frames));
    if (!frame) break;
    copied += frame->bytes_copied;
    if (render) {
      if (waiting == renderer->depth()) {
        TRY(renderer->collect());
        --waiting;
      }
      TRY(renderer->submit(*frame, session::frame_options(settings)));
      ++waiting;
    }
    if (++frames == 1) first = Clock::now();
  }
  for (; waiting > 0; --waiting) TRY(renderer->collect());
  copied += renderer->bytes_copied();
  statistics.input = source->facts();
  statistics.hardware = source->hardware_use();
  statistics.frames.decoded = frames;
  statistics.host_bytes_copied = copied;
  Json json = session::statistics_json(statistics, settings, times);
  json["pace"] = pace(frames, first);
  return json;
}

Result<Json> measure(const cli::Settings& settings) {
  TRY_ASSIGN(const Json alone, run(settings, false));
  TRY_ASSIGN(const Json whole, run(settings, true));
  const Json& input = whole["input"];
  return Json{{"decoder", input["decoder"]},
              {"hwdec", input["hwdec"]},
              {"frames", whole["frames"]["decoded"]},
              {"decode_fps", alone["pace"]},
              {"pipeline_fps", whole["pace"]},
              {"host_bytes_per_frame", whole["copies"]["host_bytes_per_frame"]}};
}

int tell(const Error& error) {
  std::fprintf(stderr, "pipeline_timing: %s %s\n", error.message.c_str(), error.cause.c_str());
  return static_cast<int>(error.code);
}

int measure_by(int argc, char** argv) {
  std::vector<const char*> words{"glyphreel", "record"};
  words.insert(words.end(), argv + 1, argv + argc);
  words.insert(words.end(), {"-o", "nothing-is-written.mkv"});
  const auto parsed = cli::parse(static_cast<int>(words.size()), words.data(), {});
  if (!parsed) return tell(parsed.error());
  const auto* settings = std::get_if<cli::Settings>(&*parsed);
  if (settings == nullptr)
    return tell({ErrorCode::Usage, "pipeline_timing measures a clip; give its path.", {}});
  log::initialize(settings->report.verbosity, settings->report.log_file);
  media::install_ffmpeg_log_handler();
  const Result<Json> measured = measure(*settings);
  if (!measured) return tell(measured.error());
  std::puts(measured->dump(2).c_str());
  return 0;
}

}  // namespace
}  // namespace glyphreel

int main(int argc, char** argv) {
  return glyphreel::measure_by(argc, argv);
}
