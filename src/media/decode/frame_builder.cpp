#include "media/decode/frame_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "media/decode/deinterlacer.h"
#include "media/frame/compositing.h"
#include "media/frame/host_planes.h"
#include "media/frame/pixel_layout.h"
#include "media/hwdec/hardware_surface.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/stream/stream_tags.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

constexpr int ScaledRowAlignment = 64;
constexpr int RowSlack = 64;  // in pixels; swscale's SIMD code writes past the end of a row

const int* coefficients(YuvMatrix matrix) {
  constexpr std::array Standards = {SWS_CS_ITU601, SWS_CS_ITU709, SWS_CS_BT2020};
  return sws_getCoefficients(Standards[static_cast<std::size_t>(matrix)]);
}

}  // namespace

FrameBuilder::FrameBuilder(const AVStream& stream, HostMemory* memory, const DirectBuffers* direct,
                           std::optional<Rational> aspect)
    : memory_(memory),
      direct_(direct),
      time_base_(to_rational(stream.time_base)),
      shown_aspect_(aspect),
      stream_aspect_(stream.sample_aspect_ratio),
      stream_rotation_(stream_rotation(stream)),
      peak_nits_(stream_peak_nits(stream)) {}

Result<Frame> FrameBuilder::make(FramePtr decoded, std::uint32_t epoch, std::uint32_t background) {
  TRY_ASSIGN(Frame frame, build(std::move(decoded), epoch, background));
  meter_.measure(frame);
  return frame;
}

Result<Frame> FrameBuilder::build(FramePtr decoded, std::uint32_t epoch, std::uint32_t background) {
  Frame frame;
  frame.pts = decoded->pts;
  frame.duration = frame_duration(*decoded);
  frame.time_base = time_base_;
  frame.epoch = epoch;
  FrameView& view = frame.view;
  // A hardware frame's size already excludes cropping at the right and bottom, but not at the left and top.
  const bool is_surface = is_hardware(*decoded);
  view.size = is_surface ? Extent{decoded->width - static_cast<int>(decoded->crop_left),
                                  decoded->height - static_cast<int>(decoded->crop_top)}
                         : Extent{decoded->width, decoded->height};
  peak_nits_ = frame_peak_nits(*decoded, peak_nits_);
  DeclaredColor declared = declared_color(*decoded);
  if (is_surface) declared.format = software_format(*decoded);
  declared.peak_nits = peak_nits_;
  view.color = color_tags(declared);
  view.rotation = frame_rotation(*decoded, stream_rotation_);
  const bool is_in_stream = stream_aspect_.num > 0 && stream_aspect_.den > 0;
  const AVRational aspect = is_in_stream ? stream_aspect_ : decoded->sample_aspect_ratio;
  if (shown_aspect_) {
    view.sample_aspect_ratio = sample_aspect_for(*shown_aspect_, view.size, view.rotation);
  } else if (aspect.num > 0 && aspect.den > 0) {
    view.sample_aspect_ratio = to_rational(aspect);
  }

  if (is_surface) return make_surface(std::move(decoded), frame);
  const auto format = static_cast<AVPixelFormat>(decoded->format);
  if (format == AV_PIX_FMT_PAL8) {
    expand_palette(*decoded, background, frame);
    return frame;
  }
  if (Deinterlacer::made(*decoded) || is_host_copy(*decoded)) {
    frame.bytes_copied += static_cast<std::uint64_t>(
        std::max(0, av_image_get_buffer_size(format, decoded->width, decoded->height, 1)));
  }
  const auto layout = layout_of(format);
  if (!layout) {
    const AVPixelFormat native = nearest_native_format(format);
    TRY(convert(*decoded, native, frame));
    if (const auto alpha = alpha_of(native)) composite_over_background(*alpha, background, frame);
    return frame;
  }
  view.layout = *layout;
  set_planes(view, decoded->data, decoded->linesize);
  if (direct_ != nullptr) view.block = direct_->holding_block(*decoded);
  frame.owner = std::shared_ptr<const void>(std::shared_ptr<AVFrame>(std::move(decoded)));
  if (const auto alpha = alpha_of(format)) composite_over_background(*alpha, background, frame);
  return frame;
}

/// Wraps a hardware frame, or downloads it if consumers already hold max_held_surfaces(). `described` has all
/// fields of the result except the layout and location of the pixels.
Frame FrameBuilder::make_surface(FramePtr decoded, const Frame& described) {
  Frame frame = described;
  frame.view.layout = *layout_of(software_format(*decoded));
  const int most =
      max_held_surfaces(*reinterpret_cast<const AVHWFramesContext*>(decoded->hw_frames_ctx->data));
  frame.surface = std::shared_ptr<const Surface>(new HardwareSurface(std::move(decoded)),
                                                 [held = held_surfaces_](const Surface* surface) {
                                                   delete surface;
                                                   --*held;
                                                 });
  if (++*held_surfaces_ <= most) return frame;
  Result<Frame> host = on_host(frame, memory_);
  // If the download failed, return the surface: the consumer's own download will return the same error.
  return host ? *std::move(host) : frame;
}

void FrameBuilder::expand_palette(const AVFrame& decoded, std::uint32_t background, Frame& frame) {
  FrameView& view = frame.view;
  set_planes(view, decoded.data, decoded.linesize);
  view.layout = *layout_of(AV_PIX_FMT_RGB24);
  view.color.range = ColorRange::Full;
  const HostPlanes colors = acquire_planes(memory_, view.layout, view.size);
  composite_palette(view, reinterpret_cast<const std::uint32_t*>(decoded.data[1]), background, colors.planes);
  attach_planes(colors, frame);
}

/// Composites the frame over the background, unless all of its pixels are opaque.
void FrameBuilder::composite_over_background(const ComponentLayout& alpha, std::uint32_t background,
                                             Frame& frame) {
  FrameView& view = frame.view;
  if (is_opaque(view, alpha)) return;
  const HostPlanes laid = acquire_planes(memory_, view.layout, view.size);
  composite(view, alpha, background, laid.planes);
  attach_planes(laid, frame);
}

Result<void> FrameBuilder::convert(const AVFrame& decoded, AVPixelFormat native, Frame& frame) {
  const auto format = static_cast<AVPixelFormat>(decoded.format);
  const char* name = av_get_pix_fmt_name(format);
  const Error unsupported{ErrorCode::Failed,
                          fmt::format("The video's pixel format {} cannot be converted; re-encode the input.",
                                      name != nullptr ? name : "?"),
                          ""};
  if (native == AV_PIX_FMT_NONE) return unsupported;
  constexpr int Flags = SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;
  scaler_.reset(sws_getCachedContext(scaler_.release(), decoded.width, decoded.height, format, decoded.width,
                                     decoded.height, native, Flags, nullptr, nullptr, nullptr));
  if (scaler_ == nullptr) return unsupported;

  FrameView& view = frame.view;
  const auto layout = layout_of(native);
  CHECK(layout.has_value(), "a native format has no layout");
  view.layout = *layout;
  if (layout->model == ColorModel::Rgb) view.color.range = ColorRange::Full;
  // Source and destination have the same range and matrix: the conversion changes only the layout of the
  // samples.
  const int is_full = view.color.range == ColorRange::Full ? 1 : 0;
  const int* matrix = coefficients(view.color.matrix);
  constexpr int Unity = 1 << 16;
  sws_setColorspaceDetails(scaler_.get(), matrix, is_full, matrix, is_full, 0, Unity, Unity);

  std::array<int, 4> strides{};
  std::array<std::uint8_t*, 4> planes{};
  av_image_fill_linesizes(strides.data(), native, FFALIGN(decoded.width + RowSlack, ScaledRowAlignment));
  const int size = av_image_fill_pointers(planes.data(), native, decoded.height, nullptr, strides.data());
  if (size < 0) return unsupported;
  const HostBuffer target = allocate_host_buffer(memory_, static_cast<std::size_t>(size));
  av_image_fill_pointers(planes.data(), native, decoded.height, target.bytes, strides.data());
  if (sws_scale(scaler_.get(), decoded.data, decoded.linesize, 0, decoded.height, planes.data(),
                strides.data()) < 0) {
    return unsupported;
  }
  set_planes(view, planes.data(), strides.data());
  view.block = target.block.get();
  frame.owner = target.owner;
  frame.bytes_copied +=
      static_cast<std::uint64_t>(av_image_get_buffer_size(native, decoded.width, decoded.height, 1));
  return {};
}

}  // namespace glyphreel::media
