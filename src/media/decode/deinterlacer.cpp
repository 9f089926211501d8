#include "media/decode/deinterlacer.h"

#include <fmt/format.h>

#include <utility>

#include "base/io/log.h"
#include "media/hwdec/hardware_surface.h"

namespace glyphreel::media {
namespace {

/// AVFrame::opaque of each frame that a Deinterlacer created points to this variable. FFmpeg leaves that
/// field to applications.
int made_here = 0;

}  // namespace

bool Deinterlacer::made(const AVFrame& frame) {
  return frame.opaque == &made_here;
}

/// Builds the filter graph for frames with the size and pixel format of `like`. Leaves graph_ empty if
/// libavfilter fails.
void Deinterlacer::build(const AVFrame& like) {
  // In the graph, timestamps are frame numbers. collect() restores the times from the originals in inside_.
  graph_ = FilterGraph::make(fmt::format("buffer=video_size={}x{}:pix_fmt={}:time_base=1/1:pixel_aspect=1/1,"
                                         "bwdif=mode=send_frame:parity=auto:deint=interlaced,buffersink",
                                         like.width, like.height, like.format),
                             threads_);
  if (!graph_) log::debug("Frames of pixel format {} cannot be deinterlaced.", like.format);
  format_ = like.format;
  size_ = {like.width, like.height};
}

void Deinterlacer::put(FramePtr frame) {
  frame->opaque = nullptr;
  if (graph_ && (frame->format != format_ || size_ != Extent{frame->width, frame->height})) end_graph();
  const bool is_due = mode_ == Deinterlacing::Auto && is_interlaced(*frame) && !is_hardware(*frame);
  if (!graph_ && is_due) build(*frame);
  if (!graph_) {
    ready_.push_back(std::move(frame));
    return;
  }
  FramePtr numbered(checked(av_frame_clone(frame.get())));
  numbered->pts = first_inside_ + static_cast<std::int64_t>(inside_.size());
  inside_.push_back(std::move(frame));
  if (!graph_.put(numbered.get())) {
    end_graph();
    return;
  }
  collect();
}

/// Moves the filter's output to ready_. Frames that the filter dropped, or that are not flagged as
/// interlaced, are replaced by their originals.
void Deinterlacer::collect() {
  for (;;) {
    FramePtr filtered = new_frame();
    if (!graph_.get(filtered.get())) return;
    const std::int64_t number = av_rescale_q(filtered->pts, graph_.time_base(), {1, 1});
    while (!inside_.empty() && first_inside_ <= number) {
      FramePtr original = std::move(inside_.front());
      inside_.pop_front();
      if (first_inside_++ < number || !is_interlaced(*original)) {
        ready_.push_back(std::move(original));
        continue;
      }
      filtered->pts = original->pts;
      filtered->sample_aspect_ratio = original->sample_aspect_ratio;
      frame_duration(*filtered) = frame_duration(*original);
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

/// Drains the graph and removes it. All of its frames become ready; those that the filter failed to output
/// are passed on unchanged.
void Deinterlacer::end_graph() {
  if (graph_ && graph_.put(nullptr)) collect();
  graph_ = {};
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
  graph_ = {};
  inside_.clear();
  ready_.clear();
}

}  // namespace glyphreel::media
