#include "media/segment/segment_writer.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/io/byte_order.h"
#include "media/cells/cells_format.h"
#include "media/encode/encoded_picture.h"
#include "media/encode/encoders.h"
#include "media/encode/video_encoder.h"
#include "media/segment/segment_file.h"

namespace glyphreel::media {
namespace {

class SegmentWriter final : public Writer {
 public:
  SegmentWriter(const WriterOptions& options, const SegmentStart& start) : options_(options), start_(start) {}

  [[nodiscard]] Result<void> begin(const ChosenEncoder& encoder) {
    TRY_ASSIGN(file_, AtomicFile::create(options_.file()));
    // Leave the codec header out of the pictures: assemble() opens an encoder, whose header it stores in the
    // container.
    TRY_ASSIGN(encoder_, VideoEncoder::open(options_, encoder, CodecHeaders::InContainer));
    std::string head;
    append_little(head, segment::Version);
    append_little(head, static_cast<std::uint8_t>(start_.pts_before.has_value()));
    append_little(head, start_.pts_before.value_or(0));
    append_little(head, start_.first_pts);
    head += encoder_identity(encoder_->context());
    TRY(append(segment::Signature));
    return append(make_chunk(segment::Head, head));
  }

  [[nodiscard]] Result<void> write_video(Picture picture, std::int64_t pts, std::int64_t duration) override {
    pts = times_.next(pts - options_.first_pts);
    ++frames_;
    TRY(encoder_->send(std::move(picture), pts, duration));
    return write_encoded();
  }
  [[nodiscard]] Result<void> write_audio(const AudioPacket& /*packet*/) override { return {}; }
  [[nodiscard]] Result<void> write_packet(EncodedPicture /*picture*/) override {
    CHECK(false, "a segment writer accepts only pictures that are not encoded yet");
    return {};
  }
  [[nodiscard]] Result<void> write_samples(std::span<const float> /*samples*/) override { return {}; }

  [[nodiscard]] Result<void> finish() override {
    TRY(encoder_->end());
    TRY(write_encoded());
    std::string end;
    append_little(end, frames_);
    append_little(end, times_.last() + options_.first_pts);
    TRY(append(make_chunk(segment::End, end)));
    return file_->commit();
  }
  /// Keeps no file, because an incomplete segment cannot be assembled.
  [[nodiscard]] std::string abandon() override {
    file_.reset();
    return {};
  }

  [[nodiscard]] std::string encoder_name() const override { return encoder_->context().codec->name; }
  [[nodiscard]] std::uint64_t bytes_copied() const override { return encoder_->bytes_copied(); }
  [[nodiscard]] bool copies_audio() const override { return false; }
  [[nodiscard]] std::int64_t damaged_packets() const override { return 0; }

 private:
  [[nodiscard]] Result<void> write_encoded() {
    for (;;) {
      TRY_ASSIGN(const PacketPtr packet, encoder_->receive());
      if (packet == nullptr) return {};
      std::string picture;
      for (const std::int64_t number : {packet->pts, packet->dts, packet->duration})
        append_little(picture, number);
      append_little(picture, packet->flags);
      picture.append(reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size));
      TRY(append(make_chunk(segment::Picture, picture)));
    }
  }
  [[nodiscard]] Result<void> append(std::string_view bytes) {
    if (const std::error_code failure = file_->write(bytes)) return unwritable(options_.path, failure);
    return {};
  }

  const WriterOptions options_;
  const SegmentStart start_;
  std::unique_ptr<AtomicFile> file_;
  std::unique_ptr<VideoEncoder> encoder_;
  IncreasingTimes times_;
  std::int64_t frames_ = 0;
};

}  // namespace

Result<std::unique_ptr<Writer>> open_segment_writer(const WriterOptions& options, const SegmentStart& start) {
  TRY_ASSIGN(const ExportFormat format, video_format_of(options));
  TRY_ASSIGN(const ChosenEncoder encoder, find_video_encoder(options, format));
  auto writer = std::make_unique<SegmentWriter>(options, start);
  TRY(writer->begin(encoder));
  return std::unique_ptr<Writer>(std::move(writer));
}

}  // namespace glyphreel::media
