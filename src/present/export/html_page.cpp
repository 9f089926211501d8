#include "present/export/html_page.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "media/still/small_png.h"
#include "text/glyph_set.h"

namespace glyphreel::present {
namespace {

constexpr std::string_view Template =
#include "present/export/page_html.inc"
    ;
constexpr std::string_view Player =
#include "present/export/player_js.inc"
    ;

}  // namespace

std::string html_text(std::string_view utf8) {
  std::string html;
  const auto points = text::decode_utf8(std::string(utf8));
  if (!points) return html;
  for (const char32_t point : *points) {
    const bool is_plain = point >= 0x20 && point < 0x7f && point != '<' && point != '>' && point != '&' &&
                          point != '"' && point != '\'';
    if (is_plain || point == '\n') {
      html += static_cast<char>(point);
    } else {
      html += fmt::format("&#{};", static_cast<std::uint32_t>(point));
    }
  }
  return html;
}

std::string url_of_name(std::string_view name) {
  constexpr std::string_view Unreserved = "-._~";
  std::string url;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_letter || (c >= '0' && c <= '9') || Unreserved.find(c) != std::string_view::npos)
      url += c;
    else
      url += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return url;
}

std::string fill_template(std::string_view text,
                          std::span<const std::pair<std::string_view, std::string>> values) {
  std::string filled;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t start = std::min(rest.find('@'), rest.size());
    filled += rest.substr(0, start);
    rest.remove_prefix(start);
    std::size_t length = std::min<std::size_t>(rest.size(), 1);
    std::string_view value = rest.substr(0, length);
    for (const auto& [name, wanted] : values) {
      if (!rest.starts_with(name)) continue;
      value = wanted;
      length = name.size();
    }
    filled += value;
    rest.remove_prefix(length);
  }
  return filled;
}

namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (const int shift : {18, 12, 6, 0}) text += Digits[word >> shift & 63];
  }
  for (std::size_t i = bytes.size(); i % 3 != 0; ++i) text[text.size() - 1 - (i - bytes.size())] = '=';
  return text;
}

/// Returns the picture behind the characters: a pixel for every other cell, in the color of its character.
std::string still_picture(const render::RenderedFrame& frame) {
  const Extent size{(frame.grid.columns + 1) / 2, (frame.grid.rows + 1) / 2};
  std::vector<std::uint32_t> pixels;
  for (int row = 0; row < size.height; ++row)
    for (int column = 0; column < size.width; ++column)
      pixels.push_back(
          frame.cells[static_cast<std::size_t>(2 * row * frame.grid.columns + 2 * column)].foreground);
  const std::string png = media::make_small_png(size, pixels);
  return "data:image/png;base64," + base64(png);
}

std::string still_text(const render::RenderedFrame& frame, const text::GlyphSet& glyphs) {
  const render::Characters characters(glyphs, frame.overlay_glyphs.get());
  std::string text;
  for (std::size_t i = 0; i < frame.cells.size(); ++i) {
    if (i > 0 && i % static_cast<std::size_t>(frame.grid.columns) == 0) text += '\n';
    text += characters.utf8(frame.cells[i].glyph);
  }
  return text;
}

}  // namespace

std::string html_head(const HtmlPage& page) {
  const render::RenderedFrame& still = *page.still;
  const std::array<std::pair<std::string_view, std::string>, 7> values{{
      {"@title@", html_text(page.title)},
      {"@columns@", std::to_string(still.grid.columns)},
      {"@shape@", fmt::format("{:.4}", static_cast<double>(page.cell.height) / page.cell.width)},
      {"@still@", still_picture(still)},
      {"@text@", html_text(still_text(still, *page.glyphs))},
      {"@source@", page.source.empty() ? "" : fmt::format(" src=\"{}\"", url_of_name(page.source))},
      {"@script@", page.script.empty()
                       ? fmt::format("<script>\n{}</script>", Player)
                       : fmt::format("<script src=\"{}\"></script>", url_of_name(page.script))},
  }};
  return fill_template(Template, values);
}

std::string html_chunk(std::string_view chunk) {
  constexpr int Shift = 64;
  std::string html = "<script type=x-cells class=cells>";
  html.reserve(chunk.size() + chunk.size() / 32);
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    const char byte = chunk[i];
    // "</script" would end the element, and "<!--" would begin a comment, even across the end of the chunk.
    const bool is_tag = byte == '<' && (i + 1 == chunk.size() || chunk[i + 1] == '/' || chunk[i + 1] == '!');
    if (byte == '\0' || byte == '\r' || byte == '=' || is_tag) {
      html += '=';
      html += static_cast<char>(byte + Shift);
    } else {
      html += byte;
    }
  }
  return html + "</script>\n";
}

std::string_view html_player() {
  return Player;
}

std::string_view html_end() {
  return "</body>\n</html>\n";
}

}  // namespace glyphreel::present
