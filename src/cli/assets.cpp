#include "cli/assets.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "base/io/own_program.h"

namespace glyphreel::cli {

Result<std::string> find_asset(std::string_view name) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::path(own_program()).parent_path();
  // The program is in PREFIX/bin, or in build/PRESET/src of the source tree.
  const std::array<fs::path, 4> places{folder / "../share/glyphreel", folder / "../../../assets",
                                       fs::path(GLYPHREEL_DATADIR), fs::path(GLYPHREEL_SOURCE_ASSETS)};
  for (const fs::path& place : places) {
    const fs::path path = place / name;
    if (fs::is_regular_file(path, error)) return path.lexically_normal().string();
  }
  return Error{
      .code = ErrorCode::Failed,
      .message = fmt::format("{} is missing from {}: reinstall glyphreel.", name, GLYPHREEL_DATADIR)};
}

}  // namespace glyphreel::cli
