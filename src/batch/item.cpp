#include "batch/item.h"

#include <sys/stat.h>

namespace glyphreel::batch {

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr std::int64_t NsPerSecond = 1'000'000'000;
  return FileStamp{.device = static_cast<std::int64_t>(status.st_dev),
                   .inode = static_cast<std::int64_t>(status.st_ino),
                   .size = status.st_size,
                   .mtime_ns = status.st_mtim.tv_sec * NsPerSecond + status.st_mtim.tv_nsec};
}

}  // namespace glyphreel::batch
