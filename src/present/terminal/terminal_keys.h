#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace glyphreel::present {

/// A key press or repeat, with mpv's name for the key, as in KeyPressed (window.h).
struct TerminalKey {
  std::string name;
};

/// A mouse event over a cell. The terminal sends such events only while mouse reports are enabled.
struct TerminalMouse {
  enum class Action { Press, Release, Motion };
  Action action = Action::Motion;
  /// mpv's name of the button, such as "MBTN_LEFT", "WHEEL_UP", "Ctrl+WHEEL_DOWN". For a motion, the pressed
  /// button; empty if no button is pressed.
  std::string button;
  int column = 0, row = 0;  ///< from 0 at the top left
};

/// The terminal's answer to a device status query.
struct TerminalReply {};

/// The terminal's answer to a query of the cursor position. Row and column are 1 at the top left. An answer
/// for row 1 is reported as the key F3, because F3 with modifiers sends the same bytes.
struct TerminalPosition {
  int row = 0, column = 0;
};

/// The terminal's answer to a query about its abilities: `CSI ? numbers c`, `CSI ? numbers S`,
/// `CSI numbers t`, or an APC string that begins with G.
struct TerminalAnswer {
  char kind = 0;             ///< the final character; G: an APC string
  std::vector<int> numbers;  ///< parameters of a control sequence; -1: omitted
  std::string text;          ///< content of an APC string after the G
};

using TerminalInput =
    std::variant<TerminalKey, TerminalMouse, TerminalReply, TerminalPosition, TerminalAnswer>;

/// Parses the bytes that a terminal sends into keys, mouse events and status replies. Supports the sequences
/// of xterm (with modifyOtherKeys), kitty's CSI u, rxvt, the Linux console, tmux and VT220, and drops all
/// others. Drops pasted text, so that it does not act as keys. Pure: the caller measures timeouts.
class TerminalKeys {
 public:
  /// Parses more bytes and appends the inputs that are complete. A sequence may be split between calls.
  void feed(std::string_view bytes, std::vector<TerminalInput>& inputs);

  /// Returns whether the last bytes are an incomplete sequence.
  [[nodiscard]] bool pending() const { return !bytes_.empty() || pasting_; }
  /// While pending(): returns how long to wait for another byte before calling time_out(). Short after a lone
  /// ESC, so that the key responds immediately; longer for sequences that no key sends.
  [[nodiscard]] double timeout_seconds() const;
  /// Ends the wait for more bytes. Reports a lone ESC as the ESC key, and ESC with one character as Alt with
  /// that character. Drops any other incomplete sequence.
  void time_out(std::vector<TerminalInput>& inputs);

 private:
  std::string bytes_;  ///< not yet parsed
  bool pasting_ = false;
};

}  // namespace glyphreel::present
