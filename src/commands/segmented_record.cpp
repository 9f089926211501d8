#include "commands/segmented_record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "base/interrupt.h"
#include "base/io/atomic_file.h"
#include "base/io/log.h"
#include "base/io/read_file.h"
#include "cli/version.h"
#include "commands/record.h"
#include "media/segment/assembler.h"
#include "session/setup.h"

namespace glyphreel::commands {
namespace {

constexpr double UsualLength = 60;  // seconds; a killed recording loses at most one segment
constexpr std::string_view IdentityFile = "recording";
constexpr std::size_t MaxIdentityBytes = 1 << 20;

Result<std::unique_ptr<media::Source>> open_for_facts(const cli::Settings& settings) {
  return session::open_input(settings, {.url = settings.inputs.front(), .ends_on_interrupt = true});
}

/// Returns what the segments of a recording depend on, as text: options, input and version of the program.
std::string identity_of(const cli::Settings& settings, const SegmentPlan& plan) {
  std::string text = fmt::format("glyphreel {}\n", cli::version());
  struct stat input {};
  ::stat(settings.inputs.front().c_str(), &input);
  text += fmt::format("input {} {} {}.{:09}\n", std::filesystem::absolute(settings.inputs.front()).string(),
                      input.st_size, input.st_mtim.tv_sec, input.st_mtim.tv_nsec);
  text += fmt::format("segments {} {}\n", plan.segments(), plan.slack_seconds);
  for (const cli::Settings::GivenOption& option : settings.above_look) {
    if (option.name != "force" && option.name != "resume" && option.name != "quiet" &&
        option.name != "verbose")
      text += fmt::format("{} {} {}\n", option.name, option.value, option.on);
  }
  return text;
}

}  // namespace

Result<std::string> segment_obstacle(const cli::Settings& settings) {
  TRY_ASSIGN(const ExportFormat format, export_format_of(settings.output, settings.format));
  if (format.writer != ExportWriter::Video) return std::string("only videos are recorded in segments");
  if (settings.inputs.size() != 1) return std::string("several inputs are recorded as one");
  if (settings.frame_rate) return std::string("--fps moves frames across the borders of segments");
  if (settings.frames) return std::string("--frames counts from the start");
  TRY_ASSIGN(const std::unique_ptr<media::Source> source, open_for_facts(settings));
  const media::InputFacts& input = source->input();
  const media::VideoFacts& facts = source->facts();
  if (input.kind != media::InputKind::File || !input.is_seekable || input.is_live || !facts.duration_seconds)
    return std::string("the input cannot seek, or its duration is unknown");
  // The tone curve of HDR follows the light of the scene from frame to frame, in the decoder.
  constexpr int Pq = 16, Hlg = 18;
  if (facts.color.transfer == Pq || facts.color.transfer == Hlg)
    return std::string("HDR follows the light from frame to frame");
  return std::string();
}

Result<SegmentPlan> plan_recording(const cli::Settings& settings, double length) {
  TRY_ASSIGN(const std::unique_ptr<media::Source> source, open_for_facts(settings));
  const double start = source->range().start_seconds.value_or(0);
  const double end = source->range().end_seconds.value_or(source->facts().duration_seconds.value_or(start));
  return plan_segments(start, std::min(end, source->facts().duration_seconds.value_or(end)),
                       length > 0 ? length : UsualLength);
}

Result<SegmentedRecord> SegmentedRecord::open(const cli::Settings& settings) {
  SegmentedRecord record(settings, settings.output + ".segments");
  TRY_ASSIGN(record.plan_, plan_recording(settings, settings.segment_seconds));
  TRY(record.lock());
  TRY(record.check_identity());
  return record;
}

/// Creates the folder, and locks it against other runs.
Result<void> SegmentedRecord::lock() {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  if (failure) return unwritable(folder_, failure);
  lock_.reset(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_.is_open()) return unwritable(folder_, {errno, std::generic_category()});
  if (::flock(lock_.number(), LOCK_EX | LOCK_NB) == 0) return {};
  return Error{ErrorCode::Usage,
               fmt::format("Another program is recording to {}; wait for it to end.", folder_),
               std::strerror(errno)};
}

/// Checks that the folder's segments are of this recording.
Result<void> SegmentedRecord::check_identity() const {
  const std::string file = fmt::format("{}/{}", folder_, IdentityFile);
  const std::string identity = identity_of(settings_, plan_);
  if (!std::filesystem::exists(file))
    return write_file({.path = file, .temporary = AtomicFile::Temporary::Hidden}, identity);
  TRY_ASSIGN(const std::string found,
             read_file(file, {.max_bytes = MaxIdentityBytes, .explain = [&](FileProblem) {
                                return fmt::format("{} cannot be read; delete the folder to start again.",
                                                   file);
                              }}));
  if (found == identity) return {};
  return Error{
      ErrorCode::Usage,
      fmt::format("{} belongs to a recording with other options, of another input or by another version; "
                  "delete it to start again, or repeat the earlier command.",
                  folder_)};
}

std::string SegmentedRecord::path(std::size_t index) const {
  return fmt::format("{}/{:05}.segment", folder_, index);
}

bool SegmentedRecord::is_recorded(std::size_t index) const {
  return std::filesystem::exists(path(index)) && media::read_segment_facts(path(index));
}

Result<present::RecordOutcome> SegmentedRecord::record(std::size_t index) const {
  TRY_ASSIGN(const std::unique_ptr<RecordJob> job,
             RecordJob::open_segment(settings_, {.path = path(index), .plan = plan_, .index = index}));
  return job->run();
}

Result<std::int64_t> SegmentedRecord::assemble() {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < segments(); ++i) paths.push_back(path(i));
  TRY_ASSIGN(const std::int64_t frames, RecordJob::assemble(settings_, std::move(paths)));
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  return frames;
}

}  // namespace glyphreel::commands
