#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace glyphreel::present {

/// A key was pressed or repeats: mpv's name of it, as KeyPressed has them for a window.
struct TerminalKey {
  std::string name;
  bool operator==(const TerminalKey&) const = default;
};

/// The mouse did something over a cell; only while its reports are asked for.
struct TerminalMouse {
  enum class Action { Press, Release, Motion };
  Action action = Action::Motion;
  /// mpv's name, such as "MBTN_LEFT", "WHEEL_UP", "Ctrl+WHEEL_DOWN"; of a motion the button held, or empty.
  std::string button;
  int column = 0, row = 0;  ///< from 0 at the top left
  bool operator==(const TerminalMouse&) const = default;
};

/// The terminal answers what it was asked.
struct TerminalReply {
  std::string text;  ///< of a control sequence what follows CSI, such as "0n"
  bool operator==(const TerminalReply&) const = default;
};

using TerminalInput = std::variant<TerminalKey, TerminalMouse, TerminalReply>;

/// Splits what a terminal sends into keys, the mouse's reports and replies: the sequences of xterm (with
/// modifyOtherKeys), kitty's CSI u, rxvt, the Linux console, tmux and VT220. What is none of them is dropped;
/// pasted text is too, so that it does not act as keys. Pure: time is the caller's.
class TerminalKeys {
 public:
  /// Adds bytes as they came; sequences may be split anywhere.
  void feed(std::string_view bytes, std::vector<TerminalInput>& inputs);

  /// Whether something began that more bytes may complete.
  [[nodiscard]] bool pending() const { return !bytes_.empty() || pasting_; }
  /// Seconds without a byte after which settle() is to be called while pending(): short for an ESC alone, so
  /// that the key answers at once, longer for what no key sends.
  [[nodiscard]] double patience_seconds() const;
  /// No more bytes came: an ESC was the key, and what is incomplete is given up.
  void settle(std::vector<TerminalInput>& inputs);

 private:
  std::string bytes_;  ///< not yet understood
  bool pasting_ = false;
};

}  // namespace glyphreel::present
