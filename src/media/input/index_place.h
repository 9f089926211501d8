#pragma once

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

// If an input cannot seek, an MP4 in it can be played only if the index (moov) precedes the samples (mdat).

/// Whether `io`, which was just opened, cannot seek and contains an MP4 whose samples come first. In that
/// case, FFmpeg would have to read the whole file to find the index. False if the whole file fits into the
/// buffer. Reads the first bytes of `io`, then seeks back within the buffer.
[[nodiscard]] bool has_samples_first(AVIOContext& io);

/// Whether FFmpeg has read past the first samples of an MP4 to find the index, and cannot return to them.
[[nodiscard]] bool has_index_behind_samples(const AVFormatContext& format);

}  // namespace glyphreel::media
