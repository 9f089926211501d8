#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/source.h"

namespace glyphreel::commands {

/// A Source that first returns frames from memory, so that a measurement does not include opening the input
/// and seeking. The stream then ends or continues with the input. Delivers no sound.
/// Thread-safety: that of Source. interrupt() interrupts only the input, not the frames from memory.
class FrameFeed final : public media::Source {
 public:
  /// Makes a feed of `count` frames: `frames` in a loop, with ascending times. `frames` must not be empty.
  [[nodiscard]] static std::unique_ptr<FrameFeed> replaying(std::vector<Frame> frames, std::int64_t count,
                                                            const media::VideoFacts& facts);
  /// Makes a feed of all frames of `input`, and reads the first frame. Errors: those of Source::read();
  /// BadInput if there is no frame.
  [[nodiscard]] static Result<std::unique_ptr<FrameFeed>> primed(std::unique_ptr<media::Source> input);

  const media::VideoFacts& facts() const override { return facts_; }
  const media::InputFacts& input() const override { return input_facts_; }
  std::shared_ptr<const media::AudioStream> audio() const override { return nullptr; }
  Result<media::SourceItem> read() override;
  Result<media::SourceItem> read_audio() override { return media::SourceItem{media::EndOfStream{}}; }
  Result<void> seek(double seconds, media::SeekMode mode, std::uint32_t epoch) override;
  media::ReadAhead read_ahead() const override { return {}; }
  const std::vector<media::SubtitleTrackInfo>& subtitle_tracks() const override { return no_tracks_; }
  Result<std::unique_ptr<media::SubtitleDecoder>> open_subtitles(int stream_index,
                                                                 const std::string& charset) const override;
  std::shared_ptr<const media::SubtitlePacket> try_read_subtitle(int /*stream_index*/) override {
    return nullptr;
  }
  void set_background(std::uint32_t /*rgb*/) override {}
  void interrupt() override {
    if (input_) input_->interrupt();
  }
  std::uint64_t damaged_packets() const override { return input_ ? input_->damaged_packets() : 0; }

 private:
  FrameFeed(std::vector<Frame> frames, std::int64_t count, media::VideoFacts facts)
      : frames_(std::move(frames)), count_(count), facts_(std::move(facts)) {}

  std::vector<Frame> frames_;
  std::int64_t count_;     ///< how many frames to return before `input_` continues
  std::int64_t next_ = 0;  ///< the number of frames returned so far, at most `count_`
  media::VideoFacts facts_;
  media::InputFacts input_facts_;
  std::unique_ptr<media::Source> input_;  ///< null: the stream ends after `count_` frames
  std::vector<media::SubtitleTrackInfo> no_tracks_;
};

/// Reads up to `count` frames of an input. Errors: those of Source::read(); BadInput if there is no frame.
[[nodiscard]] Result<std::vector<Frame>> read_frames(media::Source& input, std::size_t count);

}  // namespace glyphreel::commands
