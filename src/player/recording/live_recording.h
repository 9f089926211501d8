#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/frame.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/threads/queue.h"
#include "base/threads/stage_times.h"
#include "media/encode/picture_fit.h"
#include "media/encode/writer.h"
#include "player/recording/recording_timeline.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// Records the video being played, with its audio, to a file. Renders and encodes on its own thread; playback
/// never waits for that thread. If encoding is too slow, drops frames, but never audio.
///
/// The player's loop:
///   recording.push_audio(...), recording.advance_to(...);   // at each step, before the screen changes
///   recording.push_frame(...);                              // after each change of the screen
///   if (recording.take_outcome()) ...                       // after on_change(): the recording has failed
///   recording.end();
///   if (recording.take_outcome()) ...                       // after on_change(): success or failure
///
/// Thread-safety: the player's thread only.
class LiveRecording {
 public:
  struct Options {
    /// `size`: the size of the first drawn frame; later frames are scaled to fit it. `sample_rate`:
    /// RecordingTimeline::Rate for an audio track; 0 for none. begin() sets `time_base`.
    media::WriterOptions writer;
    StageTimes* times = nullptr;
    /// Called on the recording's thread when take_outcome() has a result; must only wake the player.
    std::function<void()> on_change;
    /// Maximum number of frames waiting to be encoded. For large frames, fewer may wait.
    int max_waiting = 16;
  };
  struct Outcome {
    std::string path;
    double seconds = 0;
    /// Number of frames in the file; 0: nothing was played, and no file was written.
    std::int64_t frames = 0;
    std::int64_t dropped = 0;  ///< frames dropped because encoding was too slow
    std::string encoder;
  };
  /// Starts a recording. Errors: Usage if the container cannot contain the codec; Failed if the thread cannot
  /// be started. take_outcome() returns the errors of writing the file.
  [[nodiscard]] static Result<std::unique_ptr<LiveRecording>> begin(Options options);
  /// Ends the recording, and waits until the file is complete.
  ~LiveRecording();
  LiveRecording(const LiveRecording&) = delete;
  LiveRecording& operator=(const LiveRecording&) = delete;

  /// A frame on the screen, and how it is drawn.
  struct Shown {
    Frame frame;
    PlaybackSegment segment;
    double media_seconds = 0;
    double rate = 1;                                   ///< see RecordingTimeline::push_frame()
    std::shared_ptr<const render::RenderSetup> setup;  ///< a change of this pointer reconfigures the renderer
    render::FrameOptions options;
  };
  void push_frame(Shown shown);
  /// For the following four functions, see RecordingTimeline.
  void advance_to(PlaybackSegment segment, double media_seconds) {
    timeline_.advance_to(segment, media_seconds);
  }
  void push_audio(PlaybackSegment segment, std::shared_ptr<const media::AudioBlock> block);
  void set_audio_timeout(double seconds) { timeline_.set_audio_timeout(seconds); }
  [[nodiscard]] double seconds() const { return timeline_.seconds(); }

  /// Ends the recording. The recording's thread then completes the file. A second call does nothing.
  void end();
  /// Waits until the recording's thread has finished. Call this after end().
  void wait();
  /// After end() or a failure, returns the recording's outcome, but only once; otherwise empty. Errors:
  /// Failed if the video cannot be encoded or the file cannot be written.
  [[nodiscard]] std::optional<Result<Outcome>> take_outcome() EXCLUDES(mutex_);

  [[nodiscard]] const std::string& path() const { return options_.writer.path; }
  /// Returns the number of frames waiting to be encoded.
  [[nodiscard]] int waiting() const { return frames_waiting_.load(std::memory_order_relaxed); }
  [[nodiscard]] int max_waiting() const { return options_.max_waiting; }

 private:
  struct FrameJob {
    Shown shown;
    std::int64_t pts = 0, duration = 0;  ///< in units of the file's time base
  };
  using AudioJob = std::vector<float>;
  using Job = std::variant<FrameJob, AudioJob>;

  LiveRecording(Options options, PictureFormat format);
  void send_frame(std::int64_t end);
  void send_audio();
  [[nodiscard]] int max_waiting_for(const Frame& frame) const;

  // Called on the recording's thread.
  void run();
  [[nodiscard]] Result<Outcome> record();
  [[nodiscard]] Result<void> process(Job& job);
  [[nodiscard]] Result<void> write_frame(const FrameJob& job);
  [[nodiscard]] Result<render::RenderedFrame> render(const Shown& shown);

  const Options options_;
  const PictureFormat format_;

  RecordingTimeline timeline_;
  std::optional<FrameJob> pending_;  ///< the frame on the screen, whose end is not known yet
  AudioJob audio_;                   ///< audio not sent to the thread yet
  std::int64_t dropped_ = 0;
  bool has_ended_ = false;

  BoundedQueue<Job> jobs_;
  std::vector<Job> last_jobs_;  ///< set by end() before it closes jobs_; processed after all jobs in jobs_
  std::atomic<int> frames_waiting_ = 0;

  // Used on the recording's thread.
  std::unique_ptr<media::Writer> writer_;
  std::unique_ptr<render::Renderer> renderer_;
  std::unique_ptr<media::PictureFit> fit_;
  /// Stage times of rendering for the file. Not reported: the statistics cover only rendering for the screen.
  StageTimes own_times_;
  /// Setup, frame and adjustments of the last call of Renderer::render(), and whether its options contained
  /// a wipe. Without a wipe in that call, Renderer::redraw() cannot show the source video.
  std::shared_ptr<const render::RenderSetup> setup_;
  std::optional<Frame> rendered_;
  mapping::Adjustments rendered_adjustments_;
  bool rendered_wipe_ = false;
  std::int64_t frames_ = 0;
  std::int64_t end_ = 0;  ///< end of the last frame, in ticks

  Mutex mutex_;
  std::optional<Result<Outcome>> outcome_ GUARDED_BY(mutex_);

  std::jthread thread_;  // declared last, so that it ends before the members that it uses
};

}  // namespace glyphreel::player
