#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace glyphreel::present {

/// A key press or repeat, with mpv's name of the key, as in KeyPressed for a window.
struct TerminalKey {
  std::string name;
};

/// A mouse event over a cell; only while mouse reports are enabled.
struct TerminalMouse {
  enum class Action { Press, Release, Motion };
  Action action = Action::Motion;
  /// mpv's name, such as "MBTN_LEFT", "WHEEL_UP", "Ctrl+WHEEL_DOWN"; for a motion, the button held, or
  /// empty.
  std::string button;
  int column = 0, row = 0;  ///< from 0 at the top left
};

/// The terminal's answer to a device status query.
struct TerminalReply {};

using TerminalInput = std::variant<TerminalKey, TerminalMouse, TerminalReply>;

/// Splits what a terminal sends into keys, mouse reports and status replies: the sequences of xterm (with
/// modifyOtherKeys), kitty's CSI u, rxvt, the Linux console, tmux and VT220. Anything else is dropped, and
/// so is pasted text, so that it does not act as keys. Pure: the caller keeps the time.
class TerminalKeys {
 public:
  /// Adds bytes as they arrive; sequences may be split anywhere.
  void feed(std::string_view bytes, std::vector<TerminalInput>& inputs);

  /// Returns whether a sequence has begun that more bytes may complete.
  [[nodiscard]] bool pending() const { return !bytes_.empty() || pasting_; }
  /// Returns after how many seconds without a byte time_out() has to be called while pending(): few after a
  /// lone ESC, so that the key responds at once, more for sequences that no key sends.
  [[nodiscard]] double timeout_seconds() const;
  /// Ends the wait for more bytes: a lone ESC was the key, and incomplete sequences are dropped.
  void time_out(std::vector<TerminalInput>& inputs);

 private:
  std::string bytes_;  ///< not yet parsed
  bool pasting_ = false;
};

}  // namespace glyphreel::present
