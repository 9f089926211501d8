#pragma once

#include <optional>
#include <string>
#include <vector>

#include "player/osd/text_canvas.h"

namespace glyphreel::player {

enum class MessageKind { Note, Error };

/// A short message that is shown in a corner for a while.
struct OsdMessage {
  std::string topic = {};  ///< a later message on the same topic replaces this one; empty: no topic
  std::string text;        ///< may have several lines
  double until_seconds = 0;
  MessageKind kind = MessageKind::Note;
  /// A value from 0 to 1, such as the volume, that is drawn as a bar below the text; empty: no bar.
  std::optional<double> fraction = std::nullopt;
};

/// How long messages are shown, in seconds.
inline constexpr double NoteSeconds = 2, ErrorSeconds = 6;

/// Appends the message. Removes expired messages and earlier messages on the same topic.
void post_message(std::vector<OsdMessage>& messages, OsdMessage message, double now_seconds);

/// Removes the messages on this topic.
void remove_message(std::vector<OsdMessage>& messages, const std::string& topic);

enum class MessageSide { Left, Right };

/// Draws the lines of `status`, then the messages that have not expired, oldest first, in an upper corner of
/// `canvas`. If there is not enough room, leaves out the oldest messages.
void draw_messages(TextCanvas canvas, const std::vector<std::string>& status,
                   const std::vector<OsdMessage>& messages, double now_seconds, MessageSide side);

}  // namespace glyphreel::player
