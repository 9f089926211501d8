#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/demux/packet_history.h"

namespace glyphreel::media {

/// Re-decodes in software a hardware frame that can no longer be downloaded: its device failed, or its
/// driver cannot copy to the host. One object serves all frames of a hardware decoder and outlives that
/// decoder. Thread-safety: any thread.
class SoftwareRedecoder {
 public:
  /// Takes the arguments with which the stream's software decoder is opened.
  SoftwareRedecoder(const AVCodec& codec, const AVCodecParameters& parameters, AVRational time_base);
  SoftwareRedecoder(const SoftwareRedecoder&) = delete;
  SoftwareRedecoder& operator=(const SoftwareRedecoder&) = delete;

  /// The packets from which one frame is decoded.
  struct DecodeRange {
    std::shared_ptr<const PacketHistory::Entry> first;  ///< where to begin; null: too much to keep
    std::int64_t last = 0;    ///< number of the last packet sent before the frame came out
    std::int64_t number = 0;  ///< of the frame's packet
    std::int64_t pts = 0;     ///< as the decoder set it
  };
  /// Decodes a frame. Fast for frames in the order in which the hardware decoder returned them; any other
  /// frame requires decoding all packets from the first. Errors: Failed if the packets were not kept or do
  /// not produce the frame.
  [[nodiscard]] Result<FramePtr> decode(const DecodeRange& recipe);

  /// Reports that a frame could not be downloaded, so the hardware decoder must be abandoned. `cause` is
  /// FFmpeg's text; only the first is kept.
  void report_loss(std::string cause);
  [[nodiscard]] std::optional<std::string> loss() const;
  /// Keeps memory alive as long as this object, because a failed copy may still write to it.
  void keep(std::shared_ptr<const void> memory);

 private:
  [[nodiscard]] Result<void> begin();
  /// Returns null if the decoder does not output the frame, or has already done so.
  [[nodiscard]] FramePtr find(const DecodeRange& recipe);
  /// Returns false if there is no packet left to send.
  [[nodiscard]] bool send_next(const DecodeRange& recipe);

  const AVCodec& codec_;
  const CodecParametersPtr parameters_;
  const AVRational time_base_;

  std::mutex decoding_;  ///< guards the next three
  CodecContextPtr context_;
  std::shared_ptr<const PacketHistory::Entry> sent_;  ///< the last one sent; null: none
  bool is_drained_ = false;

  std::atomic<bool> is_lost_ = false;
  mutable std::mutex reporting_;  ///< guards the next two
  std::optional<std::string> loss_;
  std::vector<std::shared_ptr<const void>> kept_;
};

/// What a hardware frame carries in AVFrame::opaque_ref so that it can be re-decoded.
struct DecodeOrigin {
  std::shared_ptr<SoftwareRedecoder> rescue;
  SoftwareRedecoder::DecodeRange recipe;
};
void attach_origin(AVFrame& frame, DecodeOrigin origin);
/// Returns null if none is attached. Valid as long as the frame's opaque_ref.
[[nodiscard]] const DecodeOrigin* origin_of(const AVFrame& frame);

}  // namespace glyphreel::media
