#include "frames.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"

namespace glyphreel::golden {
namespace {

struct Rgb {
  int red, green, blue;
};

Rgb gradient(int x, int y) {
  const int tone = 2 * x;
  return {tone, tone * (128 - y / 2) / 128, tone * (y + 16) / 144};
}

Rgb disc(int x, int y) {
  const int dx = x - 64;
  const int dy = y - 60;
  const int square = dx * dx + dy * dy;
  if (square < 44 * 44) {
    // The light comes from the upper left.
    const int light = std::clamp(200 - (dx + dy) * 2 - square / 24, 20, 255);
    return {light, light * 3 / 4, light / 3};
  }
  return y > 108 ? Rgb{30, 60, 30} : Rgb{10, 12, 30 + y / 4};
}

/// Whether a point is beside the segment a-b, not beyond its ends, and the squared distance of the point from
/// the segment is below `limit` square pixels. Computed without division.
bool near_segment(int x, int y, int ax, int ay, int bx, int by, int limit) {
  const int dx = bx - ax;
  const int dy = by - ay;
  const int along = (x - ax) * dx + (y - ay) * dy;
  const int length = dx * dx + dy * dy;
  if (along < 0 || along > length) return false;
  const int cross = (x - ax) * dy - (y - ay) * dx;
  return cross * cross < limit * length;
}

Rgb strokes(int x, int y) {
  static constexpr int Lines[][4] = {
      {8, 16, 8, 60},     {8, 60, 36, 60},   {48, 12, 62, 36},    {76, 12, 62, 36},
      {62, 36, 62, 62},   {88, 12, 88, 62},  {88, 14, 112, 14},   {88, 36, 112, 36},
      {112, 14, 112, 36}, {12, 76, 12, 120}, {40, 76, 40, 120},   {12, 98, 40, 98},
      {56, 120, 72, 76},  {88, 120, 72, 76}, {100, 80, 120, 118}, {120, 80, 100, 118}};
  for (const auto& line : Lines) {
    if (near_segment(x, y, line[0], line[1], line[2], line[3], 4)) return {240, 230, 170};
  }
  return {12, 16, 72};
}

}  // namespace

Frame make_frame(const std::string& name) {
  const auto paint = name == "gradient" ? gradient : name == "disc" ? disc : strokes;
  CHECK(name == "gradient" || name == "disc" || name == "strokes", "no such frame: " + name);
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int y = 0; y < FrameSize.height; ++y) {
    for (int x = 0; x < FrameSize.width; ++x) {
      const Rgb rgb = paint(x, y);
      for (const int value : {rgb.red, rgb.green, rgb.blue})
        pixels->push_back(static_cast<std::uint8_t>(value));
    }
  }
  Frame frame;
  frame.view.layout = {
      ColorModel::Rgb, 1, {ComponentLayout{.step = 3}, {.step = 3, .offset = 1}, {.step = 3, .offset = 2}}};
  frame.view.size = FrameSize;
  frame.view.planes[0] = reinterpret_cast<const std::byte*>(pixels->data());
  frame.view.strides[0] = FrameSize.width * 3;
  frame.owner = std::move(pixels);
  return frame;
}

}  // namespace glyphreel::golden
