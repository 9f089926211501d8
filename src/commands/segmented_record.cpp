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
#include "commands/offline.h"
#include "commands/record_kit.h"
#include "media/segment/assembler.h"
#include "session/command_files.h"
#include "session/setup.h"

namespace glyphreel::commands {
namespace {

// The default length of a segment, in seconds. A killed recording loses at most one segment.
constexpr double UsualLength = 60;
// Files in the folder besides the segments. A run creates JoiningFile when it begins to join the segments. If
// a later run finds this file, the partial output comes from the earlier run, so the later run may remove the
// partial output.
constexpr std::string_view IdentityFile = "recording", JoiningFile = "joining", LockFile = "lock";
constexpr std::size_t MaxIdentityBytes = 1 << 20;

/// Returns the reason why these settings do not allow segments, worded to follow "because" in a sentence.
/// Returns an empty string if they allow segments.
Result<std::string> obstacle(const cli::Settings& settings) {
  TRY_ASSIGN(const ExportFormat format,
             export_format_of(settings.recording.output, settings.recording.format));
  std::error_code ignored;
  const std::filesystem::file_status output = std::filesystem::status(settings.recording.output, ignored);
  if (std::filesystem::exists(output) && !std::filesystem::is_regular_file(output))
    return std::string("the output is a pipe, a device or a folder");
  if (format.writer != ExportWriter::Video) return std::string("only videos are recorded in segments");
  if (settings.inputs.size() != 1) return std::string("it has several inputs");
  if (settings.recording.frame_rate) return std::string("--fps moves frames across the borders of segments");
  if (settings.playback.frames) return std::string("--frames counts from the start of the recording");
  return std::string();
}

/// Returns the reason why an input does not allow segments, worded to follow "because" in a sentence. Returns
/// an empty string if the input allows segments.
std::string obstacle(const media::Source& source) {
  const media::InputFacts& input = source.input();
  const media::VideoFacts& facts = source.facts();
  if (input.kind != media::InputKind::File || !input.is_seekable || input.is_live || !facts.duration_seconds)
    return "the input cannot seek, or its duration is unknown";
  // Tone mapping adapts to the brightness of HDR scenes, which the decoder measures over successive frames.
  if (is_hdr(facts.color.transfer)) return "the tone mapping of HDR depends on earlier frames";
  return {};
}

Error no_segments(std::string_view reason) {
  return Error{ErrorCode::Usage, fmt::format("The recording cannot be made in segments, because {}; omit "
                                             "--resume and --segment.",
                                             reason)};
}

/// Checks that a recording can create the output. Errors: those of AtomicFile::create().
Result<void> check_output(const cli::Settings& settings) {
  const auto existing =
      settings.recording.overwrite ? AtomicFile::Existing::Replace : AtomicFile::Existing::Refuse;
  const AtomicFile::Options options{
      .path = settings.recording.output, .existing = existing, .inputs = session::input_files(settings)};
  TRY(AtomicFile::check(options));
  const std::string part = part_path(settings.recording.output);
  if (settings.recording.overwrite || !std::filesystem::exists(part)) return {};
  return Error{
      ErrorCode::Usage,
      fmt::format(
          "{} was left by an unfinished recording: rename it to keep it, or use --force to replace it.",
          part)};
}

}  // namespace

Result<SegmentPlan> plan_recording(const cli::Settings& settings, double length) {
  TRY_ASSIGN(const std::string of_settings, obstacle(settings));
  if (!of_settings.empty()) return no_segments(of_settings);
  TRY_ASSIGN(const std::unique_ptr<media::Source> source,
             session::open_input(settings, {.url = settings.inputs.front(), .ends_on_interrupt = true}));
  if (const std::string of_input = obstacle(*source); !of_input.empty()) return no_segments(of_input);
  const double start = source->range().start_seconds.value_or(0);
  const double duration = *source->facts().duration_seconds;
  const double end = std::min(duration, source->range().end_seconds.value_or(duration));
  return plan_segments(start, end, length > 0 ? length : UsualLength);
}

/// Returns what the segments depend on, as text: options, glyphs, input and version of the program.
Result<std::string> SegmentedRecord::identity() const {
  struct stat input {};
  ::stat(settings_.inputs.front().c_str(), &input);
  TRY_ASSIGN(const std::string glyphs, glyph_fingerprint(settings_));
  return fmt::format("glyphreel {}\ninput {} {} {}.{:09}\nsegments {} {}\nformat={}\nglyphs={}\n{}",
                     cli::version(), std::filesystem::absolute(settings_.inputs.front()).string(),
                     input.st_size, input.st_mtim.tv_sec, input.st_mtim.tv_nsec, plan_.segments(),
                     plan_.slack_seconds, settings_.recording.format, glyphs,
                     batch::canonical_settings(settings_));
}

std::string SegmentedRecord::path(std::size_t index) const {
  return file(fmt::format("{:05}.segment", index));
}

std::string SegmentedRecord::file(std::string_view name) const {
  return fmt::format("{}/{}", folder_, name);
}

bool SegmentedRecord::is_begun() const {
  return std::filesystem::exists(file(IdentityFile));
}

Result<void> SegmentedRecord::prepare(OfAnother of_another) const {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  if (failure) return unwritable(folder_, failure);
  TRY_ASSIGN(const std::string expected, identity());
  if (is_begun()) {
    const auto explain = [&](FileProblem) {
      return fmt::format("{} cannot be read; delete its folder to start again.", file(IdentityFile));
    };
    TRY_ASSIGN(const std::string found,
               read_file(file(IdentityFile), {.max_bytes = MaxIdentityBytes, .explain = explain}));
    if (found == expected) return {};
    if (of_another == OfAnother::Refuse) {
      return Error{ErrorCode::Usage, fmt::format("The folder {} belongs to a recording with other options, "
                                                 "another input or another program version; "
                                                 "delete it to start again, or repeat the earlier command.",
                                                 folder_)};
    }
    remove_files();
    std::filesystem::create_directories(folder_, failure);
  }
  return write_file({.path = file(IdentityFile), .temporary = AtomicFile::Temporary::Hidden}, expected);
}

bool SegmentedRecord::is_recorded(std::size_t index) const {
  return std::filesystem::exists(path(index)) && media::read_segment_facts(path(index));
}

Result<std::unique_ptr<RecordJob>> SegmentedRecord::open(std::size_t index, RecordJobOptions options) const {
  options.on_interrupt = present::RecordOptions::OnInterrupt::Abandon;
  options.segment = segment(index);
  return RecordJob::open(settings_, std::move(options));
}

/// Creates JoiningFile. If the file exists already, first removes the partial output of the run that was
/// killed while it joined the segments.
Result<void> SegmentedRecord::begin_joining() const {
  if (std::filesystem::exists(file(JoiningFile))) {
    // create() replaces the killed run's partial file with an empty file. The returned AtomicFile is
    // destroyed at once, and its destructor removes the empty file.
    TRY(AtomicFile::create({.path = settings_.recording.output,
                            .existing = AtomicFile::Existing::Replace,
                            .inputs = session::input_files(settings_)}));
  }
  return write_file({.path = file(JoiningFile),
                     .existing = AtomicFile::Existing::Replace,
                     .temporary = AtomicFile::Temporary::Hidden},
                    {});
}

Result<std::int64_t> SegmentedRecord::assemble(present::ProgressLine::Visibility progress) const {
  TRY(begin_joining());
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < segments(); ++i) paths.push_back(path(i));
  TRY_ASSIGN(const std::int64_t frames, RecordJob::assemble(settings_, std::move(paths), progress));
  remove_files();
  return frames;
}

/// Removes the recording's files from the folder. Then removes the folder, unless it contains other files.
void SegmentedRecord::remove_files() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".segment") || name == JoiningFile || name == LockFile)
      std::filesystem::remove(entry, ignored);
  }
  std::filesystem::remove(file(IdentityFile), ignored);
  std::filesystem::remove(folder_, ignored);
}

Result<int> run_resumable_record(const cli::Settings& settings) {
  const std::string folder = settings.recording.output + ".segments";
  TRY_ASSIGN(SegmentPlan plan, plan_recording(settings, settings.recording.segment_seconds));
  const SegmentedRecord record(settings, std::move(plan), folder);
  if (!record.is_begun()) TRY(check_output(settings));
  TRY(record.prepare(SegmentedRecord::OfAnother::Refuse));
  TRY_ASSIGN(const batch::OwnerLock lock,
             batch::OwnerLock::acquire(fmt::format("{}/{}", folder, LockFile), folder));
  for (std::size_t i = 0; i < record.segments(); ++i) {
    if (record.is_recorded(i)) continue;
    log::info("Segment {} of {}.", i + 1, record.segments());
    TRY_ASSIGN(const std::unique_ptr<RecordJob> job, record.open(i));
    const Result<present::RecordOutcome> outcome = job->run();
    if (outcome) continue;
    if (outcome.error().code == ErrorCode::Interrupted)
      log::warn("Run the same command to continue with segment {} of {}.", i + 1, record.segments());
    return outcome.error();
  }
  TRY(record.assemble(progress_visibility(settings)));
  return EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
