#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glyphreel::player {

/// Stereo frames on their way from one thread to the sound device's, addressed by position: how many frames
/// the device has taken before. The reader's position is time itself: it goes on whether or not something was
/// written, and what is written behind it is never heard.
///
/// Thread-safety: one writer and one reader at a time, without locks. reset_to_reader() while there is no
/// reader.
class SoundRing {
 public:
  static constexpr std::size_t Channels = 2;

  explicit SoundRing(std::size_t capacity_frames)
      : capacity_(capacity_frames), samples_(capacity_frames * Channels) {}

  /// Writer: the position that the next written frame has.
  [[nodiscard]] std::uint64_t end() const { return end_.load(std::memory_order_relaxed); }
  /// The position that the reader takes next.
  [[nodiscard]] std::uint64_t reader() const { return reader_.load(std::memory_order_acquire); }
  /// Writer: frames that can be written now.
  [[nodiscard]] std::size_t room() const;

  /// Writer: appends frames(samples), at most room() of them.
  void write(std::span<const float> samples);
  /// Writer: appends `frames` of silence, at most room().
  void write_silence(std::size_t frames);
  /// Writer: the reader has passed the end: it continues at `position`, not before the end.
  void skip_to(std::uint64_t position) { end_.store(position, std::memory_order_release); }

  /// Reader: the next frames; silence where none were written. Returns how many were written ones.
  std::size_t read(std::span<float> samples);

  /// Forgets what was written and not read.
  void reset_to_reader() { end_.store(reader(), std::memory_order_release); }

 private:
  const std::size_t capacity_;
  std::vector<float> samples_;
  std::atomic<std::uint64_t> end_ = 0;
  std::atomic<std::uint64_t> reader_ = 0;
};

}  // namespace glyphreel::player
