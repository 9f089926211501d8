#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace glyphreel {

/// The files that a command reads. The command's outputs must not replace them. Regular files are identified
/// by device and inode, so links and other spellings of a path are recognized.
class InputFiles {
 public:
  /// Ignores paths that do not exist or are not regular files.
  void add(const std::string& path);
  void add_descriptor(int descriptor);

  /// Returns whether `path`, with links followed, is one of these files.
  [[nodiscard]] bool contains(const std::string& path) const;

 private:
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Identity&) const = default;
  };
  std::vector<Identity> files_;
};

}  // namespace glyphreel
