#pragma once

#include <cstdint>
#include <vector>

namespace demo {

constexpr int SampleRate = 48000;

// Interleaved stereo, in time with the shots: a bar of 3 s for each.
std::vector<std::int16_t> make_music(double seconds);

}  // namespace demo
