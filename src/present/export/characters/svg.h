#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "render/renderer.h"

namespace glyphreel::present {

struct SvgOptions {
  std::shared_ptr<const text::GlyphSet> glyphs;
  /// The characters of `glyphs` drawn at a larger size. Characters are stored as outlines traced from these
  /// drawings; null: characters are stored as text.
  std::shared_ptr<const text::GlyphSet> outlines;
  std::optional<std::uint32_t> background = 0;  ///< of the page, 0xRRGGBB; empty: transparent
};

/// Makes an SVG document from frames: a still image from one frame, a CSS animation from several frames. The
/// animation also runs in <img> and stores equal rows once. Characters stored as text are selectable, and the
/// viewer's font draws them. Performs no I/O. Thread-safety: one thread at a time.
class SvgDocument {
 public:
  explicit SvgDocument(SvgOptions options) : options_(std::move(options)) {}

  /// Adds a frame that is shown from time `seconds` on. Merges equal consecutive frames.
  void add(const render::RenderedFrame& frame, double seconds);
  /// Returns the approximate size of the document in bytes.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t frames() const { return frames_.size(); }
  /// Returns the document. `end`: end time of the last frame in seconds.
  [[nodiscard]] std::string finish(double end) const;

 private:
  struct ShownFrame {
    double start = 0;
    std::vector<int> rows;  ///< for each row, the index of its content in rows_
  };
  [[nodiscard]] std::string row_of(const render::RenderedFrame& frame, int row);
  void append_text(std::string& svg, const render::RenderedFrame& frame, int row) const;
  void append_outlines(std::string& svg, const render::RenderedFrame& frame, int row);
  [[nodiscard]] int outline_of(char32_t character);
  [[nodiscard]] std::string style(double end) const;

  const SvgOptions options_;
  GridSize grid_;
  std::unordered_map<std::string, int> known_rows_;
  std::vector<const std::string*> rows_;  ///< the keys of known_rows_, in the order of their values
  std::vector<ShownFrame> frames_;
  std::map<char32_t, std::string> outlines_;  ///< paths of the characters that have been used
  std::size_t bytes_ = 0;
};

/// Escapes '&', '<' and '>' for XML.
[[nodiscard]] std::string xml_text(std::string_view text);

/// Returns the outline of a coverage mask as SVG path data: the line on which the coverage, interpolated
/// between pixel centers, is one half. Multiplies pixel coordinates by `scale`.
[[nodiscard]] std::string trace_outline(const std::uint8_t* mask, CellSize size, double scale);

}  // namespace glyphreel::present
