#include "player/decode_thread.h"

#include <utility>
#include <variant>

#include "base/thread_pool.h"

namespace glyphreel::player {

DecodeThread::DecodeThread(Options options)
    : options_(std::move(options)), thread_([this](const std::stop_token& stop) { decode(stop); }) {}

DecodeThread::~DecodeThread() {
  thread_.request_stop();
  options_.source->interrupt();
  queue_.abort();
}

void DecodeThread::decode(const std::stop_token& stop) {
  name_this_thread("decode");
  bool any_since_start = false;
  while (!stop.stop_requested()) {
    Result<media::SourceItem> item = options_.source->read();
    if (!item) {
      error_ = std::move(item.error());
      break;
    }
    if (auto* frame = std::get_if<Frame>(&*item)) {
      any_since_start = true;
      if (!queue_.push(std::move(*frame))) break;
      if (options_.on_frame) options_.on_frame();
    } else if (std::holds_alternative<media::EndOfStream>(*item)) {
      if (!options_.loop || !any_since_start || stop.stop_requested()) break;
      any_since_start = false;
      if (Result<void> sought = options_.source->seek(options_.loop_from_seconds); !sought) {
        error_ = std::move(sought.error());
        break;
      }
    }
  }
  queue_.close();
  if (options_.on_frame) options_.on_frame();
}

void DecodeThread::fetch() {
  while (waiting_.size() < Capacity) {
    std::optional<Frame> frame = queue_.try_pop();
    if (!frame) return;
    waiting_.push_back(*std::move(frame));
  }
}

const std::optional<Error>& DecodeThread::error() {
  if (thread_.joinable()) thread_.join();
  return error_;
}

}  // namespace glyphreel::player
