#pragma once

#include <cstdint>

namespace glyphreel {

// What the user chooses and the renderer applies. The enumerators have the order of the options' values.

/// --sample: the samples of a cell in --mode ramp.
enum class Sampling {
  Area,    ///< 4 x 8 samples a cell (fewer if the cell is too small), each the average of its area
  Corner,  ///< one sample a cell: the source pixel at (column * (width / columns), row * (height / rows))
};

/// --luma: what a cell's tone is computed from.
enum class Luma {
  Auto,   ///< a YUV source's own Y', expanded; of RGB with BT.709's weights for HD and BT.2020, else BT.601's
  Bt601,  ///< R'G'B' with these weights, converted from YUV by this matrix whatever the stream's tags
  Bt709,
};

/// --reverse: whether a cell may swap its two colors (mono only; full color can do so anyway).
enum class Reverse { Never, PerCell };

/// --dither
enum class Dither { None, Bayer, BlueNoise };

/// --effect: on the picture's cells, after mapping and below any text. The values are those of
/// shaders/shared/structs.glsl.
enum class Effect : std::uint32_t { None, Rain, Tube, Glitch, Ripple };

/// --vsync: how presents synchronize with the screen's refresh. Modes that the surface lacks fall back to
/// Fifo, which always exists.
enum class PresentMode { Fifo, Mailbox, Immediate };

}  // namespace glyphreel
