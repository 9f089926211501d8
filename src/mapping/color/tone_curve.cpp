#include "mapping/color/tone_curve.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"

namespace glyphreel::mapping {
namespace {

/// Constants of SMPTE ST 2084, which relates a signal of 0 to 1 to light in units of 10000 cd/m2.
constexpr double PqM1 = 2610.0 / 16384;
constexpr double PqM2 = 2523.0 / 4096 * 128;
constexpr double PqC1 = 3424.0 / 4096;
constexpr double PqC2 = 2413.0 / 4096 * 32;
constexpr double PqC3 = 2392.0 / 4096 * 32;

/// mobius() and gamma() are linear below this light; 1 is white.
constexpr double LinearKnee = 0.3;

constexpr double SplineBlackNits = WhiteNits / 1000;
constexpr double SplineLeastPeakNits = 100;

double smoothstep(double from, double to, double x) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// These curves take and return light relative to white. The peak is above 1.

double reinhard(double light, double peak) {
  return light / (light + 1) * (peak + 1) / peak;
}

double mobius(double light, double peak) {
  constexpr double J = LinearKnee;
  if (light <= J) return light;
  const double a = -J * J * (peak - 1) / (J * J - 2 * J + peak);
  const double b = (J * J - 2 * J * peak + peak) / (peak - 1);
  return (b * b + 2 * b * J + J * J) / (b - a) * (light + a) / (light + b);
}

/// John Hable, "Uncharted 2: HDR Lighting", GDC 2010.
double hable_filmic(double x) {
  return (x * (0.15 * x + 0.05) + 0.004) / (x * (0.15 * x + 0.5) + 0.06) - 0.02 / 0.3;
}

double hable(double light, double peak) {
  return hable_filmic(light) / hable_filmic(peak);
}

double gamma(double light, double peak) {
  if (light <= LinearKnee) return light;
  return std::pow(light / peak, std::log(LinearKnee) / std::log(LinearKnee / peak));
}

/// ITU-R BT.2446-1, method A.
double bt2446a(double light, double peak) {
  const auto rho = [](double nits) { return 1 + 32 * std::pow(nits / PqPeakNits, 1 / 2.4); };
  const double hdr = rho(peak * WhiteNits);
  const double sdr = rho(WhiteNits);
  const double perceived = std::log(1 + (hdr - 1) * std::pow(light / peak, 1 / 2.4)) / std::log(hdr);
  const double mapped = perceived <= 0.7399  ? 1.0770 * perceived
                        : perceived < 0.9909 ? (-1.1510 * perceived + 2.7811) * perceived - 0.6302
                                             : 0.5 * perceived + 0.5;
  return std::pow((std::pow(sdr, mapped) - 1) / (sdr - 1), 2.4);
}

// These curves take and return PQ signals. `peak`: the scene's peak; `white`: SDR white.

/// The EETF of ITU-R BT.2390-10, section 5.4.1, with black at 0 cd/m2: a Hermite spline from the knee to the
/// target's white, on signals relative to the scene's peak.
double bt2390(double signal, double peak, double white) {
  const double greatest = white / peak;
  const double knee = 1.5 * greatest - 0.5;
  signal /= peak;
  if (signal > knee) {
    const double t = (signal - knee) / (1 - knee);
    const double t2 = t * t;
    const double t3 = t2 * t;
    signal = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * greatest;
  }
  return signal * peak;
}

}  // namespace

ToneCurve::Spline::Spline(const SceneLight& scene)
    : peak_nits_(std::clamp(scene.peak, SplineLeastPeakNits, PqPeakNits)),
      white_nits_(std::min(WhiteNits, peak_nits_)),
      peak_(pq_signal(peak_nits_)),
      white_(pq_signal(white_nits_)),
      black_(pq_signal(SplineBlackNits)) {
  // LowestPivot and HighestPivot limit the pivot's input, as a fraction of the scene's range, and the pivot's
  // output, as a fraction of SDR's range. DefaultPivot is the input if the scene's average is unknown.
  constexpr double LowestPivot = 0.1, DefaultPivot = 0.4, HighestPivot = 0.8;
  // The pivot's input is at the fraction `share` of the scene's range. The pivot's output is the input, moved
  // toward the signal at the same fraction of SDR's range. It is moved by at least the fraction Adaptation of
  // the distance.
  constexpr double Adaptation = 0.4;
  constexpr double Contrast = 0.5;
  const double average = scene.average > 0 ? pq_signal(scene.average) : 0;
  const double range = white_ - black_;
  const double share = std::clamp(average > 0 ? average / peak_ : DefaultPivot, LowestPivot, HighestPivot);
  source_ = share * peak_;
  const double tuning =
      1 - smoothstep(HighestPivot, DefaultPivot, share) * smoothstep(LowestPivot, DefaultPivot, share);
  const double adaptation = Adaptation + (1 - Adaptation) * tuning;
  pivot_ = std::clamp(source_ + (black_ + share * range - source_) * adaptation, black_ + LowestPivot * range,
                      black_ + HighestPivot * range);
  const double ratio = std::clamp(1.5 * (peak_ / white_ - 1), 0.2, 1.2);
  slope_ = std::pow((pivot_ - black_) / source_, (1 - Contrast) * ratio);
}

double ToneCurve::Spline::operator()(double nits) const {
  const double signal = pq_signal(std::min(nits, peak_nits_));
  const double in_end = (signal > source_ ? peak_ : 0) - source_;
  const double out_end = (signal > source_ ? white_ : black_) - pivot_;
  const double bend = (slope_ * in_end - out_end) / (out_end * in_end);
  const double from_pivot = signal - source_;
  const double mapped = pq_nits(slope_ * from_pivot / (1 + bend * from_pivot) + pivot_);
  return std::max(0.0, mapped - SplineBlackNits) / (white_nits_ - SplineBlackNits) * white_nits_;
}

double pq_nits(double signal) {
  const double root = std::pow(signal, 1 / PqM2);
  return std::pow(std::max(root - PqC1, 0.0) / (PqC2 - PqC3 * root), 1 / PqM1) * PqPeakNits;
}

double pq_signal(double nits) {
  const double power = std::pow(nits / PqPeakNits, PqM1);
  return std::pow((PqC1 + PqC2 * power) / (1 + PqC3 * power), PqM2);
}

double ToneCurve::operator()(double nits) const {
  if (curve_ == ToneMapping::Auto || curve_ == ToneMapping::Spline) return spline_(nits);
  const double peak = std::min(scene_.peak, PqPeakNits);
  if (peak <= WhiteNits || curve_ == ToneMapping::Clip) return std::min(nits, WhiteNits);
  const double light = std::min(nits, peak) / WhiteNits;
  const double most = peak / WhiteNits;
  switch (curve_) {
    case ToneMapping::Reinhard:
      return reinhard(light, most) * WhiteNits;
    case ToneMapping::Mobius:
      return mobius(light, most) * WhiteNits;
    case ToneMapping::Hable:
      return hable(light, most) * WhiteNits;
    case ToneMapping::Gamma:
      return gamma(light, most) * WhiteNits;
    case ToneMapping::Bt2446a:
      return bt2446a(light, most) * WhiteNits;
    case ToneMapping::Linear:
      return pq_nits(pq_signal(light * WhiteNits) * pq_signal(WhiteNits) / pq_signal(peak));
    case ToneMapping::Bt2390:
      return pq_nits(bt2390(pq_signal(light * WhiteNits), pq_signal(peak), pq_signal(WhiteNits)));
    case ToneMapping::Auto:
    case ToneMapping::Spline:
    case ToneMapping::Clip:
      break;  // handled above
  }
  CHECK(false, "a tone curve has no function");
  return 0;
}

}  // namespace glyphreel::mapping
