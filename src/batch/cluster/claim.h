#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/io/file_descriptor.h"

namespace glyphreel::batch {

/// The exclusive right of one process of a cluster run to convert a unit: a lock on one byte of a file that
/// all processes share. While the claim exists, no other process can claim the unit. The kernel releases the
/// lock when the process ends, even if it crashes. If the file is on a network file server, the server
/// releases the lock if the machine on which the process runs goes down.
class Claim {
 public:
  /// Claims the unit named `unit` by a lock in the file `path`, which is created if it is missing. Returns
  /// empty if the unit is already claimed. If the file cannot be opened, or if its file system does not
  /// support locks, returns a claim that does not exclude other processes.
  [[nodiscard]] static std::optional<Claim> acquire(const std::string& path, const std::string& unit);

 private:
  explicit Claim(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace glyphreel::batch
