#include "media/input/fetch.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

#include "base/interrupt.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/input/input_errors.h"
#include "media/input/protocols.h"

namespace glyphreel::media {
namespace {

constexpr std::size_t MaxText = 1U << 20U;

/// Decides when to stop waiting for a server.
struct Patience {
  std::function<bool()> should_stop;
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(OpenTimeoutSeconds);

  [[nodiscard]] bool is_late() const { return std::chrono::steady_clock::now() > deadline; }
  static int is_over(void* opaque) {
    const auto& self = *static_cast<const Patience*>(opaque);
    return self.should_stop() || self.is_late() ? 1 : 0;
  }
};

using IoPtr = std::unique_ptr<AVIOContext, FreeIndirect<avio_closep>>;

/// Opens `url`. Returns FFmpeg's result; sets `io` on success. `patience` must outlive `io`.
int open_io(const std::string& url, Patience& patience, IoPtr& io) {
  const AVIOInterruptCB callback{Patience::is_over, &patience};
  Options options;
  options.set("protocol_whitelist", allowed_protocols(url));
  options.set_all(protocol_options(url));
  AVIOContext* opened = nullptr;
  const int code = avio_open2(&opened, url.c_str(), AVIO_FLAG_READ, &callback, options.get());
  io.reset(opened);
  return code == AVERROR_EXIT && patience.is_late() ? AVERROR(ETIMEDOUT) : code;
}

}  // namespace

Result<std::string> fetch_text(const std::string& url, std::stop_token stop) {
  Patience patience{[stop = std::move(stop)] { return stop.stop_requested() || interrupted(); }};
  IoPtr io;
  if (const int code = open_io(url, patience, io); code < 0) {
    return opening_failure(InputKind::Network, shown_url(url), url, code);
  }
  std::string text(MaxText, '\0');
  const int count =
      avio_read(io.get(), reinterpret_cast<unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (count == AVERROR_EXIT && !patience.is_late())
    return opening_failure(InputKind::Network, shown_url(url), url, count);
  if (count < 0 && count != AVERROR_EOF) return reading_failure(InputKind::Network, shown_url(url), count);
  text.resize(static_cast<std::size_t>(std::max(count, 0)));
  return text;
}

bool is_longer_than(std::int64_t bytes, const std::string& url, const std::function<bool()>& should_stop) {
  Patience patience{should_stop};
  IoPtr io;
  if (open_io(url, patience, io) < 0) return patience.is_late();
  std::array<unsigned char, 65536> buffer{};
  while (avio_tell(io.get()) <= bytes) {
    if (avio_read(io.get(), buffer.data(), static_cast<int>(buffer.size())) <= 0) return patience.is_late();
  }
  return true;
}

}  // namespace glyphreel::media
