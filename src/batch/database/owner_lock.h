#pragma once

#include <string>
#include <utility>

#include "base/io/file_descriptor.h"
#include "base/result.h"

namespace glyphreel::batch {

/// A lock that only one process at a time can hold, and that is required to change a job database. The lock
/// file names the process that holds the lock. The kernel releases the lock when the process ends, even if it
/// crashes.
class OwnerLock {
 public:
  /// Locks the file `path`. Creates the file if it is missing, and never deletes it. `what`: the locked
  /// object, for the message. Errors: Usage if another process holds the lock; Failed if the file cannot be
  /// written.
  [[nodiscard]] static Result<OwnerLock> acquire(const std::string& path, const std::string& what);

 private:
  explicit OwnerLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace glyphreel::batch
