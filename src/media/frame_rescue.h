#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/ffmpeg.h"
#include "media/packet_history.h"

namespace glyphreel::media {

/// Decodes anew, by the processor, what a hardware decoder gave and nobody can fetch from it any more: its
/// device broke, or its driver copies nothing to the host. One for all frames of that decoder, which it
/// outlives. Thread-safety: any thread.
class FrameRescue {
 public:
  /// As the processor's decoder of the stream is opened.
  FrameRescue(const AVCodec& codec, const AVCodecParameters& parameters, AVRational time_base);
  FrameRescue(const FrameRescue&) = delete;
  FrameRescue& operator=(const FrameRescue&) = delete;

  /// What one frame is made of.
  struct Recipe {
    std::shared_ptr<const PacketHistory::Entry> first;  ///< where to begin; null: that was too much to keep
    std::int64_t last = 0;    ///< number of the last packet that the decoder had when the frame came out
    std::int64_t number = 0;  ///< of the frame's packet
    std::int64_t pts = 0;     ///< the decoder's own
  };
  /// Quick for frames in the order in which they were given; for others all packets from the first are
  /// decoded. Errors: Failed where the packets were not kept or do not give the frame.
  [[nodiscard]] Result<FramePtr> decode(const Recipe& recipe);

  /// A frame could not be fetched: the decoder is to be given up. `cause`: FFmpeg's words; the first stand.
  void report_loss(std::string cause);
  [[nodiscard]] std::optional<std::string> loss() const;
  /// Keeps memory alive as long as the rescue: who knows when a copy that failed writes there no more.
  void keep(std::shared_ptr<const void> memory);

 private:
  [[nodiscard]] Result<void> begin();
  /// Null: it is not, or not any more, among what comes out.
  [[nodiscard]] FramePtr find(const Recipe& recipe);
  /// False: there is no packet left to send.
  [[nodiscard]] bool send_next(const Recipe& recipe);

  const AVCodec& codec_;
  const CodecParametersPtr parameters_;
  const AVRational time_base_;

  std::mutex decoding_;  ///< guards these
  CodecContextPtr context_;
  std::shared_ptr<const PacketHistory::Entry> sent_;  ///< last; null: none was
  bool is_drained_ = false;

  std::atomic<bool> is_lost_ = false;
  mutable std::mutex reporting_;  ///< guards these
  std::optional<std::string> loss_;
  std::vector<std::shared_ptr<const void>> kept_;
};

/// What a hardware decoder's frame carries (AVFrame::opaque_ref) so that it can be made anew.
struct FrameOrigin {
  std::shared_ptr<FrameRescue> rescue;
  FrameRescue::Recipe recipe;
};
void attach_origin(AVFrame& frame, FrameOrigin origin);
/// Null where none is attached; valid as long as the frame's.
[[nodiscard]] const FrameOrigin* origin_of(const AVFrame& frame);

}  // namespace glyphreel::media
