#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace glyphreel::media {

/// What a helper program left behind.
struct ProcessOutcome {
  enum class End { Exited, NotFound, TimedOut, Stopped };
  End end = End::Exited;
  int exit_code = 0;   ///< of End::Exited; 128 + the signal's number where one ended it
  std::string output;  ///< what it wrote to standard output, 16 MiB at most
  std::string errors;  ///< and to standard error, 64 KiB at most
};

/// Runs a program, found in PATH, without a shell: `words` are its name and arguments as they are. Its
/// standard input is empty. Blocks until it exits, whether or not it closed its output before, and whether or
/// not a process that it started still holds that open. It is killed, with the processes that it started,
/// after `timeout` or once should_stop() is true (asked every 50 ms). Errors: Failed where the system has no
/// room for a process.
[[nodiscard]] Result<ProcessOutcome> run_process(const std::vector<std::string>& words,
                                                 std::chrono::milliseconds timeout,
                                                 const std::function<bool()>& should_stop);

}  // namespace glyphreel::media
