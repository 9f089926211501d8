#include "music.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace demo {

namespace {

constexpr float Rate = SampleRate;
constexpr float Tau = 2.0f * std::numbers::pi_v<float>;
constexpr float BarSeconds = 3.0f;
constexpr float StepSeconds = BarSeconds / 16.0f;

float pitch(float midi) { return 440.0f * std::exp2((midi - 69.0f) / 12.0f); }

class Noise {
  public:
    float operator()() {
        state_ = state_ * 1664525u + 1013904223u;
        return static_cast<float>(state_ >> 8) * (2.0f / 16777216.0f) - 1.0f;
    }

  private:
    std::uint32_t state_ = 20240229u;
};

// A saw whose jump is rounded over one sample either side, which keeps aliases down.
class Saw {
  public:
    explicit Saw(float phase) : phase_(phase) {}
    float operator()(float frequency) {
        const float step = frequency / Rate;
        phase_ += step;
        phase_ -= std::floor(phase_);
        float v = 2.0f * phase_ - 1.0f;
        if (phase_ < step) {
            const float u = phase_ / step;
            v -= 2.0f * u - u * u - 1.0f;
        } else if (phase_ > 1.0f - step) {
            const float u = (phase_ - 1.0f) / step;
            v -= u * u + 2.0f * u + 1.0f;
        }
        return v;
    }

  private:
    float phase_;
};

// Two poles in a loop: low, band and high outputs at once.
class Filter {
  public:
    void run(float input, float cutoff, float damping) {
        const float g = std::tan(std::numbers::pi_v<float> * std::min(cutoff, 18000.0f) / Rate);
        const float a = 1.0f / (1.0f + g * (g + damping));
        const float v3 = input - s2_;
        band = a * s1_ + a * g * v3;
        low = s2_ + g * band;
        high = input - damping * band - low;
        s1_ = 2.0f * band - s1_;
        s2_ = 2.0f * low - s2_;
    }
    float low = 0.0f;
    float band = 0.0f;
    float high = 0.0f;

  private:
    float s1_ = 0.0f;
    float s2_ = 0.0f;
};

struct Stereo {
    std::vector<float> left;
    std::vector<float> right;
};

// How loud a voice is, where it stands, and what it sends to the room and the echo.
struct Place {
    float gain;
    float pan = 0.0f;
    float room = 0.2f;
    float echo = 0.0f;
};

class Score {
  public:
    explicit Score(std::size_t length) : length_(length), duck_(length, 1.0f) {
        for (Stereo* bus : {&dry_, &room_, &echo_}) {
            bus->left.resize(length);
            bus->right.resize(length);
        }
    }

    // `voice(seconds)` gives the sound of one note; it is asked for sample after sample.
    template <typename Voice>
    void play(float start, float seconds, Place place, bool ducked, Voice voice) {
        const std::size_t first = static_cast<std::size_t>(std::max(start, 0.0f) * Rate);
        const std::size_t count = static_cast<std::size_t>(seconds * Rate);
        const float left = std::sqrt(0.5f - 0.5f * place.pan);
        const float right = std::sqrt(0.5f + 0.5f * place.pan);
        for (std::size_t i = 0; i < count && first + i < length_; ++i) {
            const std::size_t at = first + i;
            const float v = voice(static_cast<float>(i) / Rate) * place.gain * (ducked ? duck_[at] : 1.0f);
            dry_.left[at] += v * left;
            dry_.right[at] += v * right;
            room_.left[at] += v * left * place.room;
            room_.right[at] += v * right * place.room;
            echo_.left[at] += v * left * place.echo;
            echo_.right[at] += v * right * place.echo;
        }
    }

    // The other voices step back for each kick, which makes room for it and gives the pulse.
    void duck(float start) {
        const std::size_t first = static_cast<std::size_t>(start * Rate);
        for (std::size_t i = 0; first + i < length_ && i < SampleRate; ++i) {
            const float held = 1.0f - 0.5f * std::exp(-static_cast<float>(i) / Rate * 7.0f);
            duck_[first + i] = std::min(duck_[first + i], held);
        }
    }

    Stereo mix_down() const;

  private:
    std::size_t length_;
    std::vector<float> duck_;
    Stereo dry_;
    Stereo room_;
    Stereo echo_;
};

// Parallel combs, then all-passes in a row: a hall of about two seconds.
std::vector<float> reverberate(const std::vector<float>& input, int spread) {
    constexpr std::array Combs = {1214, 1293, 1390, 1476, 1548, 1623, 1695, 1760};
    constexpr std::array Passes = {605, 480, 371, 245};
    std::vector<float> output(input.size());
    for (const int delay : Combs) {
        std::vector<float> line(static_cast<std::size_t>(delay + spread));
        std::size_t at = 0;
        float soft = 0.0f;
        for (std::size_t i = 0; i < input.size(); ++i) {
            const float v = line[at];
            soft = v * 0.72f + soft * 0.28f;
            line[at] = input[i] + soft * 0.855f;
            output[i] += v * 0.12f;
            at = at + 1 == line.size() ? 0 : at + 1;
        }
    }
    for (const int delay : Passes) {
        std::vector<float> line(static_cast<std::size_t>(delay + spread));
        std::size_t at = 0;
        for (float& sample : output) {
            const float v = line[at];
            line[at] = sample + v * 0.5f;
            sample = v - sample;
            at = at + 1 == line.size() ? 0 : at + 1;
        }
    }
    return output;
}

Stereo Score::mix_down() const {
    Stereo room = room_;
    Stereo out = dry_;
    // The echo goes from side to side, three steps apart, and its repeats enter the room.
    const std::size_t delay = static_cast<std::size_t>(3.0f * StepSeconds * Rate);
    std::vector<float> left(length_);
    std::vector<float> right(length_);
    for (std::size_t i = delay; i < length_; ++i) {
        left[i] = echo_.left[i - delay] + echo_.right[i - delay] * 0.3f + right[i - delay] * 0.42f;
        right[i] = left[i - delay] * 0.42f + echo_.right[i - delay] * 0.7f;
        out.left[i] += left[i];
        out.right[i] += right[i];
        room.left[i] += left[i] * 0.3f;
        room.right[i] += right[i] * 0.3f;
    }
    const std::vector<float> wet_left = reverberate(room.left, 0);
    const std::vector<float> wet_right = reverberate(room.right, 23);
    for (std::size_t i = 0; i < length_; ++i) {
        out.left[i] += wet_left[i];
        out.right[i] += wet_right[i];
    }
    return out;
}

struct Note {
    int step;
    int length;
    float midi;
};

struct Chord {
    float root;
    std::array<float, 4> notes;
};

// Two chords to the bar, so that the cut in the middle of the third bar has its own.
constexpr Chord Harmony[] = {
    {33, {57, 60, 64, 71}}, {29, {57, 60, 65, 69}},  // A minor 9, F
    {36, {55, 60, 64, 67}}, {31, {55, 59, 62, 67}},  // C, G
    {33, {57, 60, 64, 69}}, {28, {55, 59, 64, 67}},  // A minor, E minor
    {29, {57, 60, 65, 72}}, {36, {55, 60, 64, 72}},  // F, C
    {38, {57, 62, 65, 72}}, {33, {57, 60, 64, 67}},  // D minor 7, A minor 7
    {38, {57, 62, 65, 69}}, {28, {56, 59, 64, 68}},  // D minor, E
    {33, {57, 60, 64, 72}}, {29, {57, 60, 65, 69}},  // A minor, F
    {36, {55, 62, 64, 72}}, {36, {55, 62, 64, 72}},  // C with the ninth
};

void play_pad(Score& score, const Chord& chord, float start, float seconds, float gain, float bright) {
    for (std::size_t k = 0; k < chord.notes.size(); ++k) {
        const float pan = (static_cast<float>(k) - 1.5f) * 0.45f;
        Saw a(0.1f);
        Saw b(0.43f);
        Saw c(0.77f);
        Filter filter;
        const float f = pitch(chord.notes[k]);
        score.play(start, seconds + 0.6f, {gain, pan, 0.5f, 0.0f}, true, [=](float t) mutable {
            const float level = std::min(t / 0.12f, 1.0f) * std::clamp((seconds + 0.6f - t) / 0.6f, 0.0f, 1.0f);
            filter.run(a(f * 0.9965f) + b(f) + c(f * 1.0041f), bright * (0.6f + 0.5f * std::sin(t * 1.6f)), 1.0f);
            return filter.low * level;
        });
    }
}

void play_bass(Score& score, float midi, float start, float seconds, float gain) {
    Saw saw(0.0f);
    Filter filter;
    const float f = pitch(midi);
    score.play(start, seconds, {gain, 0.0f, 0.02f, 0.0f}, true, [=](float t) mutable {
        const float level = std::min(t / 0.004f, 1.0f) * std::clamp((seconds - t) / 0.03f, 0.0f, 1.0f);
        filter.run(saw(f), 130.0f + 900.0f * std::exp(-t * 9.0f), 0.7f);
        return (filter.low * 0.7f + 0.75f * std::sin(Tau * f * t)) * level * (0.65f + 0.35f * std::exp(-t * 6.0f));
    });
}

void play_pluck(Score& score, float midi, float start, float gain, float pan) {
    Saw saw(0.25f);
    Filter filter;
    const float f = pitch(midi);
    score.play(start, 0.9f, {gain, pan, 0.35f, 0.45f}, false, [=](float t) mutable {
        filter.run(saw(f) * 0.7f + std::sin(Tau * f * t), f * (1.2f + 6.0f * std::exp(-t * 16.0f)), 0.6f);
        return filter.low * std::exp(-t * 6.5f) * std::min(t / 0.002f, 1.0f);
    });
}

void play_lead(Score& score, float midi, float start, float seconds) {
    Saw a(0.0f);
    Saw b(0.5f);
    Filter filter;
    const float f = pitch(midi);
    score.play(start, seconds + 0.15f, {0.12f, 0.08f, 0.35f, 0.4f}, false, [=](float t) mutable {
        const float vibrato = 1.0f + 0.006f * std::sin(Tau * 5.4f * t) * std::min(t / 0.35f, 1.0f);
        const float level = std::min(t / 0.012f, 1.0f) * std::clamp((seconds + 0.15f - t) / 0.15f, 0.0f, 1.0f);
        filter.run(a(f * vibrato * 0.998f) + b(f * vibrato * 1.003f), 1500.0f + 2600.0f * std::exp(-t * 4.0f), 0.75f);
        return (filter.low + 0.35f * std::sin(Tau * f * 0.5f * t)) * level;
    });
}

void play_bell(Score& score, float midi, float start, float gain, float pan) {
    const float f = pitch(midi);
    score.play(start, 3.0f, {gain, pan, 0.6f, 0.5f}, false, [=](float t) {
        const float inner = std::sin(Tau * f * 3.01f * t) * 1.9f * std::exp(-t * 5.0f);
        return std::sin(Tau * f * t + inner) * std::exp(-t * 2.1f) * std::min(t / 0.003f, 1.0f);
    });
}

void play_kick(Score& score, float start, float gain) {
    score.duck(start);
    score.play(start, 0.4f, {gain, 0.0f, 0.03f, 0.0f}, false, [](float t) {
        const float phase = 47.0f * t + (165.0f / 34.0f) * (1.0f - std::exp(-t * 34.0f));
        return std::sin(Tau * phase) * std::exp(-t * 8.5f) + 0.25f * std::exp(-t * 420.0f);
    });
}

void play_snare(Score& score, Noise& noise, float start, float gain) {
    Filter filter;
    score.play(start, 0.35f, {gain, 0.04f, 0.3f, 0.0f}, false, [=, &noise](float t) mutable {
        filter.run(noise(), 2300.0f, 0.9f);
        return (filter.band + 0.6f * filter.high) * 0.8f * std::exp(-t * 17.0f) +
               0.65f * std::sin(Tau * (182.0f * t + 1.6f * (1.0f - std::exp(-t * 40.0f)))) * std::exp(-t * 24.0f);
    });
}

void play_hat(Score& score, Noise& noise, float start, float gain, float decay) {
    Filter filter;
    score.play(start, 0.3f, {gain, 0.25f, 0.1f, 0.0f}, false, [=, &noise](float t) mutable {
        filter.run(noise(), 8200.0f, 0.8f);
        return filter.high * std::exp(-t * decay);
    });
}

void play_crash(Score& score, Noise& noise, float start, float gain) {
    Filter filter;
    score.play(start, 2.4f, {gain, -0.15f, 0.5f, 0.0f}, false, [=, &noise](float t) mutable {
        filter.run(noise(), 4200.0f, 1.2f);
        return filter.high * std::exp(-t * 2.3f);
    });
}

// Noise that swells and opens towards the next cut.
void play_riser(Score& score, Noise& noise, float start, float seconds, float gain) {
    Filter filter;
    score.play(start, seconds, {gain, 0.0f, 0.4f, 0.0f}, false, [=, &noise](float t) mutable {
        const float u = t / seconds;
        filter.run(noise(), 250.0f * std::exp2(u * 4.6f), 0.4f);
        return filter.band * u * u * std::clamp((seconds - t) / 0.02f, 0.0f, 1.0f);
    });
}

// Rain for the night city, with a train passing from left to right under it.
void play_weather(Score& score, Noise& noise, float start) {
    for (const float pan : {-0.8f, 0.8f}) {
        Filter filter;
        score.play(start, BarSeconds, {0.05f, pan, 0.1f, 0.0f}, false, [=, &noise](float t) mutable {
            filter.run(noise(), 5200.0f, 1.1f);
            const float drop = noise() > 0.9985f ? 3.0f : 0.0f;
            return (filter.band + filter.high * 0.5f + drop) * std::min(t / 0.08f, 1.0f) *
                   std::clamp((BarSeconds - t) / 0.1f, 0.0f, 1.0f);
        });
        Filter rumble;
        score.play(start, BarSeconds, {0.2f, pan, 0.2f, 0.0f}, false, [=, &noise](float t) mutable {
            const float passing = (t - 1.25f - 0.25f * pan) / 0.75f;
            rumble.run(noise(), 240.0f, 0.8f);
            const float rails = 0.6f + 0.4f * std::pow(std::abs(std::sin(Tau * t * 2.666f)), 6.0f);
            return rumble.low * 2.0f * std::exp(-passing * passing) * rails;
        });
    }
}

constexpr std::array<Note, 8> ChaseLine = {{{0, 3, 76}, {3, 1, 74}, {4, 2, 72}, {6, 2, 74},
                                            {8, 3, 71}, {11, 1, 72}, {12, 2, 74}, {14, 2, 67}}};
constexpr std::array<Note, 6> KnotLine = {{{0, 3, 69}, {3, 1, 72}, {4, 4, 77}, {8, 3, 76}, {11, 1, 74}, {12, 4, 72}}};
constexpr std::array<Note, 7> TunnelLine = {{{0, 2, 77}, {2, 2, 76}, {4, 2, 74}, {6, 2, 77}, {8, 2, 76}, {10, 2, 80}, {12, 4, 83}}};
constexpr std::array<Note, 6> AuroraLine = {{{0, 4, 84}, {4, 2, 83}, {6, 2, 81}, {8, 4, 81}, {12, 2, 79}, {14, 2, 83}}};
constexpr std::array<Note, 4> DuskBells = {{{0, 4, 76}, {4, 4, 72}, {8, 4, 69}, {12, 4, 72}}};
constexpr std::array<Note, 5> CityBells = {{{0, 4, 77}, {5, 2, 76}, {8, 3, 72}, {11, 3, 71}, {14, 2, 67}}};

void compose(Score& score) {
    Noise noise;
    const auto time = [](int bar, float step) { return BarSeconds * static_cast<float>(bar) + StepSeconds * step; };

    // Drums first, for the other voices duck under the kicks.
    for (const int bar : {2, 3, 5, 6}) {
        for (const float step : {0.0f, 3.0f, 6.0f, 8.0f, 11.0f}) {
            play_kick(score, time(bar, step), 0.62f);
        }
        play_snare(score, noise, time(bar, 4), 0.42f);
        play_snare(score, noise, time(bar, 12), 0.42f);
        play_snare(score, noise, time(bar, 14.0f), 0.12f);
        for (int step = 0; step < 16; ++step) {
            const bool open = step % 4 == 2;
            play_hat(score, noise, time(bar, static_cast<float>(step)), open ? 0.13f : 0.08f, open ? 16.0f : 45.0f);
        }
    }
    for (int i = 0; i < 8; ++i) {
        const float rank = static_cast<float>(i);
        play_snare(score, noise, time(1, 4.0f + 0.5f * rank), 0.03f + 0.022f * rank);
        play_snare(score, noise, time(5, 12.0f + 0.5f * rank), 0.1f + 0.03f * rank);
    }
    play_kick(score, time(1, 8), 0.7f);
    play_kick(score, time(1, 14), 0.4f);
    play_kick(score, time(4, 0), 0.5f);
    play_kick(score, time(4, 8), 0.4f);
    play_kick(score, time(7, 0), 0.7f);
    play_snare(score, noise, time(4, 12), 0.16f);
    for (const float at : {time(1, 8), time(2, 0), time(2, 8), time(3, 0), time(5, 0), time(6, 0), time(7, 0)}) {
        play_crash(score, noise, at, at == time(2, 8) ? 0.1f : 0.17f);
    }
    play_riser(score, noise, time(1, 0), 1.5f, 0.4f);
    play_riser(score, noise, time(4, 8), 1.5f, 0.25f);
    play_riser(score, noise, time(5, 8), 1.5f, 0.28f);
    play_weather(score, noise, time(4, 0));

    for (int half = 0; half < 16; ++half) {
        const int bar = half / 2;
        const Chord& chord = Harmony[half];
        const float start = BarSeconds * 0.5f * static_cast<float>(half);
        const bool driving = bar == 2 || bar == 3 || bar == 5 || bar == 6;
        if (half != 15) {
            play_pad(score, chord, start, half == 14 ? 2.4f : 1.5f, driving ? 0.04f : 0.032f, driving ? 2600.0f : 1100.0f);
        }
        if (driving) {
            for (const int step : {0, 2, 3, 5, 6, 7}) {
                const float octave = step == 3 || step == 7 ? 12.0f : 0.0f;
                play_bass(score, chord.root + octave, start + StepSeconds * static_cast<float>(step), StepSeconds * 0.92f, 0.3f);
            }
        } else if (half != 15) {
            play_bass(score, chord.root, start, half == 14 ? 2.6f : 1.4f, 0.17f);
        }
        // The broken chord runs through everything but the last held one.
        constexpr std::array Order = {0, 2, 1, 3, 2, 0, 3, 1};
        for (std::size_t i = 0; i < Order.size() && half < 15; ++i) {
            const float gain = driving ? 0.075f : 0.085f;
            play_pluck(score, chord.notes[Order[i]] + 12.0f, start + StepSeconds * static_cast<float>(i), gain,
                       i % 2 == 0 ? -0.5f : 0.5f);
        }
    }
    const auto sing = [&](int bar, const auto& line) {
        for (const Note& note : line) {
            play_lead(score, note.midi, time(bar, static_cast<float>(note.step)), StepSeconds * static_cast<float>(note.length) * 0.95f);
        }
    };
    sing(2, ChaseLine);
    sing(3, KnotLine);
    sing(5, TunnelLine);
    sing(6, AuroraLine);
    const auto ring = [&](int bar, const auto& line) {
        for (const Note& note : line) {
            play_bell(score, note.midi, time(bar, static_cast<float>(note.step)), 0.15f, note.step % 8 == 0 ? -0.3f : 0.3f);
        }
    };
    ring(0, DuskBells);
    ring(4, CityBells);
    for (const Note& note : {Note{0, 16, 84}, Note{0, 16, 76}, Note{4, 12, 79}, Note{6, 10, 86}, Note{8, 8, 88}}) {
        play_bell(score, note.midi, time(7, static_cast<float>(note.step)), 0.12f, note.step == 4 ? 0.4f : -0.2f);
    }
    play_bell(score, 72.0f, time(1, 8), 0.2f, 0.0f);
    play_bell(score, 79.0f, time(1, 8), 0.16f, 0.3f);
}

}  // namespace

std::vector<std::int16_t> make_music(double seconds) {
    const std::size_t length = static_cast<std::size_t>(seconds * SampleRate);
    Score score(length);
    compose(score);
    Stereo out = score.mix_down();

    float peak = 0.0f;
    for (std::vector<float>* side : {&out.left, &out.right}) {
        float before = 0.0f;
        float held = 0.0f;
        for (std::size_t i = 0; i < length; ++i) {
            // No direct current, then a soft ceiling that rounds only the loudest hits.
            const float v = (*side)[i];
            held = v - before + 0.9968f * held;
            before = v;
            const float to_end = static_cast<float>(length - 1 - i) / Rate;
            const float fade = std::clamp(to_end / 0.9f, 0.0f, 1.0f) * std::min(static_cast<float>(i) / (0.005f * Rate), 1.0f);
            (*side)[i] = std::tanh(held) * fade * fade;
            peak = std::max(peak, std::abs((*side)[i]));
        }
    }
    // A little below full scale, because the lossy coder overshoots.
    const float gain = 0.795f * 32767.0f / peak;
    std::vector<std::int16_t> samples(length * 2);
    for (std::size_t i = 0; i < length; ++i) {
        samples[2 * i] = static_cast<std::int16_t>(std::lround(out.left[i] * gain));
        samples[2 * i + 1] = static_cast<std::int16_t>(std::lround(out.right[i] * gain));
    }
    return samples;
}

}  // namespace demo
