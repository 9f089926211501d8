#include "batch/settings_key.h"

#include <optional>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/mode.h"
#include "cli/options/options.h"

namespace glyphreel::batch {
namespace {

/// Collects "name=value" lines.
class Lines {
 public:
  template <typename Value>
  Lines& add(std::string_view name, const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      return add(name, static_cast<int>(value));
    } else {
      text_ += fmt::format("{}={}\n", name, value);
      return *this;
    }
  }
  Lines& add(std::string_view name, const Rational& value) {
    return add(name, fmt::format("{}/{}", value.numerator, value.denominator));
  }
  Lines& add(std::string_view name, const TimePosition& value) {
    return add(name, fmt::format("{}:{}", static_cast<int>(value.unit), value.value));
  }
  Lines& add(std::string_view name, const GridSize& value) {
    return add(name, fmt::format("{}x{}", value.columns, value.rows));
  }
  Lines& add(std::string_view name, const Extent& value) {
    return add(name, fmt::format("{}x{}", value.width, value.height));
  }
  template <typename Value>
  Lines& add(std::string_view name, const std::optional<Value>& value) {
    return value ? add(name, *value) : *this;
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string canonical_settings(const cli::Settings& s) {
  Lines lines;
  lines.add("to", s.batch.to_format)
      .add("grid", s.layout.grid)
      .add("cell", Extent{s.layout.cell.width, s.layout.cell.height})
      .add("font", s.layout.font)
      .add("size", s.layout.size)
      .add("fit", s.layout.fit)
      .add("aspect", s.layout.aspect)
      .add("charset", s.glyphs.charset)
      .add("mode", mode_name(s.glyphs.mode))
      .add("ramp", s.glyphs.ramp)
      .add("thresholds", fmt::format("{}", fmt::join(s.glyphs.thresholds, ",")))
      .add("sample", s.glyphs.sample)
      .add("luma", s.glyphs.luma)
      .add("color", cli::color_name(s.picture.color))
      .add("fg", fmt::format("{:06x}", s.picture.foreground))
      .add("bg", fmt::format("{:06x}", s.picture.background))
      .add("palette", s.picture.palette.empty() ? s.picture.palette_file
                                                : fmt::format("{:06x}", fmt::join(s.picture.palette, ",")))
      .add("reverse", cli::reverse_name(s.picture.reverse))
      .add("invert", s.picture.inverted)
      .add("tone-mapping", cli::tone_mapping_name(s.picture.tone_mapping))
      .add("brightness", s.picture.brightness)
      .add("contrast", s.picture.contrast)
      .add("gamma", s.picture.gamma)
      .add("saturation", s.picture.saturation)
      .add("auto-levels", s.picture.auto_levels)
      .add("dither", cli::dither_name(s.picture.dither))
      .add("legibility", s.picture.legibility)
      .add("effect", cli::effect_name(s.picture.effect))
      .add("glow", s.picture.glow)
      .add("scanlines", s.picture.scanlines)
      .add("start", s.playback.start)
      .add("end", s.playback.end)
      .add("length", s.playback.length_seconds)
      .add("frames", s.playback.frames)
      .add("stability", s.picture.stability)
      .add("deinterlace", s.playback.deinterlace)
      .add("audio", s.audio.enabled)
      .add("aid", s.audio.track)
      .add("alang", fmt::format("{}", fmt::join(s.audio.languages, ",")))
      .add("sid", s.subtitles.track)
      .add("wipe", s.window.wipe)
      .add("transparent", s.recording.transparent)
      .add("cast-version", s.recording.cast_version)
      .add("svg-outlines", s.recording.svg_outlines)
      .add("codec", s.recording.codec)
      .add("pix-fmt", s.recording.pixel_format)
      .add("crf", s.recording.crf)
      .add("preset", s.recording.preset)
      .add("bitrate", s.recording.bits_per_second)
      .add("fps", s.recording.frame_rate)
      .add("segment", s.recording.segment_seconds);
  return lines.take();
}

}  // namespace glyphreel::batch
