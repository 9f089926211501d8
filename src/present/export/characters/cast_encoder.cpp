#include "present/export/characters/cast_encoder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
  if (version_ == CastVersion::V2)
    return fmt::format("[{:.6f},\"{}\",{}]\n", seconds, code, json_string(content));
  const std::int64_t now = std::max<std::int64_t>(std::llround(seconds * 1000), last_ms_);
  const std::int64_t interval = now - std::exchange(last_ms_, now);
  return fmt::format("[{}.{:03},\"{}\",{}]\n", interval / 1000, interval % 1000, code, json_string(content));
}

std::string json_string(std::string_view text) {
  std::string json;
  json.reserve(text.size() + text.size() / 4 + 2);
  json += '"';
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_control = c < 0x20 || c == 0x7F;
    if (!is_control && c != '"' && c != '\\') continue;
    json += text.substr(copied, i - copied);
    copied = i + 1;
    if (is_control)
      json += {'\\', 'u', '0', '0', Digits[c >> 4], Digits[c & 15]};
    else
      json += {'\\', static_cast<char>(c)};
  }
  json += text.substr(copied);
  json += '"';
  return json;
}

}  // namespace glyphreel::present
