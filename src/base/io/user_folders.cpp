#include "base/io/user_folders.h"

#include <cstdlib>

namespace glyphreel {
namespace {

std::filesystem::path user_folder(const char* variable, const char* below_home) {
  // The XDG Base Directory Specification says to ignore a path that is not absolute.
  const char* value = std::getenv(variable);
  if (value != nullptr && *value == '/') return std::filesystem::path(value) / "glyphreel";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / below_home / "glyphreel";
}

}  // namespace

std::filesystem::path cache_folder() {
  return user_folder("XDG_CACHE_HOME", ".cache");
}

std::filesystem::path config_folder() {
  return user_folder("XDG_CONFIG_HOME", ".config");
}

std::filesystem::path state_folder() {
  return user_folder("XDG_STATE_HOME", ".local/state");
}

}  // namespace glyphreel
