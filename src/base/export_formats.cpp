#include "base/export_formats.h"

#include <strings.h>

#include <filesystem>
#include <vector>

#include <fmt/format.h>

namespace glyphreel {

Result<ExportFormat> export_format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const ExportFormat& format : ExportFormats) {
    if (::strcasecmp(extension.c_str(), fmt::format(".{}", format.ending).c_str()) == 0) return format;
  }
  return Error{ErrorCode::Usage, fmt::format("The output {} has no supported extension; end its name in {}.",
                                             path, export_endings())};
}

std::string export_endings(std::optional<ExportWriter> writer) {
  std::vector<std::string> endings;
  for (const ExportFormat& format : ExportFormats) {
    if (!writer || format.writer == *writer) endings.push_back(fmt::format(".{}", format.ending));
  }
  const std::string last = endings.back();
  endings.pop_back();
  return endings.empty() ? last : fmt::format("{} or {}", fmt::join(endings, ", "), last);
}

}  // namespace glyphreel
