#include <utility>

#include "present/export/frame_sink.h"

namespace glyphreel::present {
namespace {

class VideoSink final : public FrameSink {
 public:
  VideoSink(std::unique_ptr<media::Writer> writer, PictureFormat format)
      : writer_(std::move(writer)), format_(format) {}

  PictureFormat picture_format() const override { return format_; }
  Result<void> write(const render::RenderedFrame& frame) override {
    return writer_->write_video(frame.picture, frame.pts, frame.duration);
  }
  Result<void> write_audio(const media::AudioPacket& packet) override { return writer_->write_audio(packet); }
  Result<void> finish() override { return writer_->finish(); }
  std::string abandon() override { return writer_->abandon(); }
  std::string description() const override { return writer_->encoder_name(); }

 private:
  std::unique_ptr<media::Writer> writer_;
  PictureFormat format_;
};

}  // namespace

std::unique_ptr<FrameSink> make_film_sink(std::unique_ptr<media::Writer> writer, PictureFormat format) {
  return std::make_unique<VideoSink>(std::move(writer), format);
}

}  // namespace glyphreel::present
