#pragma once

#include <optional>
#include <string>

#include "base/frame.h"
#include "media/encode/writer.h"

namespace glyphreel::test {

struct RecordSettings {
  std::string codec;
  std::optional<double> start_seconds;  ///< the recording then starts at zero
  std::optional<double> end_seconds;
  std::optional<int> damaged_sound_every =
      std::nullopt;  ///< every Nth audio packet becomes an empty ADTS frame
};
struct Recorded {
  bool ok = false;  ///< false: the test has failed already
  bool copies_audio = false;
  std::int64_t damaged_audio_packets = 0;
};

/// Reads `input` and writes noise frames with the same times, and its audio, to `output`.
[[nodiscard]] Recorded record(const std::string& input, const std::string& output,
                              const RecordSettings& settings);

/// A picture that depends only on `seed`: noise in blocks for Yuv420p, to give encoders work, and per byte
/// for Bgra8.
[[nodiscard]] Picture noise_picture(HostMemory& memory, PictureFormat format, Extent size, int seed);

}  // namespace glyphreel::test
