#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/interrupt.h"
#include "base/io/log.h"
#include "commands/commands.h"
#include "player/player_entry.h"
#include "player/playlist/playlist.h"
#include "player/recording/recording_name.h"
#include "present/terminal/terminal.h"
#include "present/terminal/terminal_capabilities.h"

namespace glyphreel::commands {
namespace {

constexpr double UnattendedSeconds = 10;  // length of the recording if there is no window and no terminal

/// Whether standard output is a pipe, a socket or a file, to which the video is written as text.
bool is_output_piped() {
  struct stat status {};
  if (::fstat(STDOUT_FILENO, &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || S_ISREG(status.st_mode);
}

/// Returns the grid for text output: the size of the terminal in which the program was started, less a line
/// for the prompt; a common size if there is no terminal.
GridSize piped_grid() {
  for (const int descriptor : {STDERR_FILENO, STDIN_FILENO}) {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) continue;
    const GridSize whole = present::usable_size(size.ws_col, size.ws_row);
    return {whole.columns, std::max(1, whole.rows - 1)};
  }
  return {80, 23};
}

/// Returns the settings for recording the first usable input. Does not report unusable inputs, because
/// play() has already reported them.
Result<cli::Settings> recording_settings(const cli::Settings& settings) {
  cli::Settings recording = settings;
  const player::Playlist playlist(settings.inputs);
  if (playlist.current() == nullptr) return playlist.outcome().error();
  recording.inputs = {playlist.current()->url};
  return recording;
}

/// Writes the video to standard output as text, for programs such as `cat` and `less`.
Result<int> print_instead(const cli::Settings& settings) {
  TRY_ASSIGN(cli::Settings recording, recording_settings(settings));
  if (!recording.layout.grid) recording.layout.grid = piped_grid();
  if (present::piped_colors() == present::ColorDepth::None) recording = player::without_colors(recording);
  return run_record(recording);
}

/// Records a short file instead of playing, and logs its name.
Result<int> record_instead(const cli::Settings& settings) {
  TRY_ASSIGN(cli::Settings recording, recording_settings(settings));
  recording.recording.output = player::free_recording_name(settings.recording.codec);
  if (!recording.playback.length_seconds && !recording.playback.end)
    recording.playback.length_seconds = UnattendedSeconds;
  log::warn("There is no window and no terminal to play in; recording to {} instead.",
            recording.recording.output);
  return run_record(recording);
}

/// Plays in a window, or, with --terminal or without a display, in the terminal.
Result<player::PlayEnd> play(const cli::Settings& settings) {
  TRY_ASSIGN(const player::PlayInput input, player::open_play_input(settings));
  const bool wants_terminal = settings.window.place == cli::PlayPlace::Terminal;
  auto end = player::PlayEnd::NoDisplay;
  if (!wants_terminal) {
    TRY_ASSIGN(end, player::play_in_window(settings, input));
  }
  if (end != player::PlayEnd::NoDisplay || (!wants_terminal && isatty(STDOUT_FILENO) == 0)) return end;
  return player::play_in_terminal(settings, input);
}

}  // namespace

Result<int> run_play(const cli::Settings& settings) {
  cli::Settings playing = settings;
  if (playing.inputs.empty()) playing.inputs.emplace_back("demo:");
  TRY_ASSIGN(const player::PlayEnd end, play(playing));
  if (end == player::PlayEnd::NoDisplay)
    return is_output_piped() ? print_instead(playing) : record_instead(playing);
  return interrupted() ? static_cast<int>(ErrorCode::Interrupted) : EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
