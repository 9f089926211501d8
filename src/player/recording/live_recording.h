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
#include "base/threads/queue.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "base/mutex.h"
#include "media/encode/picture_fit.h"
#include "media/encode/writer.h"
#include "player/recording/recording_timeline.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// Records what is being played, with its audio, to a video file. It renders and encodes on its own thread,
/// behind the player's, which never waits for it. If it cannot keep up, it drops frames, never audio.
///
/// The player's loop:
///   recording.push_audio(...), recording.advance_to(...);   // at each step, before anything else is shown
///   recording.push_frame(...);                              // whenever what is on the screen has changed
///   ... recording.take_outcome();                           // something went wrong
///   recording.end();  ... take_outcome() ...                // the file is complete
///
/// Thread-safety: the player's thread only.
class LiveRecording {
 public:
  struct Options {
    /// path, codec, crf, bits_per_second, threads, size and frame_rate are set by the caller. size: of the
    /// first frame; later ones are scaled to fit it. sample_rate other than 0: with an audio track at
    /// RecordingTimeline::Rate.
    media::WriterOptions writer;
    StageTimes* times = nullptr;
    std::function<void()>
        on_change;         ///< take_outcome() has a result: a wakeup only; called on another thread
    int max_waiting = 16;  ///< frames waiting to be encoded; fewer if they are large
  };
  struct Outcome {
    std::string path;
    double seconds = 0;
    std::int64_t frames = 0;   ///< in the file; 0: nothing was played, and there is no file
    std::int64_t dropped = 0;  ///< frames dropped because encoding was too slow
    std::string encoder;
  };
  /// Starts a recording. Errors: Usage if the container and the codec do not fit; Failed if no thread can
  /// be started. Errors of the file itself come from take_outcome().
  [[nodiscard]] static Result<std::unique_ptr<LiveRecording>> begin(Options options);
  /// Completes the file and waits for it.
  ~LiveRecording();
  LiveRecording(const LiveRecording&) = delete;
  LiveRecording& operator=(const LiveRecording&) = delete;

  /// What is on the screen from a point of the segment on.
  struct Shown {
    Frame frame;
    PlaybackSegment segment;
    double media_seconds = 0;
    double rate = 1;                                   ///< see RecordingTimeline::push_frame()
    std::shared_ptr<const render::RenderSetup> setup;  ///< a new pointer: the renderer starts over
    render::FrameOptions options;
  };
  void push_frame(Shown shown);
  /// See RecordingTimeline, also for the next two.
  void advance_to(PlaybackSegment segment, double media_seconds) {
    timeline_.advance_to(segment, media_seconds);
  }
  void push_audio(PlaybackSegment segment, std::shared_ptr<const media::AudioBlock> block);
  void set_audio_timeout(double seconds) { timeline_.set_audio_timeout(seconds); }
  [[nodiscard]] double seconds() const { return timeline_.seconds(); }

  /// Ends the recording: the file is completed on the recording's thread. A second call does nothing.
  void end();
  /// Waits until there is an outcome. Call it after end().
  void wait();
  /// Returns once how the recording ended, by end() or by a failure. Errors: Failed if the file cannot be
  /// written or encoded.
  [[nodiscard]] std::optional<Result<Outcome>> take_outcome() EXCLUDES(mutex_);

  [[nodiscard]] const std::string& path() const { return options_.writer.path; }
  /// Frames waiting to be encoded.
  [[nodiscard]] int waiting() const { return frames_waiting_.load(std::memory_order_relaxed); }
  [[nodiscard]] int max_waiting() const { return options_.max_waiting; }

 private:
  struct FrameJob {
    Shown shown;
    std::int64_t pts = 0, duration = 0;  ///< in ticks of the file
  };
  using AudioJob = std::vector<float>;
  using Job = std::variant<FrameJob, AudioJob>;

  LiveRecording(Options options, PictureFormat format);
  void send_frame(std::int64_t end);
  void send_audio();
  [[nodiscard]] int max_waiting_for(const Frame& frame) const;

  // On the recording's thread.
  void run();
  [[nodiscard]] Result<Outcome> record();
  [[nodiscard]] Result<void> process(Job& job);
  [[nodiscard]] Result<void> write_frame(const FrameJob& job);
  [[nodiscard]] Result<render::RenderedFrame> render(const Shown& shown);

  const Options options_;
  const PictureFormat format_;

  RecordingTimeline timeline_;
  std::optional<FrameJob> pending_;  ///< the frame on the screen: its end is not known yet
  AudioJob audio_;                   ///< not sent yet
  std::int64_t dropped_ = 0;
  bool has_ended_ = false;

  BoundedQueue<Job> jobs_;
  std::vector<Job> last_jobs_;  ///< written before jobs_ is closed, read once it is drained
  std::atomic<int> frames_waiting_ = 0;

  // Used on the recording's thread.
  std::unique_ptr<media::Writer> writer_;
  std::unique_ptr<render::Renderer> renderer_;
  std::unique_ptr<media::PictureFit> fit_;
  StageTimes own_times_;  ///< mapping and drawing for the file do not count as stages of the screen
  std::shared_ptr<const render::RenderSetup> setup_;  ///< these three: of the last frame rendered
  std::optional<Frame> rendered_;
  mapping::Adjustments rendered_adjustments_;
  std::int64_t frames_ = 0;
  std::int64_t end_ = 0;  ///< of the last frame, ticks

  Mutex mutex_;
  std::optional<Result<Outcome>> outcome_ GUARDED_BY(mutex_);

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace glyphreel::player
