#include "media/decode/tempo_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "media/decode/audio_decoder.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libavutil/samplefmt.h>
}

namespace glyphreel::media {
namespace {

constexpr int MaxMixedLevel = 1;  // prevents clipping when six channels at full level are mixed to two

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

/// Returns the filters that change the tempo.
std::string tempo_chain(bool has_rubber_band, double speed) {
  if (has_rubber_band) return fmt::format("rubberband=tempo={:.6f}:window=short", speed);
  // A single atempo filter supports speeds down to 0.5.
  if (speed < 0.5) return fmt::format("atempo={0:.6f},atempo={0:.6f}", std::sqrt(speed));
  return fmt::format("atempo={:.6f}", speed);
}

/// If the file does not specify the channel layout, replaces it with the default for the number of channels.
void specify(AVChannelLayout& layout) {
  if (layout.order == AV_CHANNEL_ORDER_UNSPEC) av_channel_layout_default(&layout, layout.nb_channels);
}

}  // namespace

std::unique_ptr<TempoGraph> TempoGraph::make(const AVFrame& first, int rate, double speed) {
  std::unique_ptr<TempoGraph> self(new TempoGraph());
  self->like_->format = first.format;
  self->like_->sample_rate = first.sample_rate;
  if (av_channel_layout_copy(&self->like_->ch_layout, &first.ch_layout) < 0) return nullptr;
  AVChannelLayout layout = first.ch_layout;
  specify(layout);
  const bool is_open =
      speed == 1 ? self->open_resampler(layout, rate) : self->open_graph(layout, rate, speed);
  return is_open ? std::move(self) : nullptr;
}

bool TempoGraph::open_resampler(AVChannelLayout& layout, int rate) {
  AVChannelLayout stereo = AV_CHANNEL_LAYOUT_STEREO;
  SwrContext* context = nullptr;
  const int code =
      swr_alloc_set_opts2(&context, &stereo, AV_SAMPLE_FMT_FLT, rate, &layout,
                          static_cast<AVSampleFormat>(like_->format), like_->sample_rate, 0, nullptr);
  resampler_.reset(context);
  return code >= 0 && av_opt_set_double(context, "rematrix_maxval", MaxMixedLevel, 0) >= 0 &&
         swr_init(context) >= 0;
}

bool TempoGraph::open_graph(AVChannelLayout& layout, int rate, double speed) {
  const char* const format = av_get_sample_fmt_name(static_cast<AVSampleFormat>(like_->format));
  std::array<char, 256> layout_name{};
  if (format == nullptr || av_channel_layout_describe(&layout, layout_name.data(), layout_name.size()) < 0) {
    return false;
  }
  const std::string source =
      fmt::format("abuffer=time_base=1/{0}:sample_rate={0}:sample_fmt={1}:channel_layout={2}",
                  like_->sample_rate, format, layout_name.data());
  const std::string output =
      fmt::format("aformat=sample_fmts=flt:channel_layouts=stereo:sample_rates={}", rate);
  const bool has_rubber_band = FilterGraph::has_filter("rubberband");
  graph_ =
      FilterGraph::make(fmt::format("{},aresample={}:rematrix_maxval={},{},{},{},abuffersink", source, rate,
                                    MaxMixedLevel, output, tempo_chain(has_rubber_band, speed), output),
                        1);
  offset_seconds_ = has_rubber_band ? offset_at(RubberBandOffsets, speed) : offset_at(AtempoOffsets, speed);
  return static_cast<bool>(graph_);
}

bool TempoGraph::supports(const AVFrame& frame) const {
  return frame.format == like_->format && frame.sample_rate == like_->sample_rate &&
         av_channel_layout_compare(&frame.ch_layout, &like_->ch_layout) == 0;
}

bool TempoGraph::resample(const AVFrame* frame, std::vector<float>& samples) {
  constexpr std::size_t Channels = AudioBlock::Channels;
  const int given = frame != nullptr ? frame->nb_samples : 0;
  const int room = swr_get_out_samples(resampler_.get(), given);
  if (room < 0) return false;
  const std::size_t before = samples.size();
  samples.resize(before + static_cast<std::size_t>(room) * Channels);
  auto* output = reinterpret_cast<std::uint8_t*>(samples.data() + before);
  auto** const input = frame != nullptr ? const_cast<const std::uint8_t**>(frame->extended_data) : nullptr;
  const int converted = swr_convert(resampler_.get(), &output, room, input, given);
  samples.resize(before + static_cast<std::size_t>(std::max(0, converted)) * Channels);
  return converted >= 0;
}

bool TempoGraph::filter(const AVFrame* frame, std::vector<float>& samples) {
  if (resampler_ != nullptr) return resample(frame, samples);
  FramePtr input;
  if (frame != nullptr) {
    input.reset(checked(av_frame_clone(frame)));
    specify(input->ch_layout);
    input->pts = samples_in_;
    samples_in_ += frame->nb_samples;
  }
  if (!graph_.put(input.get())) return false;
  while (graph_.get(filtered_.get())) {
    const auto* first = reinterpret_cast<const float*>(filtered_->data[0]);
    samples.insert(samples.end(), first,
                   first + std::ptrdiff_t{filtered_->nb_samples} * AudioBlock::Channels);
    av_frame_unref(filtered_.get());
  }
  return true;
}

}  // namespace glyphreel::media
