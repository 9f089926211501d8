#include "base/io/own_program.h"

#include <filesystem>
#include <system_error>

namespace glyphreel {

std::string own_program() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).string();
}

}  // namespace glyphreel
