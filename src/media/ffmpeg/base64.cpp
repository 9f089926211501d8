#include "media/ffmpeg/base64.h"

#include <cstdint>

extern "C" {
#include <libavutil/base64.h>
}

namespace glyphreel::media {

std::string base64(std::string_view bytes) {
  std::string text(AV_BASE64_SIZE(bytes.size()), '\0');
  av_base64_encode(text.data(), static_cast<int>(text.size()),
                   reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  text.pop_back();  // the terminating zero
  return text;
}

}  // namespace glyphreel::media
