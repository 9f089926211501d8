#include "player/recording/live_recording.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/threads/thread.h"

namespace glyphreel::player {
namespace {

// Ticks per second. At every common frame rate, including NTSC's, a frame lasts a whole number of ticks.
constexpr int Ticks = 120'000;
// Audio is sent in jobs of at least a tenth of a second.
constexpr std::size_t JobSamples = RecordingTimeline::Rate / 10 * RecordingTimeline::Channels;
constexpr std::size_t MaxJobs = 600;                   // a minute of audio
constexpr std::int64_t MaxWaitingBytes = 256'000'000;  // maximum bytes of frames that wait to be encoded

std::int64_t ticks(double seconds) {
  return std::llround(seconds * Ticks);
}

bool is_same_frame(const Frame& a, const Frame& b) {
  return a.owner == b.owner && a.surface == b.surface && a.view.planes == b.view.planes && a.pts == b.pts &&
         a.epoch == b.epoch;
}

}  // namespace

Result<std::unique_ptr<LiveRecording>> LiveRecording::begin(Options options) {
  media::WriterOptions& writer = options.writer;
  TRY_ASSIGN(const PictureFormat format, media::Writer::picture_format(writer));
  TRY_ASSIGN(writer.size, media::Writer::picture_size(writer));
  writer.time_base = {1, Ticks};
  if (writer.sample_rate != 0) writer.sample_rate = RecordingTimeline::Rate;
  std::unique_ptr<LiveRecording> self(new LiveRecording(std::move(options), format));
  TRY_ASSIGN(self->thread_,
             start_thread("record", [recording = self.get()](const std::stop_token&) { recording->run(); }));
  return self;
}

LiveRecording::LiveRecording(Options options, PictureFormat format)
    : options_(std::move(options)), format_(format), jobs_(MaxJobs) {}

LiveRecording::~LiveRecording() {
  end();
  wait();
}

// ---- on the player's thread ----

void LiveRecording::push_frame(Shown shown) {
  const double recording_time = timeline_.push_frame(shown.segment, shown.media_seconds, shown.rate);
  std::int64_t pts = ticks(recording_time);
  if (pending_) {
    // If the pending frame has no duration, for example while paused, this frame replaces it.
    pts = std::max(pts, pending_->pts);
    if (pts > pending_->pts) send_frame(pts);
  }
  pending_ = FrameJob{.shown = std::move(shown), .pts = pts};
  send_audio();
}

void LiveRecording::push_audio(PlaybackSegment segment, std::shared_ptr<const media::AudioBlock> block) {
  if (options_.writer.sample_rate > 0) timeline_.push_audio(segment, std::move(block));
}

/// Sends the pending frame to the recording's thread. `end`: when the frame ends, in ticks.
void LiveRecording::send_frame(std::int64_t end) {
  pending_->duration = end - pending_->pts;
  const int room = max_waiting_for(pending_->shown.frame);
  Job job = *std::exchange(pending_, std::nullopt);
  ++frames_waiting_;
  if (frames_waiting_ > room || !jobs_.try_push(job)) {
    --frames_waiting_;
    ++dropped_;
  }
}

/// Returns how many frames of this size may wait. The limit is lower for large frames, because they keep the
/// decoder's memory in use.
int LiveRecording::max_waiting_for(const Frame& frame) const {
  const FrameView& view = frame.view;
  const std::int64_t bytes = std::int64_t{view.layout.bytes_per_sample} * view.layout.component_count() *
                             view.size.width * view.size.height;
  return static_cast<int>(
      std::clamp<std::int64_t>(MaxWaitingBytes / std::max<std::int64_t>(bytes, 1), 2, options_.max_waiting));
}

void LiveRecording::send_audio() {
  if (options_.writer.sample_rate == 0) return;
  const std::vector<float> samples = timeline_.take_audio();
  audio_.insert(audio_.end(), samples.begin(), samples.end());
  if (audio_.size() < JobSamples) return;
  Job job = std::move(audio_);
  audio_.clear();
  // If the queue is full, keep the audio and send it later: audio is never dropped.
  if (!jobs_.try_push(job)) audio_ = std::get<AudioJob>(std::move(job));
}

void LiveRecording::end() {
  if (std::exchange(has_ended_, true)) return;
  if (pending_) {
    pending_->duration = ticks(timeline_.seconds()) - pending_->pts;
    if (pending_->duration > 0) {
      ++frames_waiting_;
      last_jobs_.emplace_back(*std::exchange(pending_, std::nullopt));
    }
  }
  pending_.reset();
  if (options_.writer.sample_rate > 0) {
    const std::vector<float> samples = timeline_.take_last_audio();
    audio_.insert(audio_.end(), samples.begin(), samples.end());
    last_jobs_.emplace_back(std::move(audio_));
  }
  jobs_.close();
}

void LiveRecording::wait() {
  if (thread_.joinable()) thread_.join();
}

std::optional<Result<LiveRecording::Outcome>> LiveRecording::take_outcome() {
  const MutexLock lock(mutex_);
  std::optional<Result<Outcome>> outcome = std::exchange(outcome_, std::nullopt);
  // Frames are dropped on the player's thread, so run() does not know their number.
  if (outcome && *outcome) (**outcome).dropped = dropped_;
  return outcome;
}

// ---- on the recording's thread ----

void LiveRecording::run() {
  lower_thread_priority();
  Result<Outcome> outcome = catching([this] { return record(); });
  jobs_.abort();
  // Free these objects now rather than in the destructor, because they keep frames and other memory in use.
  writer_.reset();
  rendered_.reset();
  renderer_.reset();
  {
    const MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
  }
  if (options_.on_change) options_.on_change();
}

Result<LiveRecording::Outcome> LiveRecording::record() {
  TRY_ASSIGN(writer_, media::Writer::open(options_.writer));
  options_.times->set_engine(Stage::Encode, writer_->encoder_name());
  renderer_ = render::make_cpu_renderer(options_.writer.threads, own_times_);
  fit_ = std::make_unique<media::PictureFit>(options_.writer.size);
  Result<void> written = catching([this]() -> Result<void> {
    while (std::optional<Job> job = jobs_.pop()) TRY(process(*job));
    for (Job& job : last_jobs_) TRY(process(job));
    return frames_ > 0 ? writer_->finish() : Result<void>();
  });
  if (!written) {
    const std::string kept = writer_->abandon();
    if (!kept.empty()) written.error().message += fmt::format(" The recording so far is in {}.", kept);
    return std::move(written.error());
  }
  return Outcome{.path = path(),
                 .seconds = static_cast<double>(end_) / Ticks,
                 .frames = frames_,
                 .encoder = writer_->encoder_name()};
}

Result<void> LiveRecording::process(Job& job) {
  if (const auto* picture = std::get_if<FrameJob>(&job)) {
    const Result<void> written = write_frame(*picture);
    --frames_waiting_;
    return written;
  }
  const ScopedStage stage(*options_.times, Stage::Audio);
  return writer_->write_samples(std::get<AudioJob>(job));
}

Result<void> LiveRecording::write_frame(const FrameJob& job) {
  TRY_ASSIGN(render::RenderedFrame rendered, render(job.shown));
  const ScopedStage stage(*options_.times, Stage::Encode);
  TRY_ASSIGN(Picture picture, fit_->fit(std::move(rendered.picture)));
  TRY(writer_->write_video(std::move(picture), job.pts, job.duration));
  ++frames_;
  end_ = job.pts + job.duration;
  return {};
}

Result<render::RenderedFrame> LiveRecording::render(const Shown& shown) {
  if (shown.setup != setup_) {
    render::RenderSetup setup = *shown.setup;
    setup.may_resize = false;
    setup.picture = format_;
    setup.picture_memory = nullptr;
    TRY(renderer_->configure(setup));
    setup_ = shown.setup;
    rendered_.reset();
  }
  const bool has_source = rendered_wipe_ || !shown.options.wipe;
  if (rendered_ && has_source && is_same_frame(*rendered_, shown.frame) &&
      rendered_adjustments_ == shown.options.adjustments) {
    return renderer_->redraw(shown.options);
  }
  rendered_ = shown.frame;
  rendered_adjustments_ = shown.options.adjustments;
  rendered_wipe_ = shown.options.wipe.has_value();
  return renderer_->render(shown.frame, shown.options);
}

}  // namespace glyphreel::player
