#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glyphreel::player {

/// Ring buffer of stereo frames that one thread writes and the audio device's thread reads. The position of a
/// frame is the number of frames that the device pulls before it. The reader's position advances with time,
/// even if no frames were written. A frame whose position the reader has passed is never played.
///
/// Thread-safety: one writer and one reader at a time, lock-free. Call reset_to_reader() only while there
/// is no reader.
class AudioRing {
 public:
  static constexpr std::size_t Channels = 2;

  explicit AudioRing(std::size_t capacity_frames)
      : capacity_(capacity_frames), samples_(capacity_frames * Channels) {}

  /// Writer: returns the position of the next frame to be written.
  [[nodiscard]] std::uint64_t end() const { return end_.load(std::memory_order_relaxed); }
  /// Returns the position of the next frame to be read.
  [[nodiscard]] std::uint64_t reader() const { return reader_.load(std::memory_order_acquire); }
  /// Writer: returns the number of frames that can be written now.
  [[nodiscard]] std::size_t room() const;

  /// Writer: appends the frames in `samples`, which must not contain more than room() frames.
  void write(std::span<const float> samples);
  /// Writer: appends `frames` frames of silence; `frames` must not exceed room().
  void write_silence(std::size_t frames);
  /// Writer: continues writing at `position`. Call this only if the reader has passed end(). `position` must
  /// not be before end().
  void skip_to(std::uint64_t position) { end_.store(position, std::memory_order_release); }

  /// Reader: copies the next frames from the ring to `samples`. If too few frames have been written, fills
  /// the rest of `samples` with silence. Returns the number of frames copied.
  std::size_t read(std::span<float> samples);

  /// Discards the frames that were written but not read.
  void reset_to_reader() { end_.store(reader(), std::memory_order_release); }

 private:
  const std::size_t capacity_;
  std::vector<float> samples_;
  std::atomic<std::uint64_t> end_ = 0;
  std::atomic<std::uint64_t> reader_ = 0;
};

}  // namespace glyphreel::player
