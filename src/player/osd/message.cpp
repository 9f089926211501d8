#include "player/osd/message.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "player/osd/cell_text.h"

namespace glyphreel::player {
namespace {

constexpr int MaxMessageColumns = 72;
constexpr int MessageBarColumns = 20;

/// A row of the corner panel.
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

/// A character of a line in several styles.
struct StyledCharacter {
  char32_t character;
  TextStyle style;
};
using StyledRow = std::vector<StyledCharacter>;

int width_of(const StyledRow& row) {
  int width = 0;
  for (const StyledCharacter& c : row) width += cell_width(c.character);
  return width;
}

void add_wrapped(std::vector<StyledRow>& rows, const StyledLine& line, int columns) {
  std::u32string text;
  StyledRow characters;
  for (const StyledText& piece : line) {
    for (const char32_t c : cell_text(piece.text, LineEnds::Keep)) {
      text.push_back(c);
      characters.push_back({c, piece.style});
    }
  }
  for (const TextRange range : wrapped(text, columns)) {
    rows.emplace_back(characters.begin() + static_cast<std::ptrdiff_t>(range.begin),
                      characters.begin() + static_cast<std::ptrdiff_t>(range.end));
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
                {.foreground = is_error ? palette::Error : palette::Text, .bold = is_error});
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
  panel.fill(palette::Panel);
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

int print_lines_bottom_centre(TextCanvas canvas, const std::vector<StyledLine>& lines, int rows_below) {
  std::vector<StyledRow> rows;
  for (const StyledLine& line : lines) add_wrapped(rows, line, canvas.columns() - 2);
  const int bottom = canvas.rows() - std::max(rows_below, 0);
  const int top = std::max(bottom - static_cast<int>(rows.size()), 0);
  rows.erase(rows.begin(), rows.end() - std::clamp(bottom - top, 0, static_cast<int>(rows.size())));
  int row = top;
  for (const StyledRow& characters : rows) {
    const int width = width_of(characters);
    int column = (canvas.columns() - width) / 2;
    if (width > 0) {
      const auto backdrop_of = [](const StyledCharacter& c) {
        return c.style.backdrop.value_or(palette::Subtitle);
      };
      canvas.fill({column - 1, row, 1, 1}, backdrop_of(characters.front()));
      canvas.fill({column + width, row, 1, 1}, backdrop_of(characters.back()));
      for (const StyledCharacter& c : characters) {
        TextStyle style = c.style;
        style.backdrop = backdrop_of(c);
        canvas.put(column, row, c.character, style);
        column += cell_width(c.character);
      }
    }
    ++row;
  }
  return rows.empty() ? canvas.rows() : top;
}

}  // namespace glyphreel::player
