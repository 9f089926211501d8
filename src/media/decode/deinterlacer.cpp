#include "media/decode/deinterlacer.h"

#include <fmt/format.h>

#include <utility>

#include "base/io/log.h"
#include "media/hwdec/hardware_surface.h"

extern "C" {
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
}

namespace glyphreel::media {
namespace {

/// Its address in AVFrame::opaque, a field for the library's user, marks frames made here.
int made_here = 0;

}  // namespace

void Deinterlacer::FreeGraph::operator()(AVFilterGraph* graph) const {
  avfilter_graph_free(&graph);
}

Deinterlacer::~Deinterlacer() = default;

bool Deinterlacer::made(const AVFrame& frame) {
  return frame.opaque == &made_here;
}

bool Deinterlacer::build(const AVFrame& like) {
  graph_.reset(avfilter_graph_alloc());
  check_memory(graph_ != nullptr);
  graph_->nb_threads = threads_;
  // Frames carry numbers instead of timestamps.
  const std::string source = fmt::format("video_size={}x{}:pix_fmt={}:time_base=1/1:pixel_aspect=1/1",
                                         like.width, like.height, like.format);
  if (avfilter_graph_create_filter(&source_, avfilter_get_by_name("buffer"), "in", source.c_str(), nullptr,
                                   graph_.get()) < 0 ||
      avfilter_graph_create_filter(&sink_, avfilter_get_by_name("buffersink"), "out", nullptr, nullptr,
                                   graph_.get()) < 0) {
    return false;
  }
  AVFilterInOut* outputs = avfilter_inout_alloc();
  AVFilterInOut* inputs = avfilter_inout_alloc();
  check_memory(outputs != nullptr && inputs != nullptr);
  *outputs = {.name = av_strdup("in"), .filter_ctx = source_, .pad_idx = 0, .next = nullptr};
  *inputs = {.name = av_strdup("out"), .filter_ctx = sink_, .pad_idx = 0, .next = nullptr};
  const int code = avfilter_graph_parse_ptr(
      graph_.get(), "bwdif=mode=send_frame:parity=auto:deint=interlaced", &inputs, &outputs, nullptr);
  avfilter_inout_free(&inputs);
  avfilter_inout_free(&outputs);
  if (code < 0 || avfilter_graph_config(graph_.get(), nullptr) < 0) return false;
  like_ = new_frame();
  like_->format = like.format;
  like_->width = like.width;
  like_->height = like.height;
  return true;
}

void Deinterlacer::put(FramePtr frame) {
  frame->opaque = nullptr;
  if (graph_ &&
      (frame->format != like_->format || frame->width != like_->width || frame->height != like_->height)) {
    end_graph();
  }
  const bool is_due = mode_ == Deinterlacing::Auto && is_interlaced(*frame) && !is_hardware(*frame);
  if (!graph_ && is_due && !build(*frame)) {
    log::debug("Frames of format {} cannot be deinterlaced.", frame->format);
    graph_.reset();
  }
  if (!graph_) {
    ready_.push_back(std::move(frame));
    return;
  }
  FramePtr numbered(av_frame_clone(frame.get()));
  check_memory(numbered != nullptr);
  numbered->pts = first_inside_ + static_cast<std::int64_t>(inside_.size());
  inside_.push_back(std::move(frame));
  if (av_buffersrc_add_frame(source_, numbered.get()) < 0) {
    end_graph();
    return;
  }
  collect();
}

/// Collects the filter's output. Frames that the filter drops are passed on unchanged.
void Deinterlacer::collect() {
  for (;;) {
    FramePtr filtered = new_frame();
    if (av_buffersink_get_frame(sink_, filtered.get()) < 0) return;
    const AVRational unit = av_buffersink_get_time_base(sink_);
    const std::int64_t number = av_rescale_q(filtered->pts, unit, {1, 1});
    while (!inside_.empty() && first_inside_ <= number) {
      FramePtr original = std::move(inside_.front());
      inside_.pop_front();
      if (first_inside_++ < number || !is_interlaced(*original)) {
        ready_.push_back(std::move(original));
        continue;
      }
      filtered->pts = original->pts;
      filtered->sample_aspect_ratio = original->sample_aspect_ratio;
#if GLYPHREEL_AV_FRAME_DURATION
      filtered->duration = original->duration;
#else
      filtered->pkt_duration = original->pkt_duration;
#endif
#if GLYPHREEL_AV_FRAME_FLAG_INTERLACED
      filtered->flags &= ~AV_FRAME_FLAG_INTERLACED;
#else
      filtered->interlaced_frame = 0;
#endif
      filtered->opaque = &made_here;
      ready_.push_back(std::exchange(filtered, new_frame()));
    }
  }
}

/// Ends the graph when frames of another kind follow, or none: all frames in it become ready.
void Deinterlacer::end_graph() {
  if (graph_ && av_buffersrc_add_frame(source_, nullptr) >= 0) collect();
  graph_.reset();
  for (FramePtr& left : inside_) ready_.push_back(std::move(left));
  first_inside_ += static_cast<std::int64_t>(inside_.size());
  inside_.clear();
}

bool Deinterlacer::finish() {
  end_graph();
  return !ready_.empty();
}

FramePtr Deinterlacer::take() {
  if (ready_.empty()) return nullptr;
  FramePtr frame = std::move(ready_.front());
  ready_.pop_front();
  return frame;
}

void Deinterlacer::flush() {
  graph_.reset();
  inside_.clear();
  ready_.clear();
}

}  // namespace glyphreel::media
