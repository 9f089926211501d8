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

/// Interpolates linearly over 1 / speed; the filter windows make the offset nearly linear in it.
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
std::string tempo_chain(const std::string& filter, double speed) {
  if (filter == "rubberband") return fmt::format(",rubberband=tempo={:.6f}:window=short", speed);
  // A single atempo filter goes down to 0.5.
  if (speed < 0.5) return fmt::format(",atempo={0:.6f},atempo={0:.6f}", std::sqrt(speed));
  return fmt::format(",atempo={:.6f}", speed);
}

std::string layout_name(const AVChannelLayout& layout) {
  AVChannelLayout named{};
  // A layout that the file does not specify has no name: use the default for its channel count.
  if (layout.order == AV_CHANNEL_ORDER_UNSPEC) {
    av_channel_layout_default(&named, layout.nb_channels);
  } else if (av_channel_layout_copy(&named, &layout) < 0) {
    return "stereo";
  }
  std::array<char, 256> text{};
  av_channel_layout_describe(&named, text.data(), text.size());
  av_channel_layout_uninit(&named);
  return text.data();
}

}  // namespace

std::unique_ptr<TempoGraph> TempoGraph::make(const AVFrame& first, int rate, double speed) {
  const char* const tempo = avfilter_get_by_name("rubberband") != nullptr ? "rubberband" : "atempo";
  std::unique_ptr<TempoGraph> self(new TempoGraph());
  if (!self->build(first, rate, speed, tempo)) return nullptr;
  if (speed != 1) {
    self->offset_seconds_ =
        *tempo == 'r' ? offset_at(RubberBandOffsets, speed) : offset_at(AtempoOffsets, speed);
  }
  return self;
}

bool TempoGraph::build(const AVFrame& first, int rate, double speed, const char* tempo_filter) {
  graph_.reset(avfilter_graph_alloc());
  check_memory(graph_ != nullptr);
  graph_->nb_threads = 1;
  like_ = new_frame();
  like_->format = first.format;
  like_->sample_rate = first.sample_rate;
  if (av_channel_layout_copy(&like_->ch_layout, &first.ch_layout) < 0) return false;

  const char* const format = av_get_sample_fmt_name(static_cast<AVSampleFormat>(first.format));
  if (format == nullptr) return false;
  const std::string source = fmt::format("time_base=1/{0}:sample_rate={0}:sample_fmt={1}:channel_layout={2}",
                                         first.sample_rate, format, layout_name(first.ch_layout));
  if (avfilter_graph_create_filter(&source_, avfilter_get_by_name("abuffer"), "in", source.c_str(), nullptr,
                                   graph_.get()) < 0 ||
      avfilter_graph_create_filter(&sink_, avfilter_get_by_name("abuffersink"), "out", nullptr, nullptr,
                                   graph_.get()) < 0) {
    return false;
  }
  // rematrix_maxval: six channels at full level must not clip in two.
  const std::string chain = fmt::format(
      "aresample={0}:rematrix_maxval=1,aformat=sample_fmts=flt:channel_layouts=stereo:sample_rates={0}"
      "{1},aformat=sample_fmts=flt:channel_layouts=stereo:sample_rates={0}",
      rate, speed == 1 ? std::string() : tempo_chain(tempo_filter, speed));
  AVFilterInOut* outputs = avfilter_inout_alloc();
  AVFilterInOut* inputs = avfilter_inout_alloc();
  check_memory(outputs != nullptr && inputs != nullptr);
  *outputs = {.name = av_strdup("in"), .filter_ctx = source_, .pad_idx = 0, .next = nullptr};
  *inputs = {.name = av_strdup("out"), .filter_ctx = sink_, .pad_idx = 0, .next = nullptr};
  const int code = avfilter_graph_parse_ptr(graph_.get(), chain.c_str(), &inputs, &outputs, nullptr);
  avfilter_inout_free(&inputs);
  avfilter_inout_free(&outputs);
  return code >= 0 && avfilter_graph_config(graph_.get(), nullptr) >= 0;
}

bool TempoGraph::takes(const AVFrame& frame) const {
  return frame.format == like_->format && frame.sample_rate == like_->sample_rate &&
         av_channel_layout_compare(&frame.ch_layout, &like_->ch_layout) == 0;
}

bool TempoGraph::filter(const AVFrame* frame, std::vector<float>& samples) {
  FramePtr input;
  if (frame != nullptr) {
    input.reset(av_frame_clone(frame));
    check_memory(input != nullptr);
    if (input->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC) {
      av_channel_layout_default(&input->ch_layout, frame->ch_layout.nb_channels);
    }
    input->pts = samples_in_;
    samples_in_ += frame->nb_samples;
  }
  if (av_buffersrc_add_frame_flags(source_, input.get(), AV_BUFFERSRC_FLAG_KEEP_REF) < 0) return false;
  while (av_buffersink_get_frame(sink_, filtered_.get()) >= 0) {
    const auto* first = reinterpret_cast<const float*>(filtered_->data[0]);
    samples.insert(samples.end(), first,
                   first + std::ptrdiff_t{filtered_->nb_samples} * AudioBlock::Channels);
    av_frame_unref(filtered_.get());
  }
  return true;
}

}  // namespace glyphreel::media
