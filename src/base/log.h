#pragma once

#include <spdlog/spdlog.h>

#include <string>

namespace glyphreel::log {

/// How much the program says on stderr.
enum class Verbosity { Quiet, Normal, Verbose };

/// Sends log lines to stderr, and to `file` as well where it is not empty. Called once, before any thread starts.
/// Quiet shows errors alone; Verbose adds what each part decided and why.
void initialise(Verbosity verbosity, const std::string& file);

/// Keeps back what goes to stderr, the last lines of it, while something else has the terminal; released, it is shown.
enum class Stderr { Shown, KeptBack };
void set_stderr(Stderr state);

using spdlog::debug;
using spdlog::error;
using spdlog::info;
using spdlog::warn;

}  // namespace glyphreel::log
