#include "media/fetch.h"

#include <algorithm>
#include <chrono>

#include "base/interrupt.h"
#include "media/ffmpeg.h"
#include "media/input_errors.h"
#include "media/protocols.h"

namespace glyphreel::media {
namespace {

constexpr std::size_t MaxText = 1U << 20U;

struct Patience {
  std::stop_token stop;
  std::chrono::steady_clock::time_point deadline;
};

int is_over(void* opaque) {
  const auto& patience = *static_cast<const Patience*>(opaque);
  return patience.stop.stop_requested() || interrupted() ||
                 std::chrono::steady_clock::now() > patience.deadline
             ? 1
             : 0;
}

struct CloseIo {
  void operator()(AVIOContext* io) const { avio_closep(&io); }
};

}  // namespace

Result<std::string> fetch_text(const std::string& url, std::stop_token stop) {
  Patience patience{std::move(stop),
                    std::chrono::steady_clock::now() + std::chrono::seconds(OpenTimeoutSeconds)};
  const AVIOInterruptCB callback{is_over, &patience};
  Options options;
  options.set("protocol_whitelist", allowed_protocols(url));
  for (const auto& [key, value] : protocol_options(url)) options.set(key.c_str(), value);
  AVIOContext* opened = nullptr;
  if (const int code = avio_open2(&opened, url.c_str(), AVIO_FLAG_READ, &callback, options.get()); code < 0) {
    return opening_failure(InputKind::Network, shown_url(url), url, code);
  }
  const std::unique_ptr<AVIOContext, CloseIo> io(opened);
  std::string text(MaxText, '\0');
  const int count =
      avio_read(io.get(), reinterpret_cast<unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (count < 0 && count != AVERROR_EOF) return reading_failure(InputKind::Network, shown_url(url), count);
  text.resize(static_cast<std::size_t>(std::max(count, 0)));
  return text;
}

}  // namespace glyphreel::media
