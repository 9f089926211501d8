#pragma once

#include <string>
#include <utility>

#include "base/io/file_descriptor.h"
#include "base/result.h"

namespace glyphreel::batch {

/// The right to change a job database, which one process at a time has. Another process learns from the lock
/// file who has it. The kernel releases the lock when the process ends, however it ends.
class OwnerLock {
 public:
  /// Locks the file `path`, which is created if it is missing, and remains. `what` names what is locked, for
  /// the message. Errors: Usage if another process has the lock; Failed if the file cannot be written.
  [[nodiscard]] static Result<OwnerLock> acquire(const std::string& path, const std::string& what);

 private:
  explicit OwnerLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace glyphreel::batch
