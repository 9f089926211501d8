#include "media/encode/writer.h"

#include <fmt/format.h>

#include <limits>

#include "base/io/log.h"
#include "base/threads/thread.h"
#include "media/decode/audio_stream.h"
#include "media/encode/audio_transcoder.h"
#include "media/encode/encoders.h"
#include "media/encode/output_file.h"
#include "media/encode/sample_encoder.h"
#include "media/encode/video_encoder.h"
#include "media/input/input.h"

extern "C" {
#include <libavcodec/bsf.h>
}

namespace glyphreel::media {
namespace {

// The most that one packet can add to an mp4 index, in bytes: sample size (stsz) 4, run of decode times
// (stts) 8, run of composition offsets (ctts) 8, 64-bit chunk offset (co64) 8, chunk length (stsc) 12, sync
// sample (stss) 4.
constexpr std::int64_t IndexBytesPerPacket = 44;
constexpr std::int64_t IndexBytesPerFile = 64 * 1024;  // headers, codec extradata, metadata

using BitstreamFilterPtr = std::unique_ptr<AVBSFContext, FreeIndirect<av_bsf_free>>;

/// Opens the filter that strips the ADTS header, which transport streams put before each AAC packet. mp4,
/// mov and Matroska store the header's values once, as extradata; the first filtered packet has them as side
/// data for the muxer. Errors: Failed if this FFmpeg lacks the filter.
Result<BitstreamFilterPtr> open_adts_filter(const AudioStream& stream) {
  const AVBitStreamFilter* filter = av_bsf_get_by_name("aac_adtstoasc");
  if (filter == nullptr) {
    return Error{ErrorCode::Failed, "This FFmpeg cannot copy AAC from transport streams; use --audio no.",
                 ""};
  }
  AVBSFContext* context = nullptr;
  check_memory(av_bsf_alloc(filter, &context) >= 0);
  BitstreamFilterPtr opened(context);
  check_memory(avcodec_parameters_copy(opened->par_in, stream.parameters.get()) >= 0);
  opened->time_base_in = stream.time_base;
  if (const int code = av_bsf_init(opened.get()); code < 0)
    return av_failure(ErrorCode::Failed, "The sound cannot be copied; use --audio no.", code);
  return opened;
}

/// Rewrites a finished fragmented mp4 or mov as a progressive file with its index in front; packets and
/// times stay unchanged. `packets` is an upper bound on the number of packets. `path` is the output's name
/// in messages. Errors: Failed; `to` is then partially written.
Result<void> remux_to_progressive(const std::string& from, AtomicFile& to, const std::string& path,
                                  const char* muxer, std::int64_t packets) {
  TRY_ASSIGN(const auto input, Input::open(from));
  TRY_ASSIGN(const auto output, OutputFile::create(to, path, muxer));
  AVFormatContext& format = input->format();
  Options options;
  for (const AVStream* source : streams_of(format)) {
    AVStream& target = output->stream(output->add_stream(*source->codecpar, source->time_base));
    target.codecpar->codec_tag = source->codecpar->codec_tag;
    target.avg_frame_rate = source->avg_frame_rate;
    target.disposition = source->disposition;
    av_dict_copy(&target.metadata, source->metadata, 0);
    // Edit lists use ticks of the movie timescale, which must be as fine as the video's time base.
    if (source->codecpar->codec_type == AVMEDIA_TYPE_VIDEO)
      options.set("movie_timescale", std::to_string(source->time_base.den));
  }
  // Reserve space for the index at the start, so that the media data is written once. The muxer's faststart
  // option would write it twice.
  options.set("moov_size", std::to_string(IndexBytesPerFile + packets * IndexBytesPerPacket));
  TRY(output->start(options));
  for (;;) {
    PacketPtr packet = new_packet();
    const int code = av_read_frame(&format, packet.get());
    if (code == AVERROR_EOF) break;
    if (code < 0) {
      return av_failure(ErrorCode::Failed,
                        fmt::format("Reading {} failed while its index was moved to the front.", from), code);
    }
    const int index = packet->stream_index;
    TRY(output->write(std::move(packet), index, format.streams[index]->time_base));
  }
  return output->finish();
}

class FfmpegWriter final : public Writer {
 public:
  FfmpegWriter(const WriterOptions& options, const VideoContainer& container)
      : options_(options), container_(container) {}

  [[nodiscard]] Result<void> start(const AVCodec& codec);

  [[nodiscard]] Result<void> write_video(Picture picture, std::int64_t pts, std::int64_t duration) override;
  [[nodiscard]] Result<void> write_audio(const AudioPacket& packet) override;
  [[nodiscard]] Result<void> write_samples(std::span<const float> samples) override;
  [[nodiscard]] Result<void> finish() override;
  [[nodiscard]] std::string abandon() override;
  [[nodiscard]] std::string encoder_name() const override { return encoder_->context().codec->name; }
  [[nodiscard]] bool copies_audio() const override {
    return audio_stream_ >= 0 && !transcoder_ && !sample_encoder_;
  }
  [[nodiscard]] std::int64_t damaged_audio_packets() const override {
    return damaged_audio_packets_ + file_->packets_refused();
  }

 private:
  void add_video_stream();
  [[nodiscard]] Result<void> add_audio_stream();
  void add_encoded_audio(const AVCodecContext& encoder);
  [[nodiscard]] Result<void> write_encoded_video();
  [[nodiscard]] Result<void> copy_audio(const AudioPacket& packet);
  [[nodiscard]] bool strip_adts(AVPacket& packet);
  [[nodiscard]] Result<void> write_audio_packet(PacketPtr packet, AVRational time_base);
  [[nodiscard]] Result<void> write_encoded_audio(std::vector<PacketPtr> packets,
                                                 const AVCodecContext& encoder);
  [[nodiscard]] Result<void> write_remaining();
  [[nodiscard]] Result<std::unique_ptr<AtomicFile>> make_progressive() const;

  WriterOptions options_;
  VideoContainer container_;
  std::unique_ptr<VideoEncoder> encoder_;
  std::unique_ptr<AudioTranscoder> transcoder_;    ///< for packets that the container does not support
  std::unique_ptr<SampleEncoder> sample_encoder_;  ///< for write_samples()
  BitstreamFilterPtr adts_filter_;                 ///< null if the packets need no filter
  std::unique_ptr<AtomicFile> target_;
  std::unique_ptr<OutputFile> file_;  ///< muxes into target_
  int video_stream_ = -1;
  int audio_stream_ = -1;
  std::int64_t last_video_pts_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_audio_dts_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t next_audio_pts_ = 0;
  std::int64_t damaged_audio_packets_ = 0;
};

Result<void> FfmpegWriter::start(const AVCodec& codec) {
  TRY_ASSIGN(target_, AtomicFile::create(options_.file()));
  TRY_ASSIGN(file_, OutputFile::create(*target_, options_.path, container_.muxer));
  TRY_ASSIGN(encoder_, VideoEncoder::open(options_, codec, file_->has_global_header()));
  add_video_stream();
  if (options_.audio != nullptr) TRY(add_audio_stream());
  if (options_.sample_rate > 0) {
    const AVChannelLayout stereo = AV_CHANNEL_LAYOUT_STEREO;
    TRY_ASSIGN(sample_encoder_, SampleEncoder::open(container_.audio_encoder, options_.sample_rate, stereo,
                                                    file_->has_global_header()));
    add_encoded_audio(sample_encoder_->context());
  }
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
  // The mp4 and mov muxers use the denominator as the timescale (doubled until it is at least 10000), so the
  // source's times stay exact.
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

Result<void> FfmpegWriter::add_audio_stream() {
  const AudioStream& audio = *options_.audio;
  if (!options_.transcodes_audio && takes_codec(container_, audio.parameters->codec_id)) {
    audio_stream_ = file_->add_stream(*audio.parameters, audio.time_base);
    AVCodecParameters& parameters = *file_->stream(audio_stream_).codecpar;
    // The number of priming samples. Matroska stores it as CodecDelay, so that no stored time is negative. A
    // recording that does not start at the source's beginning contains no priming samples.
    parameters.initial_padding = options_.first_pts == 0 ? audio.leading_samples : 0;
    // AAC packets have ADTS headers if the source's container provides no extradata.
    const bool is_adts =
        audio.parameters->codec_id == AV_CODEC_ID_AAC && audio.parameters->extradata_size == 0;
    if (is_adts) {
      TRY_ASSIGN(adts_filter_, open_adts_filter(audio));
    }
    return {};
  }
  TRY_ASSIGN(transcoder_, AudioTranscoder::open(audio, container_.audio_encoder, file_->has_global_header()));
  add_encoded_audio(transcoder_->encoder());
  return {};
}

void FfmpegWriter::add_encoded_audio(const AVCodecContext& encoder) {
  audio_stream_ = file_->add_stream(*parameters_of(encoder), encoder.time_base);
}

Result<void> FfmpegWriter::write_video(Picture picture, std::int64_t pts, std::int64_t duration) {
  pts -= options_.first_pts;
  // A source may repeat a time, but encoders and containers need strictly increasing times.
  if (last_video_pts_ != std::numeric_limits<std::int64_t>::min()) pts = std::max(pts, last_video_pts_ + 1);
  last_video_pts_ = pts;
  TRY(encoder_->send(std::move(picture), pts, duration));
  return write_encoded_video();
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
  CHECK(options_.audio != nullptr, "audio packet for a recording without an audio stream");
  if (transcoder_ == nullptr) return copy_audio(packet);
  TRY_ASSIGN(std::vector<PacketPtr> packets, transcoder_->transcode(packet.packet.get()));
  return write_encoded_audio(std::move(packets), transcoder_->encoder());
}

Result<void> FfmpegWriter::write_samples(std::span<const float> samples) {
  CHECK(sample_encoder_ != nullptr, "samples for a recording without a sample rate");
  sample_encoder_->add(samples);
  std::vector<PacketPtr> packets;
  TRY(sample_encoder_->encode(packets));
  return write_encoded_audio(std::move(packets), sample_encoder_->context());
}

Result<void> FfmpegWriter::copy_audio(const AudioPacket& packet) {
  PacketPtr copy(checked(av_packet_clone(packet.packet.get())));
  if (copy->pts == AV_NOPTS_VALUE) copy->pts = copy->dts != AV_NOPTS_VALUE ? copy->dts : next_audio_pts_;
  if (copy->dts == AV_NOPTS_VALUE) copy->dts = copy->pts;
  next_audio_pts_ = copy->pts + copy->duration;
  // A damaged source can repeat packets, which containers do not accept.
  if (copy->dts <= last_audio_dts_) return {};
  if (copy->pts < copy->dts || !strip_adts(*copy)) {
    ++damaged_audio_packets_;
    return {};
  }
  last_audio_dts_ = copy->dts;
  return write_audio_packet(std::move(copy), packet.time_base);
}

/// Removes the ADTS header of a packet. Returns false if the packet is damaged.
bool FfmpegWriter::strip_adts(AVPacket& packet) {
  if (adts_filter_ == nullptr) return true;
  // The filter outputs at most one packet per input packet, so it buffers nothing. An empty packet would end
  // the filter's stream.
  return packet.size > 0 && av_bsf_send_packet(adts_filter_.get(), &packet) >= 0 &&
         av_bsf_receive_packet(adts_filter_.get(), &packet) >= 0;
}

Result<void> FfmpegWriter::write_encoded_audio(std::vector<PacketPtr> packets,
                                               const AVCodecContext& encoder) {
  for (PacketPtr& packet : packets) TRY(write_audio_packet(std::move(packet), encoder.time_base));
  return {};
}

Result<void> FfmpegWriter::write_audio_packet(PacketPtr packet, AVRational time_base) {
  const std::int64_t origin = av_rescale_q(options_.first_pts, to_av(options_.time_base), time_base);
  packet->pts -= origin;
  packet->dts -= origin;
  const AVCodecParameters& parameters = *file_->stream(audio_stream_).codecpar;
  if (!container_.is_iso()) {
    // Keep priming, but drop other audio before time zero: only mp4 and mov can declare such audio, with an
    // edit list.
    const std::int64_t padding =
        av_rescale_q(parameters.initial_padding, {1, parameters.sample_rate}, time_base);
    if (packet->pts < -padding) return {};
#if !GLYPHREEL_AV_MATROSKA_APPLIES_PADDING
    if (parameters.codec_id == AV_CODEC_ID_OPUS) {
      packet->pts += padding;
      packet->dts += padding;
    }
#endif
  }
  return file_->write(std::move(packet), audio_stream_, time_base);
}

Result<void> FfmpegWriter::finish() {
  TRY(write_remaining());
  TRY(file_->finish());
  if (const std::int64_t damaged = damaged_audio_packets(); damaged > 0) {
    log::warn("{} damaged audio packet{} skipped.", damaged, damaged == 1 ? " was" : "s were");
  }
  if (!container_.is_iso() || !target_->is_regular()) return target_->commit();
  const Result<std::unique_ptr<AtomicFile>> progressive = make_progressive();
  if (!progressive) {
    log::warn(
        "{} is complete but fragmented, so some players cannot seek in it; `ffmpeg -i {} -c copy "
        "-movflags +faststart NEW.mp4` fixes that. Rewriting it failed: {}",
        options_.path, options_.path, full_text(progressive.error()));
    return target_->commit();
  }
  TRY((*progressive)->commit());
  target_->discard();
  return {};
}

/// Flushes the encoders and writes their packets.
Result<void> FfmpegWriter::write_remaining() {
  TRY(encoder_->end());
  TRY(write_encoded_video());
  if (transcoder_ != nullptr) {
    TRY_ASSIGN(std::vector<PacketPtr> packets, transcoder_->transcode(nullptr));
    TRY(write_encoded_audio(std::move(packets), transcoder_->encoder()));
  }
  if (sample_encoder_ != nullptr) {
    std::vector<PacketPtr> packets;
    TRY(sample_encoder_->finish(packets));
    TRY(write_encoded_audio(std::move(packets), sample_encoder_->context()));
  }
  return {};
}

/// Makes a progressive copy of the recording, with the index in front. The times in the fragmented original
/// are equally exact, but its header contains neither the number of pictures nor the exact length (ffprobe:
/// nb_frames N/A), and players must read the whole file to seek. If there is no space for the copy, the
/// fragmented recording is kept.
Result<std::unique_ptr<AtomicFile>> FfmpegWriter::make_progressive() const {
  TRY_ASSIGN(std::unique_ptr<AtomicFile> copy,
             AtomicFile::create(options_.file(AtomicFile::Temporary::Copy)));
  TRY(remux_to_progressive(target_->temporary_path(), *copy, options_.path, container_.muxer,
                           file_->packets_written()));
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

Result<void> check_options(const WriterOptions& options, PictureFormat format) {
  const Extent size = options.size;
  if (size.width <= 0 || size.height <= 0 || !options.time_base.is_positive()) {
    return Error{ErrorCode::Usage, "A recording needs a size and a time base.", ""};
  }
  if (format == PictureFormat::Yuv420p && (size.width % 2 != 0 || size.height % 2 != 0)) {
    return Error{ErrorCode::Usage,
                 fmt::format("Video of {}x{} pixels cannot be encoded; choose an even width and height.",
                             size.width, size.height),
                 ""};
  }
  return {};
}

}  // namespace

Result<PictureFormat> Writer::picture_format(const WriterOptions& options) {
  TRY_ASSIGN(const ExportFormat format, video_format_of(options.path));
  TRY_ASSIGN(const AVCodec* codec, find_video_encoder(options, format));
  return picture_format_of(encoder_format(*codec));
}

Extent Writer::picture_size(PictureFormat format, Extent size) {
  if (format != PictureFormat::Yuv420p) return size;
  return {size.width + size.width % 2, size.height + size.height % 2};
}

Result<std::unique_ptr<Writer>> Writer::open(const WriterOptions& options) {
  TRY_ASSIGN(const ExportFormat format, video_format_of(options.path));
  TRY_ASSIGN(const AVCodec* codec, find_video_encoder(options, format));
  TRY(check_options(options, picture_format_of(encoder_format(*codec))));
  auto writer = std::make_unique<FfmpegWriter>(options, format.container);
  TRY(writer->start(*codec));
  return std::unique_ptr<Writer>(std::move(writer));
}

}  // namespace glyphreel::media
