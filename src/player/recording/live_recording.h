#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/frame.h"
#include "base/threads/queue.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "base/thread_annotations.h"
#include "media/encode/picture_fit.h"
#include "media/encode/writer.h"
#include "player/recording/recording_timeline.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// Records what is being played, with its sound, to a video file. It renders and encodes on its own thread,
/// behind the player's, which never waits for it. If it cannot keep up, it drops pictures, never sound.
///
/// The player's loop:
///   recording.hear(...), recording.reach(...);   // at each step, before anything else is shown
///   recording.show(...);                         // whenever what is on the screen has changed
///   ... recording.take_outcome();                // something went wrong
///   recording.end();  ... take_outcome() ...     // the file is complete
///
/// Thread-safety: the player's thread only.
class LiveRecording {
 public:
  struct Options {
    /// path, codec, crf, bits_per_second, threads and frame_rate are set by the caller; sound_rate other
    /// than 0: with a sound track at RecordingTimeline::Rate.
    media::WriterOptions writer;
    GridSize grid;  ///< these two: of the first picture; later ones are scaled to fit its size
    CellSize cell;
    StageTimes* times = nullptr;
    std::function<void()>
        on_change;          ///< take_outcome() has a result: a wakeup only; called on another thread
    int most_waiting = 16;  ///< pictures waiting to be encoded; fewer if they are large
  };
  struct Outcome {
    std::string path;
    double seconds = 0;
    std::int64_t pictures = 0;  ///< in the file; 0: nothing was played, and there is no file
    std::int64_t left_out = 0;  ///< pictures dropped because encoding was too slow
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
    PlaybackSegment passage;
    double media_seconds = 0;
    double rate = 1;                                   ///< see RecordingTimeline::show()
    std::shared_ptr<const render::RenderSetup> setup;  ///< a new pointer: the renderer starts over
    mapping::Adjustments adjustments;                  ///< the current ones
    std::shared_ptr<const render::Overlay> overlay;    ///< null: no text
  };
  void show(Shown shown);
  /// See RecordingTimeline, also for the next two.
  void reach(PlaybackSegment passage, double media_seconds);
  void hear(PlaybackSegment passage, std::shared_ptr<const media::AudioBlock> block);
  void set_patience(double seconds) { timeline_.set_patience(seconds); }
  [[nodiscard]] double seconds() const { return timeline_.seconds(); }

  /// Ends the recording: the file is completed on the recording's thread. A second call does nothing.
  void end();
  /// Waits until there is an outcome. Call it after end().
  void wait();
  /// Returns once how the recording ended, by end() or by a failure. Errors: Failed if the file cannot be
  /// written or encoded.
  [[nodiscard]] std::optional<Result<Outcome>> take_outcome() EXCLUDES(mutex_);

  [[nodiscard]] const std::string& path() const { return options_.writer.path; }
  /// Pictures waiting to be encoded.
  [[nodiscard]] int waiting() const { return pictures_waiting_.load(std::memory_order_relaxed); }
  [[nodiscard]] int most_waiting() const { return options_.most_waiting; }

 private:
  struct PictureJob {
    Shown shown;
    std::int64_t pts = 0, duration = 0;  ///< in ticks of the file
  };
  using SoundJob = std::vector<float>;
  using Job = std::variant<PictureJob, SoundJob>;

  LiveRecording(Options options, PictureFormat format);
  void send_picture(std::int64_t end);
  void send_sound();
  [[nodiscard]] int room_for(const Frame& frame) const;

  // On the recording's thread.
  void run();
  [[nodiscard]] Result<Outcome> record();
  [[nodiscard]] Result<void> take_all();
  [[nodiscard]] Result<void> take(Job& job);
  [[nodiscard]] Result<void> write_picture(const PictureJob& job);
  [[nodiscard]] Result<render::RenderedFrame> render(const Shown& shown);

  const Options options_;
  const PictureFormat format_;

  RecordingTimeline timeline_;
  std::optional<PictureJob> pending_;  ///< the picture on the screen: its end is not known yet
  SoundJob sound_;                     ///< not sent yet
  std::int64_t left_out_ = 0;
  bool has_ended_ = false;

  BoundedQueue<Job> jobs_;
  std::vector<Job> last_jobs_;  ///< written before jobs_ is closed, read once it is drained
  std::atomic<int> pictures_waiting_ = 0;

  // Used on the recording's thread.
  std::unique_ptr<media::Writer> writer_;
  std::unique_ptr<render::Renderer> renderer_;
  std::unique_ptr<media::PictureFit> fit_;
  StageTimes own_times_;  ///< mapping and drawing for the file do not count as stages of the screen
  std::shared_ptr<const render::RenderSetup> setup_;  ///< these three: of the last picture rendered
  std::optional<Frame> rendered_;
  mapping::Adjustments adjustments_;
  std::int64_t pictures_ = 0;
  std::int64_t end_ = 0;  ///< of the last picture, ticks

  std::mutex mutex_;
  std::optional<Result<Outcome>> outcome_ GUARDED_BY(mutex_);

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace glyphreel::player
