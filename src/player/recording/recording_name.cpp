#include "player/recording/recording_name.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "base/io/atomic_file.h"
#include "media/encode/writer.h"

namespace glyphreel::player {

std::string free_recording_name(const std::string& codec) {
  const auto can_contain = [&](const ExportFormat& format) {
    const std::string path = fmt::format("glyphreel.{}", format.ending);
    return static_cast<bool>(media::Writer::picture_format({.path = path, .codec = codec}));
  };
  const auto found = std::find_if(ExportFormats.begin(), ExportFormats.end(), can_contain);
  const std::string_view ending = (found != ExportFormats.end() ? *found : ExportFormats.front()).ending;
  const auto is_free = [](const std::string& path) { return access(path.c_str(), F_OK) != 0; };
  for (int n = 1;; ++n) {
    std::string name =
        n == 1 ? fmt::format("glyphreel.{}", ending) : fmt::format("glyphreel-{}.{}", n, ending);
    if (is_free(name) && is_free(part_path(name))) return name;
  }
}

}  // namespace glyphreel::player
