#include "present/export/characters/cast_encoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mapping/tables/palette.h"

namespace glyphreel::present {
namespace {

constexpr double RepaintSeconds = 5;
constexpr int NoIdleLimit = 86400;  // one day in seconds; players shorten only pauses longer than this
constexpr std::string_view HideCursor = "\x1b[?25l";
constexpr std::string_view Digits = "0123456789abcdef";

/// The terminal capabilities that all players have.
constexpr TerminalCapabilities PlayerTerminal{.colors = ColorDepth::Direct,
                                              .back_color_erase = false,
                                              .erase_characters = true,
                                              .private_modes = false};

/// A byte in a JSON string.
struct JsonByte {
  std::array<char, 7> text{};
  std::uint8_t length = 0;
};
constexpr std::size_t MaxJsonLength = sizeof "\\u001b" - 1;

constexpr auto JsonBytes = [] {
  std::array<JsonByte, 256> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = static_cast<char>(i);
    if (i < 0x20 || i == 0x7F) {
      bytes[i] = {{'\\', 'u', '0', '0', Digits[i >> 4], Digits[i & 15]}, MaxJsonLength};
    } else if (c == '"' || c == '\\') {
      bytes[i] = {{'\\', c}, 2};
    } else {
      bytes[i] = {{c}, 1};
    }
  }
  return bytes;
}();

/// Appends json_string(text). Has no branches that depend on the text: at every escape sequence, the CPU
/// would predict them wrong, which took half as long again.
void append_json(std::string& json, std::string_view text) {
  std::size_t length = 2;  // the quotes
  for (const char c : text) length += JsonBytes[static_cast<unsigned char>(c)].length;
  const std::size_t start = json.size();
  json.resize(start + length + sizeof(JsonByte));  // each copy writes all bytes of a JsonByte
  char* to = json.data() + start;
  *to++ = '"';
  for (const char c : text) {
    const JsonByte& byte = JsonBytes[static_cast<unsigned char>(c)];
    std::memcpy(to, &byte, sizeof byte);
    to += byte.length;
  }
  *to = '"';
  json.resize(start + length);
}

}  // namespace

std::string cast_theme(const CastHeader& header) {
  std::vector<std::string> palette;
  for (const std::uint32_t color : mapping::ansi16_palette())
    palette.push_back(fmt::format("#{:06x}", color));
  return fmt::format(R"({{"fg":"#{:06x}","bg":"#{:06x}","palette":"{}"}})", header.foreground,
                     header.background, fmt::join(palette, ":"));
}

CastEncoder::CastEncoder(CastVersion version, TerminalColors colors,
                         std::shared_ptr<const text::GlyphSet> glyphs)
    : version_(version), glyphs_(std::move(glyphs)), encoder_(PlayerTerminal) {
  encoder_.use_colors(std::move(colors));
}

std::string CastEncoder::header(const CastHeader& header) const {
  const std::string title =
      header.title.empty() ? "" : fmt::format(R"(,"title":{})", json_string(header.title));
  const int columns = header.grid.columns;
  const int rows = header.grid.rows;
  if (version_ == CastVersion::V2) {
    return fmt::format(
        R"({{"version":2,"width":{},"height":{},"idle_time_limit":{}{},"env":{{"TERM":"xterm-256color"}},)"
        R"("theme":{}}})"
        "\n",
        columns, rows, NoIdleLimit, title, cast_theme(header));
  }
  return fmt::format(R"({{"version":3,"term":{{"cols":{},"rows":{},"type":"xterm-256color","theme":{}}},)"
                     R"("idle_time_limit":{}{}}})"
                     "\n",
                     columns, rows, cast_theme(header), NoIdleLimit, title);
}

std::string CastEncoder::frame(const render::RenderedFrame& frame, double seconds) {
  std::string text;
  if (!last_repaint_) text = HideCursor;
  has_repainted_ = !last_repaint_ || seconds - *last_repaint_ >= RepaintSeconds;
  if (has_repainted_) {
    encoder_.reset(frame.grid);
    last_repaint_ = seconds;
  }
  text += encoder_.encode(frame, *glyphs_);
  return text.empty() ? text : event('o', text, seconds);
}

std::string CastEncoder::marker(std::string_view label, double seconds) {
  return event('m', label, seconds);
}

std::string CastEncoder::end(double seconds) {
  return version_ == CastVersion::V2 ? event('o', "", seconds) : event('x', "0", seconds);
}

std::string CastEncoder::event(char code, std::string_view content, double seconds) {
  std::string line;
  if (version_ == CastVersion::V2) {
    line = fmt::format("[{:.6f},\"{}\",", seconds, code);
  } else {
    const std::int64_t now = std::max<std::int64_t>(std::llround(seconds * 1000), last_ms_);
    const std::int64_t interval = now - std::exchange(last_ms_, now);
    line = fmt::format("[{}.{:03},\"{}\",", interval / 1000, interval % 1000, code);
  }
  append_json(line, content);
  line += "]\n";
  return line;
}

std::string json_string(std::string_view text) {
  std::string json;
  append_json(json, text);
  return json;
}

}  // namespace glyphreel::present
