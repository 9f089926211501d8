#pragma once

#include <fmt/core.h>

#include <string>

namespace glyphreel::log {

/// How much the program says on stderr.
enum class Verbosity { Quiet, Normal, Verbose };

/// Sends log lines to stderr, and to `file` as well where it is not empty. Called once, before any thread
/// starts. Quiet shows errors alone; Verbose adds what each part decided and why.
void initialise(Verbosity verbosity, const std::string& file);

/// Keeps back what goes to stderr, the last lines of it, while something else has the terminal; released, it
/// is shown.
enum class Stderr { Shown, KeptBack };
void set_stderr(Stderr state);

enum class Level { Debug, Info, Warning, Error };

/// Logs one line; control characters in it are escaped. Thread-safe. The functions below format their
/// arguments as fmt::format() does, where the level is logged at all.
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
