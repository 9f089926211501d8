#include "media/subtitle/bitmap_overlay.h"

#include <algorithm>
#include <cmath>

#include "media/ffmpeg/ffmpeg.h"
#include "media/frame/compositing.h"
#include "media/frame/host_planes.h"

extern "C" {
#include <libswscale/swscale.h>
}

namespace glyphreel::media {
namespace {

constexpr std::uint32_t Opaque = 65535;

/// A premultiplied color; each component is 0 to 1.
struct PremultipliedColor {
  float red = 0, green = 0, blue = 0, opacity = 0;
  PremultipliedColor& operator+=(const PremultipliedColor& other) {
    red += other.red;
    green += other.green;
    blue += other.blue;
    opacity += other.opacity;
    return *this;
  }
};

/// Premultiplied pixels and their position in a frame.
struct Patch {
  Patch(int left, int top, Extent extent, PremultipliedColor fill = {})
      : x(left),
        y(top),
        size(extent),
        pixels(static_cast<std::size_t>(extent.width) * static_cast<std::size_t>(extent.height), fill) {}

  int x, y;
  Extent size;
  std::vector<PremultipliedColor> pixels;
  [[nodiscard]] PremultipliedColor& at(int column, int row) {
    return pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(size.width) +
                  static_cast<std::size_t>(column)];
  }
};

constexpr AVPixelFormat OneChannel = AV_PIX_FMT_GRAY16;

FramePtr make_channel(Extent size) {
  FramePtr channel = new_frame();
  channel->format = OneChannel;
  channel->width = size.width;
  channel->height = size.height;
  check_memory(av_frame_get_buffer(channel.get(), 0) >= 0);
  return channel;
}

std::uint16_t* row_of(const AVFrame& channel, int y) {
  return reinterpret_cast<std::uint16_t*>(channel.data[0] + std::ptrdiff_t{channel.linesize[0]} * y);
}

/// Scales each channel of a subtitle picture separately, since swscale would convert colors to YUV and back.
/// Returns a transparent patch if swscale refuses: it cannot shrink a picture to less than 1/127 of its size.
Patch scaled(const SubtitlePicture& picture, const PlacedPicture& place) {
  std::array<PremultipliedColor, 256> colors{};
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const std::uint32_t word = picture.palette[i];
    const float opacity = static_cast<float>(word >> 24) / 255;
    const auto part = [&](int shift) { return static_cast<float>(word >> shift & 255U) / 255 * opacity; };
    colors[i] = {part(16), part(8), part(0), opacity};
  }
  Patch patch(place.x, place.y, place.size);
  const std::unique_ptr<SwsContext, FreeDirect<sws_freeContext>> scaler(
      sws_getContext(picture.size.width, picture.size.height, OneChannel, place.size.width, place.size.height,
                     OneChannel, SWS_BILINEAR | SWS_ACCURATE_RND | SWS_BITEXACT, nullptr, nullptr, nullptr));
  if (scaler == nullptr) return patch;
  constexpr float Max = 65535;
  const FramePtr from = make_channel(picture.size);
  const FramePtr to = make_channel(place.size);
  for (float PremultipliedColor::*const channel : {&PremultipliedColor::red, &PremultipliedColor::green,
                                                   &PremultipliedColor::blue, &PremultipliedColor::opacity}) {
    const std::uint8_t* index = picture.indices.data();
    for (int y = 0; y < from->height; ++y) {
      for (int x = 0; x < from->width; ++x)
        row_of(*from, y)[x] = static_cast<std::uint16_t>(std::lround(colors[*index++].*channel * Max));
    }
    sws_scale(scaler.get(), from->data, from->linesize, 0, from->height, to->data, to->linesize);
    for (int y = 0; y < to->height; ++y) {
      for (int x = 0; x < to->width; ++x)
        patch.at(x, y).*channel = static_cast<float>(row_of(*to, y)[x]) / Max;
    }
  }
  return patch;
}

/// Composites the patch over a black rectangle of opacity `opacity` that extends `border` pixels beyond the
/// patch on each side, clipped to the frame.
Patch on_black(Patch patch, double opacity, int border, Extent frame) {
  if (opacity <= 0) return patch;
  const int left = std::max(0, patch.x - border);
  const int top = std::max(0, patch.y - border);
  const Extent size{std::min(frame.width, patch.x + patch.size.width + border) - left,
                    std::min(frame.height, patch.y + patch.size.height + border) - top};
  const PremultipliedColor black{.opacity = static_cast<float>(opacity)};
  Patch result(left, top, size, black);
  for (int y = 0; y < patch.size.height; ++y) {
    for (int x = 0; x < patch.size.width; ++x) {
      PremultipliedColor light = patch.at(x, y);
      light.opacity += (1 - light.opacity) * black.opacity;
      result.at(x + patch.x - result.x, y + patch.y - result.y) = light;
    }
  }
  return result;
}

/// Rotates a patch from the upright frame to the stored frame. `rotation` turns the stored frame upright.
/// `stored` is the stored frame's size.
Patch rotated_to_stored(Patch upright, Rotation rotation, Extent stored) {
  if (rotation == Rotation::None) return upright;
  const bool is_half = rotation == Rotation::Half;
  const int right = upright.x + upright.size.width;
  const int bottom = upright.y + upright.size.height;
  Patch patch(rotation == Rotation::Clockwise90 ? upright.y : stored.width - (is_half ? right : bottom),
              rotation == Rotation::Clockwise270 ? upright.x : stored.height - (is_half ? bottom : right),
              is_half ? upright.size : Extent{upright.size.height, upright.size.width});
  for (int y = 0; y < upright.size.height; ++y) {
    for (int x = 0; x < upright.size.width; ++x) {
      const int far_x = upright.size.width - 1 - x;
      const int far_y = upright.size.height - 1 - y;
      const PremultipliedColor& light = upright.at(x, y);
      if (is_half) patch.at(far_x, far_y) = light;
      if (rotation == Rotation::Clockwise90) patch.at(y, far_x) = light;
      if (rotation == Rotation::Clockwise270) patch.at(far_y, x) = light;
    }
  }
  return patch;
}

/// A patch converted to the samples of one component. Compositing replaces each code value by
/// (code * kept + added) / 65535, where kept is 65535 * (1 - opacity).
struct Stamp {
  std::size_t component = 0;
  int x = 0, y = 0;
  Extent size;  ///< samples
  std::vector<std::uint32_t> kept;
  std::vector<std::uint32_t> added;
};

/// A component's code value as a linear function of color: base + red * R + green * G + blue * B, with R, G
/// and B from 0 to 1.
struct CodeSum {
  float base = 0, red = 0, green = 0, blue = 0;
};

CodeSum code_sum(const FrameView& view, std::size_t component) {
  // Compute with 16-bit codes: codes_of() rounds to integers, which would be too coarse with fewer bits.
  constexpr int FineDepth = 16;
  PixelLayout fine = view.layout;
  for (ComponentLayout& layout : fine.components) layout.depth = FineDepth;
  const int depth = view.layout.components[0].depth;
  const bool is_limited = view.layout.model != ColorModel::Rgb && view.color.range == ColorRange::Limited;
  const double scale = is_limited ? std::ldexp(1, depth - FineDepth)
                                  : (std::ldexp(1, depth) - 1) / (std::ldexp(1, FineDepth) - 1);
  const auto part = [&](std::uint32_t rgb) {
    const double difference = static_cast<double>(codes_of(rgb, fine, view.color)[component]) -
                              static_cast<double>(codes_of(0x000000, fine, view.color)[component]);
    // ITU-R BT.2408: the code value of reference white, 203 cd/m2, is 58 % in PQ (transfer 16) and 75 % in
    // HLG (transfer 18).
    const double white = view.color.transfer == 16 ? 0.58 : view.color.transfer == 18 ? 0.75 : 1;
    return static_cast<float>(difference * white * scale);
  };
  const auto black = static_cast<float>(codes_of(0x000000, view.layout, view.color)[component]);
  return {black, part(0xFF0000), part(0x00FF00), part(0x0000FF)};
}

Stamp stamp_of(Patch& patch, const FrameView& view, std::size_t index) {
  const ComponentLayout& component = view.layout.components[index];
  const int across = 1 << component.log2_subsampling_x;
  const int down = 1 << component.log2_subsampling_y;
  const CodeSum sum = code_sum(view, index);
  const auto max_code = static_cast<float>((1 << component.depth) - 1);
  Stamp stamp;
  stamp.component = index;
  stamp.x = patch.x >> component.log2_subsampling_x;
  stamp.y = patch.y >> component.log2_subsampling_y;
  const Extent end = plane_size({patch.x + patch.size.width, patch.y + patch.size.height}, component);
  stamp.size = {end.width - stamp.x, end.height - stamp.y};
  const auto pixels_of = [](int sample, int span, int length) {
    return std::min(span, length - sample * span);
  };
  const auto samples =
      static_cast<std::size_t>(stamp.size.width) * static_cast<std::size_t>(stamp.size.height);
  stamp.kept.reserve(samples);
  stamp.added.reserve(samples);
  for (int y = stamp.y; y < stamp.y + stamp.size.height; ++y) {
    for (int x = stamp.x; x < stamp.x + stamp.size.width; ++x) {
      PremultipliedColor mean;
      for (int py = y * down; py < (y + 1) * down; ++py) {
        for (int px = x * across; px < (x + 1) * across; ++px) {
          const int column = px - patch.x;
          const int row = py - patch.y;
          if (column < 0 || row < 0 || column >= patch.size.width || row >= patch.size.height) continue;
          mean += patch.at(column, row);
        }
      }
      const auto count =
          static_cast<float>(pixels_of(x, across, view.size.width) * pixels_of(y, down, view.size.height));
      const float opacity = std::clamp(mean.opacity / count, 0.0F, 1.0F);
      const float code =
          sum.base * opacity + (sum.red * mean.red + sum.green * mean.green + sum.blue * mean.blue) / count;
      // Round by adding 0.5 and truncating, as no value is negative; this avoids a library call per sample.
      const auto part = static_cast<std::uint32_t>(opacity * static_cast<float>(Opaque) + 0.5F);
      const double added =
          std::clamp(static_cast<double>(code), 0.0, static_cast<double>(max_code) * part / Opaque);
      stamp.kept.push_back(Opaque - part);
      stamp.added.push_back(static_cast<std::uint32_t>(added * Opaque + 0.5));
    }
  }
  return stamp;
}

template <typename Sample>
void apply_stamp(const Stamp& stamp, const FrameView& view, const WritablePlanes& planes) {
  const ComponentLayout& component = view.layout.components[stamp.component];
  const std::size_t step = component.step / sizeof(Sample);
  std::size_t i = 0;
  for (int y = stamp.y; y < stamp.y + stamp.size.height; ++y) {
    auto* row = reinterpret_cast<Sample*>(planes.planes[component.plane] +
                                          planes.strides[component.plane] * y + component.offset) +
                static_cast<std::size_t>(stamp.x) * step;
    for (int x = 0; x < stamp.size.width; ++x, ++i) {
      Sample& sample = row[static_cast<std::size_t>(x) * step];
      const std::uint32_t code = static_cast<std::uint32_t>(sample) >> component.shift;
      // `mixed` is at most 65535^2 + 32768, so adding its upper 16 bits to it does not overflow 32 bits.
      // After that addition, shifting right by 16 bits is an exact division by 65535.
      const std::uint32_t mixed = code * stamp.kept[i] + stamp.added[i] + Opaque / 2 + 1;
      sample = static_cast<Sample>((mixed + (mixed >> 16)) >> 16 << component.shift);
    }
  }
}

bool overlap(const PlacedPicture& a, const PlacedPicture& b) {
  return a.x < b.x + b.size.width && b.x < a.x + a.size.width && a.y < b.y + b.size.height &&
         b.y < a.y + a.size.height;
}

bool any_overlap(const std::vector<PlacedPicture>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = i + 1; k < places.size(); ++k) {
      if (overlap(places[i], places[k])) return true;
    }
  }
  return false;
}

std::vector<PlacedPicture> placed_at(const BitmapSubtitle& bitmap, Extent frame, double aspect,
                                     double enlargement) {
  // `across` and `down` are the size of a canvas pixel, in pixels of the frame.
  const double across = static_cast<double>(frame.width) / bitmap.canvas.width;
  double down = static_cast<double>(frame.height) / bitmap.canvas.height;
  const double shape = static_cast<double>(bitmap.canvas.width) / bitmap.canvas.height;
  const double stored_shape = static_cast<double>(frame.width) / frame.height;
  constexpr double SameShape = 0.03;
  const auto is_like = [&](double other) { return std::abs(shape / other - 1) < SameShape; };
  // A DVD's canvas has the aspect ratio of the stored frames. A Blu-ray's canvas has the aspect ratio of the
  // displayed frames. Any other canvas is assumed to have square pixels.
  if (!is_like(stored_shape) && !is_like(stored_shape * aspect)) down = across * aspect;
  const double top = (frame.height - bitmap.canvas.height * down) / 2;

  std::vector<PlacedPicture> places;
  for (const SubtitlePicture& picture : bitmap.pictures) {
    const double scale = std::max(1.0, std::min({enlargement, frame.width / (picture.size.width * across),
                                                 frame.height / (2 * picture.size.height * down)}));
    const double width = picture.size.width * across;
    const double height = picture.size.height * down;
    const double left = picture.x * across - (scale - 1) * width / 2;
    const double upper = top + picture.y * down;
    const bool is_low = upper + height / 2 > frame.height / 2.0;
    PlacedPicture place;
    place.size.width = std::clamp(static_cast<int>(std::lround(width * scale)), 1, frame.width);
    place.size.height = std::clamp(static_cast<int>(std::lround(height * scale)), 1, frame.height);
    const double start = is_low ? upper + height - place.size.height : upper;
    place.x = std::clamp(static_cast<int>(std::lround(left)), 0, frame.width - place.size.width);
    place.y = std::clamp(static_cast<int>(std::lround(start)), 0, frame.height - place.size.height);
    places.push_back(place);
  }
  return places;
}

}  // namespace

BitmapOverlayOptions readable_in_rows(int rows) {
  constexpr double RowsOfALine = 5;
  return {.min_line_height = RowsOfALine / std::max(rows, 1), .backing = 0.75};
}

double text_line_height(const SubtitlePicture& picture, Extent canvas) {
  // On discs, the height of subtitle lines is 4 to 7 % of the canvas height.
  const double usual = 0.06 * canvas.height;
  double tallest = 0;
  int run = 0;
  for (int y = 0; y <= picture.size.height; ++y) {
    const auto row = picture.indices.begin() + static_cast<std::ptrdiff_t>(y) * picture.size.width;
    const bool is_visible =
        y < picture.size.height && std::any_of(row, row + picture.size.width, [&](std::uint8_t index) {
          return picture.palette[index] >> 24 != 0;
        });
    if (is_visible) {
      ++run;
      continue;
    }
    const double lines = std::max(1.0, std::round(run / std::max(usual, 1.0)));
    tallest = std::max(tallest, run / lines);
    run = 0;
  }
  return tallest;
}

std::vector<PlacedPicture> place_pictures(const BitmapSubtitle& bitmap, Extent frame, double aspect,
                                          const BitmapOverlayOptions& options) {
  double line = 0;
  for (const SubtitlePicture& picture : bitmap.pictures)
    line = std::max(line, text_line_height(picture, bitmap.canvas));
  const double part = line / bitmap.canvas.height;
  const double enlargement = part > 0 ? std::max(1.0, options.min_line_height / part) : 1;
  std::vector<PlacedPicture> places = placed_at(bitmap, frame, aspect, enlargement);
  return enlargement > 1 && any_overlap(places) ? placed_at(bitmap, frame, aspect, 1) : places;
}

/// Everything that the stamps of a frame depend on. Stamps are reused while their key does not change.
struct StampKey {
  std::vector<std::shared_ptr<const BitmapSubtitle>> bitmaps;
  PixelLayout layout;
  ColorTags color;
  Extent size;
  Rotation rotation = Rotation::None;
  Rational aspect;
  BitmapOverlayOptions options;
  bool operator==(const StampKey&) const = default;
};

struct BitmapOverlay::Prepared {
  StampKey key;
  std::vector<Stamp> stamps;
};

BitmapOverlay::BitmapOverlay(HostMemory* memory) : prepared_(std::make_unique<Prepared>()), memory_(memory) {}
BitmapOverlay::~BitmapOverlay() = default;

Frame BitmapOverlay::over(const Frame& frame, std::span<const std::shared_ptr<const BitmapSubtitle>> bitmaps,
                          const BitmapOverlayOptions& options) {
  const FrameView& view = frame.view;
  StampKey key{.bitmaps = {bitmaps.begin(), bitmaps.end()},
               .layout = view.layout,
               .color = view.color,
               .size = view.size,
               .rotation = view.rotation,
               .aspect = view.sample_aspect_ratio,
               .options = options};
  if (prepared_->key != key) {
    *prepared_ = {std::move(key), {}};
    const bool is_on_side = view.rotation == Rotation::Clockwise90 || view.rotation == Rotation::Clockwise270;
    const Extent upright = is_on_side ? Extent{view.size.height, view.size.width} : view.size;
    const double stored_aspect = view.sample_aspect_ratio.value();
    const double aspect = is_on_side ? 1 / stored_aspect : stored_aspect;
    for (const auto& bitmap : bitmaps) {
      if (bitmap == nullptr || bitmap->canvas.width <= 0 || bitmap->canvas.height <= 0) continue;
      const std::vector<PlacedPicture> places = place_pictures(*bitmap, upright, aspect, options);
      for (std::size_t i = 0; i < places.size(); ++i) {
        // The black backing extends beyond the picture by a third of the height of a text line.
        const double line = text_line_height(bitmap->pictures[i], bitmap->canvas) * places[i].size.height /
                            bitmap->pictures[i].size.height;
        Patch upright_patch = on_black(scaled(bitmap->pictures[i], places[i]), options.backing,
                                       static_cast<int>(line / 3), upright);
        Patch patch = rotated_to_stored(std::move(upright_patch), view.rotation, view.size);
        for (std::size_t c = 0; c < static_cast<std::size_t>(view.layout.component_count()); ++c)
          prepared_->stamps.push_back(stamp_of(patch, view, c));
      }
    }
  }
  if (prepared_->stamps.empty()) return frame;
  const HostPlanes copy = acquire_planes(memory_, view.layout, view.size);
  copy_planes(view, copy);
  for (const Stamp& stamp : prepared_->stamps) {
    if (view.layout.bytes_per_sample == 1) {
      apply_stamp<std::uint8_t>(stamp, view, copy.planes);
    } else {
      apply_stamp<std::uint16_t>(stamp, view, copy.planes);
    }
  }
  Frame result = frame;
  attach_planes(copy, result);
  return result;
}

}  // namespace glyphreel::media
