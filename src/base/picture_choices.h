#pragma once

#include <cstdint>

namespace glyphreel {

// Values of options that the renderer applies. The enumerators are in the order in which --help lists the
// values.

/// --sample: which source pixels each cell of --mode ramp is computed from.
enum class Sampling {
  Area,    ///< 4 x 8 samples per cell (fewer if the cell is too small), each the average of its area
  Corner,  ///< one sample per cell: the source pixel at (column * (width / columns), row * (height / rows))
};

/// --luma: how the luma of a pixel is computed.
enum class Luma {
  /// For YUV, the luma is Y', expanded to full range. For RGB, it is computed from R'G'B' with BT.601's
  /// weights if ColorTags::matrix is Bt601, otherwise with BT.709's weights. HDR and wide-gamut pixels are
  /// converted to R'G'B' with BT.709's primaries, and their luma is computed from this R'G'B' with BT.709's
  /// weights.
  Auto,
  /// The luma is computed from R'G'B' with BT.601's weights. YUV is converted to R'G'B' with BT.601's matrix,
  /// even if ColorTags::matrix is different.
  Bt601,
  Bt709,  ///< the same as Bt601, but with BT.709's weights and matrix
};

/// --reverse: whether a cell of --color mono may swap its colors. A cell of --color full may always do so.
enum class Reverse { Never, PerCell };

/// --dither: the pattern that hides banding.
enum class Dither { None, Bayer, BlueNoise };

/// --effect: an animation of the mapped cells; subtitles and the OSD are drawn over it. The values are those
/// of shaders/shared/structs.glsl.
enum class Effect : std::uint32_t { None, Rain, Tube, Glitch, Ripple };

/// --tone-mapping: the curve that compresses HDR luminance to the SDR range. The names are mpv's.
enum class ToneMapping {
  Auto,
  Clip,
  Linear,
  Gamma,
  Reinhard,
  Mobius,
  Hable,
  Bt2390,
  Bt2446a,
  Spline,
};

/// --vsync: how presentation is synchronized with the display's refresh. A mode that the surface does not
/// support falls back to Fifo, which every surface supports. Auto is Fifo, except on Wayland. There, Fifo may
/// block for as long as the window is covered, so Auto is Mailbox.
enum class PresentMode { Auto, Fifo, Mailbox, Immediate };

/// --terminal-graphics: whether a terminal shows cells as characters or as an image of the drawn glyphs. The
/// default, TerminalGraphics::No, shows characters: they can be selected, use the user's font, pass through
/// multiplexers, and need far fewer bytes than an image. TerminalGraphics::Auto shows an image if the
/// terminal reports that it supports images.
enum class TerminalGraphics { No, Auto, Kitty, Sixel };

}  // namespace glyphreel
