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
#include "base/queue.h"
#include "base/result.h"
#include "base/stage_times.h"
#include "base/thread_annotations.h"
#include "media/picture_fit.h"
#include "media/writer.h"
#include "player/recording_timeline.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// A film of what is being played, with its sound: renders and encodes on a thread of its own, behind that of
/// the player, which never waits for it. Where it cannot keep up pictures are left out, never sound.
///
/// The player's loop:
///   recording.hear(...), recording.reach(...);   // at each turn, before anything else is shown
///   recording.show(...);                         // whenever what is on the screen has changed
///   ... recording.take_outcome();                // something went wrong
///   recording.end();  ... take_outcome() ...     // the file is complete
///
/// Thread-safety: the player's thread alone.
class LiveRecording {
 public:
  struct Options {
    /// path, codec, crf, bits_per_second, threads and frame_rate are the caller's; sound_rate other than 0:
    /// with a sound track, RecordingTimeline::Rate.
    media::WriterOptions writer;
    GridSize grid;  ///< these two: of the first picture; later ones are brought to its size
    CellSize cell;
    StageTimes* times = nullptr;
    std::function<void()>
        on_change;          ///< take_outcome() has something: a wake-up, no more; called on another thread
    int most_waiting = 16;  ///< pictures that wait to be encoded; fewer where they are large
  };
  struct Outcome {
    std::string path;
    double seconds = 0;
    std::int64_t pictures = 0;  ///< in the file; 0: nothing was played meanwhile, and there is no file
    std::int64_t left_out = 0;  ///< because encoding was too slow
    std::string encoder;
  };
  /// Errors: Usage where the container and the codec do not fit; Failed where there is no room for a thread.
  /// What is wrong with the file is reported by take_outcome().
  [[nodiscard]] static Result<std::unique_ptr<LiveRecording>> begin(Options options);
  /// Completes the file, and waits for it.
  ~LiveRecording();
  LiveRecording(const LiveRecording&) = delete;
  LiveRecording& operator=(const LiveRecording&) = delete;

  /// What is on the screen from a time of the passage on.
  struct Shown {
    Frame frame;
    Passage passage;
    double media_seconds = 0;
    double rate = 1;                                   ///< see RecordingTimeline::show()
    std::shared_ptr<const render::RenderSetup> setup;  ///< another one than before: the renderer starts over
    mapping::Adjustments adjustments;                  ///< as they are now
    std::shared_ptr<const render::Overlay> overlay;    ///< null: no text
  };
  void show(Shown shown);
  /// See RecordingTimeline, as for the next two.
  void reach(Passage passage, double media_seconds);
  void hear(Passage passage, std::shared_ptr<const media::AudioBlock> block);
  void set_patience(double seconds) { timeline_.set_patience(seconds); }
  [[nodiscard]] double seconds() const { return timeline_.seconds(); }

  /// No more is recorded: the file is completed on the recording's thread. A second call does nothing.
  void end();
  /// Waits until there is an outcome. After end().
  void wait();
  /// Once: how it ended, by end() or by a failure. Errors: Failed where the file cannot be written, or
  /// encoded.
  [[nodiscard]] std::optional<Result<Outcome>> take_outcome() EXCLUDES(mutex_);

  [[nodiscard]] const std::string& path() const { return options_.writer.path; }
  /// Pictures that wait.
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
  std::optional<PictureJob> pending_;  ///< the picture that stands: its end is not known yet
  SoundJob sound_;                     ///< that is yet to be sent
  std::int64_t left_out_ = 0;
  bool has_ended_ = false;

  BoundedQueue<Job> jobs_;
  std::vector<Job> last_jobs_;  ///< written before jobs_ is closed, read once it is drained
  std::atomic<int> pictures_waiting_ = 0;

  // Of the recording's thread.
  std::unique_ptr<media::Writer> writer_;
  std::unique_ptr<render::Renderer> renderer_;
  std::unique_ptr<media::PictureFit> fit_;
  StageTimes own_times_;  ///< mapping and drawing for the file are none of the screen's stages
  std::shared_ptr<const render::RenderSetup> setup_;  ///< these three: of the picture rendered last
  std::optional<Frame> rendered_;
  mapping::Adjustments adjustments_;
  std::int64_t pictures_ = 0;
  std::int64_t end_ = 0;  ///< of the last picture, ticks

  std::mutex mutex_;
  std::optional<Result<Outcome>> outcome_ GUARDED_BY(mutex_);

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace glyphreel::player
