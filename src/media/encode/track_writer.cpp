#include "media/encode/track_writer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "media/encode/encoders.h"
#include "media/input/copied_content.h"

namespace glyphreel::media {
namespace {

bool is_text(AVCodecID codec) {
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(codec);
  return descriptor != nullptr && (descriptor->props & AV_CODEC_PROP_TEXT_SUB) != 0;
}

bool is_subtitle(const AVCodecParameters& parameters) {
  return parameters.codec_type == AVMEDIA_TYPE_SUBTITLE;
}

/// Cuts off the part of a subtitle before time zero. Returns false if the whole subtitle is before time zero.
bool cut_start(AVPacket& packet) {
  if (packet.pts < 0) {
    packet.duration += packet.pts;
    packet.pts = packet.dts = 0;
  }
  return packet.duration >= 0;
}

/// Opens the filter that strips the ADTS header, which transport streams put before each AAC packet. mp4,
/// mov and Matroska store the header's values once, as extradata; the filter adds these values to the first
/// packet as side data for the muxer. Errors: Failed if this FFmpeg lacks the filter.
Result<TrackWriter::BitstreamFilterPtr> open_adts_filter(const AudioStream& stream) {
  const AVBitStreamFilter* filter = av_bsf_get_by_name("aac_adtstoasc");
  if (filter == nullptr) {
    return Error{ErrorCode::Failed, "This FFmpeg cannot copy AAC from transport streams; use --audio no.",
                 ""};
  }
  AVBSFContext* context = nullptr;
  check_memory(av_bsf_alloc(filter, &context) >= 0);
  TrackWriter::BitstreamFilterPtr opened(context);
  check_memory(avcodec_parameters_copy(opened->par_in, stream.parameters.get()) >= 0);
  opened->time_base_in = stream.time_base;
  if (const int code = av_bsf_init(opened.get()); code < 0)
    return av_failure(ErrorCode::Failed, "The sound cannot be copied; use --audio no.", code);
  return opened;
}

/// Languages with two ISO 639-2 codes: first the code that FFmpeg's mov muxer does not know, then the code
/// that it knows.
constexpr auto MovLanguages = std::to_array<std::pair<std::string_view, const char*>>({
    {"deu", "ger"},
    {"nld", "dut"},
    {"ell", "gre"},
    {"isl", "ice"},
    {"zho", "chi"},
    {"sqi", "alb"},
    {"hye", "arm"},
    {"kat", "geo"},
    {"bod", "tib"},
    {"mya", "bur"},
    {"msa", "may"},
    {"fre", "fra"},
    {"rum", "ron"},
    {"cze", "ces"},
    {"slo", "slk"},
});

/// Returns a track's metadata. For mov, replaces a language code that the muxer does not know, because the
/// muxer would drop it.
DictionaryPtr track_metadata(const AudioStream& source, const VideoContainer& container) {
  DictionaryPtr metadata = copy_metadata(source.metadata.get());
  if (container.kind != VideoContainer::Kind::Mov) return metadata;
  const std::string language = metadata_value(metadata.get(), "language");
  const auto* known = std::ranges::find(MovLanguages, language, [](const auto& each) { return each.first; });
  if (known != MovLanguages.end()) {
    AVDictionary* changed = metadata.release();
    av_dict_set(&changed, "language", known->second, 0);
    metadata.reset(changed);
  }
  return metadata;
}

}  // namespace

void TrackPlacement::shift(AVPacket& packet, AVRational time_base) const {
  const std::int64_t start = av_rescale_q(origin, origin_unit, time_base);
  packet.pts -= start;
  packet.dts -= start;
}

Result<void> TrackPlacement::write(PacketPtr packet, AVRational time_base) const {
  shift(*packet, time_base);
  const AVCodecParameters& parameters = *file->stream(stream).codecpar;
  if (is_subtitle(parameters)) {
    if (!cut_start(*packet)) return {};
  } else if (!container.is_iso()) {
    // Keep priming, but drop all other audio before time zero: only mp4 and mov can declare, with an edit
    // list, that such audio is not played.
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
  return file->write(std::move(packet), stream, time_base);
}

bool can_write_track(const VideoContainer& container, const AVCodecParameters& parameters) {
  if (parameters.codec_type == AVMEDIA_TYPE_AUDIO)
    return parameters.sample_rate > 0 && parameters.ch_layout.nb_channels > 0;
  return takes_codec(container, parameters.codec_id) || is_text(parameters.codec_id);
}

Result<std::unique_ptr<TrackWriter>> TrackWriter::open(const TrackPlacement& placement,
                                                       const AudioStream& track, bool transcodes) {
  std::unique_ptr<TrackWriter> self(new TrackWriter(placement));
  if (!transcodes && takes_codec(placement.container, track.parameters->codec_id)) {
    TRY(self->add_copied(track));
  } else if (is_subtitle(*track.parameters)) {
    TRY(self->add_subtitles(track));
  } else {
    TRY(self->add_audio(track));
  }
  return self;
}

/// Adds the track to the file or, if it is a subtitle track for mp4 or mov, to `held_`.
void TrackWriter::add(const AVCodecParameters& parameters, AVRational time_base, const AudioStream& source) {
  if (placement_.container.is_iso() && is_subtitle(parameters)) {
    held_.emplace(HeldTrack{.parameters = copy_of(parameters),
                            .time_base = time_base,
                            .disposition = source.disposition,
                            .metadata = track_metadata(source, placement_.container)});
    return;
  }
  placement_.stream = placement_.file->add_stream(parameters, time_base);
  AVStream& stream = placement_.file->stream(placement_.stream);
  stream.disposition = source.disposition;
  av_dict_copy(&stream.metadata, track_metadata(source, placement_.container).get(), 0);
}

Result<void> TrackWriter::add_copied(const AudioStream& track) {
  add(*track.parameters, track.time_base, track);
  if (is_subtitle(*track.parameters)) return {};
  AVCodecParameters& parameters = *placement_.file->stream(placement_.stream).codecpar;
  // The number of priming samples. Matroska stores it as CodecDelay, so that no stored time is negative. A
  // recording that does not start at the source's beginning contains no priming samples.
  parameters.initial_padding = placement_.origin == 0 ? track.leading_samples : 0;
  // AAC packets have ADTS headers if the source's container provides no extradata.
  if (parameters.codec_id == AV_CODEC_ID_AAC && parameters.extradata_size == 0) {
    TRY_ASSIGN(adts_filter_, open_adts_filter(track));
  }
  return {};
}

Result<void> TrackWriter::add_audio(const AudioStream& track) {
  TRY_ASSIGN(audio_transcoder_, AudioTranscoder::open(track, placement_.container.audio_encoder,
                                                      placement_.file->codec_headers()));
  const AVCodecContext& encoder = audio_transcoder_->encoder();
  add(*parameters_of(encoder), encoder.time_base, track);
  return {};
}

Result<void> TrackWriter::add_subtitles(const AudioStream& track) {
  TRY_ASSIGN(subtitle_transcoder_,
             SubtitleTranscoder::open(track, text_subtitle_encoder(placement_.container)));
  const AVCodecContext& encoder = subtitle_transcoder_->encoder();
  add(*parameters_of(encoder), encoder.time_base, track);
  return {};
}

Result<void> TrackWriter::write(const AudioPacket& packet) {
  if (subtitle_transcoder_)
    return write_all(subtitle_transcoder_->transcode(*packet.packet), packet.time_base);
  if (!audio_transcoder_) return copy(packet);
  TRY_ASSIGN(std::vector<PacketPtr> packets, audio_transcoder_->transcode(packet.packet.get()));
  return write_all(std::move(packets), audio_transcoder_->encoder().time_base);
}

Result<void> TrackWriter::finish() {
  if (!audio_transcoder_) return {};
  TRY_ASSIGN(std::vector<PacketPtr> packets, audio_transcoder_->transcode(nullptr));
  return write_all(std::move(packets), audio_transcoder_->encoder().time_base);
}

Result<void> TrackWriter::write_all(std::vector<PacketPtr> packets, AVRational time_base) {
  for (PacketPtr& packet : packets) TRY(write_or_hold(std::move(packet), time_base));
  return {};
}

Result<void> TrackWriter::write_or_hold(PacketPtr packet, AVRational time_base) {
  if (!held_) return placement_.write(std::move(packet), time_base);
  placement_.shift(*packet, time_base);
  if (cut_start(*packet)) held_->packets.push_back(std::move(packet));
  return {};
}

Result<void> TrackWriter::copy(const AudioPacket& packet) {
  PacketPtr copy(checked(av_packet_clone(packet.packet.get())));
  if (copy->pts == AV_NOPTS_VALUE) copy->pts = copy->dts != AV_NOPTS_VALUE ? copy->dts : next_pts_;
  if (copy->dts == AV_NOPTS_VALUE) copy->dts = copy->pts;
  next_pts_ = copy->pts + copy->duration;
  // A damaged source can repeat packets, but containers require increasing times. Only subtitles may have
  // equal times.
  const bool may_repeat = held_ || is_subtitle(*placement_.file->stream(placement_.stream).codecpar);
  if (may_repeat ? copy->dts < last_dts_ : copy->dts <= last_dts_) return {};
  if (copy->pts < copy->dts || !strip_adts(*copy)) {
    ++damaged_packets_;
    return {};
  }
  last_dts_ = copy->dts;
  return write_or_hold(std::move(copy), packet.time_base);
}

/// Removes the ADTS header of a packet. Returns false if the packet is damaged.
bool TrackWriter::strip_adts(AVPacket& packet) {
  if (adts_filter_ == nullptr) return true;
  // The filter outputs at most one packet per input packet, so it buffers nothing. An empty packet would end
  // the filter's stream.
  return packet.size > 0 && av_bsf_send_packet(adts_filter_.get(), &packet) >= 0 &&
         av_bsf_receive_packet(adts_filter_.get(), &packet) >= 0;
}

}  // namespace glyphreel::media
