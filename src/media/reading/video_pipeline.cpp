#include "media/reading/video_pipeline.h"

#include <algorithm>
#include <thread>

namespace glyphreel::media {
namespace {

// Threads that each decode a frame wait for other frames, so more threads than CPUs keep all CPUs busy. With
// fewer than 8 in addition, decoding 1080p on two CPUs is slower; see docs/measurements.md.
constexpr int MoreFrameThreads = 8;

int decoder_threads(const SourceOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int more_frame_threads(const SourceOptions& options) {
  return options.threads == 0 && options.decoding_goal == DecodingGoal::Throughput ? MoreFrameThreads : 0;
}

}  // namespace

VideoPipeline::VideoPipeline(const SourceOptions& options)
    : options_(options),
      direct_(options.memory != nullptr ? std::make_unique<DirectBuffers>(*options.memory) : nullptr),
      deinterlacer_(options.deinterlace, options.threads) {}

Result<void> VideoPipeline::open(AVFormatContext& format, AVStream& stream) {
  TRY_ASSIGN(decoder_, VideoDecoder::open(
                           format, stream,
                           {.threads = decoder_threads(options_),
                            .more_frame_threads = more_frame_threads(options_),
                            .direct = direct_.get(),
                            .times = options_.times,
                            .hardware = {.choice = options_.hwdec,
                                         .hardware = options_.hardware,
                                         .backend = options_.hw_decode_backend,
                                         .supports_interlaced = options_.deinterlace == Deinterlacing::No,
                                         .report = &report_}}));
  deinterlacer_.flush();
  builder_ = std::make_unique<FrameBuilder>(stream, options_.memory, direct_.get(), options_.aspect);
  return {};
}

Result<VideoPipeline::Received> VideoPipeline::receive(FramePtr& frame) {
  for (;;) {
    frame = deinterlacer_.take();
    if (frame != nullptr) return Received::Frame;
    TRY_ASSIGN(const Received received, decoder_->receive(*decoded_));
    if (received == Received::Frame) {
      deinterlacer_.put(std::exchange(decoded_, new_frame()));
    } else if (received == Received::NeedsPacket || !deinterlacer_.finish()) {
      return received;
    }
  }
}

void VideoPipeline::flush(std::int64_t start_pts) {
  decoder_->flush(start_pts);
  deinterlacer_.flush();
}

}  // namespace glyphreel::media
