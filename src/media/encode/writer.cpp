#include "media/encode/writer.h"

#include <fmt/format.h>

#include <vector>

#include "base/io/log.h"
#include "base/threads/thread.h"
#include "media/encode/encoded_picture.h"
#include "media/encode/encoders.h"
#include "media/encode/output_file.h"
#include "media/encode/progressive_file.h"
#include "media/encode/sample_encoder.h"
#include "media/encode/track_writer.h"
#include "media/encode/video_encoder.h"
#include "media/input/copied_content.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

class FfmpegWriter final : public Writer {
 public:
  FfmpegWriter(const WriterOptions& options, const VideoContainer& container)
      : options_(options), container_(container) {}

  [[nodiscard]] Result<void> start(const ChosenEncoder& encoder);

  [[nodiscard]] Result<void> write_video(Picture picture, std::int64_t pts, std::int64_t duration) override;
  [[nodiscard]] Result<void> write_packet(EncodedPicture picture) override;
  [[nodiscard]] Result<void> write_audio(const AudioPacket& packet) override;
  [[nodiscard]] Result<void> write_samples(std::span<const float> samples) override;
  [[nodiscard]] Result<void> finish() override;
  [[nodiscard]] std::string abandon() override;
  [[nodiscard]] std::string encoder_name() const override { return encoder_->context().codec->name; }
  [[nodiscard]] std::uint64_t bytes_copied() const override { return encoder_->bytes_copied(); }
  [[nodiscard]] bool copies_audio() const override { return audio_ && audio_->copies(); }
  [[nodiscard]] std::int64_t damaged_packets() const override;

 private:
  void add_video_stream();
  [[nodiscard]] Result<void> add_tracks();
  [[nodiscard]] TrackPlacement placement(int stream = -1) const {
    return {file_.get(), container_, options_.first_pts, to_av(options_.time_base), stream};
  }
  [[nodiscard]] Result<void> add_sample_track();
  [[nodiscard]] Result<void> write_encoded_video();
  [[nodiscard]] Result<void> write_encoded_samples(std::vector<PacketPtr> packets);
  [[nodiscard]] Result<void> write_remaining();
  [[nodiscard]] std::vector<const HeldTrack*> held_tracks() const;
  [[nodiscard]] std::span<const CopiedContent::Cover> covers() const;
  [[nodiscard]] Result<std::unique_ptr<AtomicFile>> make_progressive() const;

  WriterOptions options_;
  VideoContainer container_;
  std::unique_ptr<VideoEncoder> encoder_;
  std::unique_ptr<TrackWriter> audio_;                ///< writes options_.audio; null if there is none
  std::vector<std::unique_ptr<TrackWriter>> tracks_;  ///< parallel to options_.copied->tracks; null: omitted
  std::unique_ptr<SampleEncoder> sample_encoder_;     ///< for write_samples(); null if there are no samples
  int sample_stream_ = -1;                            ///< index of sample_encoder_'s stream
  std::unique_ptr<AtomicFile> target_;
  std::unique_ptr<OutputFile> file_;  ///< muxes into target_
  int video_stream_ = -1;
  IncreasingTimes times_;           ///< makes presentation times increase in write_video()
  IncreasingTimes decoding_times_;  ///< makes decoding times increase in write_packet()
};

Result<void> FfmpegWriter::start(const ChosenEncoder& encoder) {
  TRY_ASSIGN(target_, AtomicFile::create(options_.file()));
  TRY_ASSIGN(file_, OutputFile::create(*target_, options_.path, container_.muxer));
  TRY_ASSIGN(encoder_, VideoEncoder::open(options_, encoder, file_->codec_headers()));
  add_video_stream();
  TRY(add_tracks());
  if (options_.sample_rate > 0) TRY(add_sample_track());
  Options options;
  if (container_.is_iso()) {
    // Write a fragment at each keyframe and at least every second, so that a killed recording loses
    // only what follows the last fragment. Delay the header (moov) until the first packets of all streams
    // have arrived, so that its edit lists can declare B-frame delay and audio priming.
    options.set("movflags", "frag_keyframe+delay_moov+default_base_moof");
    options.set("frag_duration", "1000000");
    // If a stream starts late, an edit list stores its start in ticks of the movie timescale. The default
    // timescale, milliseconds, would round the start of the video.
    options.set("movie_timescale", std::to_string(options_.time_base.denominator));
  } else {
    options.set("cluster_time_limit", "1000");
  }
  return file_->start(options);
}

void FfmpegWriter::add_video_stream() {
  const CodecParametersPtr parameters = parameters_of(encoder_->context());
  // The mp4 and mov muxers use the denominator of this time base as the timescale, doubled until it is at
  // least 10000. The source's times therefore stay exact.
  video_stream_ = file_->add_stream(*parameters, to_av(options_.time_base));
  AVStream& stream = file_->stream(video_stream_);
  if (options_.frame_rate.is_positive()) stream.avg_frame_rate = to_av(options_.frame_rate);
  stream.sample_aspect_ratio = parameters->sample_aspect_ratio;
  // Apple's players accept HEVC only with the tag hvc1, which declares that the header contains the parameter
  // sets.
  if (container_.is_iso() && parameters->codec_id == AV_CODEC_ID_HEVC) {
    stream.codecpar->codec_tag = MKTAG('h', 'v', 'c', '1');
  }
}

/// Adds the audio, the copied tracks that the container can hold, and the rest of the copied content.
Result<void> FfmpegWriter::add_tracks() {
  if (options_.audio != nullptr) {
    TRY_ASSIGN(audio_, TrackWriter::open(placement(), *options_.audio, options_.transcodes_audio));
  }
  if (options_.copied == nullptr) return {};
  for (const AudioStream& track : options_.copied->tracks) {
    tracks_.emplace_back();
    if (!can_write_track(container_, *track.parameters)) {
      const bool is_subtitle = track.parameters->codec_type == AVMEDIA_TYPE_SUBTITLE;
      log::warn("The {} format cannot contain {} {}; the track is omitted.", container_.muxer,
                avcodec_get_name(track.parameters->codec_id), is_subtitle ? "subtitles" : "sound");
      continue;
    }
    TRY_ASSIGN(tracks_.back(), TrackWriter::open(placement(), track, false));
  }
  file_->copy_content(*options_.copied, video_stream_,
                      static_cast<double>(options_.first_pts) * options_.time_base.value());
  return {};
}

Result<void> FfmpegWriter::add_sample_track() {
  const AVChannelLayout stereo = AV_CHANNEL_LAYOUT_STEREO;
  TRY_ASSIGN(sample_encoder_, SampleEncoder::open(container_.audio_encoder, options_.sample_rate, stereo,
                                                  file_->codec_headers()));
  const AVCodecContext& encoder = sample_encoder_->context();
  sample_stream_ = file_->add_stream(*parameters_of(encoder), encoder.time_base);
  return {};
}

Result<void> FfmpegWriter::write_video(Picture picture, std::int64_t pts, std::int64_t duration) {
  TRY(encoder_->send(std::move(picture), times_.next(pts - options_.first_pts), duration));
  return write_encoded_video();
}

Result<void> FfmpegWriter::write_packet(EncodedPicture picture) {
  // Encoders compute decoding times for each segment separately. If the frame rate varies, the decoding times
  // of two segments may coincide where the segments meet.
  AVPacket& packet = *picture.packet;
  packet.dts = std::min(decoding_times_.next(packet.dts), packet.pts);
  TRY(file_->write(std::move(picture.packet), video_stream_, to_av(options_.time_base)));
  target_->keep();
  return {};
}

Result<void> FfmpegWriter::write_encoded_video() {
  for (;;) {
    TRY_ASSIGN(PacketPtr packet, encoder_->receive());
    if (packet == nullptr) return {};
    TRY(file_->write(std::move(packet), video_stream_, to_av(options_.time_base)));
    target_->keep();
  }
}

Result<void> FfmpegWriter::write_audio(const AudioPacket& packet) {
  const std::unique_ptr<TrackWriter>& track =
      packet.track < 0 ? audio_ : tracks_.at(static_cast<std::size_t>(packet.track));
  CHECK(packet.track >= 0 || track, "audio packet for a recording without an audio stream");
  return track ? track->write(packet) : Result<void>();
}

Result<void> FfmpegWriter::write_samples(std::span<const float> samples) {
  CHECK(sample_encoder_ != nullptr, "samples for a recording without a sample rate");
  sample_encoder_->add(samples);
  std::vector<PacketPtr> packets;
  TRY(sample_encoder_->encode(packets));
  return write_encoded_samples(std::move(packets));
}

Result<void> FfmpegWriter::write_encoded_samples(std::vector<PacketPtr> packets) {
  for (PacketPtr& packet : packets)
    TRY(placement(sample_stream_).write(std::move(packet), sample_encoder_->context().time_base));
  return {};
}

std::int64_t FfmpegWriter::damaged_packets() const {
  std::int64_t damaged = file_->packets_refused() + (audio_ ? audio_->damaged_packets() : 0);
  for (const auto& track : tracks_) damaged += track ? track->damaged_packets() : 0;
  return damaged;
}

Result<void> FfmpegWriter::finish() {
  TRY(write_remaining());
  TRY(file_->finish());
  if (const std::int64_t damaged = damaged_packets(); damaged > 0) {
    log::warn("{} damaged packet{} of sound or subtitles {} skipped.", damaged, damaged == 1 ? "" : "s",
              damaged == 1 ? "was" : "were");
  }
  if (!container_.is_iso()) return target_->commit();
  const auto commit_fragmented = [this] {
    const char* missing = held_tracks().empty() ? "cover pictures" : "subtitles";
    if (!held_tracks().empty() && !covers().empty()) missing = "subtitles and cover pictures";
    if (!held_tracks().empty() || !covers().empty())
      log::warn("{} does not contain the input's {}; record to a .mkv file to keep them.", options_.path,
                missing);
    return target_->commit();
  };
  if (!target_->is_regular()) return commit_fragmented();
  const Result<std::unique_ptr<AtomicFile>> progressive = make_progressive();
  if (!progressive) {
    log::warn(
        "{} is complete but fragmented, so some players cannot seek in it; `ffmpeg -i {} -c copy "
        "-movflags +faststart NEW.mp4` makes a seekable copy. glyphreel could not make this copy: {}",
        options_.path, options_.path, full_text(progressive.error()));
    return commit_fragmented();
  }
  TRY((*progressive)->commit());
  target_->discard();
  return {};
}

/// Flushes the encoders and writes their packets.
Result<void> FfmpegWriter::write_remaining() {
  TRY(encoder_->end());
  TRY(write_encoded_video());
  if (audio_) TRY(audio_->finish());
  for (const auto& track : tracks_) {
    if (track) TRY(track->finish());
  }
  if (sample_encoder_ != nullptr) {
    std::vector<PacketPtr> packets;
    TRY(sample_encoder_->finish(packets));
    TRY(write_encoded_samples(std::move(packets)));
  }
  return {};
}

std::vector<const HeldTrack*> FfmpegWriter::held_tracks() const {
  std::vector<const HeldTrack*> held;
  for (const auto& track : tracks_) {
    if (track && track->held() != nullptr) held.push_back(track->held());
  }
  return held;
}

/// Returns the cover pictures to add when finish() makes an mp4 file progressive. Empty for other formats: a
/// .mov file gets no covers, and a Matroska file already contains them as attachments.
std::span<const CopiedContent::Cover> FfmpegWriter::covers() const {
  const bool has_covers = options_.copied != nullptr && container_.kind == VideoContainer::Kind::Mp4;
  return has_covers ? std::span<const CopiedContent::Cover>(options_.copied->covers)
                    : std::span<const CopiedContent::Cover>();
}

/// Makes a progressive copy of the recording, with the index at the front. The timestamps of the fragmented
/// original are also exact, but its header states neither the number of frames nor the exact duration, and
/// players must read the whole file to seek. If the disk has no space for the copy, finish() keeps the
/// fragmented recording.
Result<std::unique_ptr<AtomicFile>> FfmpegWriter::make_progressive() const {
  TRY_ASSIGN(std::unique_ptr<AtomicFile> copy,
             AtomicFile::create(options_.file(AtomicFile::Temporary::Copy)));
  TRY(remux_to_progressive(target_->temporary_path(), *copy, options_.path, container_.muxer,
                           file_->packets_written(), held_tracks(), covers()));
  return copy;
}

std::string FfmpegWriter::abandon() {
  // Either an encoder or the file may have failed; write the packets that can still be written.
  if (file_->is_open()) static_cast<void>(catching([this] { return write_remaining(); }));
  file_.reset();
  const std::string kept = target_->is_kept() ? target_->temporary_path() : std::string();
  target_.reset();
  return kept;
}

Result<void> check_options(const WriterOptions& options, const ChosenEncoder& encoder) {
  const Extent size = options.size;
  if (size.width <= 0 || size.height <= 0 || !options.time_base.is_positive()) {
    return Error{ErrorCode::Usage, "A recording needs a size and a time base.", ""};
  }
  const Extent encodable = encodable_size(encoder.format, size);
  if (encodable == size) return {};
  return Error{ErrorCode::Usage,
               fmt::format("{} cannot encode {}x{} pixels as {}, which halves the resolution of colors; use "
                           "{}x{}, or a --pix-fmt with full color resolution, such as yuv444p.",
                           encoder.codec->name, size.width, size.height, av_get_pix_fmt_name(encoder.format),
                           encodable.width, encodable.height),
               ""};
}

}  // namespace

Result<PictureFormat> Writer::picture_format(const WriterOptions& options) {
  TRY_ASSIGN(const ExportFormat format, video_format_of(options));
  TRY_ASSIGN(const ChosenEncoder encoder, find_video_encoder(options, format));
  return picture_format_of(encoder.format);
}

Result<Extent> Writer::picture_size(const WriterOptions& options) {
  TRY_ASSIGN(const ExportFormat format, video_format_of(options));
  TRY_ASSIGN(const ChosenEncoder encoder, find_video_encoder(options, format));
  return encodable_size(encoder.format, options.size);
}

Result<std::unique_ptr<Writer>> Writer::open(const WriterOptions& options) {
  TRY_ASSIGN(const ExportFormat format, video_format_of(options));
  TRY_ASSIGN(const ChosenEncoder encoder, find_video_encoder(options, format));
  TRY(check_options(options, encoder));
  auto writer = std::make_unique<FfmpegWriter>(options, format.container);
  TRY(writer->start(encoder));
  return std::unique_ptr<Writer>(std::move(writer));
}

}  // namespace glyphreel::media
