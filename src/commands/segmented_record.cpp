#include "commands/segmented_record.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "base/io/atomic_file.h"
#include "base/io/log.h"
#include "base/io/read_file.h"
#include "batch/database/owner_lock.h"
#include "batch/settings_key.h"
#include "cli/version.h"
#include "media/segment/assembler.h"
#include "session/setup.h"
#include "commands/offline.h"

namespace glyphreel::commands {
namespace {

constexpr double UsualLength = 60;  // seconds; a killed recording loses at most one segment
constexpr std::string_view IdentityFile = "recording";
constexpr std::size_t MaxIdentityBytes = 1 << 20;

/// Returns why a recording cannot be cut into segments, as the end of a sentence; empty if it can be.
std::string obstacle(const cli::Settings& settings, const ExportFormat& format, const media::Source& source) {
  if (format.writer != ExportWriter::Video) return "only videos are recorded in segments";
  if (settings.inputs.size() != 1) return "several inputs are recorded as one";
  if (settings.frame_rate) return "--fps moves frames across the borders of segments";
  if (settings.frames) return "--frames counts from the start";
  const media::InputFacts& input = source.input();
  const media::VideoFacts& facts = source.facts();
  if (input.kind != media::InputKind::File || !input.is_seekable || input.is_live || !facts.duration_seconds)
    return "the input cannot seek, or its duration is unknown";
  // The decoder measures the light of HDR from frame to frame, which tone mapping follows.
  constexpr int Pq = 16, Hlg = 18;  // ITU-T H.273 TransferCharacteristics
  if (facts.color.transfer == Pq || facts.color.transfer == Hlg)
    return "the tone mapping of HDR depends on earlier frames";
  return {};
}

}  // namespace

Result<SegmentPlan> plan_recording(const cli::Settings& settings, double length) {
  TRY_ASSIGN(const ExportFormat format, export_format_of(settings.output, settings.format));
  TRY_ASSIGN(const std::unique_ptr<media::Source> source,
             session::open_input(settings, {.url = settings.inputs.front(), .ends_on_interrupt = true}));
  if (const std::string reason = obstacle(settings, format, *source); !reason.empty()) {
    return Error{
        ErrorCode::Usage,
        fmt::format("The recording cannot be made in segments, because {}; leave out --resume and --segment.",
                    reason)};
  }
  const double start = source->range().start_seconds.value_or(0);
  const double duration = *source->facts().duration_seconds;
  const double end = std::min(duration, source->range().end_seconds.value_or(duration));
  return plan_segments(start, end, length > 0 ? length : UsualLength);
}

/// Returns what the segments depend on, as text: options, input and version of the program.
std::string SegmentedRecord::identity() const {
  struct stat input {};
  ::stat(settings_.inputs.front().c_str(), &input);
  return fmt::format("glyphreel {}\ninput {} {} {}.{:09}\nsegments {} {}\n{}", cli::version(),
                     std::filesystem::absolute(settings_.inputs.front()).string(), input.st_size,
                     input.st_mtim.tv_sec, input.st_mtim.tv_nsec, plan_.segments(), plan_.slack_seconds,
                     batch::canonical_settings(settings_));
}

Result<void> SegmentedRecord::prepare(OfAnother of_another) const {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  if (failure) return unwritable(folder_, failure);
  const std::string file = fmt::format("{}/{}", folder_, IdentityFile);
  if (std::filesystem::exists(file)) {
    const auto explain = [&](FileProblem) {
      return fmt::format("{} cannot be read; delete its folder to start again.", file);
    };
    TRY_ASSIGN(const std::string found, read_file(file, {.max_bytes = MaxIdentityBytes, .explain = explain}));
    if (found == identity()) return {};
    if (of_another == OfAnother::Refuse) {
      return Error{
          ErrorCode::Usage,
          fmt::format("{} belongs to a recording with other options, of another input or by another version; "
                      "delete it to start again, or repeat the earlier command.",
                      folder_)};
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder_, failure))
      std::filesystem::remove_all(entry.path(), failure);
  }
  return write_file({.path = file, .temporary = AtomicFile::Temporary::Hidden}, identity());
}

std::string SegmentedRecord::path(std::size_t index) const {
  return fmt::format("{}/{:05}.segment", folder_, index);
}

bool SegmentedRecord::is_recorded(std::size_t index) const {
  return std::filesystem::exists(path(index)) && media::read_segment_facts(path(index));
}

Result<std::unique_ptr<RecordJob>> SegmentedRecord::open(std::size_t index, RecordJobOptions options) const {
  options.on_interrupt = present::RecordOptions::OnInterrupt::Abandon;
  options.segment = RecordedSegment{.path = path(index), .plan = plan_, .index = index};
  return RecordJob::open(settings_, std::move(options));
}

Result<std::int64_t> SegmentedRecord::assemble(present::ProgressLine::Visibility progress) const {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < segments(); ++i) paths.push_back(path(i));
  TRY_ASSIGN(const std::int64_t frames, RecordJob::assemble(settings_, std::move(paths), progress));
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  return frames;
}

Result<int> run_resumable_record(const cli::Settings& settings) {
  const std::string folder = settings.output + ".segments";
  TRY_ASSIGN(SegmentPlan plan, plan_recording(settings, settings.segment_seconds));
  const SegmentedRecord record(settings, std::move(plan), folder);
  TRY(record.prepare(SegmentedRecord::OfAnother::Refuse));
  TRY_ASSIGN(const batch::OwnerLock lock, batch::OwnerLock::acquire(folder + "/lock", folder));
  for (std::size_t i = 0; i < record.segments(); ++i) {
    if (record.is_recorded(i)) continue;
    log::info("Segment {} of {}.", i + 1, record.segments());
    TRY_ASSIGN(const std::unique_ptr<RecordJob> job, record.open(i));
    const Result<present::RecordOutcome> outcome = job->run();
    if (outcome) continue;
    if (outcome.error().code == ErrorCode::Interrupted)
      log::warn("The same command continues with segment {} of {}.", i + 1, record.segments());
    return outcome.error();
  }
  TRY(record.assemble(progress_visibility(settings)));
  return EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
