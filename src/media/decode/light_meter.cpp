#include "media/decode/light_meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "media/stream/stream_tags.h"

namespace glyphreel::media {
namespace {

constexpr int SampledColumns = 160, SampledRows = 90;
constexpr int SignalPeak = 4095;
constexpr int BlackCode = 256, LimitedRange = 3504;  // 12-bit limited range: black, and white minus black
/// This fraction of the samples may exceed the peak, so that a few sparkles do not darken the scene.
constexpr double SparkleShare = 1.0 / 2000;
constexpr double CutDifference = 0.03 * SignalPeak;
constexpr double ChangePerFrame = 1.0 / 20;
/// Smaller changes of the signal are not reported, since computing a new tone curve takes a millisecond.
constexpr int SmallestChange = 12;

struct Light {
  double peak = 0, average = 0;
};

/// Returns a component's sample, scaled to 12 bits.
int code_at(const FrameView& view, const ComponentLayout& component, int x, int y) {
  const std::byte* sample = view.planes[component.plane] + y * view.strides[component.plane] +
                            static_cast<std::ptrdiff_t>(x) * component.step + component.offset;
  std::uint16_t word = 0;
  if (view.layout.bytes_per_sample == 2) {
    std::memcpy(&word, sample, sizeof word);
  } else {
    word = static_cast<std::uint16_t>(*sample);
  }
  const int code = (word >> component.shift) & ((1 << component.depth) - 1);
  return component.depth >= 12 ? code >> (component.depth - 12) : code << (12 - component.depth);
}

/// Returns a pixel's luma or, for RGB, the largest of R', G' and B', as a full-range signal from 0 to
/// SignalPeak.
int signal_at(const FrameView& view, int x, int y) {
  int code = code_at(view, view.layout.components[0], x, y);
  if (view.layout.model == ColorModel::Rgb) {
    for (std::size_t c = 1; c < 3; ++c) code = std::max(code, code_at(view, view.layout.components[c], x, y));
  }
  if (view.color.range == ColorRange::Limited)
    code = static_cast<int>((static_cast<std::int64_t>(code) - BlackCode) * SignalPeak / LimitedRange);
  return std::clamp(code, 0, SignalPeak);
}

Light light_of(const FrameView& view) {
  std::array<int, SignalPeak + 1> histogram{};
  const int columns = std::min(SampledColumns, view.size.width);
  const int rows = std::min(SampledRows, view.size.height);
  double sum = 0;
  for (int row = 0; row < rows; ++row) {
    const int y = (2 * row + 1) * view.size.height / (2 * rows);
    for (int column = 0; column < columns; ++column) {
      const int signal = signal_at(view, (2 * column + 1) * view.size.width / (2 * columns), y);
      ++histogram[static_cast<std::size_t>(signal)];
      sum += signal;
    }
  }
  const int samples = columns * rows;
  int brighter = 0;
  int peak = SignalPeak;
  while (peak > 0 && (brighter += histogram[static_cast<std::size_t>(peak)]) <= samples * SparkleShare)
    --peak;
  return {.peak = static_cast<double>(peak), .average = sum / samples};
}

}  // namespace

void LightMeter::measure(Frame& frame) {
  FrameView& view = frame.view;
  if (!is_hdr(view.color.transfer) || frame.surface || view.size.width <= 0 || view.size.height <= 0) return;
  const Light now = light_of(view);
  const bool is_cut =
      !has_scene_ || frame.epoch != epoch_ || std::abs(now.average - average_) > CutDifference;
  const double share = is_cut ? 1 : ChangePerFrame;
  peak_ += (now.peak - peak_) * share;
  average_ += (now.average - average_) * share;
  if (is_cut || std::abs(peak_ - shown_peak_) > SmallestChange ||
      std::abs(average_ - shown_average_) > SmallestChange) {
    shown_peak_ = std::max(1, static_cast<int>(std::lround(peak_)));
    shown_average_ = std::max(1, static_cast<int>(std::lround(average_)));
  }
  has_scene_ = true;
  epoch_ = frame.epoch;
  view.color.scene_peak = shown_peak_;
  view.color.scene_average = shown_average_;
}

}  // namespace glyphreel::media
