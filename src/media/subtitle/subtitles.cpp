#include "media/subtitle/subtitles.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "media/subtitle/ass_text.h"
#include "media/subtitle/character_sets.h"
#include "media/subtitle/subtitle_stream.h"

namespace glyphreel::media {
namespace {

constexpr double Unknown = std::numeric_limits<double>::infinity();
constexpr int MaxPictureSide = 16384;  // pixels; a larger picture means a damaged stream

std::string_view bytes_of(const AVPacket& packet) {
  return {reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(std::max(packet.size, 0))};
}

/// Whether the packets are plain text. Only plain text can have a character set other than UTF-8.
bool has_plain_packets(AVCodecID codec) {
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(codec);
  return descriptor != nullptr && (descriptor->props & AV_CODEC_PROP_TEXT_SUB) != 0 &&
         codec != AV_CODEC_ID_MOV_TEXT && codec != AV_CODEC_ID_EIA_608 && codec != AV_CODEC_ID_DVB_TELETEXT;
}

/// Returns a copy of `packet` with `text` as its data; null if memory runs out.
PacketPtr with_text(const AVPacket& packet, const std::string& text) {
  PacketPtr copy = new_packet();
  if (av_new_packet(copy.get(), static_cast<int>(text.size())) < 0 ||
      av_packet_copy_props(copy.get(), &packet) < 0)
    return nullptr;
  std::memcpy(copy->data, text.data(), text.size());
  return copy;
}

/// Returns `alignment`, changed by the settings of a WebVTT cue, such as "line:10% align:start" (section 3.5
/// of the WebVTT specification).
int alignment_of_cue(std::string_view settings, int alignment) {
  int column = (alignment - 1) % 3;
  int row = (alignment - 1) / 3;
  while (!settings.empty()) {
    const std::string_view setting = settings.substr(0, settings.find_first_of(" \t"));
    settings.remove_prefix(std::min(settings.size(), setting.size() + 1));
    if (setting.starts_with("align:")) {
      const std::string_view value = setting.substr(6);
      if (value == "start" || value == "left") column = 0;
      if (value == "end" || value == "right") column = 2;
    } else if (setting.starts_with("line:")) {
      const std::string_view value = setting.substr(5);
      double line = 0;
      if (std::from_chars(value.data(), value.data() + value.size(), line).ec != std::errc()) continue;
      if (value.find('%') != std::string_view::npos) {
        row = line < 100.0 / 3 ? 2 : line < 200.0 / 3 ? 1 : 0;
      } else {
        row = std::signbit(line) ? 0 : 2;  // line numbers count from the top, negative ones from the bottom
      }
    }
  }
  return 1 + column + 3 * row;
}

/// Converts a rectangle to a picture, cropped to the visible part to save memory and blending time. Returns
/// an empty picture if no part is visible.
SubtitlePicture picture_of(const AVSubtitleRect& rect) {
  SubtitlePicture picture;
  if (rect.w <= 0 || rect.h <= 0 || rect.w > MaxPictureSide || rect.h > MaxPictureSide ||
      rect.data[0] == nullptr || rect.data[1] == nullptr) {
    return picture;
  }
  const auto colors = static_cast<std::size_t>(std::clamp(rect.nb_colors, 0, 256));
  std::memcpy(picture.palette.data(), rect.data[1], colors * sizeof(std::uint32_t));
  int left = rect.w, right = 0, top = rect.h, bottom = 0;
  for (int y = 0; y < rect.h; ++y) {
    const std::uint8_t* row = rect.data[0] + static_cast<std::ptrdiff_t>(y) * rect.linesize[0];
    for (int x = 0; x < rect.w; ++x) {
      if (picture.palette[row[x]] >> 24 == 0) continue;
      left = std::min(left, x);
      right = std::max(right, x + 1);
      top = std::min(top, y);
      bottom = y + 1;
    }
  }
  if (left >= right) return picture;
  picture.x = rect.x + left;
  picture.y = rect.y + top;
  picture.size = {right - left, bottom - top};
  picture.indices.reserve(static_cast<std::size_t>(picture.size.width) *
                          static_cast<std::size_t>(picture.size.height));
  for (int y = top; y < bottom; ++y) {
    const std::uint8_t* row = rect.data[0] + static_cast<std::ptrdiff_t>(y) * rect.linesize[0];
    picture.indices.insert(picture.indices.end(), row + left, row + right);
  }
  return picture;
}

class Decoder final : public SubtitleDecoder {
 public:
  Decoder(CodecContextPtr context, AssScript script, Extent video, std::string charset)
      : context_(std::move(context)),
        script_(std::move(script)),
        video_(video),
        charset_(std::move(charset)),
        has_plain_packets_(has_plain_packets(context_->codec_id)) {}

  std::vector<SubtitleEvent> decode(const SubtitlePacket& packet) override {
    if (epoch_ && *epoch_ != packet.epoch) avcodec_flush_buffers(context_.get());
    epoch_ = packet.epoch;
    AVPacket* readable = packet.packet.get();
    PacketPtr converted;
    if (has_plain_packets_ && !is_utf8(bytes_of(*readable))) {
      auto text = text_to_utf8(bytes_of(*readable), charset_);
      if (text) converted = with_text(*readable, *text);
      if (converted != nullptr) readable = converted.get();
    }
    AVSubtitle subtitle{};
    int is_complete = 0;
    const int code = avcodec_decode_subtitle2(context_.get(), &subtitle, &is_complete, readable);
    const std::unique_ptr<AVSubtitle, FreeDirect<avsubtitle_free>> freed(&subtitle);
    if (code < 0 || is_complete == 0) return {};
    return events_of(subtitle, packet);
  }

 private:
  [[nodiscard]] std::vector<SubtitleEvent> events_of(const AVSubtitle& subtitle,
                                                     const SubtitlePacket& packet) {
    std::vector<SubtitleEvent> events;
    SubtitleEvent times;
    if (!read_times(subtitle, packet, times)) return events;
    auto bitmap = std::make_shared<BitmapSubtitle>();
    for (unsigned i = 0; i < subtitle.num_rects; ++i) {
      const AVSubtitleRect& rect = *subtitle.rects[i];
      if (rect.type == SUBTITLE_BITMAP) {
        SubtitlePicture picture = picture_of(rect);
        if (!picture.indices.empty()) bitmap->pictures.push_back(std::move(picture));
      } else if (rect.ass != nullptr) {
        SubtitleEvent event = read_ass_dialogue(script_, rect.ass);
        event.start_seconds = times.start_seconds;
        event.end_seconds = times.end_seconds;
        std::size_t size = 0;
        const std::uint8_t* settings =
            av_packet_get_side_data(packet.packet.get(), AV_PKT_DATA_WEBVTT_SETTINGS, &size);
        if (settings != nullptr) {
          event.alignment =
              alignment_of_cue({reinterpret_cast<const char*>(settings), size}, event.alignment);
        }
        if (!event.lines.empty()) events.push_back(std::move(event));
      }
    }
    if (!bitmap->pictures.empty()) {
      bitmap->canvas = canvas_of(*bitmap);
      times.bitmap = std::move(bitmap);
      events.push_back(std::move(times));
    } else if (subtitle.num_rects == 0 || subtitle.rects[0]->type == SUBTITLE_BITMAP) {
      events.push_back(std::move(times));
    }
    return events;
  }

  /// Reads the start and end times of an event. Returns false if the packet has no time.
  static bool read_times(const AVSubtitle& subtitle, const SubtitlePacket& packet, SubtitleEvent& event) {
    constexpr double Milli = 1e-3;
    double start = 0;
    if (subtitle.pts != AV_NOPTS_VALUE) {
      start = static_cast<double>(subtitle.pts) / AV_TIME_BASE;
    } else if (packet.packet->pts != AV_NOPTS_VALUE) {
      start = static_cast<double>(packet.packet->pts) * av_q2d(packet.time_base);
    } else {
      return false;
    }
    const bool knows_end =
        subtitle.end_display_time != UINT32_MAX && subtitle.end_display_time > subtitle.start_display_time;
    event.start_seconds = start + subtitle.start_display_time * Milli;
    event.end_seconds = Unknown;
    if (knows_end) {
      event.end_seconds = start + subtitle.end_display_time * Milli;
    } else if (packet.packet->duration > 0 && subtitle.end_display_time != UINT32_MAX) {
      event.end_seconds = start + static_cast<double>(packet.packet->duration) * av_q2d(packet.time_base);
    }
    return true;
  }

  [[nodiscard]] Extent canvas_of(const BitmapSubtitle& bitmap) const {
    Extent canvas{context_->width, context_->height};
    // ETSI EN 300 743, 7.2.1: without a display definition segment, the display has 720x576 pixels.
    if (canvas.width <= 0 && context_->codec_id == AV_CODEC_ID_DVB_SUBTITLE) canvas = {720, 576};
    if (canvas.width <= 0 || canvas.height <= 0) canvas = video_;
    if (canvas.width > 0 && canvas.height > 0) return canvas;
    for (const SubtitlePicture& picture : bitmap.pictures) {
      canvas.width = std::max(canvas.width, picture.x + picture.size.width);
      canvas.height = std::max(canvas.height, picture.y + picture.size.height);
    }
    return canvas;
  }

  CodecContextPtr context_;
  AssScript script_;
  Extent video_;
  std::string charset_;
  bool has_plain_packets_;
  std::optional<std::uint32_t> epoch_;
};

}  // namespace

SubtitleStream describe_subtitles(const AVStream& stream, Extent video) {
  return {.parameters = copy_of(*stream.codecpar), .time_base = stream.time_base, .video = video};
}

Result<std::unique_ptr<SubtitleDecoder>> SubtitleDecoder::open(const SubtitleStream& stream,
                                                               const std::string& charset) {
  TRY(check_charset(charset));
  const AVCodecID id = stream.parameters->codec_id;
  const AVCodec* codec = avcodec_find_decoder(id);
  const auto cannot = [id](int averror) {
    return bad_input(averror, "This FFmpeg cannot decode {} subtitles; choose a different track.",
                     avcodec_get_name(id));
  };
  if (codec == nullptr) return cannot(0);
  CodecContextPtr context = new_decoder(*codec, *stream.parameters, stream.time_base);
  context->flags2 |= AV_CODEC_FLAG2_RO_FLUSH_NOOP;  // a flush must not reset the event counter ReadOrder
  if (const int code = avcodec_open2(context.get(), codec, nullptr); code < 0) return cannot(code);
  std::string_view header;
  if (context->subtitle_header != nullptr && context->subtitle_header_size > 0) {
    header = {reinterpret_cast<const char*>(context->subtitle_header),
              static_cast<std::size_t>(context->subtitle_header_size)};
  }
  return std::unique_ptr<SubtitleDecoder>(
      std::make_unique<Decoder>(std::move(context), AssScript(header), stream.video, charset));
}

std::uint32_t epoch_of(const SubtitlePacket& packet) {
  return packet.epoch;
}

std::size_t bytes_of(const SubtitlePacket& packet) {
  return static_cast<std::size_t>(packet.packet->size);
}

}  // namespace glyphreel::media
