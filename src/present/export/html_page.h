#pragma once

#include <string>
#include <string_view>

#include "render/renderer.h"

namespace glyphreel::present {

/// What an HTML page shows.
struct HtmlPage {
  std::string title;
  std::string source;  ///< the .cells file that the player loads; empty: the chunks in the page itself
  CellSize cell;
  /// The first frame, shown to browsers without JavaScript.
  const render::RenderedFrame* still = nullptr;
  const text::GlyphSet* glyphs = nullptr;  ///< of the still
};

/// Returns the page up to the end of the player's script. Its character set is windows-1252, in which every
/// byte is a character, so that chunks need no base64.
[[nodiscard]] std::string html_head(const HtmlPage& page);
/// Returns a chunk of a .cells file as an element of the page.
[[nodiscard]] std::string html_chunk(std::string_view chunk);
[[nodiscard]] std::string_view html_end();

}  // namespace glyphreel::present
