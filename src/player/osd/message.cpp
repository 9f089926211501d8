#include "player/osd/message.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "player/osd/cell_text.h"

namespace glyphreel::player {
namespace {

constexpr int MaxMessageColumns = 72;
constexpr int MessageBarColumns = 20;

/// A row of the panel that shows messages in a corner of the screen.
struct CornerRow {
  std::u32string text;
  TextStyle style;
  std::optional<double> fraction = std::nullopt;  ///< if set, a bar replaces the text
  [[nodiscard]] int width() const { return fraction ? MessageBarColumns : cell_width(text); }
};

void add_wrapped(std::vector<CornerRow>& rows, const std::string& utf8, int columns, const TextStyle& style) {
  const std::u32string text = cell_text(utf8, LineEnds::Keep);
  for (const TextRange range : wrapped(text, columns)) {
    rows.push_back({text.substr(range.begin, range.end - range.begin), style});
  }
}

}  // namespace

void post_message(std::vector<OsdMessage>& messages, OsdMessage message, double now_seconds) {
  const auto is_past = [&](const OsdMessage& old) {
    return old.until_seconds <= now_seconds || (!old.topic.empty() && old.topic == message.topic);
  };
  messages.erase(std::remove_if(messages.begin(), messages.end(), is_past), messages.end());
  messages.push_back(std::move(message));
}

void remove_message(std::vector<OsdMessage>& messages, const std::string& topic) {
  std::erase_if(messages, [&](const OsdMessage& message) { return message.topic == topic; });
}

void draw_messages(TextCanvas canvas, const std::vector<std::string>& status,
                   const std::vector<OsdMessage>& messages, double now_seconds, MessageSide side) {
  const int most = std::min(canvas.columns() - 2, MaxMessageColumns);
  if (most < 1 || canvas.rows() < 1) return;
  std::vector<CornerRow> rows;
  rows.reserve(status.size() + 2 * messages.size());
  for (const std::string& line : status) rows.push_back({shortened(cell_text(line), most), BoldText});
  const std::size_t fixed = rows.size();
  for (const OsdMessage& message : messages) {
    if (message.until_seconds <= now_seconds) continue;
    const bool is_error = message.kind == MessageKind::Error;
    add_wrapped(rows, message.text, most,
                {.foreground = is_error ? osd_colors::Error : osd_colors::Text, .bold = is_error});
    if (message.fraction && MessageBarColumns <= most) rows.push_back({{}, AccentText, message.fraction});
  }
  const auto room = static_cast<std::size_t>(canvas.rows());
  if (rows.size() > room) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(std::min(fixed, room));
    rows.erase(first, first + static_cast<std::ptrdiff_t>(rows.size() - room));
  }
  int width = 0;
  for (const CornerRow& row : rows) width = std::max(width, row.width());
  const int column = side == MessageSide::Left ? 0 : canvas.columns() - width - 2;
  TextCanvas panel = canvas.part({column, 0, width + 2, static_cast<int>(rows.size())});
  panel.fill(osd_colors::Panel);
  int at = 0;
  for (const CornerRow& row : rows) {
    if (row.fraction) {
      panel.bar(1, at, row.width(), *row.fraction);
    } else {
      panel.print(1, at, std::u32string_view(row.text), row.style);
    }
    ++at;
  }
}

}  // namespace glyphreel::player
