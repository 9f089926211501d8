#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/frame.h"
#include "base/mutex.h"
#include "base/rational.h"
#include "base/threads/stage_times.h"
#include "cli/options/settings.h"
#include "player/control/live_settings.h"
#include "player/osd/osd_controller.h"
#include "player/osd/picture_text.h"
#include "player/playback/playback.h"
#include "player/recording/live_recording.h"
#include "session/statistics.h"

namespace glyphreel::player {

/// Starts and ends the recordings of a player, one at a time. Passes frames, audio and text to the recording
/// in progress, and reports the outcome of each recording.
/// Thread-safety: the player's thread only, except add_audio().
class RecordingController {
 public:
  struct Options {
    const cli::Settings* settings = nullptr;
    StageTimes* times = nullptr;
    session::Statistics* statistics = nullptr;
    OsdController* osd = nullptr;  ///< shows messages; the recording contains the OSD, too
    std::function<void()> wake;    ///< wakes the player's loop; called on any thread
  };
  explicit RecordingController(Options options);

  /// Sets the number of the input that plays from now on. Each opened input has a unique number.
  void set_input(std::uint32_t input) { input_ = input; }
  [[nodiscard]] std::uint32_t input() const { return input_; }
  /// Adds decoded audio of an input. Call this before the audio is played. May be called from any thread.
  void add_audio(std::uint32_t input, const media::AudioBlock& block) EXCLUDES(mutex_);

  [[nodiscard]] bool is_recording() const { return recording_ != nullptr; }
  /// Starts a recording. If that fails, shows the reason. After this call, call set_frame(), update_options()
  /// and record() for the current frame.
  void start(const LiveSettings& live, GridSize grid, Rational frame_rate);
  void end();
  /// Ends the recording, and waits until all recordings are complete or have failed.
  void finish();

  // While no recording is in progress, the functions below do nothing, except that sync() still reports
  // recordings that have ended.

  /// Sets the glyphs and the grid that frames are shown with.
  void configure(const LiveSettings& live, GridSize grid);
  /// Passes the audio decoded since the last call, and the playback position, to the recording. Call this
  /// before a command or Playback::step() changes the position. Also reports recordings that have ended.
  void sync(const Playback& playback, std::chrono::steady_clock::time_point now);
  /// Sets the frame that is on the screen. A hardware frame is copied to host memory, because the recording
  /// keeps the frame longer than the decoder can spare the surface.
  void set_frame(const Frame& frame);
  void forget_frame() { frame_.reset(); }
  /// Updates the options for drawing recorded frames. Except for the overlay, the options equal `shown`, the
  /// options for the screen. The recorded overlay contains `subtitles` and the OSD, but no recording mark, no
  /// messages about recordings, and no heading of the split view. `text`: the font, grid and scale of the
  /// overlay. Returns whether the options have changed.
  [[nodiscard]] bool update_options(const render::FrameOptions& shown, const render::TextLayer& subtitles,
                                    const PictureText::Setup& text);
  /// Adds the frame that set_frame() has set to the recording. The frame begins at `media_seconds`, or, if
  /// that is empty, at the current playback position.
  void record(const Playback& playback, std::optional<double> media_seconds = std::nullopt);
  /// Returns the depth and capacity of the recording's queue; empty if no recording is in progress.
  [[nodiscard]] std::optional<QueueFacts> queue() const;

 private:
  struct DecodedAudio {
    PlaybackSegment segment;
    std::shared_ptr<const media::AudioBlock> block;
  };
  [[nodiscard]] std::vector<DecodedAudio> take_new_audio() EXCLUDES(mutex_);
  void report_ended();
  void report(const Result<LiveRecording::Outcome>& outcome);

  const Options options_;

  Mutex mutex_;
  /// Audio decoded in the last few seconds. A new recording needs the part that has not been played yet.
  std::deque<DecodedAudio> recent_audio_ GUARDED_BY(mutex_);
  std::size_t recent_frames_ GUARDED_BY(mutex_) = 0;  ///< number of audio frames in recent_audio_
  std::size_t new_blocks_ GUARDED_BY(mutex_) = 0;     ///< number of new blocks: sync() has not taken them yet

  std::uint32_t input_ = 0;
  std::unique_ptr<LiveRecording> recording_;            ///< null: no recording is in progress
  std::vector<std::unique_ptr<LiveRecording>> ending_;  ///< recordings whose files are being completed
  std::unique_ptr<PictureText> text_;                   ///< text_ and the members below belong to recording_
  render::FrameOptions frame_options_;
  std::shared_ptr<const render::RenderSetup> setup_;
  std::optional<Frame> frame_;
};

}  // namespace glyphreel::player
