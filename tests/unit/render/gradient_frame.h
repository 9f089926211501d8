#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/frame.h"

namespace glyphreel::render {

/// Returns a square RGB frame with `side` pixels per side. Its bytes start at `shift`, increase by 7/3 from
/// byte to byte, and wrap around.
inline Frame gradient_frame(int side, int shift = 0) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int i = 0; i < side * side * 3; ++i) pixels->push_back(static_cast<std::uint8_t>(i * 7 / 3 + shift));
  Frame frame;
  frame.view.layout = {
      ColorModel::Rgb, 1, {ComponentLayout{.step = 3}, {.step = 3, .offset = 1}, {.step = 3, .offset = 2}}};
  frame.view.size = {side, side};
  frame.view.planes[0] = reinterpret_cast<const std::byte*>(pixels->data());
  frame.view.strides[0] = side * 3;
  frame.owner = std::move(pixels);
  return frame;
}

}  // namespace glyphreel::render
