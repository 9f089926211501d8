#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/cell_frame.h"
#include "base/geometry.h"
#include "base/host_memory.h"
#include "base/rational.h"
#include "base/result.h"

namespace glyphreel {

/// Color model: the meaning of a pixel's components.
enum class ColorModel {
  Gray,  ///< one component: luma
  Yuv,   ///< three: Y', Cb, Cr
  Rgb,   ///< three: R', G', B'
};

/// Luma coefficients and YCbCr matrix: the supported values of ITU-T H.273 MatrixCoefficients.
enum class YuvMatrix { Bt601, Bt709, Bt2020 };

/// Code range of the samples: Limited is 16..235 (luma) and 16..240 (chroma) at 8 bits, Full is all codes.
enum class ColorRange { Limited, Full };

/// Position of a subsampled chroma sample relative to the luma samples that it covers. The enumerators have
/// the order of ITU-T H.273 ChromaLocType. Has no effect along an axis that is not subsampled.
enum class ChromaSiting {
  Left,     ///< on the first luma column, between the rows: MPEG-2 and later, unless tagged otherwise
  Center,   ///< between the luma columns and between the rows: JPEG, MPEG-1
  TopLeft,  ///< on the first luma sample: BT.2020 and BT.2100, 625-line DV
  Top,
  BottomLeft,
  Bottom,
};

/// Where one component of each pixel is stored. The comment of media::layout_of() lists the FFmpeg formats
/// that ComponentLayout and PixelLayout cannot describe.
struct ComponentLayout {
  std::uint8_t plane = 0;   ///< index into FrameView::planes
  std::uint8_t step = 1;    ///< bytes from one sample to its right neighbor
  std::uint8_t offset = 0;  ///< bytes from the row's start to the first sample
  std::uint8_t shift = 0;   ///< unused low bits: 6 for P010, which stores 10 bits in the upper part of 16
  std::uint8_t depth = 8;   ///< significant bits, 8 to 16
  /// The plane's width is the frame's width shifted right by this number of bits and rounded up.
  std::uint8_t log2_subsampling_x = 0;
  std::uint8_t log2_subsampling_y = 0;
  bool operator==(const ComponentLayout&) const = default;
};

/// How pixels are laid out in memory. Samples are one byte wide if `bytes_per_sample` is 1, otherwise two
/// bytes (native endian).
struct PixelLayout {
  ColorModel model = ColorModel::Gray;
  std::uint8_t bytes_per_sample = 1;
  std::array<ComponentLayout, 3> components{};  ///< Y,Cb,Cr or R,G,B; Gray uses only the first
  [[nodiscard]] int component_count() const { return model == ColorModel::Gray ? 1 : 3; }
  bool operator==(const PixelLayout&) const = default;
};

/// Color description of a stream.
struct ColorTags {
  YuvMatrix matrix = YuvMatrix::Bt709;
  ColorRange range = ColorRange::Limited;
  int primaries = 2;  ///< H.273 ColorPrimaries code point; 2: unspecified
  int transfer = 2;   ///< H.273 TransferCharacteristics code point; 2: unspecified
  ChromaSiting siting = ChromaSiting::Left;
  int peak_nits = 0;  ///< peak luminance of HDR content in cd/m2, from its metadata; 0: unknown
  // The peak and the mean signal of the HDR scene that this frame belongs to, from 0 to 4095 (full range), as
  // media::LightMeter measured them. 0: not measured.
  int scene_peak = 0;
  int scene_average = 0;
  bool operator==(const ColorTags&) const = default;
};

/// Whether this H.273 TransferCharacteristics code point is HDR: PQ or HLG.
[[nodiscard]] constexpr bool is_hdr(int transfer) {
  constexpr int Pq = 16, Hlg = 18;
  return transfer == Pq || transfer == Hlg;
}

/// A view of one decoded frame in host memory, after cropping. Does not own the pixels.
struct FrameView {
  PixelLayout layout;
  ColorTags color;
  Extent size;                               ///< pixels as stored, before rotation and sample aspect ratio
  Rational sample_aspect_ratio{1, 1};        ///< width : height of one stored pixel
  Rotation rotation = Rotation::None;        ///< rotation to apply for display
  std::array<const std::byte*, 4> planes{};  ///< first sample of each plane
  std::array<std::ptrdiff_t, 4> strides{};   ///< bytes from row to row; may be negative
  const HostBlock* block = nullptr;          ///< contains all planes; null: they are not in one block
};

struct Frame;

/// A decoded frame in the memory of a hardware decoder. Only the code that creates a Surface and the code
/// that imports the Surface know its concrete type.
/// Thread-safety: any thread.
class Surface {
 public:
  virtual ~Surface() = default;
  /// Returns a copy of `frame` whose pixels are in host memory. `frame` must refer to this surface. The
  /// copy's `bytes_copied` includes the downloaded bytes. Allocates the planes from `memory`, or from
  /// the heap if `memory` is null or exhausted. Errors: Failed.
  [[nodiscard]] virtual Result<Frame> download(const Frame& frame, HostMemory* memory) const = 0;
  /// Whether download() has failed. After a failure, the input switches to its next hardware decoder, or to
  /// the CPU if there is none, for the following frames.
  [[nodiscard]] virtual bool is_lost() const { return false; }
};

/// A decoded frame: pixels, timestamps, and the owner of the pixels.
struct Frame {
  FrameView view;                          ///< has no planes if `surface` is set
  std::shared_ptr<const Surface> surface;  ///< contains the pixels; null: `view` contains them
  std::int64_t pts = 0;                    ///< presentation timestamp of the container, in `time_base` units
  std::int64_t duration = 0;               ///< in `time_base` units; 0: unknown
  Rational time_base{1, 1};                ///< seconds per unit
  std::uint32_t epoch = 0;                 ///< incremented by each seek; frames of an older epoch are stale
  std::uint64_t bytes_copied = 0;     ///< bytes copied in host memory since decoding, including conversions
  std::shared_ptr<const void> owner;  ///< keeps the planes alive
  /// The cells of a recorded frame. They are drawn instead of cells mapped from the pixels. Null: none.
  std::shared_ptr<const CellFrame> cells = nullptr;
  [[nodiscard]] double pts_seconds() const { return static_cast<double>(pts) * time_base.value(); }
};

/// Returns the frame itself if its pixels are in host memory, otherwise the result of Surface::download().
[[nodiscard]] inline Result<Frame> on_host(const Frame& frame, HostMemory* memory) {
  return frame.surface ? frame.surface->download(frame, memory) : frame;
}

/// Pixel formats of drawn frames.
enum class PictureFormat {
  None,     ///< no pixels, only cells
  Bgra8,    ///< one plane; the bytes B, G, R, 255 of a pixel are the little-endian word 0xFFRRGGBB
  Yuv420p,  ///< three planes, 8 bits, BT.709 limited range, left-sited chroma as H.264 assumes
};

/// A drawn frame in host memory.
struct Picture {
  PictureFormat format = PictureFormat::None;
  Extent size;  ///< pixels; even in both directions for Yuv420p
  std::array<std::byte*, 3> planes{};
  std::array<int, 3> strides{};            ///< bytes
  std::shared_ptr<const HostBlock> block;  ///< owns the planes
};

}  // namespace glyphreel
