#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace glyphreel {

/// The files that a command reads, which none of its outputs may replace. A regular file is known by its
/// device and inode: links and other spellings of its name lead to the same one.
class InputFiles {
 public:
  /// Ignores what is not a regular file, or not there.
  void add(const std::string& path);
  void add_descriptor(int descriptor);

  /// Whether `path`, with links followed, is one of these files.
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
