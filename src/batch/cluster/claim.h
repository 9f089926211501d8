#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/io/file_descriptor.h"

namespace glyphreel::batch {

/// The right to convert a unit, which one process of a cluster at a time has: a lock on one byte of a file
/// that all processes share. The kernel releases it when the process ends, however it ends; a file server
/// does so when the machine is gone.
class Claim {
 public:
  /// Claims the unit of this name. `path`: the file, which is created if it is missing. Returns nothing if
  /// another process has the unit. If the file system supports no locks, returns a claim without effect.
  [[nodiscard]] static std::optional<Claim> acquire(const std::string& path, const std::string& unit);

 private:
  explicit Claim(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace glyphreel::batch
