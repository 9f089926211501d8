#pragma once

#include <memory>

#include "media/decode/deinterlacer.h"
#include "media/decode/frame_builder.h"
#include "media/decode/video_decoder.h"
#include "media/frame/direct_buffers.h"
#include "media/reading/source_options.h"

namespace glyphreel::media {

/// Converts the packets of a video stream to frames: decoder, deinterlacer, pixel format conversion.
/// Thread-safety: one thread at a time; hardware_use() from any thread.
class VideoPipeline {
 public:
  /// `options` must outlive the VideoPipeline. Call open() first.
  explicit VideoPipeline(const SourceOptions& options);

  /// Opens the decoder. Call again after the input was reopened. Errors: those of VideoDecoder::open().
  [[nodiscard]] Result<void> open(AVFormatContext& format, AVStream& stream);

  using Received = VideoDecoder::Received;
  /// Sets `frame` to the next frame. Its times are final, but convert() must still convert its pixels.
  /// Errors: Failed if memory runs out.
  [[nodiscard]] Result<Received> receive(FramePtr& frame);
  /// Converts a frame that receive() returned. See FrameBuilder::make().
  [[nodiscard]] Result<Frame> convert(FramePtr decoded, std::uint32_t epoch, std::uint32_t background) {
    return builder_->make(std::move(decoded), epoch, background);
  }

  /// See VideoDecoder::send().
  void send(const AVPacket* packet, bool is_skippable = false) { decoder_->send(packet, is_skippable); }
  /// Discards all buffered packets and frames because of a seek. See VideoDecoder::flush().
  void flush(std::int64_t start_pts);

  [[nodiscard]] const VideoDecoder& decoder() const { return *decoder_; }
  [[nodiscard]] HwDecodeStatus hardware_use() const { return report_.status(); }

 private:
  const SourceOptions& options_;
  // Destroyed after decoder_, which is declared below, because the decoder's threads use these buffers.
  std::unique_ptr<DirectBuffers> direct_;
  HwDecodeReport report_;
  std::unique_ptr<VideoDecoder> decoder_;
  Deinterlacer deinterlacer_;
  std::unique_ptr<FrameBuilder> builder_;
  FramePtr decoded_ = new_frame();
};

}  // namespace glyphreel::media
