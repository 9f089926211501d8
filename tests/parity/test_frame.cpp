#include "test_frame.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/result.h"

namespace glyphreel::parity {
namespace {

using Component = ComponentLayout;

constexpr PixelLayout planar_yuv(int depth, int sub_x, int sub_y, int shift = 0) {
  const auto bits = static_cast<std::uint8_t>(depth);
  const auto low = static_cast<std::uint8_t>(shift);
  const std::uint8_t bytes = depth > 8 ? 2 : 1;
  const auto x = static_cast<std::uint8_t>(sub_x);
  const auto y = static_cast<std::uint8_t>(sub_y);
  return {ColorModel::Yuv,
          bytes,
          {Component{0, bytes, 0, low, bits, 0, 0}, Component{1, bytes, 0, low, bits, x, y},
           Component{2, bytes, 0, low, bits, x, y}}};
}

/// Returns a layout with separate luma and interleaved chroma: NV12 and related formats.
constexpr PixelLayout semi_planar(int depth, int sub_y, int shift, bool swapped) {
  const auto bits = static_cast<std::uint8_t>(depth);
  const auto low = static_cast<std::uint8_t>(shift);
  const std::uint8_t bytes = depth > 8 ? 2 : 1;
  const auto step = static_cast<std::uint8_t>(2 * bytes);
  const auto y = static_cast<std::uint8_t>(sub_y);
  const std::uint8_t cb = swapped ? bytes : 0;
  const std::uint8_t cr = swapped ? 0 : bytes;
  return {ColorModel::Yuv,
          bytes,
          {Component{0, bytes, 0, low, bits, 0, 0}, Component{1, step, cb, low, bits, 1, y},
           Component{1, step, cr, low, bits, 1, y}}};
}

constexpr PixelLayout packed_rgb(int bytes, int step, int red, int green, int blue, int depth) {
  const auto component = [&](int offset) {
    return Component{0, static_cast<std::uint8_t>(step),  static_cast<std::uint8_t>(offset),
                     0, static_cast<std::uint8_t>(depth), 0,
                     0};
  };
  return {
      ColorModel::Rgb, static_cast<std::uint8_t>(bytes), {component(red), component(green), component(blue)}};
}

constexpr PixelLayout planar_gbr(int depth) {
  const auto bits = static_cast<std::uint8_t>(depth);
  const std::uint8_t bytes = depth > 8 ? 2 : 1;
  return {ColorModel::Rgb,
          bytes,
          {Component{2, bytes, 0, 0, bits, 0, 0}, Component{0, bytes, 0, 0, bits, 0, 0},
           Component{1, bytes, 0, 0, bits, 0, 0}}};
}

constexpr PixelLayout packed_422(int luma, int cb, int cr) {
  return {ColorModel::Yuv,
          1,
          {Component{0, 2, static_cast<std::uint8_t>(luma), 0, 8, 0, 0},
           Component{0, 4, static_cast<std::uint8_t>(cb), 0, 8, 1, 0},
           Component{0, 4, static_cast<std::uint8_t>(cr), 0, 8, 1, 0}}};
}

constexpr PixelLayout gray(int depth) {
  const std::uint8_t bytes = depth > 8 ? 2 : 1;
  return {ColorModel::Gray, bytes, {Component{0, bytes, 0, 0, static_cast<std::uint8_t>(depth), 0, 0}}};
}

constexpr NamedLayout Layouts[] = {
    {"yuv420p", planar_yuv(8, 1, 1)},
    {"yuv422p", planar_yuv(8, 1, 0)},
    {"yuv444p", planar_yuv(8, 0, 0)},
    {"yuv440p", planar_yuv(8, 0, 1)},
    {"yuv411p", planar_yuv(8, 2, 0)},
    {"yuv410p", planar_yuv(8, 2, 2)},
    {"nv12", semi_planar(8, 1, 0, false)},
    {"nv21", semi_planar(8, 1, 0, true)},
    {"nv16", semi_planar(8, 0, 0, false)},
    {"yuv420p10", planar_yuv(10, 1, 1)},
    {"yuv422p10", planar_yuv(10, 1, 0)},
    {"yuv444p12", planar_yuv(12, 0, 0)},
    {"yuv420p16", planar_yuv(16, 1, 1)},
    {"p010", semi_planar(10, 1, 6, false)},
    {"p016", semi_planar(16, 1, 0, false)},
    {"yuyv422", packed_422(0, 1, 3)},
    {"uyvy422", packed_422(1, 0, 2)},
    {"gray", gray(8)},
    {"gray10", gray(10)},
    {"gray16", gray(16)},
    {"rgb24", packed_rgb(1, 3, 0, 1, 2, 8)},
    {"bgr24", packed_rgb(1, 3, 2, 1, 0, 8)},
    {"rgba", packed_rgb(1, 4, 0, 1, 2, 8)},
    {"bgra", packed_rgb(1, 4, 2, 1, 0, 8)},
    {"argb", packed_rgb(1, 4, 1, 2, 3, 8)},
    {"abgr", packed_rgb(1, 4, 3, 2, 1, 8)},
    {"rgb48", packed_rgb(2, 6, 0, 2, 4, 16)},
    {"rgba64", packed_rgb(2, 8, 0, 2, 4, 16)},
    {"gbrp", planar_gbr(8)},
    {"gbrp10", planar_gbr(10)},
};

/// Pages with inaccessible pages before and after them.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::size_t bytes, bool against_front) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t room = (bytes + page - 1) / page * page;
    mapped_ = room + 2 * page;
    base_ = static_cast<std::byte*>(mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    CHECK(base_ != MAP_FAILED, "no memory for a test frame");
    CHECK(mprotect(base_ + page, room, PROT_READ | PROT_WRITE) == 0, "mprotect");
    begin_ = against_front ? base_ + page : base_ + page + room - bytes;
  }
  ~GuardedBytes() { munmap(base_, mapped_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  [[nodiscard]] std::byte* begin() const { return begin_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* begin_ = nullptr;
};

struct Shape {
  int row_bytes = 0;
  int rows = 0;
};

Shape plane_shape(const PixelLayout& layout, int plane, Extent size) {
  Shape shape;
  for (int c = 0; c < layout.component_count(); ++c) {
    const Component& component = layout.components[static_cast<std::size_t>(c)];
    if (component.plane != plane) continue;
    const Extent extent = component_extent(component, size);
    shape.row_bytes = std::max(shape.row_bytes, extent.width * component.step);
    shape.rows = std::max(shape.rows, extent.height);
  }
  return shape;
}

std::uint32_t code_at(const FrameOptions& options, int component, int x, int y, std::uint32_t greatest,
                      std::mt19937& random) {
  const auto scale = [greatest](double part) {
    return static_cast<std::uint32_t>(std::lround(part * greatest));
  };
  switch (options.pattern) {
    case Pattern::Random:
      return static_cast<std::uint32_t>(random()) & greatest;
    case Pattern::Black:
      return 0;
    case Pattern::White:
      return greatest;
    case Pattern::Checker:
      return (x + y) % 2 == 0 ? greatest : 0;
    case Pattern::Stripes:
      return (x / 3 + y / 5 + component) % 3 == 0 ? greatest : 0;
    case Pattern::Smooth:
      return scale(0.5 + 0.45 * std::sin(0.05 * (component + 1) * x + 0.07 * y + options.seed));
    case Pattern::Faint:
      return greatest / 2 + static_cast<std::uint32_t>(random() % 4) * (greatest > 255 ? greatest / 255 : 1);
    case Pattern::Halves: {
      const std::uint32_t mix = options.seed * 2654435761u + static_cast<std::uint32_t>(component) * 40503u;
      const bool first =
          3 * x + 2 * y < static_cast<int>(options.seed % 7 + 1) * (options.size.width + 1) / 3;
      return (first ? mix >> 7 : mix >> 15) & greatest;
    }
  }
  return 0;
}

}  // namespace

std::span<const NamedLayout> all_layouts() {
  return Layouts;
}

const NamedLayout& layout_named(const std::string& name) {
  const auto found = std::find_if(std::begin(Layouts), std::end(Layouts),
                                  [&](const NamedLayout& l) { return name == l.name; });
  CHECK(found != std::end(Layouts), "no such layout: " + name);
  return *found;
}

const char* pattern_name(Pattern pattern) {
  static constexpr const char* Names[PatternCount] = {"random",  "black",  "white", "checker",
                                                      "stripes", "smooth", "faint", "halves"};
  return Names[static_cast<int>(pattern)];
}

Extent component_extent(const ComponentLayout& component, Extent size) {
  const int x = component.log2_subsampling_x;
  const int y = component.log2_subsampling_y;
  return {(size.width + (1 << x) - 1) >> x, (size.height + (1 << y) - 1) >> y};
}

Frame make_frame(const FrameOptions& options) {
  const PixelLayout& layout = options.layout.layout;
  Frame frame;
  frame.view = {.layout = layout,
                .color = options.color,
                .size = options.size,
                .sample_aspect_ratio = options.sample_aspect_ratio,
                .rotation = options.rotation};
  auto planes = std::make_shared<std::vector<std::unique_ptr<GuardedBytes>>>();
  std::mt19937 random(options.seed);
  for (int plane = 0; plane < 4; ++plane) {
    const Shape shape = plane_shape(layout, plane, options.size);
    if (shape.rows == 0) continue;
    // The padding depends on the seed, so that rows start at every alignment that the sample size allows.
    const int stride = shape.row_bytes + layout.bytes_per_sample * static_cast<int>(options.seed % 5);
    const auto bytes = static_cast<std::size_t>(stride) * (shape.rows - 1) + shape.row_bytes;
    planes->push_back(std::make_unique<GuardedBytes>(bytes, options.bottom_up));
    std::byte* begin = planes->back()->begin();
    std::generate_n(begin, bytes, [&] { return static_cast<std::byte>(random()); });  // including the padding
    const auto index = static_cast<std::size_t>(plane);
    frame.view.planes[index] =
        options.bottom_up ? begin + static_cast<std::ptrdiff_t>(stride) * (shape.rows - 1) : begin;
    frame.view.strides[index] = options.bottom_up ? -stride : stride;
  }
  for (int c = 0; c < layout.component_count(); ++c) {
    const Component& component = layout.components[static_cast<std::size_t>(c)];
    const Extent extent = component_extent(component, options.size);
    const std::uint32_t greatest = (1u << component.depth) - 1;
    for (int y = 0; y < extent.height; ++y) {
      const std::byte* row = frame.view.planes[component.plane] + y * frame.view.strides[component.plane];
      for (int x = 0; x < extent.width; ++x) {
        const std::uint32_t word = code_at(options, c, x, y, greatest, random) << component.shift;
        auto* at =
            const_cast<std::byte*>(row) + component.offset + static_cast<std::ptrdiff_t>(x) * component.step;
        std::memcpy(at, &word, layout.bytes_per_sample);
      }
    }
  }
  frame.owner = std::move(planes);
  return frame;
}

}  // namespace glyphreel::parity
