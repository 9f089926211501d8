#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/io/atomic_file.h"
#include "base/result.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/input/copied_content.h"

namespace glyphreel::media {

/// A track that is not in the fragmented file and is added to the progressive file.
struct HeldTrack {
  CodecParametersPtr parameters;
  AVRational time_base{0, 1};
  int disposition = 0;
  DictionaryPtr metadata;
  std::vector<PacketPtr> packets = {};  ///< with times in `time_base`, ordered by dts
};

/// Rewrites the finished fragmented mp4 or mov file `from` as a progressive file, which has its index at the
/// front, and adds the tracks of `held` and, in mp4, `covers`. Packets and their times stay unchanged.
/// `packets` is an upper bound on the number of packets in `from`. `path` is the output's name in messages.
/// Errors: Failed; `to` is then partially written.
[[nodiscard]] Result<void> remux_to_progressive(const std::string& from, AtomicFile& to,
                                                const std::string& path, const char* muxer,
                                                std::int64_t packets,
                                                const std::vector<const HeldTrack*>& held,
                                                std::span<const CopiedContent::Cover> covers);

}  // namespace glyphreel::media
