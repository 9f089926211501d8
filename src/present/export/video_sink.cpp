#include <functional>
#include <utility>

#include <fmt/format.h>

#include "present/export/frame_sink.h"

namespace glyphreel::present {
namespace {

class VideoSink final : public FrameSink {
 public:
  VideoSink(std::unique_ptr<media::Writer> writer, PictureFormat format, Padding padding, Extent drawn,
            bool has_audio)
      : writer_(std::move(writer)), format_(format), padder_(padding, drawn), has_audio_(has_audio) {}

  PictureFormat picture_format() const override { return format_; }
  Result<void> write(const render::RenderedFrame& frame) override {
    TRY_ASSIGN(Picture picture, padder_.pad(frame.picture));
    return writer_->write_video(std::move(picture), frame.pts, frame.duration);
  }
  Result<void> write_audio(const media::AudioPacket& packet) override { return writer_->write_audio(packet); }
  Result<void> finish() override { return writer_->finish(); }
  std::string abandon() override { return writer_->abandon(); }
  std::string description() const override { return writer_->encoder_name(); }
  std::string audio_description() const override { return writer_->copies_audio() ? "copied" : "transcoded"; }
  std::uint64_t bytes_copied() const override { return writer_->bytes_copied(); }
  std::string summary() const override {
    return fmt::format("{}x{}, {}, {}", padder_.size().width, padder_.size().height, writer_->encoder_name(),
                       has_audio_ ? "sound " + audio_description() : "no sound");
  }

 private:
  std::unique_ptr<media::Writer> writer_;
  PictureFormat format_;
  Padder padder_;
  bool has_audio_;
};

using OpenWriter = std::function<Result<std::unique_ptr<media::Writer>>(const media::WriterOptions& options)>;

Result<std::unique_ptr<FrameSink>> open_with(media::WriterOptions options, std::optional<Padding> padding,
                                             const OpenWriter& open) {
  TRY_ASSIGN(const PictureFormat format, media::Writer::picture_format(options));
  const Extent drawn = options.size;
  TRY_ASSIGN(options.size, video_size(options, padding));
  TRY_ASSIGN(std::unique_ptr<media::Writer> writer, open(options));
  return std::unique_ptr<FrameSink>(std::make_unique<VideoSink>(
      std::move(writer), format, padding.value_or(Padding{options.size}), drawn, options.audio != nullptr));
}

}  // namespace

Result<Extent> video_size(const media::WriterOptions& options, const std::optional<Padding>& padding) {
  return padding ? padding->size : media::Writer::picture_size(options);
}

Result<std::unique_ptr<FrameSink>> open_video_sink(media::WriterOptions options,
                                                   std::optional<Padding> padding) {
  return open_with(std::move(options), padding, media::Writer::open);
}

Result<std::unique_ptr<FrameSink>> open_segment_sink(media::WriterOptions options,
                                                     std::optional<Padding> padding,
                                                     const media::SegmentStart& start) {
  return open_with(std::move(options), padding, [&](const media::WriterOptions& sized) {
    return media::open_segment_writer(sized, start);
  });
}

}  // namespace glyphreel::present
