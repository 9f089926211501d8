#include "player/recording/recording_name.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "base/io/atomic_file.h"
#include "media/encode/writer.h"
#include "player/osd/progress_bar.h"
#include "player/osd/statistics_page.h"

namespace glyphreel::player {
namespace {

bool is_free(const std::string& path) {
  return access(path.c_str(), F_OK) != 0;
}

}  // namespace

std::string free_recording_name(const std::string& codec) {
  const auto can_contain = [&](const ExportFormat& format) {
    const std::string path = fmt::format("glyphreel.{}", format.ending);
    return static_cast<bool>(media::Writer::picture_format({.path = path, .codec = codec}));
  };
  const auto found = std::find_if(ExportFormats.begin(), ExportFormats.end(), can_contain);
  const std::string_view ending = (found != ExportFormats.end() ? *found : ExportFormats.front()).ending;
  for (int n = 1;; ++n) {
    std::string name =
        n == 1 ? fmt::format("glyphreel.{}", ending) : fmt::format("glyphreel-{}.{}", n, ending);
    if (is_free(name) && is_free(part_path(name))) return name;
  }
}

std::string recording_facts(const std::string& path, double seconds) {
  std::error_code problem;
  const std::uintmax_t bytes = std::filesystem::file_size(path, problem);
  return fmt::format("{}, {}", clock_text(seconds, seconds), bytes_text(problem ? 0 : bytes));
}

}  // namespace glyphreel::player
