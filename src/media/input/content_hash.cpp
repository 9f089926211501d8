#include "media/input/content_hash.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/io/file_descriptor.h"
#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/murmur3.h>
}

namespace glyphreel::media {
namespace {

class Murmur3 {
 public:
  Murmur3() : state_(av_murmur3_alloc()) {
    if (state_ == nullptr) throw std::bad_alloc();
    av_murmur3_init(state_.get());
  }
  void add(std::string_view bytes) {
    av_murmur3_update(state_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  [[nodiscard]] std::string digits() {
    std::array<std::uint8_t, 16> sum{};
    av_murmur3_final(state_.get(), sum.data());
    return fmt::format("{:02x}", fmt::join(sum, ""));
  }

 private:
  struct Free {
    void operator()(AVMurMur3* state) const { av_free(state); }
  };
  std::unique_ptr<AVMurMur3, Free> state_;
};

Error unreadable(const std::string& path) {
  return {ErrorCode::BadInput,
          fmt::format("The input {} cannot be read; check its path and permissions.", path),
          std::generic_category().message(errno)};
}

}  // namespace

std::string content_hash_of(std::string_view bytes) {
  Murmur3 hash;
  hash.add(bytes);
  return hash.digits();
}

Result<std::string> content_hash_of_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return unreadable(path);
  constexpr std::size_t BlockBytes = 1U << 18U;
  thread_local std::vector<char> block(BlockBytes);
  Murmur3 hash;
  while (true) {
    const ssize_t count = ::read(file.number(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return unreadable(path);
    if (count == 0) return hash.digits();
    hash.add({block.data(), static_cast<std::size_t>(count)});
  }
}

}  // namespace glyphreel::media
