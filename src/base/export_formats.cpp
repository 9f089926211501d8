#include "base/export_formats.h"

#include <strings.h>

#include <filesystem>
#include <vector>

#include <fmt/format.h>

namespace glyphreel {
namespace {

std::string names_of(bool (*is_listed)(const ExportFormat&)) {
  std::vector<std::string_view> names;
  for (const ExportFormat& format : ExportFormats) {
    if (is_listed(format)) names.push_back(format.ending);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Result<ExportFormat> export_format_of(const std::string& path, std::string_view format) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const std::string name = !format.empty()     ? std::string(format)
                           : extension.empty() ? ""
                                               : extension.substr(1);
  const auto is_named = [&](std::string_view known) {
    return !known.empty() && ::strcasecmp(name.c_str(), std::string(known).c_str()) == 0;
  };
  for (const ExportFormat& each : ExportFormats) {
    if (is_named(each.ending) || is_named(each.alias)) return each;
  }
  if (format.empty() && (path.starts_with("/dev/video") || path.starts_with("/dev/v4l/")))
    return VideoDeviceFormat;
  if (!format.empty()) {
    return Error{ErrorCode::Usage,
                 fmt::format("There is no format '{}'; choose one of {}.", format, export_names())};
  }
  return Error{ErrorCode::Usage,
               fmt::format("The output {} has no supported extension; end its name in {}, or use --format.",
                           path, export_endings())};
}

std::string export_names() {
  return names_of([](const ExportFormat&) { return true; });
}

std::string screenshot_names() {
  return names_of([](const ExportFormat& format) { return format.is_for_screenshots(); });
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
