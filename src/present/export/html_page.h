#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "render/renderer.h"

namespace glyphreel::present {

/// What an HTML page shows.
struct HtmlPage {
  std::string title;
  std::string source;  ///< the .cells file that the player loads; empty: the page contains the chunks
  std::string script;  ///< the file that contains html_player(); empty: the page contains the player
  CellSize cell;
  /// The first frame, shown to browsers without JavaScript.
  const render::RenderedFrame* still = nullptr;
  const text::GlyphSet* glyphs = nullptr;  ///< glyph set of `still`
};

/// Returns the page up to the end of the player's script. The page's character set is windows-1252, in which
/// every byte is a character, so that chunks need no base64.
[[nodiscard]] std::string html_head(const HtmlPage& page);
/// Returns a chunk of a .cells file as an element of the page.
[[nodiscard]] std::string html_chunk(std::string_view chunk);
[[nodiscard]] std::string_view html_end();
/// Returns the script that defines <glyphreel-player>, compressed and with the code that decompresses it.
[[nodiscard]] std::string html_player();

/// Escapes text for an HTML document with any character set.
[[nodiscard]] std::string html_text(std::string_view utf8);
/// Returns the relative URL of a file in the page's folder. The URL needs no escaping in HTML or scripts.
[[nodiscard]] std::string url_of_name(std::string_view name);
/// Returns `text` with each name, such as "@title@", replaced by its value.
[[nodiscard]] std::string fill_template(std::string_view text,
                                        std::span<const std::pair<std::string_view, std::string>> values);

}  // namespace glyphreel::present
