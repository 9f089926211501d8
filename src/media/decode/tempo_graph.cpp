#include "media/decode/tempo_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "media/decode/audio_decoder.h"

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/channel_layout.h>
#include <libavutil/samplefmt.h>
}

namespace glyphreel::media {
namespace {

struct Offset {
  double speed;
  double seconds;  ///< see TempoGraph::offset_seconds()
};
// Measured at 48 kHz with FFmpeg 5.1 and Rubber Band 3.1: medians over 37 beeps at each speed.
constexpr std::array RubberBandOffsets = {Offset{0.25, -0.0446}, Offset{0.5, -0.0161}, Offset{0.75, -0.0060},
                                          Offset{1.25, 0.0019},  Offset{1.5, 0.0032},  Offset{2, 0.0025},
                                          Offset{4, 0.0033}};
constexpr std::array AtempoOffsets = {Offset{0.25, -0.1226}, Offset{0.5, -0.0420}, Offset{0.75, -0.0313},
                                      Offset{1.25, -0.0155}, Offset{1.5, -0.0104}, Offset{2, -0.0119},
                                      Offset{4, -0.0089}};

/// Returns the offset at `speed`. Interpolates linearly over (1 / speed), because the filter's windows make
/// the offset a nearly linear function of (1 / speed).
double offset_at(std::span<const Offset> table, double speed) {
  if (speed <= table.front().speed) return table.front().seconds;
  for (std::size_t i = 1; i < table.size(); ++i) {
    if (speed > table[i].speed) continue;
    const double from = 1 / table[i - 1].speed;
    const double part = (1 / speed - from) / (1 / table[i].speed - from);
    return std::lerp(table[i - 1].seconds, table[i].seconds, part);
  }
  return table.back().seconds;
}

/// Returns the filters that change the tempo, each with a leading comma.
std::string tempo_chain(bool has_rubber_band, double speed) {
  if (speed == 1) return {};
  if (has_rubber_band) return fmt::format(",rubberband=tempo={:.6f}:window=short", speed);
  // A single atempo filter supports speeds down to 0.5.
  if (speed < 0.5) return fmt::format(",atempo={0:.6f},atempo={0:.6f}", std::sqrt(speed));
  return fmt::format(",atempo={:.6f}", speed);
}

std::string layout_name(const AVChannelLayout& layout) {
  // If the file does not specify the channel layout, the layout has no name. In that case, use the default
  // layout for the number of channels.
  const bool is_named = layout.order != AV_CHANNEL_ORDER_UNSPEC;
  AVChannelLayout usual{};
  if (!is_named) av_channel_layout_default(&usual, layout.nb_channels);
  std::array<char, 256> text{};
  av_channel_layout_describe(is_named ? &layout : &usual, text.data(), text.size());
  return text.data();
}

}  // namespace

std::unique_ptr<TempoGraph> TempoGraph::make(const AVFrame& first, int rate, double speed) {
  const char* const format = av_get_sample_fmt_name(static_cast<AVSampleFormat>(first.format));
  if (format == nullptr) return nullptr;
  const bool has_rubber_band = avfilter_get_by_name("rubberband") != nullptr;
  std::unique_ptr<TempoGraph> self(new TempoGraph());
  self->like_->format = first.format;
  self->like_->sample_rate = first.sample_rate;
  if (av_channel_layout_copy(&self->like_->ch_layout, &first.ch_layout) < 0) return nullptr;
  const std::string source =
      fmt::format("abuffer=time_base=1/{0}:sample_rate={0}:sample_fmt={1}:channel_layout={2}",
                  first.sample_rate, format, layout_name(first.ch_layout));
  const std::string output =
      fmt::format("aformat=sample_fmts=flt:channel_layouts=stereo:sample_rates={}", rate);
  // rematrix_maxval=1 prevents clipping when six channels at full level are mixed to two.
  self->graph_ =
      make_filter_graph(fmt::format("{},aresample={}:rematrix_maxval=1,{}{},{},abuffersink", source, rate,
                                    output, tempo_chain(has_rubber_band, speed), output),
                        1);
  if (self->graph_.graph == nullptr) return nullptr;
  if (speed != 1) {
    self->offset_seconds_ =
        has_rubber_band ? offset_at(RubberBandOffsets, speed) : offset_at(AtempoOffsets, speed);
  }
  return self;
}

bool TempoGraph::supports(const AVFrame& frame) const {
  return frame.format == like_->format && frame.sample_rate == like_->sample_rate &&
         av_channel_layout_compare(&frame.ch_layout, &like_->ch_layout) == 0;
}

bool TempoGraph::filter(const AVFrame* frame, std::vector<float>& samples) {
  FramePtr input;
  if (frame != nullptr) {
    input.reset(checked(av_frame_clone(frame)));
    if (input->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC) {
      av_channel_layout_default(&input->ch_layout, frame->ch_layout.nb_channels);
    }
    input->pts = samples_in_;
    samples_in_ += frame->nb_samples;
  }
  if (av_buffersrc_add_frame_flags(graph_.source, input.get(), AV_BUFFERSRC_FLAG_KEEP_REF) < 0) return false;
  while (av_buffersink_get_frame(graph_.sink, filtered_.get()) >= 0) {
    const auto* first = reinterpret_cast<const float*>(filtered_->data[0]);
    samples.insert(samples.end(), first,
                   first + std::ptrdiff_t{filtered_->nb_samples} * AudioBlock::Channels);
    av_frame_unref(filtered_.get());
  }
  return true;
}

}  // namespace glyphreel::media
