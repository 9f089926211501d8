#pragma once

#include <fmt/core.h>

#include <string>

namespace glyphreel::log {

/// How much the program prints to stderr.
enum class Verbosity { Quiet, Normal, Verbose };

/// Sends log lines to stderr, and also to `file` unless `file` is empty. Call once, before any thread starts.
/// Quiet shows only errors; Verbose also shows each component's decisions and their reasons.
void initialize(Verbosity verbosity, const std::string& file);

/// Whether log lines for stderr are printed, or buffered while the terminal shows a video. The buffer holds
/// the latest 200 lines. Switching back to Shown prints them.
enum class Stderr { Shown, Buffered };
void set_stderr(Stderr state);

enum class Level { Debug, Info, Warning, Error };

/// Logs one line, with control characters escaped. This function and those below format their arguments like
/// fmt::format(), but only if the level is logged. Thread-safety: any thread.
void write(Level level, fmt::string_view format, fmt::format_args arguments);

template <typename... Arguments>
void debug(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(Level::Debug, format, fmt::make_format_args(arguments...));
}
template <typename... Arguments>
void info(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(Level::Info, format, fmt::make_format_args(arguments...));
}
template <typename... Arguments>
void warn(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(Level::Warning, format, fmt::make_format_args(arguments...));
}
template <typename... Arguments>
void error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(Level::Error, format, fmt::make_format_args(arguments...));
}

}  // namespace glyphreel::log
