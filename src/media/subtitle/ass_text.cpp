#include "media/subtitle/ass_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "media/subtitle/character_sets.h"

namespace glyphreel::media {
namespace {

// Longer than any readable line; bounds the processing time of a damaged file.
constexpr std::size_t MaxTextBytes = 16 * 1024;

constexpr std::string_view StyleFormat =
    "Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, "
    "Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment";
constexpr std::string_view LegacyStyleFormat =
    "Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, TertiaryColour, BackColour, Bold, Italic, "
    "BorderStyle, Outline, Shadow, Alignment";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Splits `text` at the first `separator`: returns the part before it and sets `text` to the part after it.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return head;
}

std::optional<std::int64_t> integer(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return {};
  return value;
}

/// Parses the decimal number at the start of `text`. Ignores the rest, for example a unit.
std::optional<double> number(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || !(value > -1e6 && value < 1e6)) return {};
  return value;
}

/// Parses ASS's "&HAABBGGRR&" or SSA's decimal number. The highest byte is the transparency (0: opaque).
std::optional<std::uint32_t> color_word(std::string_view text) {
  text = trimmed(text);
  const bool is_hexadecimal = text.starts_with('&') || text.starts_with('H') || text.starts_with('h');
  while (!text.empty() && (text.front() == '&' || text.front() == 'H' || text.front() == 'h'))
    text.remove_prefix(1);
  std::int64_t value = 0;
  const auto result =
      std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
  if (result.ec != std::errc()) return {};
  return static_cast<std::uint32_t>(value);
}

/// Converts 0xBBGGRR to 0xRRGGBB. Returns empty for white: a span without a color is white.
std::optional<std::uint32_t> span_color(std::uint32_t bgr) {
  const std::uint32_t rgb = (bgr & 0xFFU) << 16 | (bgr & 0xFF00U) | (bgr >> 16 & 0xFFU);
  if (rgb == 0xFFFFFF) return {};
  return rgb;
}

/// Converts an SSA alignment to SubtitleEvent::alignment. SSA uses 1 to 3 from left to right, plus 4 at the
/// top or 8 in the middle.
int alignment_of_legacy(std::int64_t value) {
  const int column = static_cast<int>(value & 3);
  if (column == 0) return 2;
  return column + ((value & 4) != 0 ? 6 : (value & 8) != 0 ? 3 : 0);
}

int alignment_at(double x, double y, const AssScript& script) {
  const auto third = [](double at, double of) { return at < of / 3 ? 0 : at > of * 2 / 3 ? 2 : 1; };
  return 1 + third(x, script.width()) + 3 * (2 - third(y, script.height()));
}

/// Parses the text of a dialogue line into lines of spans.
class TextReader {
 public:
  TextReader(const AssScript& script, const AssStyle& style, SubtitleEvent& event)
      : script_(script), event_style_(style), event_(event) {
    use(style);
  }

  void read(std::string_view text) {
    text = text.substr(0, MaxTextBytes);
    has_transforms_ = text.find("\\t(") != std::string_view::npos;
    event_.lines.emplace_back();
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t closing = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
      if (closing != std::string_view::npos) {
        read_block(text.substr(at + 1, closing - at - 1));
        at = closing + 1;
      } else {
        at += read_character(text.substr(at));
      }
    }
    finish_span();
    drop_blank_lines();
  }

 private:
  void use(const AssStyle& style) {
    look_.bold = style.bold;
    look_.italic = style.italic;
    look_.underline = style.underline;
    look_.color = style.color;
    hidden_ = false;
  }

  /// Parses one character or one escape sequence; returns its length in bytes.
  std::size_t read_character(std::string_view text) {
    if (text[0] == '\\' && text.size() > 1) {
      switch (text[1]) {
        case 'N':
          finish_span();
          event_.lines.emplace_back();
          return 2;
        case 'n':
          put(' ');
          return 2;
        case 'h':
          put('\xC2');
          put('\xA0');
          return 2;
        case '{':
        case '}':
        case '\\':
          put(text[1]);
          return 2;
        default:
          break;
      }
    }
    if (text[0] == '\n') {
      finish_span();
      event_.lines.emplace_back();
    } else if (text[0] != '\r') {
      put(text[0] == '\t' ? ' ' : text[0]);
    }
    return 1;
  }

  void put(char c) {
    if (!is_drawing_ && !hidden_) look_.text += c;
  }

  void finish_span() {
    if (look_.text.empty()) return;
    look_.text = repaired_utf8(look_.text);
    SubtitleLine& line = event_.lines.back();
    if (!line.empty() && line.back().bold == look_.bold && line.back().italic == look_.italic &&
        line.back().underline == look_.underline && line.back().color == look_.color) {
      line.back().text += look_.text;
    } else {
      line.push_back(look_);
    }
    look_.text.clear();
  }

  /// Applies the tags between braces; text between braces that contains no backslash is a comment.
  void read_block(std::string_view block) {
    std::size_t at = block.find('\\');
    while (at != std::string_view::npos) {
      int depth = 0;
      std::size_t end = at + 1;
      for (; end < block.size() && (block[end] != '\\' || depth > 0); ++end) {
        if (block[end] == '(') ++depth;
        if (block[end] == ')' && depth > 0) --depth;
      }
      finish_span();
      follow(trimmed(block.substr(at + 1, end - at - 1)));
      at = end < block.size() ? end : std::string_view::npos;
    }
  }

  void follow(std::string_view tag) {
    if (apply_switch(tag, 'b', look_.bold, event_style_.bold)) return;
    if (apply_switch(tag, 'i', look_.italic, event_style_.italic)) return;
    if (apply_switch(tag, 'u', look_.underline, event_style_.underline)) return;
    if (tag.starts_with("alpha")) return apply_alpha(tag.substr(5));
    if (tag.starts_with("1a")) return apply_alpha(tag.substr(2));
    if (tag.starts_with("1c")) return apply_color(tag.substr(2));
    if (tag.starts_with("pos")) return apply_position(tag.substr(3));
    if (tag.starts_with("move")) return apply_position(tag.substr(4));
    if (tag.starts_with("an")) {
      const auto value = integer(tag.substr(2));
      if (value && *value >= 1 && *value <= 9) align(static_cast<int>(*value));
    } else if (tag.starts_with('a')) {
      const auto value = integer(tag.substr(1));
      if (value && *value >= 1 && *value <= 11) align(alignment_of_legacy(*value));
    } else if (tag == "c" || tag.starts_with("c&") || tag.starts_with("cH") || tag.starts_with("c&H")) {
      apply_color(tag.substr(1));
    } else if (tag.starts_with('r')) {
      use(tag.size() == 1 ? event_style_ : script_.style(tag.substr(1)));
    } else if (tag.starts_with('p')) {
      if (const auto value = integer(tag.substr(1))) is_drawing_ = *value > 0;
    }
  }

  /// Sets `value` if `tag` is the tag `name`. For example, if `name` is 'b', \b1 and \b700 (a weight) set
  /// true, \b0 sets false, and \b restores the style's value, `of_style`. Returns false for any other tag.
  static bool apply_switch(std::string_view tag, char name, bool& value, bool of_style) {
    if (!tag.starts_with(name)) return false;
    if (tag.size() == 1) {
      value = of_style;
      return true;
    }
    const auto setting = integer(tag.substr(1));
    if (!setting) return false;
    constexpr int MinBoldWeight = 600;
    value = *setting == 1 || *setting >= MinBoldWeight;
    return true;
  }

  void apply_color(std::string_view value) {
    if (const auto word = color_word(value)) {
      look_.color = span_color(*word);
    } else if (trimmed(value).empty()) {
      look_.color = event_style_.color;
    }
  }

  /// Hides the following text if `value` makes it invisible, unless a \t tag in the line may make it visible
  /// again.
  void apply_alpha(std::string_view value) {
    constexpr std::uint32_t Invisible = 0xFF;
    const auto word = color_word(value);
    hidden_ = word && (*word & 0xFFU) == Invisible && !has_transforms_;
  }

  void apply_position(std::string_view arguments) {
    arguments = trimmed(arguments);
    if (!arguments.starts_with('(')) return;
    arguments.remove_prefix(1);
    const auto x = number(take(arguments, ','));
    const auto y = number(take(arguments, ','));
    if (x && y) event_.alignment = alignment_at(*x, *y, script_);
    has_position_ = x && y;
  }

  /// Applies an alignment tag; only the first alignment tag of a dialogue line counts. Ignores a tag that
  /// follows \pos or \move, because such a tag only selects the anchor point of the text.
  void align(int alignment) {
    if (!is_aligned_ && !has_position_) event_.alignment = alignment;
    is_aligned_ = true;
  }

  void drop_blank_lines() {
    std::erase_if(event_.lines, [](const SubtitleLine& line) {
      return std::all_of(line.begin(), line.end(), [](const SubtitleSpan& span) {
        return span.text.find_first_not_of(" \xC2\xA0") == std::string::npos;
      });
    });
  }

  const AssScript& script_;
  const AssStyle& event_style_;
  SubtitleEvent& event_;
  SubtitleSpan look_;  ///< the current span: its text so far, and the style of that text
  bool hidden_ = false;
  bool is_drawing_ = false;
  bool has_transforms_ = false;
  bool is_aligned_ = false;
  bool has_position_ = false;
};

}  // namespace

AssScript::AssScript(std::string_view header) {
  bool has_styles = false;  // whether `line` is in a section with styles
  bool is_legacy = false;
  std::string_view format;
  while (!header.empty()) {
    const std::string_view line = trimmed(take(header, '\n'));
    if (line.starts_with('[')) {
      is_legacy = equal_in_any_case(line, "[V4 Styles]");
      has_styles = is_legacy || equal_in_any_case(line, "[V4+ Styles]");
      format = is_legacy ? LegacyStyleFormat : StyleFormat;
      continue;
    }
    std::string_view value = line;
    const std::string_view key = trimmed(take(value, ':'));
    if (!has_styles) {
      const auto length = number(value);
      if (length && *length >= 1 && equal_in_any_case(key, "PlayResX")) width_ = *length;
      if (length && *length >= 1 && equal_in_any_case(key, "PlayResY")) height_ = *length;
    } else if (equal_in_any_case(key, "Format")) {
      format = value;
    } else if (equal_in_any_case(key, "Style")) {
      read_style(format, value, is_legacy);
    }
  }
}

void AssScript::read_style(std::string_view format, std::string_view values, bool is_legacy) {
  AssStyle style;
  std::string_view name;
  while (!format.empty() && !values.empty()) {
    const std::string_view key = trimmed(take(format, ','));
    const std::string_view value = trimmed(take(values, ','));
    if (equal_in_any_case(key, "Name")) {
      name = value;
    } else if (equal_in_any_case(key, "PrimaryColour")) {
      if (const auto word = color_word(value)) style.color = span_color(*word);
    } else if (equal_in_any_case(key, "Bold")) {
      style.bold = integer(value).value_or(0) != 0;
    } else if (equal_in_any_case(key, "Italic")) {
      style.italic = integer(value).value_or(0) != 0;
    } else if (equal_in_any_case(key, "Underline")) {
      style.underline = integer(value).value_or(0) != 0;
    } else if (equal_in_any_case(key, "Alignment")) {
      const std::int64_t alignment = integer(value).value_or(2);
      if (is_legacy) {
        style.alignment = alignment_of_legacy(alignment);
      } else if (alignment >= 1 && alignment <= 9) {
        style.alignment = static_cast<int>(alignment);
      }
    }
  }
  while (name.starts_with('*')) name.remove_prefix(1);  // an old marker of the default style
  styles_.insert_or_assign(std::string(name), style);
}

const AssStyle& AssScript::style(std::string_view name) const {
  name = trimmed(name);
  while (name.starts_with('*')) name.remove_prefix(1);
  auto found = styles_.find(name);
  if (found == styles_.end()) found = styles_.find(std::string_view("Default"));
  return found == styles_.end() ? fallback_ : found->second;
}

SubtitleEvent read_ass_dialogue(const AssScript& script, std::string_view dialogue) {
  SubtitleEvent event;
  event.order = integer(take(dialogue, ',')).value_or(0);
  event.layer =
      static_cast<int>(std::clamp<std::int64_t>(integer(take(dialogue, ',')).value_or(0), -1000, 1000));
  const AssStyle& style = script.style(take(dialogue, ','));
  event.alignment = style.alignment;
  for (int skipped = 0; skipped < 5; ++skipped) take(dialogue, ',');  // skips name, three margins and effect
  TextReader(script, style, event).read(dialogue);
  return event;
}

}  // namespace glyphreel::media
