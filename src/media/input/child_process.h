#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace glyphreel::media {

/// The result of running a helper program.
struct ProcessOutcome {
  enum class End { Exited, NotFound, TimedOut, Stopped };
  End end = End::Exited;
  int exit_code = 0;   ///< for End::Exited; 128 + the signal's number if a signal killed the process
  std::string output;  ///< the standard output, 16 MiB at most
  std::string errors;  ///< the standard error, 64 KiB at most
};

/// Returns the last line that the program wrote to its standard error; empty if it wrote nothing.
[[nodiscard]] std::string last_error_line(const ProcessOutcome& outcome);

/// Runs a program that is in PATH, without a shell. `words`: the program's name and arguments, passed
/// unchanged. The program's standard input is empty. Blocks until the program exits, even if it closed its
/// output earlier. Does not wait for the program's child processes, which may keep the output open. After
/// `timeout`, or when should_stop() is true (polled every 50 ms), kills the program and its children.
/// Errors: Failed if the system cannot create a pipe or a process.
[[nodiscard]] Result<ProcessOutcome> run_process(const std::vector<std::string>& words,
                                                 std::chrono::milliseconds timeout,
                                                 const std::function<bool()>& should_stop);

/// Runs two programs alternately: while one program runs for `slice`, the other one is paused (SIGSTOP). Both
/// programs therefore run during the same period, and a change in the machine's speed affects both alike.
/// Compare only their CPU times: the wall-clock time of each program includes its pauses. The first program
/// gets the first slice. Otherwise, does the same as run_process(). Errors: Failed if the system cannot
/// create a pipe or a process.
[[nodiscard]] Result<std::array<ProcessOutcome, 2>> run_in_slices(
    const std::array<std::vector<std::string>, 2>& programs, std::chrono::milliseconds slice,
    std::chrono::milliseconds timeout, const std::function<bool()>& should_stop);

}  // namespace glyphreel::media
