#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"

namespace glyphreel {

/// Why a file was not read.
enum class FileProblem {
  Missing,
  Directory,
  Unreadable,  ///< any other failure: see the error's cause
  TooLarge,
};

struct ReadFileOptions {
  std::size_t max_bytes = 0;           ///< a file with more is refused, and no more of it is read
  ErrorCode code = ErrorCode::Failed;  ///< of a problem's Error
  /// The sentence for the user.
  std::function<std::string(FileProblem)> explain;
  /// Polled every 50 ms in addition to interrupted(); may be empty.
  std::function<bool()> should_stop = {};
};

/// All bytes of a file, which may also be a pipe or a device. Blocks until they are there, until the user
/// interrupts the program, or until should_stop(). Errors: those of FileProblem; Interrupted.
[[nodiscard]] Result<std::string> read_file(const std::string& path, const ReadFileOptions& options);

}  // namespace glyphreel
