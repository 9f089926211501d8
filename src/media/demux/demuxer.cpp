#include "media/demux/demuxer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/threads/thread.h"

namespace glyphreel::media {
namespace {

constexpr int MaxReadFailures = 16;  // consecutive damaged reads after which the input counts as ended
constexpr std::chrono::milliseconds DevicePollInterval{2};  // between two polls of a device without data
// Maximum delay until a waiting reader reacts to an interrupt.
constexpr std::chrono::milliseconds InterruptInterval{50};

std::size_t memory_of(const AVPacket& packet) {
  return static_cast<std::size_t>(packet.size) + sizeof(AVPacket);
}

}  // namespace

Demuxer::Demuxer(Input& input, Options options)
    : input_(input), options_(std::move(options)), streams_(input.format().nb_streams) {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    streams_[i].time_base = input_.format().streams[i]->time_base;
  for (const int stream : options_.streams) streams_[static_cast<std::size_t>(stream)].wanted = true;
  Result<std::jthread> started = start_thread("demux", [this](const std::stop_token& stop) {
    Result<void> worked = catching([&]() -> Result<void> {
      work(stop);
      return {};
    });
    if (!worked) fail(std::move(worked.error()));
  });
  if (started) {
    thread_ = *std::move(started);
  } else {
    fail(std::move(started.error()));
  }
}

/// Records that the thread could not be created or has failed. From then on, nothing is read, and every seek
/// fails.
void Demuxer::fail(Error error) {
  const MutexLock lock(mutex_);
  error_ = std::move(error);
  has_failed_ = ended_ = true;
  if (seek_ != nullptr) {
    seek_->result = AVERROR(ENOMEM);
    seek_->done = true;
    seek_ = nullptr;
  }
  changed_.notify_all();
}

Demuxer::~Demuxer() {
  input_.interrupt();
  thread_.request_stop();
}

void Demuxer::work(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (seek_ != nullptr) {
      do_seek();
    } else if (wants_to_read()) {
      read_one(lock);
    } else {
      work_available_.wait(lock, stop,
                           [this]() REQUIRES(mutex_) { return seek_ != nullptr || wants_to_read(); });
    }
  }
}

void Demuxer::do_seek() {
  const SeekTarget target = seek_->target;
  // A pipe can seek only within FFmpeg's buffer, and a failed attempt would lose or repeat packets.
  // Therefore, seek in a pipe only after its end, when no more packets can be lost.
  const bool may_seek = input_.is_open() && (input_.facts().is_seekable || ended_);
  int code = AVERROR(ENOSYS);
  if (may_seek) {
    const MutexUnlock unlocked(mutex_);
    code = avformat_seek_file(&input_.format(), target.stream, target.min, target.wanted, target.max, 0);
  }
  if (code >= 0) start_over(seek_->epoch);
  seek_->result = code;
  seek_->done = true;
  seek_ = nullptr;
  changed_.notify_all();
}

void Demuxer::read_one(MutexLock& lock) {
  AVFormatContext& format = input_.format();
  for (std::size_t i = 0; i < streams_.size() && i < format.nb_streams; ++i) {
    format.streams[i]->discard = streams_[i].wanted ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  }
  PacketPtr packet = new_packet();
  int code = 0;
  {
    const MutexUnlock unlocked(mutex_);
    code = av_read_frame(&format, packet.get());
  }
  if (code == AVERROR(EAGAIN)) {
    work_available_.wait_for(lock, DevicePollInterval,
                             [this]() REQUIRES(mutex_) { return seek_ != nullptr; });
  } else if (code < 0) {
    note_failure(code);
  } else {
    failures_in_a_row_ = 0;
    if (input_.may_be_cut_short()) return;
    store(std::move(packet));  // even if a seek is pending, because a failed seek must not drop packets
  }
}

void Demuxer::store(PacketPtr packet) {
  const auto index = static_cast<std::size_t>(packet->stream_index);
  // Some demuxers find more streams while reading. Packets of streams that were not requested are dropped.
  if (index >= streams_.size() || !streams_[index].wanted) return;
  times_.shift(*packet, streams_[index].time_base);
  bytes_ += memory_of(*packet);
  streams_[index].packets.push_back({{std::move(packet), epoch_}, count_++});
  while (bytes_ > options_.max_bytes && is_starved(Readers::Leading)) pop_front(*earliest(options_.streams));
  changed_.notify_all();
}

void Demuxer::note_failure(int averror) {
  if (averror == AVERROR_INVALIDDATA && ++failures_in_a_row_ <= MaxReadFailures) {
    ++damaged_reads_;
    return;
  }
  has_broken_ = input_.has_broken(averror);
  if (has_broken_ && averror != AVERROR_EOF) error_ = input_.read_failure(averror);
  ended_ = true;
  changed_.notify_all();
}

bool Demuxer::is_starved(Readers which) const {
  return std::ranges::any_of(waiting_, [this, which](const Waiting& reader) REQUIRES(mutex_) {
    if (which == Readers::Leading && reader.freeze_mode == Freeze::Respected) return false;
    return std::ranges::all_of(*reader.streams, [this](int stream) REQUIRES(mutex_) {
      return streams_[static_cast<std::size_t>(stream)].packets.empty();
    });
  });
}

/// Among `streams`, returns the stream whose queue has the packet that comes first in the input; null if all
/// of these queues are empty.
Demuxer::Stream* Demuxer::earliest(const std::vector<int>& streams) {
  Stream* first = nullptr;
  for (const int index : streams) {
    Stream& stream = streams_[static_cast<std::size_t>(index)];
    if (stream.packets.empty()) continue;
    if (first == nullptr || stream.packets.front().number < first->packets.front().number) first = &stream;
  }
  return first;
}

std::optional<Demuxer::Packet> Demuxer::take(const std::vector<int>& streams) {
  Stream* first = earliest(streams);
  if (first == nullptr) return std::nullopt;
  Packet taken = pop_front(*first);
  const AVPacket& packet = *taken.packet;
  if (packet.pts != AV_NOPTS_VALUE)
    first->taken_until = std::max(first->taken_until, packet.pts + packet.duration);
  work_available_.notify_one();
  return taken;
}

Demuxer::Packet Demuxer::pop_front(Stream& stream) {
  Packet taken = std::move(stream.packets.front().packet);
  stream.packets.pop_front();
  bytes_ -= memory_of(*taken.packet);
  return taken;
}

std::optional<Demuxer::Packet> Demuxer::next(const std::vector<int>& streams, Freeze freeze_mode) {
  MutexLock lock(mutex_);
  while (!input_.interrupted()) {
    const bool held = is_frozen_ && freeze_mode == Freeze::Respected;
    if (!held) {
      if (std::optional<Packet> taken = take(streams)) return taken;
      if (ended_ && seek_ == nullptr) return std::nullopt;
      waiting_.push_back({&streams, freeze_mode});
      work_available_.notify_one();
    }
    changed_.wait_for(lock, InterruptInterval);
    if (!held) std::erase_if(waiting_, [&](const Waiting& reader) { return reader.streams == &streams; });
  }
  return std::nullopt;
}

std::optional<Demuxer::Packet> Demuxer::try_next(const std::vector<int>& streams) {
  MutexLock lock(mutex_);
  return is_frozen_ ? std::nullopt : take(streams);
}

std::optional<Error> Demuxer::take_error() {
  MutexLock lock(mutex_);
  return std::exchange(error_, std::nullopt);
}

bool Demuxer::has_broken() const {
  MutexLock lock(mutex_);
  return ended_ && has_broken_;
}

std::int64_t Demuxer::taken_until(int stream) const {
  MutexLock lock(mutex_);
  return streams_[static_cast<std::size_t>(stream)].taken_until;
}

int Demuxer::seek(const SeekTarget& target, std::uint32_t epoch) {
  PendingSeek pending{target, epoch};
  MutexLock lock(mutex_);
  if (has_failed_) return AVERROR(ENOMEM);
  seek_ = &pending;
  work_available_.notify_one();
  changed_.wait(lock, [&] { return pending.done; });
  return pending.result;
}

Demuxer::Skip Demuxer::skip_to(const SkipTarget& target) {
  const MutexLock lock(mutex_);
  if (target.secondary_stream >= 0) {
    const std::int64_t taken = streams_[static_cast<std::size_t>(target.secondary_stream)].taken_until;
    if (taken == AV_NOPTS_VALUE || taken > target.secondary_pts) return Skip::NotBuffered;
  }
  std::deque<Queued>& packets = streams_[static_cast<std::size_t>(target.stream)].packets;
  bool reaches_it = false;
  auto start = packets.begin();
  for (auto queued = packets.begin(); queued != packets.end(); ++queued) {
    const AVPacket& packet = *queued->packet.packet;
    if (packet.pts == AV_NOPTS_VALUE) return Skip::NotBuffered;
    reaches_it = reaches_it || packet.pts >= target.pts;
    if ((packet.flags & AV_PKT_FLAG_KEY) != 0 && packet.pts <= target.pts) start = queued;
  }
  if (!reaches_it) return Skip::NotBuffered;
  if (start == packets.begin()) return Skip::ContinuesDecoding;
  for (auto queued = packets.begin(); queued != start; ++queued) bytes_ -= memory_of(*queued->packet.packet);
  packets.erase(packets.begin(), start);
  work_available_.notify_one();
  return Skip::AtKeyFrame;
}

void Demuxer::restart(std::uint32_t epoch) {
  MutexLock lock(mutex_);
  for (std::size_t i = 0; i < streams_.size() && i < input_.format().nb_streams; ++i) {
    streams_[i].time_base = input_.format().streams[i]->time_base;
  }
  start_over(epoch);
  work_available_.notify_one();
}

void Demuxer::relabel(std::uint32_t epoch) {
  MutexLock lock(mutex_);
  epoch_ = epoch;
  for (Stream& stream : streams_) {
    for (Queued& queued : stream.packets) queued.packet.epoch = epoch;
  }
}

void Demuxer::freeze(bool on) {
  MutexLock lock(mutex_);
  is_frozen_ = on;
  changed_.notify_all();
}

/// Drops all queued packets and resets all state that depends on the position in the input.
void Demuxer::start_over(std::uint32_t epoch) {
  for (Stream& stream : streams_) {
    stream.packets.clear();
    stream.taken_until = AV_NOPTS_VALUE;
  }
  bytes_ = 0;
  times_.restart();
  epoch_ = epoch;
  ended_ = false;
  error_.reset();
  failures_in_a_row_ = 0;
}

ReadAhead Demuxer::read_ahead(int stream) const {
  MutexLock lock(mutex_);
  ReadAhead ahead{.bytes = bytes_, .at_end = ended_, .is_starved = is_starved(Readers::Leading)};
  const Stream& asked = streams_[static_cast<std::size_t>(stream)];
  const std::deque<Queued>& packets = asked.packets;
  if (packets.empty()) return ahead;
  const auto time_of = [](const Queued& queued) {
    const AVPacket& packet = *queued.packet.packet;
    return packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
  };
  const std::int64_t first = time_of(packets.front());
  const std::int64_t last = time_of(packets.back());
  if (first == AV_NOPTS_VALUE || last == AV_NOPTS_VALUE) return ahead;
  ahead.seconds = std::max(0.0, static_cast<double>(last - first) * av_q2d(asked.time_base));
  return ahead;
}

}  // namespace glyphreel::media
