#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "media/demux/demuxer.h"
#include "media/reading/read_window.h"
#include "media/reading/video_pipeline.h"
#include "media/stream/source_item.h"
#include "media/stream/video_facts.h"

namespace glyphreel::media {

using AudioPacketPtr = std::shared_ptr<const AudioPacket>;
/// The items that a StreamReader returns: decoded frames before pixel format conversion, and encoded audio.
using DecodedItem = std::variant<FramePtr, AudioPacketPtr, EndOfStream>;

/// Reads an input: decodes its video, returns its audio packets, and reopens the input if its connection is
/// lost. Thread-safety: one thread at a time, except that next_audio() may be called on one other thread, and
/// is_reconnecting() and demuxer() on any thread.
class StreamReader {
 public:
  /// Starts reading. All arguments must outlive the StreamReader. Check Demuxer::has_failed() afterward.
  StreamReader(const SourceOptions& options, Input& input, const SelectedStreams& streams,
               const VideoFacts& facts, ReadWindow& window, VideoPipeline& pipeline);

  /// Returns the next item: a decoded frame, a packet of a copied track, or, with AudioDelivery::WithFrames,
  /// a packet of the audio stream. Returns EndOfStream at the end. Errors: BadInput if reading fails, if the
  /// video is encrypted, or if the input ends before any frame was decoded; Failed if memory runs out or the
  /// system cannot create a thread.
  [[nodiscard]] Result<DecodedItem> next();
  /// For AudioDelivery::Apart: returns the next requested audio packet; null at the end.
  [[nodiscard]] AudioPacketPtr next_audio();

  /// Call begin_seek() before a seek and end_seek() after it; between these calls, readers on other threads
  /// wait. Items read after the seek have `epoch`, or the last epoch plus one if `epoch` is 0.
  void begin_seek(std::uint32_t epoch);
  void end_seek();
  /// Seeks the demuxer and restarts decoding at the new position. Returns an AVERROR, and changes nothing, if
  /// the input cannot seek.
  [[nodiscard]] int seek(const Demuxer::SeekTarget& target);
  /// Seeks forward to `target` within the packets already read. If these packets contain a keyframe at
  /// or before `target`, restarts decoding at the last such keyframe.
  [[nodiscard]] Demuxer::Skip skip_to(std::int64_t target);

  /// Call after reading the first frame that lies after the window. From then on, next() returns no frames.
  void end_video();
  /// Ends the stream until the next seek.
  void end() { position_ = Position::Ended; }
  [[nodiscard]] bool has_ended_video() const { return position_ != Position::Playing; }
  [[nodiscard]] bool has_ended() const { return position_ == Position::Ended; }

  /// Returns the pts of the last decoded frame. Before any frame was decoded, returns the lowest int64_t;
  /// after a seek, returns the highest int64_t until a frame is decoded.
  [[nodiscard]] std::int64_t last_pts() const { return last_pts_; }
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  void set_epoch(std::uint32_t epoch);
  [[nodiscard]] bool is_reconnecting() const { return is_reconnecting_.load(std::memory_order_relaxed); }
  [[nodiscard]] Demuxer& demuxer() const { return *demuxer_; }

 private:
  enum class Position { Playing, VideoDone, Ended };

  [[nodiscard]] Result<AudioPacketPtr> feed();
  [[nodiscard]] AudioPacketPtr audio_packet(Demuxer::Packet read) const;
  [[nodiscard]] Result<DecodedItem> end_of_input();
  void end_input();
  void note_frame(std::int64_t pts);
  void restart(std::int64_t target);
  /// Returns the value of position_ at the start of the input and after each seek.
  [[nodiscard]] Position first_position() const {
    return options_.discards_video ? Position::VideoDone : Position::Playing;
  }
  [[nodiscard]] bool has_broken() const;
  [[nodiscard]] Result<bool> reconnect();
  [[nodiscard]] bool reopen();
  void resume_after_break(std::int64_t audio_until);

  const SourceOptions& options_;
  Input& input_;
  const SelectedStreams& streams_;
  const VideoFacts& facts_;
  ReadWindow& window_;
  VideoPipeline& pipeline_;
  std::vector<int> streams_of_next_;  ///< the streams whose packets next() reads
  Position position_ = first_position();
  bool input_ended_ = false;
  bool is_encrypted_ = false;  ///< whether the video is encrypted from the current position on
  std::int64_t last_pts_ = std::numeric_limits<std::int64_t>::min();
  std::uint32_t epoch_ = 0;
  std::atomic<bool> is_reconnecting_ = false;
  int reopen_attempts_ = 0;                  ///< attempts since note_frame() last reset this number
  std::optional<std::int64_t> steady_from_;  ///< pts at which playback resumed after a lost connection
  std::unique_ptr<Demuxer> demuxer_;         // destroyed first, because its thread reads from the input
};

}  // namespace glyphreel::media
