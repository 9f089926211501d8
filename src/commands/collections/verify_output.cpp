#include "commands/collections/verify_output.h"

#include <algorithm>
#include <memory>
#include <variant>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "base/frame.h"
#include "base/io/read_file.h"
#include "commands/collections/batch_plan.h"
#include "media/source.h"
#include "media/still/image_sequence.h"
#include "present/export/sequence_sink.h"

namespace glyphreel::commands {
namespace {

Error mismatch(const std::string& path, const std::string& problem, std::string cause = {}) {
  return {ErrorCode::Failed,
          fmt::format("The output {} {}; run the command again to replace it.", path, problem),
          std::move(cause)};
}

Result<std::int64_t> count_decoded(const std::string& path) {
  TRY_ASSIGN(const std::unique_ptr<media::Source> source, media::Source::open({.url = path, .threads = 1}));
  std::int64_t frames = 0;
  while (true) {
    TRY_ASSIGN(const media::SourceItem item, source->read());
    if (std::holds_alternative<media::EndOfStream>(item)) break;
    if (std::holds_alternative<Frame>(item)) ++frames;
  }
  if (const std::uint64_t damaged = source->damaged_packets(); damaged > 0)
    return mismatch(path, fmt::format("has {} damaged packets", damaged));
  return frames;
}

Result<std::int64_t> count_form_feeds(const std::string& path) {
  constexpr std::size_t MaxBytes = 1U << 30U;
  TRY_ASSIGN(const std::string text, read_file(path, {.max_bytes = MaxBytes, .explain = [&](FileProblem) {
                                                        return fmt::format("The output {} cannot be read.",
                                                                           path);
                                                      }}));
  return std::ranges::count(text, '\f');
}

Result<void> verify_file(const std::string& path, std::int64_t frames) {
  const std::optional<std::int64_t> bytes = output_bytes(path);
  if (!bytes) return mismatch(path, "is missing");
  if (*bytes == 0) return mismatch(path, "is empty");
  TRY_ASSIGN(const ExportFormat format, export_format_of(path));
  std::int64_t found = frames;
  switch (format.writer) {
    case ExportWriter::Text: {
      TRY_ASSIGN(found, count_form_feeds(path));
      break;
    }
    case ExportWriter::Video:
    case ExportWriter::Gif:
    case ExportWriter::Apng:
    case ExportWriter::Webp:
    case ExportWriter::Still:
    case ExportWriter::Cells: {
      Result<std::int64_t> decoded = count_decoded(path);
      if (!decoded && decoded.error().code == ErrorCode::BadInput)
        return mismatch(path, "cannot be decoded", full_text(decoded.error()));
      TRY_ASSIGN(found, std::move(decoded));
      break;
    }
    // No library that this program uses can count the frames of these formats.
    case ExportWriter::Html:
    case ExportWriter::Ans:
    case ExportWriter::Utf8Ans:
    case ExportWriter::Xbin:
    case ExportWriter::Cast:
    case ExportWriter::Svg:
    case ExportWriter::Raw:
    case ExportWriter::VideoDevice:
      break;
  }
  if (found != frames) return mismatch(path, fmt::format("has {} frames instead of {}", found, frames));
  return {};
}

}  // namespace

Result<void> verify_output(const std::string& path, std::int64_t frames) {
  if (!media::find_number_field(path)) return verify_file(path, frames);
  for (std::int64_t number = 1; number <= frames; ++number)
    TRY(verify_file(present::numbered_name(path, static_cast<int>(number)), 1));
  return {};
}

}  // namespace glyphreel::commands
