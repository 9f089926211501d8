#include "base/io/input_files.h"

#include <sys/stat.h>

#include <algorithm>

namespace glyphreel {

void InputFiles::add(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
    files_.push_back({status.st_dev, status.st_ino});
}

void InputFiles::add_descriptor(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
    files_.push_back({status.st_dev, status.st_ino});
}

bool InputFiles::contains(const std::string& path) const {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return std::find(files_.begin(), files_.end(), Identity{status.st_dev, status.st_ino}) != files_.end();
}

}  // namespace glyphreel
