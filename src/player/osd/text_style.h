#pragma once

#include <cstdint>
#include <optional>

namespace glyphreel::player {

/// The background of text: a color that is blended over the video.
struct Backdrop {
  std::uint32_t color = 0;     ///< 0xRRGGBB
  std::uint8_t opacity = 255;  ///< 0 to 255
  bool operator==(const Backdrop&) const = default;
};

/// The look of text.
struct TextStyle {
  std::uint32_t foreground = 0xFFFFFF;  ///< 0xRRGGBB
  bool bold = false;
  bool italic = false;
  /// Empty: keeps the cell's background, which is the video if no backdrop was drawn.
  std::optional<Backdrop> backdrop = std::nullopt;
};

/// The colors of on-screen text. `Text`, `Dim`, `Accent` and `Error` are drawn on the backdrop `Panel`. Even
/// over white video, their contrast ratio with `Panel` is at least 4.5 to 1, as WCAG 2.1 requires.
namespace osd_colors {
inline constexpr std::uint32_t Text = 0xECE9E4;
inline constexpr std::uint32_t Dim = 0xA9ABB3;
inline constexpr std::uint32_t Accent = 0xF4B860;
inline constexpr std::uint32_t Error = 0xFF8A80;
inline constexpr std::uint32_t Recording = 0xFF4B45;  ///< the dot of a recording in progress
inline constexpr std::uint32_t Dark = 0x14161A;       ///< text on a background of color Accent
inline constexpr std::uint32_t Track = 0x4C505A;      ///< the empty part of a bar
inline constexpr std::uint32_t Highlight = 0xFFFFFF;  ///< bar marks: the mouse's position, a loop's A and B

inline constexpr Backdrop Panel = {0x14161A, 222};
inline constexpr Backdrop Raised = {0x2A2D34, 240};  ///< background of plots, and of labels outside a panel
}  // namespace osd_colors

inline constexpr TextStyle PlainText = {.foreground = osd_colors::Text};
inline constexpr TextStyle DimText = {.foreground = osd_colors::Dim};
inline constexpr TextStyle AccentText = {.foreground = osd_colors::Accent};
inline constexpr TextStyle BoldText = {.foreground = osd_colors::Text, .bold = true};

}  // namespace glyphreel::player
