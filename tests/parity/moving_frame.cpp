#include "moving_frame.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "test_frame.h"

namespace glyphreel::parity {
namespace {

/// Returns a random number for one pixel of one frame.
std::uint32_t drawn(std::uint32_t seed, int index, int x, int y) {
  std::uint32_t h = seed * 0x9E3779B9u + static_cast<std::uint32_t>(index) * 0x85EBCA6Bu +
                    static_cast<std::uint32_t>(x) * 0xC2B2AE35u + static_cast<std::uint32_t>(y) * 0x27D4EB2Fu;
  h ^= h >> 15;
  h *= 0x2C1B3C6Du;
  h ^= h >> 12;
  h *= 0x297A2D39u;
  return h ^ (h >> 15);
}

/// Returns luma without noise: a gradient with static strokes, and a bright disc and a dark bar that move.
int scene_luma(const MovingOptions& options, int index, int x, int y) {
  const bool second_scene = index >= CutFrame;
  const int slope = second_scene ? 220 - 150 * x / options.size.width : 40 + 120 * y / options.size.height;
  const int disc_x = (index * 5 + 30) % options.size.width;
  const int disc_y = options.size.height / 3 + (second_scene ? index % 9 : 0);
  const int away = (x - disc_x) * (x - disc_x) + (y - disc_y) * (y - disc_y);
  const int bar = (options.size.width + 40 - index * 2) % options.size.width;
  int luma = slope;
  if (away < 400) luma = 235;
  if (std::abs(x - bar) < 4) luma = 20;
  if (y > options.size.height * 3 / 4 && (x / 3 + y / 7) % 4 == 0) luma = second_scene ? 30 : 230;
  if (index >= FadeFrame && index < CutFrame) {
    const int faded = std::min(index - FadeFrame + 1, FadeFrames);
    luma = 16 + (luma - 16) * (4 * FadeFrames - 3 * faded) / (4 * FadeFrames);
  }
  return luma;
}

/// Returns the index of the frame whose content this pixel shows in frame `index`. In an area that changes
/// only in some frames, this is the frame in which the area last changed.
int shown_index(const MovingOptions& options, int index, int x, int y) {
  if (!options.partly_still) return index;
  static constexpr int Periods[] = {1, 3, 12, 20};
  const int area = y * 3 / options.size.height * 4 + x * 4 / options.size.width;
  const int period = Periods[(area + static_cast<int>(options.seed)) % 4];
  return index - (index + area) % period;
}

}  // namespace

Frame moving_frame(const MovingOptions& options, int index) {
  const int width = options.size.width;
  const int height = options.size.height;
  const int chroma_width = (width + 1) / 2;
  const int chroma_height = (height + 1) / 2;
  const auto luma_bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const auto chroma_bytes = static_cast<std::size_t>(chroma_width) * static_cast<std::size_t>(chroma_height);
  auto bytes = std::make_shared<std::vector<std::byte>>(luma_bytes + 2 * chroma_bytes);
  std::byte* at = bytes->data();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto range = static_cast<std::uint32_t>(2 * options.noise + 1);
      const int shown = shown_index(options, index, x, y);
      const int noise = static_cast<int>(drawn(options.seed, shown, x, y) % range) - options.noise;
      *at++ = static_cast<std::byte>(std::clamp(scene_luma(options, shown, x, y) + noise, 0, 255));
    }
  }
  for (int plane = 0; plane < 2; ++plane) {
    for (int y = 0; y < chroma_height; ++y) {
      for (int x = 0; x < chroma_width; ++x) {
        const int along = plane == 0 ? 2 * x * 128 / width : 2 * y * 128 / height;
        const int shown = plane == 0 ? shown_index(options, index, 2 * x, 2 * y) : 0;
        *at++ = static_cast<std::byte>(64 + (along + shown) % 128);
      }
    }
  }

  Frame frame;
  frame.view = {.layout = layout_named("yuv420p").layout, .size = options.size};
  frame.view.planes = {bytes->data(), bytes->data() + luma_bytes, bytes->data() + luma_bytes + chroma_bytes};
  frame.view.strides = {width, chroma_width, chroma_width};
  frame.time_base = {1, 1000};
  frame.pts = index * 40;
  frame.duration = index % 7 == 3 ? 0 : index % 5 == 2 ? 120 : 40;
  frame.epoch = index >= EpochFrame ? 8 : 7;
  frame.owner = std::move(bytes);
  return frame;
}

}  // namespace glyphreel::parity
