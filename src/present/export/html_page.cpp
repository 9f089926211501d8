#include "present/export/html_page.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "media/cells/cell_codec.h"
#include "media/still/small_png.h"
#include "text/code_points/unicode.h"
#include "text/glyph_set.h"

namespace glyphreel::present {
namespace {

constexpr std::string_view Template =
#include "present/export/page_html.inc"
    ;
constexpr std::string_view Loader =
#include "present/export/loader_js.inc"
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

/// The first frame for browsers without JavaScript: every other cell of every other row, as text and as a
/// picture behind the text. Each pixel is a cell's mean color, reduced to 4 bits per component.
struct Still {
  Extent size;  ///< columns and rows
  std::string text;
  std::string picture;  ///< as a data: URL
};

/// Returns the mean color of a cell's pixels. `coverage`: the mean coverage of the cell's glyph; 255 if the
/// glyph covers the whole cell.
std::uint32_t mean_color(const render::Cell& cell, std::uint32_t coverage) {
  const auto mean = [&](int shift) {
    const std::uint32_t ink = cell.foreground >> shift & 255, paper = cell.background >> shift & 255;
    return (ink * coverage + paper * (255 - coverage)) / 255 << shift;
  };
  return 0xff000000 | mean(16) | mean(8) | mean(0);
}

Still make_still(const render::RenderedFrame& frame, const text::GlyphSet& glyphs) {
  const render::Characters characters(glyphs, frame.overlay_glyphs.get());
  const Extent size{(frame.grid.columns + 1) / 2, (frame.grid.rows + 1) / 2};
  const std::vector<std::uint8_t> coverage =
      render::mean_coverage(glyphs);  // not including the glyphs of text over the picture
  Still still{.size = size};
  std::vector<std::uint32_t> pixels;
  for (int row = 0; row < size.height; ++row) {
    if (row > 0) still.text += '\n';
    bool is_covered = false;  // by the previous character, if that is wide
    for (int column = 0; column < size.width; ++column) {
      const render::Cell& cell =
          frame.cells[static_cast<std::size_t>(2 * row * frame.grid.columns + 2 * column)];
      if (!is_covered) still.text += characters.utf8(cell.glyph);
      is_covered = !is_covered && characters.columns(cell.glyph) == text::GlyphColumns::WideLeft;
      pixels.push_back(mean_color(cell, cell.glyph < coverage.size() ? coverage[cell.glyph] : 255) &
                       0xfff0f0f0);
    }
  }
  still.picture = "data:image/png;base64," + base64(media::make_small_png(size, pixels));
  return still;
}

}  // namespace

std::string html_head(const HtmlPage& page) {
  const Still still = make_still(*page.still, *page.glyphs);
  const std::array<std::pair<std::string_view, std::string>, 8> values{{
      {"@title@", html_text(page.title)},
      {"@columns@", std::to_string(still.size.width)},
      {"@rows@", std::to_string(still.size.height)},
      {"@shape@", fmt::format("{:.4}", static_cast<double>(page.cell.height) / page.cell.width)},
      {"@still@", still.picture},
      {"@text@", html_text(still.text)},
      {"@source@", page.source.empty() ? "" : fmt::format(" src=\"{}\"", url_of_name(page.source))},
      {"@script@", page.script.empty()
                       ? fmt::format("<script>\n{}</script>", html_player())
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
    // "</script" would end the element, and "<!--" would begin a comment. A "<" at the end of the chunk is
    // escaped, too, because the character after it is not part of the chunk.
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

std::string html_player() {
  constexpr int Level = 12;
  std::string deflated;
  media::append_deflated(deflated, Player, Level);
  const std::array<std::pair<std::string_view, std::string>, 1> values{{{"@player@", base64(deflated)}}};
  return fill_template(Loader, values);
}

std::string_view html_end() {
  return "</body>\n</html>\n";
}

}  // namespace glyphreel::present
