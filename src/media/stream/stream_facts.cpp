#include "media/stream/stream_facts.h"

#include <cmath>

#include "media/stream/stream_tags.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {

VideoFacts facts_of(AVFormatContext& format, AVStream& stream, const AVCodec& decoder) {
  const AVCodecParameters& parameters = *stream.codecpar;
  VideoFacts facts;
  facts.codec = avcodec_get_name(parameters.codec_id);
  facts.decoder = decoder.name;
  const auto pixel_format = static_cast<AVPixelFormat>(parameters.format);
  const char* pixel_format_name = av_get_pix_fmt_name(pixel_format);
  facts.pixel_format = pixel_format_name != nullptr ? pixel_format_name : "unknown";
  facts.size = {parameters.width, parameters.height};
  const AVRational rate =
      stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : av_guess_frame_rate(&format, &stream, nullptr);
  facts.frame_rate = rate.num > 0 && rate.den > 0 ? to_rational(rate) : Rational{0, 1};
  facts.time_base = to_rational(stream.time_base);
  const AVRational aspect = av_guess_sample_aspect_ratio(&format, &stream, nullptr);
  if (aspect.num > 0 && aspect.den > 0) facts.sample_aspect_ratio = to_rational(aspect);
  facts.rotation = stream_rotation(stream);
  DeclaredColor declared = declared_color(parameters);
  declared.peak_nits = stream_peak_nits(stream);
  facts.color = color_tags(declared);
  if (stream.duration != AV_NOPTS_VALUE) {
    facts.duration_seconds = static_cast<double>(stream.duration) * av_q2d(stream.time_base);
  } else if (format.duration != AV_NOPTS_VALUE) {
    facts.duration_seconds = static_cast<double>(format.duration) / AV_TIME_BASE;
  }
  facts.start_pts = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
  facts.frame_count = stream.nb_frames;
  const double start_seconds = static_cast<double>(facts.start_pts) * facts.time_base.value();
  for (unsigned i = 0; i < format.nb_chapters; ++i) {
    const AVChapter& chapter = *format.chapters[i];
    const AVDictionaryEntry* title = av_dict_get(chapter.metadata, "title", nullptr, 0);
    facts.chapters.push_back({static_cast<double>(chapter.start) * av_q2d(chapter.time_base) - start_seconds,
                              title != nullptr ? title->value : ""});
  }
  if (facts.frame_count == 0 && facts.duration_seconds) {
    facts.frame_count = std::llround(*facts.duration_seconds * facts.frame_rate.value());
  }
  return facts;
}

}  // namespace glyphreel::media
