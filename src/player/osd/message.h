#pragma once

#include <optional>
#include <string>
#include <vector>

#include "player/osd/text_canvas.h"

namespace glyphreel::player {

enum class MessageKind { Note, Error };

/// A few words that stand in a corner for a while.
struct OsdMessage {
  std::string topic =
      {};            ///< a later message about the same one takes its place; empty: it is about nothing else
  std::string text;  ///< may have several lines
  double until_seconds = 0;
  MessageKind kind = MessageKind::Note;
  std::optional<double> fraction = std::nullopt;  ///< 0 to 1: shown as a bar below, for volume and the like
};

/// How long messages stay, in seconds.
inline constexpr double NoteSeconds = 2, ErrorSeconds = 6;

/// Adds the message as the newest, in place of one of its topic, and forgets those whose time is over.
void post_message(std::vector<OsdMessage>& messages, OsdMessage message, double now_seconds);

/// What the messages of this topic say is over.
void forget_message(std::vector<OsdMessage>& messages, const std::string& topic);

enum class MessageSide { Left, Right };

/// First the lines of `status`, then the messages whose time is not over, oldest first, in a corner of
/// `canvas`. Where there is no room for all, the oldest are left out.
void draw_messages(TextCanvas canvas, const std::vector<std::string>& status,
                   const std::vector<OsdMessage>& messages, double now_seconds, MessageSide side);

/// A line in several styles.
struct StyledText {
  std::string text;
  TextStyle style;
};
using StyledLine = std::vector<StyledText>;

/// Lines, wrapped where they are too long, centred at the bottom of `canvas` with `rows_below` rows left free
/// below them; each on a backdrop of its own (a style's own backdrop, else palette::Subtitle) that goes a
/// cell beyond it. Where there are too many the first are left out. Returns the row of the topmost,
/// canvas.rows() where there is none.
int print_lines_bottom_centre(TextCanvas canvas, const std::vector<StyledLine>& lines, int rows_below);

}  // namespace glyphreel::player
