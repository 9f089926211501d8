#pragma once

#include <optional>
#include <string>

#include "base/frame.h"
#include "media/encode/writer.h"

namespace glyphreel::test {

struct RecordSettings {
  std::string codec;
  std::optional<double> start_seconds;  ///< position in the input at which the recording starts
  std::optional<double> end_seconds;
  /// If set to N, every Nth audio packet is replaced by a damaged one.
  std::optional<int> damaged_audio_every = std::nullopt;
  bool copies_tracks = false;  ///< whether all tracks are recorded, and not only the best audio track
};
struct Recorded {
  bool ok = false;  ///< false if the test has failed
  bool copies_audio = false;
  std::int64_t damaged_packets = 0;
};

/// Copies `input` to `output`, but replaces each video frame by noise. Keeps the frame times and the audio.
[[nodiscard]] Recorded record(const std::string& input, const std::string& output,
                              const RecordSettings& settings);

/// Returns a picture of noise that depends only on `seed`. For Yuv420p, each block of 8 x 8 samples has one
/// random value, so encoding the picture is not trivial. For Bgra8, every byte is random.
[[nodiscard]] Picture noise_picture(HostMemory& memory, PictureFormat format, Extent size, int seed);

}  // namespace glyphreel::test
