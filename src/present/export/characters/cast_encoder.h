#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "present/terminal/terminal_encoder.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// The versions of the asciicast format (docs.asciinema.org/manual/asciicast).
enum class CastVersion {
  V2 = 2,  ///< event times count from the start; all players support this version
  V3 = 3,  ///< event times count from the previous event, in whole milliseconds
};

/// What the first line of a cast declares.
struct CastHeader {
  GridSize grid;
  std::string title;  ///< may be empty
  std::uint32_t foreground = 0xFFFFFF, background = 0x000000;
};

/// Converts frames to the lines of an asciicast. Sends only the cells that change, but all cells every 5 s.
/// Rounding errors of times do not accumulate. Performs no I/O. Thread-safety: one thread at a time.
class CastEncoder {
 public:
  CastEncoder(CastVersion version, TerminalColors colors, std::shared_ptr<const text::GlyphSet> glyphs);

  [[nodiscard]] std::string header(const CastHeader& header) const;
  /// Returns the line of a frame; empty if nothing changes. `seconds`: the frame's time since the start of
  /// the recording; must not decrease.
  [[nodiscard]] std::string frame(const render::RenderedFrame& frame, double seconds);
  /// Whether the last frame was sent with all its cells, so that it can be shown without earlier frames.
  [[nodiscard]] bool has_repainted() const { return has_repainted_; }
  [[nodiscard]] std::string marker(std::string_view label, double seconds);
  /// Returns the last line, which sets the duration.
  [[nodiscard]] std::string end(double seconds);

 private:
  [[nodiscard]] std::string event(char code, std::string_view content, double seconds);

  const CastVersion version_;
  const std::shared_ptr<const text::GlyphSet> glyphs_;
  TerminalEncoder encoder_;
  std::optional<double> last_repaint_;  ///< time of the last frame sent with all its cells, in seconds
  bool has_repainted_ = false;
  std::int64_t last_ms_ = 0;  ///< time of the last event
};

/// Returns the value of a cast's "theme": a JSON object with the header's colors and a 16-color palette.
[[nodiscard]] std::string cast_theme(const CastHeader& header);

/// Returns `text`, which must be UTF-8, as a JSON string in quotes. Escapes quotes, backslashes and control
/// characters.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace glyphreel::present
