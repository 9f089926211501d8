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
  Unreadable,  ///< any other failure; the error's cause explains it
  TooLarge,
};

struct ReadFileOptions {
  std::size_t max_bytes = 0;           ///< a larger file is an error
  ErrorCode code = ErrorCode::Failed;  ///< the code of the returned Error
  /// Returns the message for the user.
  std::function<std::string(FileProblem)> explain;
  /// Called at least every 50 ms; reading stops once it returns true. Empty: only an interrupt stops reading.
  std::function<bool()> should_stop = {};
};

/// Returns all bytes of a file, which may also be a pipe or a device. Blocks until they have arrived, the
/// user interrupts the program, or should_stop() returns true. Errors: Interrupted if the user or
/// should_stop() stops the reading; `options.code` for every FileProblem.
[[nodiscard]] Result<std::string> read_file(const std::string& path, const ReadFileOptions& options);

}  // namespace glyphreel
