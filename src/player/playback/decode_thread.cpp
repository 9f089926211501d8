#include "player/playback/decode_thread.h"

#include <utility>

#include "base/threads/thread.h"
#include "media/ffmpeg/picture_limits.h"

namespace glyphreel::player {

DecodeThread::DecodeThread(media::Source& source, std::function<void()> on_change)
    : source_(source), on_change_(std::move(on_change)) {
  Result<std::jthread> started = start_thread("decode", [this](const std::stop_token& stop) {
    Result<void> worked = catching([&]() -> Result<void> {
      work(stop);
      return {};
    });
    if (!worked) static_cast<void>(send({AnySeek, std::move(worked.error())}));
  });
  if (started) {
    thread_ = *std::move(started);
    return;
  }
  fail(std::move(started.error()));
}

DecodeThread::~DecodeThread() {
  thread_.request_stop();
  source_.interrupt();
  queue_.abort();
}

void DecodeThread::work(const std::stop_token& stop) {
  std::uint64_t seek = 0;
  bool idle = false;  // whether there is nothing to decode until the next seek
  while (!stop.stop_requested()) {
    if (idle) {
      MutexLock lock(mutex_);
      request_pending_.wait(lock, stop, [this]() REQUIRES(mutex_) { return request_.has_value(); });
    }
    if (std::optional<Request> request = take_request()) {
      seek = request->seek;
      if (Result<void> sought =
              source_.seek(request->target.seconds, request->target.mode, request->target.epoch);
          !sought) {
        if (!send({seek, SeekFailed{std::move(sought.error())}})) return;
        if (idle && !send({seek, media::EndOfStream{}})) return;
      } else {
        idle = false;
      }
      continue;  // check for a newer request first
    }
    if (idle) continue;
    Result<media::SourceItem> item = source_.read();
    if (!item) {
      idle = true;
      if (!send({seek, std::move(item.error())})) return;
    } else if (auto* frame = std::get_if<Frame>(&*item)) {
      if (!send({seek, std::move(*frame)})) return;
    } else if (std::holds_alternative<media::EndOfStream>(*item)) {
      idle = true;
      if (!send({seek, media::EndOfStream{}})) return;
    }
  }
}

/// Returns the maximum number of frames in queue_, or in waiting_, if each frame is as large as `frame`. Each
/// of the two containers may use half of the memory that max_queued() allows, so twice the frame's size is
/// passed to max_queued(). `surfaces`: the maximum if `frame` is a hardware frame.
std::size_t DecodeThread::queue_limit(const Frame& frame, std::size_t surfaces) {
  return media::max_queued(2 * media::bytes_of(frame.view), frame.surface ? surfaces : Capacity);
}

std::size_t DecodeThread::max_waiting() const {
  return waiting_.empty() ? Capacity : queue_limit(waiting_.back(), MaxWaitingSurfaces);
}

std::optional<DecodeThread::Request> DecodeThread::take_request() {
  const MutexLock lock(mutex_);
  return std::exchange(request_, std::nullopt);
}

/// Sends a report to the player. Returns false if the queue was closed.
bool DecodeThread::send(Report report) {
  const auto* frame = std::get_if<Frame>(&report.what);
  const std::size_t limit = frame == nullptr ? Capacity : queue_limit(*frame, MaxQueuedSurfaces);
  if (!queue_.push(std::move(report), limit)) return false;
  if (on_change_) on_change_();
  return true;
}

/// Records that the thread has failed. Seeks have no effect from now on.
void DecodeThread::fail(Error error) {
  has_failed_ = ended_ = true;
  seeking_ = false;
  error_ = std::move(error);
}

void DecodeThread::seek(const Target& target) {
  if (has_failed_) return;
  waiting_.clear();
  seeking_ = true;
  ended_ = false;
  error_.reset();
  {
    const MutexLock lock(mutex_);
    request_ = Request{target, ++seeks_};
  }
  request_pending_.notify_one();
  fetch();  // makes room in the queue: the thread may be blocked pushing a frame from before the seek
}

void DecodeThread::fetch() {
  while (!is_full()) {
    std::optional<Report> report = queue_.try_pop();
    if (!report) return;
    if (report->seek == AnySeek) {
      fail(std::get<Error>(std::move(report->what)));
      return;
    }
    if (report->seek != seeks_) continue;
    seeking_ = false;
    if (auto* frame = std::get_if<Frame>(&report->what)) {
      waiting_.push_back(std::move(*frame));
    } else if (auto* failed = std::get_if<SeekFailed>(&report->what)) {
      seek_error_ = std::move(failed->error);
    } else {
      ended_ = true;
      if (auto* error = std::get_if<Error>(&report->what)) error_ = std::move(*error);
    }
  }
}

}  // namespace glyphreel::player
