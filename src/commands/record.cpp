#include "commands/record.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "base/interrupt.h"
#include "base/io/log.h"
#include "base/threads/thread.h"
#include "commands/commands.h"
#include "commands/offline.h"
#include "commands/segmented_record.h"
#include "commands/segments/reset_finder.h"
#include "commands/segments/segment_source.h"
#include "media/chained_source.h"
#include "media/ffmpeg/pts_range.h"
#include "media/input/fetch.h"
#include "media/segment/assembler.h"
#include "player/control/terminal_palette.h"
#include "present/terminal/terminal_capabilities.h"
#include "session/command_files.h"

namespace glyphreel::commands {
namespace {

/// Returns the input timestamp that becomes time 0 of the recording. With --start, it is the start time, so
/// that the recording has no gap at its beginning. Otherwise, it is 0, and the recording keeps the input's
/// timestamps.
std::int64_t first_pts(const media::Source& source) {
  const double start = source.range().start_seconds.value_or(0);
  if (start <= 0) return 0;
  return media::tick_at_or_after(start, source.facts().start_pts, source.facts().time_base);
}

media::WriterOptions writer_options(const cli::Settings& settings, const media::Source& source,
                                    const session::WindowLayout& layout, bool is_chained) {
  const media::VideoFacts& facts = source.facts();
  return {.path = settings.recording.output,
          .format = settings.recording.format,
          .codec = settings.recording.codec,
          .pixel_format = settings.recording.pixel_format,
          .crf = settings.recording.crf,
          .preset = settings.recording.preset,
          .bits_per_second = settings.recording.bits_per_second,
          .threads = settings.engine.threads,
          .grid = layout.grid,
          .font = settings.layout.font,
          .separate_payload = settings.recording.embed,
          .size = {layout.grid.columns * layout.cell.width, layout.grid.rows * layout.cell.height},
          .time_base = facts.time_base,
          .first_pts = first_pts(source),
          .frame_rate = facts.frame_rate,
          .audio = source.audio(),
          .copied = is_chained ? nullptr : source.copied(),
          .transcodes_audio = is_chained,
          .overwrite = settings.recording.overwrite,
          .inputs = session::input_files(settings)};
}

/// Returns the constant frame rate of the output, or an empty value if frames keep their times. The rate is
/// --fps or, for a video device without --fps, the rate of the input.
std::optional<Rational> constant_rate(const cli::Settings& settings, const media::Source& source) {
  constexpr Rational AssumedRate{30, 1};
  if (settings.recording.frame_rate) return settings.recording.frame_rate;
  const auto format = export_format_of(settings.recording.output, settings.recording.format);
  if (!format || format->writer != ExportWriter::VideoDevice) return std::nullopt;
  return source.facts().frame_rate.is_positive() ? source.facts().frame_rate : AssumedRate;
}

std::optional<media::FrameRateConverter> converter_of(const cli::Settings& settings,
                                                      const media::Source& source) {
  const std::optional<Rational> rate = constant_rate(settings, source);
  if (!rate) return std::nullopt;
  return media::FrameRateConverter(*rate, source.facts().time_base, first_pts(source));
}

/// Returns the padding that makes the pictures exactly as large as --size; empty without --size.
std::optional<present::Padding> padding_of(const cli::Settings& settings) {
  if (!settings.layout.size) return std::nullopt;
  return present::Padding{*settings.layout.size, settings.picture.background};
}

/// Returns the options for writing to standard output. A pipe gets each frame when the frame is due, because
/// its reader may be a `cat` that plays the video in a terminal. A file gets the frames as fast as possible.
present::AnsiSinkOptions ansi_options(const cli::Settings& settings, Rational time_base) {
  struct stat status {};
  present::AnsiSinkOptions options{.descriptor = STDOUT_FILENO,
                                   .is_paced = ::fstat(STDOUT_FILENO, &status) == 0 &&
                                               !S_ISREG(status.st_mode) && !settings.playback.untimed,
                                   .time_base = time_base};
  if (const present::ColorDepth depth = present::piped_colors(); depth != present::ColorDepth::None)
    options.colors.emplace(present::TerminalColors::Palette::None, depth);
  return options;
}

/// Adds the files of folders and playlists to the inputs, so that the output replaces none of them.
cli::Settings with_entries(cli::Settings settings, const player::Playlist& playlist) {
  for (const player::PlaylistEntry& entry : playlist.entries()) settings.inputs.push_back(entry.url);
  return settings;
}

}  // namespace

RecordJob::RecordJob(const cli::Settings& settings, RecordJobOptions options)
    : playlist_(settings.inputs),
      settings_(with_entries(settings, playlist_)),
      options_(std::move(options)),
      kit_(options_.kit != nullptr ? options_.kit : std::make_shared<RecordKit>()) {}

Result<std::unique_ptr<RecordJob>> RecordJob::begin(const cli::Settings& settings, RecordJobOptions options,
                                                    ExportFormat& format) {
  format = {.writer = ExportWriter::Text};  // the format of standard output
  if (!settings.recording.output.empty()) {
    TRY_ASSIGN(format, export_format_of(settings.recording.output, settings.recording.format));
  }
  return std::unique_ptr<RecordJob>(new RecordJob(settings, std::move(options)));
}

Result<std::unique_ptr<RecordJob>> RecordJob::open(const cli::Settings& settings, RecordJobOptions options) {
  ExportFormat format;
  TRY_ASSIGN(std::unique_ptr<RecordJob> job, begin(settings, std::move(options), format));
  job->has_one_frame_ = format.is_of_one_frame();
  // A segment has no sound, so open its source in the same way as for text output, which has no sound either.
  TRY(job->open_source(job->options_.segment ? ExportFormat{.writer = ExportWriter::Text} : format));
  TRY(job->options_.segment ? job->open_segment_sink(*job->options_.segment) : job->open_sink(format));
  TRY(job->open_renderer());
  return job;
}

Result<std::int64_t> RecordJob::assemble(const cli::Settings& settings, std::vector<std::string> segments,
                                         present::ProgressLine::Visibility visibility) {
  ExportFormat format;
  TRY_ASSIGN(std::unique_ptr<RecordJob> job, begin(settings, {}, format));
  job->decodes_ = false;
  TRY(job->open_source(format));
  present::ProgressLine progress(visibility);
  present::ProgressState state{
      .total_frames = session::expected_frames(settings, job->source_->facts(), job->source_->range())};
  progress.begin();
  media::AssemblyOptions options{
      .writer = job->sink_options().writer,
      .segments = std::move(segments),
      .sound = job->wants_audio_ || job->copies_tracks_ ? job->source_.get() : nullptr,
      .on_progress = [&](std::int64_t frames) {
        state.frames = frames;
        progress.update(state);
      }};
  TRY_ASSIGN(options.writer.size, present::video_size(options.writer, padding_of(settings)));
  TRY_ASSIGN(const std::int64_t frames, media::assemble(options));
  progress.finish(state);
  return frames;
}

/// Replaces the source by one that reads only the segment, and opens the segment's file.
Result<void> RecordJob::open_segment_sink(const RecordedSegment& segment) {
  TRY_ASSIGN(glyphs_, kit_->glyphs(settings_, layout_.cell));
  const media::VideoFacts& facts = source_->facts();
  const SegmentBounds bounds = segment_bounds(segment.plan, segment.index, facts.start_pts, facts.time_base);
  TRY_ASSIGN(std::unique_ptr<ResetFinder> finder,
             ResetFinder::make(offline_setup(settings_, layout_.grid, glyphs_),
                               session::frame_options(settings_).adjustments, settings_.engine.threads));
  TRY_ASSIGN(std::unique_ptr<SegmentSource> source,
             SegmentSource::open(std::move(source_), std::move(finder), bounds));
  segment_ = source->start();
  source_ = std::move(source);
  present::SinkOptions options = sink_options();
  if (options.writer.format.empty()) {
    TRY_ASSIGN(const ExportFormat format, export_format_of(settings_.recording.output));
    options.writer.format = format.ending;
  }
  options.writer.path = segment.path;
  options.writer.overwrite = true;
  TRY_ASSIGN(sink_, present::open_segment_sink(options.writer, options.padding,
                                               segment_.value_or(media::SegmentStart{})));
  kit_->times().set_engine(Stage::Encode, sink_->description());
  return {};
}

Result<void> RecordJob::open_source(const ExportFormat& format) {
  copies_tracks_ = format.writer == ExportWriter::Video && format.has_audio();
  wants_audio_ = settings_.audio.enabled && (format.has_audio() || settings_.recording.embed);
  TRY_ASSIGN(source_, open_next({}));
  if (source_ == nullptr) return playlist_.outcome();
  if (wants_audio_ && playlist_.size() == 1) TRY(session::check_audio_track(settings_, source_->facts()));
  statistics_.input = source_->facts();
  is_chained_ = playlist_.current() != nullptr;
  if (is_chained_) {
    TRY_ASSIGN(source_, media::make_chained_source(std::move(source_), [this](std::stop_token stop) {
                 return open_next(std::move(stop));
               }));
  }
  TRY_ASSIGN(layout_, session::offline_layout(settings_, source_->facts()));
  return {};
}

/// Returns what the recording copies from its input: every track, unless options choose one track or none.
/// Copies nothing if there are several inputs, because they have too little in common.
media::CopiedKinds RecordJob::copied_kinds() const {
  return {.is_enabled = copies_tracks_ && playlist_.size() == 1,
          .audio = wants_audio_ && settings_.audio.track == 0,
          .subtitles = settings_.subtitles.track != cli::SubtitleSettings::NoTrack,
          .subtitle_track = std::max(0, settings_.subtitles.track)};
}

/// Opens the next input that can be opened, and reports those that cannot. Null at the end of the inputs.
Result<std::unique_ptr<media::Source>> RecordJob::open_next(std::stop_token stop) {
  std::unique_ptr<media::Source> source;
  while (source == nullptr && playlist_.current() != nullptr) {
    if (playlist_.is_network_playlist()) {
      playlist_.expand_current(media::fetch_text(playlist_.current()->url, stop));
    } else {
      const std::string url = playlist_.current()->url;
      auto opened = session::open_input(
          settings_, {.url = url,
                      .decoding_goal = media::DecodingGoal::Throughput,
                      .memory = &memory_,
                      .audio = wants_audio_ ? media::AudioDelivery::WithFrames : media::AudioDelivery::None,
                      .audio_track = settings_.audio.track,
                      .copied = copied_kinds(),
                      .discards_video = !decodes_,
                      .stop = stop,
                      .times = &kit_->times(),
                      .hardware = &hardware_,
                      .ends_on_interrupt = true});
      const bool is_of_input =
          opened || opened.error().code == ErrorCode::BadInput || opened.error().code == ErrorCode::Usage;
      if (!is_of_input) return std::move(opened.error());
      if (opened) {
        source = *std::move(opened);
        if (source_ == nullptr) statistics_.input_url = url;
        playlist_.set_played();
        playlist_.advance();
      } else {
        playlist_.skip_current(opened.error());
      }
    }
    for (const Error& problem : playlist_.take_problems()) {
      skipped_inputs_ = true;
      log::warn("{}", full_text(problem));
    }
  }
  return source;
}

Result<void> RecordJob::open_sink(const ExportFormat& format) {
  TRY_ASSIGN(glyphs_, kit_->glyphs(settings_, layout_.cell));
  if (settings_.recording.output.empty()) {
    const auto converter = converter_of(settings_, *source_);
    const Rational time_base = converter ? converter->time_base() : source_->facts().time_base;
    sink_ = present::make_ansi_sink(ansi_options(settings_, time_base), glyphs_);
  } else {
    TRY_ASSIGN(sink_, present::open_sink(format, sink_options()));
  }
  kit_->times().set_engine(Stage::Encode, sink_->description());
  kit_->times().set_engine(Stage::Audio, sink_->audio_description());
  return {};
}

present::SinkOptions RecordJob::sink_options() const {
  present::SinkOptions options{.writer = writer_options(settings_, *source_, layout_, is_chained_),
                               .padding = padding_of(settings_),
                               .glyphs = glyphs_};
  if (const auto converter = converter_of(settings_, *source_)) {
    options.writer.time_base = converter->time_base();
    options.writer.first_pts = converter->first_pts();
    options.writer.frame_rate = *constant_rate(settings_, *source_);
  }
  if (settings_.recording.transparent) options.transparent = settings_.picture.background;
  options.foreground = settings_.picture.foreground;
  options.background = settings_.picture.background;
  options.palette = player::terminal_palette(settings_.picture.color);
  options.title = source_->input().title;
  options.cast_version = settings_.recording.cast_version;
  options.svg_outlines = settings_.recording.svg_outlines;
  const media::VideoFacts& facts = source_->facts();
  const double start = static_cast<double>(facts.start_pts - first_pts(*source_)) * facts.time_base.value();
  for (const media::VideoFacts::Chapter& chapter : facts.chapters) {
    if (start + chapter.start_seconds >= 0)
      options.chapters.push_back({start + chapter.start_seconds, chapter.title});
  }
  return options;
}

Result<void> RecordJob::open_renderer() {
  TRY_ASSIGN(renderer_, kit_->renderer(settings_, statistics_, hardware_));
  memory_.bind(renderer_->frame_memory());
  setup_ = offline_setup(settings_, layout_.grid, glyphs_);
  setup_.picture = sink_->picture_format();
  setup_.want_cells = setup_.picture == PictureFormat::None || options_.on_frame;
  if (settings_.window.wipe && setup_.picture == PictureFormat::None) {
    return Error{ErrorCode::Usage,
                 "--wipe shows the source's pixels, which text cannot contain; record to a video file.",
                 {}};
  }
  if (std::vector<std::uint32_t> colors = sink_->palette(); !colors.empty())
    setup_.mapping.palette = std::move(colors);
  setup_.may_resize = is_one_of_many();  // the next picture probably has another grid
  return kit_->add_tables(setup_);
}

Error RecordJob::no_frame(bool was_interrupted) const {
  const std::string& url = statistics_.input_url;
  if (was_interrupted)
    return {ErrorCode::Interrupted, fmt::format("Interrupted before the first frame of {}.", url), {}};
  return {ErrorCode::Usage,
          fmt::format("{} contains no frame in the requested time: check --start, --end and --length.", url),
          {}};
}

bool RecordJob::is_picture() const {
  const bool may_be_one = source_->input().is_still_image || source_->facts().frame_count == 1;
  return may_be_one && has_one_frame_ && !is_chained_ && !options_.segment && !settings_.recording.frame_rate;
}

Result<std::optional<Frame>> RecordJob::read_picture() {
  std::optional<Frame> picture;
  while (true) {
    TRY_ASSIGN(media::SourceItem item, source_->read());
    if (std::holds_alternative<media::EndOfStream>(item)) break;
    if (!std::holds_alternative<Frame>(item)) continue;
    if (picture) return std::optional<Frame>();
    picture = std::get<Frame>(std::move(item));
    if (sink_->takes_one_frame()) break;
  }
  if (!picture) return no_frame(interrupted());
  damaged_in_picture_ = source_->damaged_packets();
  source_.reset();
  return picture;
}

Result<void> RecordJob::write_picture(const render::RenderedFrame& picture) {
  const auto write = [&]() -> Result<void> {
    if (interrupted()) return Error{ErrorCode::Interrupted, "Interrupted.", {}};
    {
      const ScopedStage stage(kit_->times(), Stage::Encode);
      TRY(sink_->write(picture));
    }
    return sink_->finish();
  };
  Result<void> written = catching(write);
  if (!written) return present::abandoned(*sink_, std::move(written.error()));
  return written;
}

Result<present::RecordOutcome> RecordJob::run() {
  TRY(renderer_->configure(setup_));
  if (!is_one_of_many()) {
    log::info("Renderer: {} ({}).", statistics_.renderer, statistics_.renderer_reason);
    log::info("{} -> {}: {}x{} cells, {}.", statistics_.input_url, output_name(), layout_.grid.columns,
              layout_.grid.rows, sink_->summary());
  }
  present::RecordOptions options{
      .source = source_.get(),
      .renderer = renderer_,
      .frame_options = session::frame_options(settings_),
      .sink = sink_.get(),
      .times = &kit_->times(),
      .frame_rate = converter_of(settings_, *source_),
      .expected_frames = session::expected_frames(settings_, source_->facts(), source_->range()),
      // Text on standard output may appear in the same terminal, and would overwrite the progress line.
      .progress = settings_.recording.output.empty() || is_one_of_many()
                      ? present::ProgressLine::Visibility::Hidden
                      : progress_visibility(settings_),
      .on_interrupt = options_.on_interrupt,
      .is_segment = options_.segment.has_value(),
      .on_frame = options_.on_frame};
  if (segment_) options.first_pts = segment_->first_pts;
  if (settings_.playback.frames) options.max_frames = *settings_.playback.frames;
  if (sink_->takes_one_frame()) {
    if (options.expected_frames > 1 && !is_one_of_many())
      log::info(
          "Only the first frame is written to {}; for all frames, put a number such as %05d in its name.",
          output_name());
    options.max_frames = options.expected_frames = 1;
  }
  TRY_ASSIGN(const present::RecordOutcome outcome, present::record(options));
  if (outcome.encoded == 0 && !options_.segment) return no_frame(outcome.interrupted);
  statistics_.hardware = source_->hardware_use();
  statistics_.frames.decoded = outcome.decoded;
  statistics_.frames.mapped = outcome.mapped;
  statistics_.frames.drawn = outcome.drawn;
  statistics_.frames.encoded = outcome.encoded;
  statistics_.host_bytes_copied = outcome.host_bytes_copied;
  statistics_.wall_seconds = outcome.wall_seconds;
  statistics_.work_seconds = outcome.work_seconds;
  statistics_.first_frame = outcome.first_frame;
  return outcome;
}

Result<void> RecordJob::report(const present::RecordOutcome& outcome) {
  if (const auto damaged = source_->damaged_packets(); damaged > 0) {
    log::warn("{} damaged packet{} skipped.", damaged, damaged == 1 ? " was" : "s were");
  }
  if (outcome.interrupted) log::warn("Interrupted; {} is complete up to that point.", output_name());
  return session::write_statistics(statistics_, settings_, kit_->times());
}

Result<int> run_record(const cli::Settings& settings) {
  if (settings.recording.resume) return run_resumable_record(settings);
  TRY_ASSIGN(const std::unique_ptr<RecordJob> job, RecordJob::open(settings));
  TRY_ASSIGN(const present::RecordOutcome outcome, job->run());
  TRY(job->report(outcome));
  if (outcome.interrupted) return static_cast<int>(ErrorCode::Interrupted);
  return job->skipped_inputs() ? static_cast<int>(ErrorCode::BadInput) : EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
