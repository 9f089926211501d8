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
#include "player/playback/playback.h"
#include "player/recording/live_recording.h"
#include "render/overlay_builder.h"
#include "session/statistics.h"

namespace glyphreel::player {

/// Records what a player shows, from one key press to the next: starts and ends recordings, passes frames,
/// audio and text on to the one in progress, and reports how they end.
/// Thread-safety: the player's thread only, except add_audio().
class RecordingController {
 public:
  struct Options {
    const cli::Settings* settings = nullptr;
    StageTimes* times = nullptr;
    session::Statistics* statistics = nullptr;
    OsdController* osd = nullptr;  ///< shows messages; what it shows is recorded
    std::function<void()> wake;    ///< ends the player's wait; any thread
  };
  explicit RecordingController(Options options);

  /// Sets the number of the input that plays from now on; it differs from input to input.
  void set_input(std::uint32_t input) { input_ = input; }
  [[nodiscard]] std::uint32_t input() const { return input_; }
  /// Adds audio of an input, ahead of its time. May be called from any thread.
  void add_audio(std::uint32_t input, const media::AudioBlock& block) EXCLUDES(mutex_);

  [[nodiscard]] bool is_recording() const { return recording_ != nullptr; }
  /// Starts a recording of what is on the screen: set_frame(), update_options() and record() follow. Does
  /// nothing but report the reason if that fails.
  void start(const LiveSettings& live, GridSize grid, Rational frame_rate);
  void end();
  /// Ends the recording, and waits until all recordings are complete or have failed.
  void finish();

  // The following do nothing while no recording is in progress.

  /// Sets the glyphs and the grid that frames are shown with.
  void configure(const LiveSettings& live, GridSize grid);
  /// Passes on the audio decoded since the last call, and how far the input has been played. Call it before
  /// a command or a step changes that. Also reports recordings that have ended.
  void sync(const Playback& playback, std::chrono::steady_clock::time_point now);
  /// Sets the frame that is on the screen. It is kept in host memory, where the recording's renderer reads
  /// it: a hardware decoder needs its frames back sooner.
  void set_frame(const Frame& frame);
  void forget_frame() { frame_.reset(); }
  /// Updates how the frame is drawn: as on the screen (`shown`), but its text is `subtitles` and the OSD
  /// without what that shows about the recording itself or about a split view. Returns whether anything has
  /// changed.
  [[nodiscard]] bool update_options(const render::FrameOptions& shown, const render::TextLayer& subtitles,
                                    std::optional<GridSize> grid);
  /// Records what is on the screen, starting at this media time; by default the current position.
  void record(const Playback& playback, std::optional<double> media_seconds = std::nullopt);
  /// Returns the length of the recording's queue; empty: there is none.
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
  /// Of the last seconds: a recording that begins now needs audio that was already decoded ahead.
  std::deque<DecodedAudio> recent_audio_ GUARDED_BY(mutex_);
  std::size_t recent_frames_ GUARDED_BY(mutex_) = 0;  ///< of audio, in recent_audio_
  std::size_t new_blocks_ GUARDED_BY(mutex_) = 0;     ///< at its end: not passed on to the recording

  std::uint32_t input_ = 0;
  std::unique_ptr<LiveRecording> recording_;            ///< null: none is in progress
  std::vector<std::unique_ptr<LiveRecording>> ending_;  ///< whose files are being completed
  std::unique_ptr<render::OverlayBuilder> text_;        ///< these four belong to the recording
  render::FrameOptions frame_options_;
  std::shared_ptr<const render::RenderSetup> setup_;
  std::optional<Frame> frame_;
};

}  // namespace glyphreel::player
