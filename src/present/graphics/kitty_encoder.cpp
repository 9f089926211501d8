#include "present/graphics/kitty_encoder.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "base/io/file_descriptor.h"
#include "media/ffmpeg/base64.h"

namespace glyphreel::present {
namespace {

constexpr std::size_t ChunkBytes = 4096;  // the protocol's limit for the payload of one sequence
constexpr std::size_t MaxObjects = 16;    // shared memory objects; older ones are removed, even if unread

/// Returns the pixels as R, G, B.
std::string rgb_of(const Picture& picture) {
  std::string pixels(
      static_cast<std::size_t>(picture.size.width) * static_cast<std::size_t>(picture.size.height) * 3, '\0');
  char* to = pixels.data();
  for (int y = 0; y < picture.size.height; ++y) {
    const std::byte* from = picture.planes[0] + static_cast<std::ptrdiff_t>(y) * picture.strides[0];
    for (int x = 0; x < picture.size.width; ++x, from += 4) {
      *to++ = static_cast<char>(from[2]);
      *to++ = static_cast<char>(from[1]);
      *to++ = static_cast<char>(from[0]);
    }
  }
  return pixels;
}

std::string compressed(std::string_view bytes) {
  constexpr int Fastest = 1;
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(Fastest), libdeflate_free_compressor);
  if (compressor == nullptr) throw std::bad_alloc();
  std::string result(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
  result.resize(
      libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), result.data(), result.size()));
  return result;
}

}  // namespace

KittyEncoder::~KittyEncoder() {
  for (const std::string& name : objects_) ::shm_unlink(name.c_str());
}

std::string KittyEncoder::clear() const {
  return "\x1b_Ga=d,d=A,q=2\x1b\\";
}

/// Copies the pixels to a new shared memory object and returns its name; empty if there is no space.
std::optional<std::string> KittyEncoder::share(std::string_view pixels) {
  std::string name = fmt::format("/glyphreel-{}-{}", ::getpid(), made_++);
  const FileDescriptor file(
      ::shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.number() < 0) return std::nullopt;
  // Reserve the memory: if memory runs out, writing to the mapping would end the program with SIGBUS.
  const bool is_reserved = ::posix_fallocate(file.number(), 0, static_cast<off_t>(pixels.size())) == 0;
  void* memory =
      is_reserved ? ::mmap(nullptr, pixels.size(), PROT_WRITE, MAP_SHARED, file.number(), 0) : MAP_FAILED;
  if (memory == MAP_FAILED) {
    ::shm_unlink(name.c_str());
    return std::nullopt;
  }
  std::memcpy(memory, pixels.data(), pixels.size());
  ::munmap(memory, pixels.size());
  objects_.push_back(name);
  if (objects_.size() > MaxObjects) {
    ::shm_unlink(objects_.front().c_str());
    objects_.pop_front();
  }
  return name;
}

void KittyEncoder::append(const Picture& picture, const Picture* before, ScreenPosition at,
                          std::string& bytes) {
  const int old = image_;
  image_ = 3 - image_;
  const std::string pixels = rgb_of(picture);
  append_move(at, bytes);
  // a=T: transmit and show; C=1: do not move the cursor; q=2: no reply; f=24: R, G, B.
  fmt::format_to(std::back_inserter(bytes), "\x1b_Ga=T,i={},p=1,C=1,q=2,f=24,s={},v={}", image_,
                 picture.size.width, picture.size.height);
  const std::optional<std::string> object =
      transfer_ == Transfer::SharedMemory ? share(pixels) : std::nullopt;
  if (object) {
    fmt::format_to(std::back_inserter(bytes), ",t=s,S={};{}\x1b\\", pixels.size(), media::base64(*object));
  } else {
    const std::string payload = media::base64(compressed(pixels));
    bytes += ",o=z,";
    for (std::size_t sent = 0; sent < payload.size(); sent += ChunkBytes) {
      if (sent > 0) bytes += "\x1b_Gq=2,";
      const bool has_more = sent + ChunkBytes < payload.size();
      bytes += has_more ? "m=1;" : "m=0;";
      bytes.append(payload, sent, ChunkBytes);
      bytes += "\x1b\\";
    }
  }
  if (before != nullptr) fmt::format_to(std::back_inserter(bytes), "\x1b_Ga=d,d=I,i={},q=2\x1b\\", old);
}

}  // namespace glyphreel::present
