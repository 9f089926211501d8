#include "media/reading/video_pipeline.h"

namespace glyphreel::media {

VideoPipeline::VideoPipeline(const SourceOptions& options)
    : options_(options),
      direct_(options.memory != nullptr ? std::make_unique<DirectBuffers>(*options.memory) : nullptr),
      deinterlacer_(options.deinterlace, options.threads) {}

Result<void> VideoPipeline::open(AVFormatContext& format, AVStream& stream) {
  TRY_ASSIGN(decoder_, VideoDecoder::open(
                           format, stream,
                           {.threads = options_.threads,
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
