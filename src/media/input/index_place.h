#pragma once

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

// An MP4 can be played from an input that cannot seek only if its index (moov) precedes its samples (mdat).

/// Whether `io`, which was just opened, cannot seek and contains an MP4 whose samples come first. Then FFmpeg
/// would have to read the whole file to find the index. Reads the first bytes, and seeks back within the
/// buffer. False if the whole file fits into the buffer.
[[nodiscard]] bool has_samples_first(AVIOContext& io);

/// Whether FFmpeg has read past the first samples of an MP4 to find the index, and cannot return to them.
[[nodiscard]] bool has_index_behind_samples(const AVFormatContext& format);

}  // namespace glyphreel::media
