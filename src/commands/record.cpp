#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "base/io/log.h"
#include "media/ffmpeg/pts_range.h"
#include "session/command_files.h"
#include "session/setup.h"
#include "present/export/recorder.h"
#include "commands/commands.h"
#include "commands/offline.h"

namespace glyphreel::commands {
namespace {

/// Returns the tick that becomes the recording's zero: that of --start, so that an excerpt begins at once.
/// Without --start the input's own times stay.
std::int64_t first_pts(const cli::Settings& settings, const media::VideoFacts& facts) {
  if (settings.start_seconds.value_or(0) <= 0) return 0;
  return media::tick_at_or_after(*settings.start_seconds, facts.start_pts, facts.time_base);
}

media::WriterOptions writer_options(const cli::Settings& settings, const media::Source& source, Extent size) {
  const media::VideoFacts& facts = source.facts();
  return {.path = settings.output,
          .codec = settings.codec,
          .crf = settings.crf,
          .bits_per_second = settings.bits_per_second,
          .threads = settings.threads,
          .size = size,
          .time_base = facts.time_base,
          .first_pts = first_pts(settings, facts),
          .frame_rate = facts.frame_rate,
          .audio = source.audio(),
          .overwrite = settings.overwrite,
          .inputs = session::input_files(settings)};
}

/// Makes the renderer and configures it for the sink's pictures. Binds `memory` to its frame memory and
/// `hardware` to the decoders it can use.
Result<std::unique_ptr<render::Renderer>> prepare_renderer(const cli::Settings& settings,
                                                           render::RenderSetup setup, StageTimes& times,
                                                           session::Statistics& statistics,
                                                           session::DeferredHostMemory& memory,
                                                           media::DeferredHwDecode& hardware) {
  TRY_ASSIGN(std::unique_ptr<render::Renderer> renderer,
             make_offline_renderer(settings, times, statistics, hardware));
  memory.bind(renderer->frame_memory());
  TRY(renderer->configure(setup));
  return renderer;
}

}  // namespace

Result<int> run_record(const cli::Settings& settings) {
  StageTimes times;
  session::Statistics statistics;
  session::DeferredHostMemory memory;
  media::DeferredHwDecode hardware;
  TRY_ASSIGN(const ExportFormat format, export_format_of(settings.output));
  const std::string& url = settings.inputs.front();
  TRY_ASSIGN(const std::unique_ptr<media::Source> source,
             session::open_input(
                 settings, {.url = url,
                            .memory = &memory,
                            .times = &times,
                            .audio = settings.audio && format.has_sound ? media::AudioDelivery::WithFrames
                                                                        : media::AudioDelivery::None,
                            .hardware = &hardware,
                            .ends_on_interrupt = true}));
  statistics.input = source->facts();
  statistics.input_url = url;

  const GridSize grid = session::offline_grid(settings, source->facts());
  TRY_ASSIGN(const std::shared_ptr<const text::GlyphSet> glyphs,
             session::make_glyphs(settings, settings.cell));
  const Extent size{grid.columns * settings.cell.width, grid.rows * settings.cell.height};
  TRY_ASSIGN(const std::unique_ptr<present::FrameSink> sink,
             present::open_sink(format, writer_options(settings, *source, size), glyphs));
  times.set_engine(Stage::Encode, sink->description());
  times.set_engine(Stage::Audio, sink->audio_description());

  TRY_ASSIGN(const std::unique_ptr<render::Renderer> renderer,
             prepare_renderer(settings,
                              {.grid = grid,
                               .fit = settings.fit,
                               .glyphs = glyphs,
                               .mapping = session::mapping_parameters(settings),
                               .effect = session::effect(settings),
                               .picture = sink->picture_format(),
                               .want_cells = sink->picture_format() == PictureFormat::None},
                              times, statistics, memory, hardware));
  log::info("{} -> {}: {}x{} cells, {}.", url, settings.output, grid.columns, grid.rows, sink->summary());

  present::RecordOptions options{.source = source.get(),
                                 .renderer = renderer.get(),
                                 .sink = sink.get(),
                                 .times = &times,
                                 .expected_frames = session::expected_frames(settings, source->facts()),
                                 .progress = settings.verbosity == log::Verbosity::Quiet
                                                 ? present::ProgressLine::Visibility::Hidden
                                                 : present::ProgressLine::Visibility::Shown};
  if (settings.frames) options.max_frames = *settings.frames;
  TRY_ASSIGN(const present::RecordOutcome outcome, present::record(options));
  if (outcome.encoded == 0 && outcome.interrupted) {
    return Error{ErrorCode::Interrupted, fmt::format("Interrupted before the first frame of {}.", url), {}};
  }
  if (outcome.encoded == 0) {
    return Error{
        ErrorCode::Usage,
        fmt::format("{} contains no frame in the requested time: check --start, --end and --length.", url),
        {}};
  }

  statistics.hardware = source->hardware_use();
  statistics.decoded = outcome.decoded;
  statistics.mapped = outcome.mapped;
  statistics.drawn = outcome.drawn;
  statistics.encoded = outcome.encoded;
  statistics.host_bytes_copied = outcome.host_bytes_copied;
  statistics.wall_seconds = outcome.wall_seconds;
  statistics.first_frame = outcome.first_frame;
  if (source->damaged_packets() > 0) log::warn("{} damaged packets were skipped.", source->damaged_packets());
  if (outcome.interrupted) log::warn("Interrupted; {} is complete up to that point.", settings.output);
  TRY(session::write_statistics(statistics, settings, times));
  return outcome.interrupted ? static_cast<int>(ErrorCode::Interrupted) : EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
