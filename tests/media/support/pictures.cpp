#include "pictures.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace glyphreel::test {

std::unique_ptr<media::Source> open_source(const media::SourceOptions& options) {
  auto source = media::Source::open(options);
  if (!source) {
    ADD_FAILURE() << source.error().message << " (" << source.error().cause << ")";
    return nullptr;
  }
  return *std::move(source);
}

std::vector<Frame> read_frames(media::Source& source) {
  std::vector<Frame> frames;
  for (;;) {
    auto item = source.read();
    if (!item) {
      ADD_FAILURE() << item.error().message;
      return frames;
    }
    if (std::holds_alternative<media::EndOfStream>(*item)) return frames;
    if (auto* frame = std::get_if<Frame>(&*item)) frames.push_back(std::move(*frame));
  }
}

Extent component_size(const FrameView& view, int index) {
  const ComponentLayout& layout = view.layout.components[static_cast<std::size_t>(index)];
  const auto shrink = [](int length, int shift) { return (length + (1 << shift) - 1) >> shift; };
  return {shrink(view.size.width, layout.log2_subsampling_x),
          shrink(view.size.height, layout.log2_subsampling_y)};
}

unsigned sample_at(const FrameView& view, int component, int x, int y) {
  const ComponentLayout& layout = view.layout.components[static_cast<std::size_t>(component)];
  const std::byte* at =
      view.planes[layout.plane] + y * view.strides[layout.plane] + layout.offset + x * layout.step;
  if (view.layout.bytes_per_sample == 1) return std::to_integer<unsigned>(*at) >> layout.shift;
  std::uint16_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return static_cast<unsigned>(word) >> layout.shift;
}

std::vector<std::uint8_t> planar_samples(const FrameView& view) {
  static constexpr std::array<int, 3> InOrder = {0, 1, 2};
  static constexpr std::array<int, 3> GreenBlueRed = {1, 2, 0};
  const auto& order = view.layout.model == ColorModel::Rgb ? GreenBlueRed : InOrder;
  std::vector<std::uint8_t> samples;
  for (int i = 0; i < view.layout.component_count(); ++i) {
    const int component = order[static_cast<std::size_t>(i)];
    const Extent size = component_size(view, component);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const unsigned value = sample_at(view, component, x, y);
        samples.push_back(static_cast<std::uint8_t>(value));
        if (view.layout.bytes_per_sample == 2) samples.push_back(static_cast<std::uint8_t>(value >> 8));
      }
    }
  }
  return samples;
}

}  // namespace glyphreel::test
