#include "base/export_formats.h"

#include <strings.h>

#include <filesystem>

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

std::string export_endings() {
  std::string endings;
  for (const ExportFormat& format : ExportFormats) {
    if (!endings.empty()) endings += &format == &ExportFormats.back() ? " or " : ", ";
    endings += fmt::format(".{}", format.ending);
  }
  return endings;
}

}  // namespace glyphreel
