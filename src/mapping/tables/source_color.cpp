#include "mapping/tables/source_color.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <glm/mat3x3.hpp>
#include <glm/matrix.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include "mapping/color/numbers.h"
#include "mapping/color/tone_curve.h"

namespace glyphreel::mapping {
namespace {

using shared::LogPeak;
using shared::LogWhite;

// Code points of ITU-T H.273.
constexpr int PrimariesUnspecified = 2;
constexpr int PrimariesBt2020 = 9;
constexpr int PrimariesDisplayP3 = 12;
constexpr int TransferPq = 16;
constexpr int TransferHlg = 18;

constexpr int CodeCount = 4096;
constexpr double StepsPerOctave = 4096;
constexpr int StepsPerEntry = 16;
constexpr double Light16 = 65535;         // linear light 1.0 as a 16-bit value
constexpr int LightCount = 1 << 14;       // values of linear light in the table at srgb_at
constexpr double UnknownPeakNits = 1000;  // the usual peak of mastering displays
constexpr double HlgPeakNits = 1000;
constexpr double HlgSystemGamma = 1.2;
// Used as the logarithm of zero light. It is so low that it stays below 0 after the system gamma and tone
// mapping are applied.
constexpr double LogOfNone = -1048576;

/// Returns the scene light, 0 to 1, of a signal of 0 to 1, by BT.2100's inverse OETF.
double hlg_light(double signal) {
  constexpr double A = 0.17883277;
  constexpr double B = 1 - 4 * A;
  const double c = 0.5 - A * std::log(4 * A);
  return signal <= 0.5 ? signal * signal / 3 : (std::exp((signal - c) / A) + B) / 12;
}

/// Returns the logarithm of light as the shared code uses it: StepsPerOctave units for each doubling of
/// light. `white`: the light whose logarithm is LogWhite.
double log_light(double light, double white) {
  if (light <= 0) return LogOfNone;
  return std::max(LogOfNone, LogWhite + StepsPerOctave * std::log2(light / white));
}

/// Appends a table of rounded values to `words` and returns its offset.
template <typename Value>
int append_table(std::vector<std::uint32_t>& words, int count, const Value& value) {
  const auto at = static_cast<int>(words.size());
  for (int i = 0; i < count; ++i) words.push_back(rounded_word(value(i)));
  return at;
}

/// Appends a table for interpolate() of sample.glsl, with an entry for every StepsPerEntry-th logarithm from
/// 0 to `last`. The values must be below 2^16 and must not decrease.
template <typename Value>
int append_log_table(std::vector<std::uint32_t>& words, int last, const Value& value) {
  const auto entry_at = [&value](int entry) { return rounded(value(entry * StepsPerEntry)); };
  const auto at = static_cast<int>(words.size());
  for (int entry = 0; entry <= last / StepsPerEntry; ++entry) {
    words.push_back(
        static_cast<std::uint32_t>(entry_at(entry) | (entry_at(entry + 1) - entry_at(entry)) << 16));
  }
  return at;
}

/// Returns the 8-bit code value for each of LightCount values of linear light, four to a word.
std::vector<std::uint32_t> srgb_codes() {
  std::vector<std::uint32_t> words;
  for (int light = 0; light < LightCount; light += 4) {
    std::uint32_t four = 0;
    for (int i = 0; i < 4; ++i) {
      const double signal = srgb_signal((light + i + 0.5) / LightCount);
      four |= rounded_word(signal * 255) << (8 * i);
    }
    words.push_back(four);
  }
  return words;
}

/// Returns the table at ToneTables::light_at.
std::vector<std::uint32_t> light_table() {
  std::vector<std::uint32_t> words;
  append_log_table(words, LogWhite, [](int log) {
    if (log == 0) return 0.0;
    return Light16 * std::exp2(std::min(0, log - LogWhite) / StepsPerOctave);
  });
  return words;
}

/// Appends a table that does not depend on the source. Returns its offset.
int append_constant(std::vector<std::uint32_t>& words, const std::vector<std::uint32_t>& table) {
  const auto at = static_cast<int>(words.size());
  words.insert(words.end(), table.begin(), table.end());
  return at;
}

struct Primaries {
  glm::dvec2 red, green, blue;  ///< CIE 1931 x, y
};

/// Returns the matrix from linear R, G, B to X, Y, Z, with D65 as white (SMPTE RP 177).
glm::dmat3 xyz_from_rgb(const Primaries& primaries) {
  const auto xyz = [](glm::dvec2 xy) { return glm::dvec3(xy.x / xy.y, 1, (1 - xy.x - xy.y) / xy.y); };
  const glm::dmat3 unscaled(xyz(primaries.red), xyz(primaries.green), xyz(primaries.blue));
  const glm::dvec3 scale = glm::inverse(unscaled) * xyz({0.3127, 0.3290});
  return {unscaled[0] * scale.r, unscaled[1] * scale.g, unscaled[2] * scale.b};
}

constexpr Primaries Bt709{{0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}};
constexpr Primaries Bt2020{{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}};
constexpr Primaries DisplayP3{{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}};

/// Returns the primaries that a stream's light is converted from. The primaries of SD video are treated as
/// BT.709's, even in HDR video, because they differ little.
const Primaries& primaries_of(const ColorTags& color) {
  if (color.primaries == PrimariesBt2020) return Bt2020;
  if (color.primaries == PrimariesUnspecified && is_hdr(color.transfer)) return Bt2020;
  return color.primaries == PrimariesDisplayP3 ? DisplayP3 : Bt709;
}

void set_gamut(shared::SampleParameters& p, const Primaries& primaries) {
  const glm::dmat3 to_bt709 = glm::inverse(xyz_from_rgb(Bt709)) * xyz_from_rgb(primaries);
  constexpr int One = 1 << 14;
  std::array<std::array<int, 3>, 3> rows{};
  for (int row = 0; row < 3; ++row) {
    auto& r = rows[static_cast<std::size_t>(row)];
    for (int column = 0; column < 3; ++column) {
      r[static_cast<std::size_t>(column)] = rounded(to_bt709[column][row] * One);
    }
    // Keeps grays gray: adds the row's rounding error to its diagonal element, where it matters least.
    r[static_cast<std::size_t>(row)] += One - r[0] - r[1] - r[2];
  }
  p.gamut.r_from_r = rows[0][0];
  p.gamut.r_from_g = rows[0][1];
  p.gamut.r_from_b = rows[0][2];
  p.gamut.g_from_r = rows[1][0];
  p.gamut.g_from_g = rows[1][1];
  p.gamut.g_from_b = rows[1][2];
  p.gamut.b_from_r = rows[2][0];
  p.gamut.b_from_g = rows[2][1];
  p.gamut.b_from_b = rows[2][2];
}

/// Returns the light of the display, in cd/m2, for a gray signal of 0 to 1.
double gray_nits(const ColorTags& color, double signal) {
  if (color.transfer == TransferPq) return pq_nits(signal);
  return std::pow(hlg_light(signal), HlgSystemGamma) * HlgPeakNits;
}

/// Returns the scene's measured light. Without a measurement, returns the peak that source_color.h specifies.
SceneLight scene_light(const ColorTags& color) {
  const auto nits = [&color](int code) { return gray_nits(color, code / 4095.0); };
  if (color.scene_peak > 0)
    return {.peak = nits(color.scene_peak), .average = nits(std::max(1, color.scene_average))};
  if (color.transfer == TransferHlg) return {.peak = HlgPeakNits};
  return {.peak = color.peak_nits > 0 ? color.peak_nits : UnknownPeakNits};
}

/// Adds the table at ToneTables::loss_at. Its entry for the brightest component's logarithm is the number to
/// subtract from every component's logarithm. Entries must not be negative, but a curve that brightens light
/// would need negative entries. Therefore, the function returns a lift, which the caller must add to all
/// logarithms before the subtraction. Entries also must not decrease as light increases, so an entry that is
/// greater than a later entry is lowered to that entry.
int add_tone_curve(shared::SampleParameters& p, std::vector<std::uint32_t>& words, const SceneLight& scene,
                   ToneMapping curve) {
  constexpr int MaxLift = 12288;  // three octaves of light
  const auto loss = [tone = ToneCurve(curve, scene)](int log) {
    const double nits = WhiteNits * std::exp2((log - LogWhite) / StepsPerOctave);
    return log - log_light(tone(nits), WhiteNits);
  };
  std::vector<double> values;
  for (int log = 0; log <= LogPeak + StepsPerEntry; log += StepsPerEntry) values.push_back(loss(log));
  const double least = std::min(0.0, *std::min_element(values.begin(), values.end() - 1));
  const int lift = std::min(rounded(-least), MaxLift);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = lift == 0 ? values[i] : loss(static_cast<int>(i) * StepsPerEntry - lift);
    values[i] = std::clamp(value + lift, 0.0, 65535.0);
  }
  for (std::size_t i = values.size() - 1; i > 0; --i) values[i - 1] = std::min(values[i - 1], values[i]);
  p.curve.loss_at = append_log_table(
      words, LogPeak, [&values](int log) { return values[static_cast<std::size_t>(log / StepsPerEntry)]; });
  return lift;
}

}  // namespace

std::uint32_t source_tone(const ColorTags& color) {
  if (color.transfer == TransferPq) return shared::TonePq;
  if (color.transfer == TransferHlg) return shared::ToneHlg;
  const bool is_wide = color.primaries == PrimariesBt2020 || color.primaries == PrimariesDisplayP3;
  return is_wide ? shared::ToneGamut : shared::ToneNone;
}

void add_source_color(const ColorTags& color, ToneMapping tone_mapping, int code_peak,
                      shared::SampleParameters& p, std::vector<std::uint32_t>& words) {
  p.tone = source_tone(color);
  if (p.tone == shared::ToneNone) return;
  set_gamut(p, primaries_of(color));
  const auto signal = [code_peak](int code) { return std::min(1.0, static_cast<double>(code) / code_peak); };
  int lift = 0;
  switch (p.tone) {
    case shared::TonePq:
      lift = add_tone_curve(p, words, scene_light(color), tone_mapping);
      p.curve.code_light_at = append_table(words, CodeCount, [&](int code) {
        return std::min<double>(LogPeak, log_light(pq_nits(signal(code)), WhiteNits) + lift);
      });
      break;
    case shared::ToneHlg:
      lift = add_tone_curve(p, words, scene_light(color), tone_mapping);
      p.curve.code_light_at =
          append_table(words, CodeCount, [&](int code) { return log_light(hlg_light(signal(code)), 1); });
      // The gain from scene light (1.0 is at LogWhite) to the display's light is
      // peak * luminance^(gamma - 1). Each entry is for the middle of its step of luminance.
      p.curve.system_at = append_table(words, CodeCount, [lift](int luminance) {
        const double gain = std::pow((luminance + 0.5) / CodeCount, HlgSystemGamma - 1) * HlgPeakNits;
        return StepsPerOctave * std::log2(gain / WhiteNits) + lift;
      });
      break;
    default:
      // SDR with ToneNone is shown as sRGB without a conversion. ToneGamut uses sRGB's curve too, so that the
      // conversion of its primaries leaves grays unchanged.
      p.curve.code_light_at =
          append_table(words, CodeCount, [&](int code) { return srgb_light(signal(code)) * Light16; });
      break;
  }
  static const std::vector<std::uint32_t> Light = light_table();
  static const std::vector<std::uint32_t> Srgb = srgb_codes();
  p.curve.light_at = append_constant(words, Light);
  p.curve.srgb_at = append_constant(words, Srgb);
}

}  // namespace glyphreel::mapping
