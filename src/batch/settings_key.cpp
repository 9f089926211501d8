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
  lines.add("to", s.to_format)
      .add("grid", s.grid)
      .add("cell", Extent{s.cell.width, s.cell.height})
      .add("font", s.font)
      .add("size", s.size)
      .add("fit", s.fit)
      .add("aspect", s.aspect)
      .add("charset", s.charset)
      .add("mode", mode_name(s.mode))
      .add("ramp", s.ramp)
      .add("thresholds", fmt::format("{}", fmt::join(s.thresholds, ",")))
      .add("sample", s.sample)
      .add("luma", s.luma)
      .add("color", cli::color_name(s.color))
      .add("fg", fmt::format("{:06x}", s.foreground))
      .add("bg", fmt::format("{:06x}", s.background))
      .add("palette", s.palette.empty() ? s.palette_file : fmt::format("{:06x}", fmt::join(s.palette, ",")))
      .add("reverse", cli::reverse_name(s.reverse))
      .add("invert", s.inverted)
      .add("tone-mapping", cli::tone_mapping_name(s.tone_mapping))
      .add("brightness", s.brightness)
      .add("contrast", s.contrast)
      .add("gamma", s.gamma)
      .add("saturation", s.saturation)
      .add("auto-levels", s.auto_levels)
      .add("dither", cli::dither_name(s.dither))
      .add("legibility", s.legibility)
      .add("effect", cli::effect_name(s.effect))
      .add("glow", s.glow)
      .add("scanlines", s.scanlines)
      .add("start", s.start)
      .add("end", s.end)
      .add("length", s.length_seconds)
      .add("frames", s.frames)
      .add("stability", s.stability)
      .add("deinterlace", s.deinterlace)
      .add("audio", s.audio)
      .add("aid", s.audio_track)
      .add("alang", fmt::format("{}", fmt::join(s.audio_languages, ",")))
      .add("sid", s.subtitle_track)
      .add("wipe", s.wipe)
      .add("transparent", s.transparent)
      .add("cast-version", s.cast_version)
      .add("svg-outlines", s.svg_outlines)
      .add("codec", s.codec)
      .add("pix-fmt", s.pixel_format)
      .add("crf", s.crf)
      .add("preset", s.preset)
      .add("bitrate", s.bits_per_second)
      .add("fps", s.frame_rate)
      .add("segment", s.segment_seconds);
  return lines.take();
}

}  // namespace glyphreel::batch
