// LD_PRELOAD library: emulates /dev/udmabuf with memfds, for kernels without it. lavapipe imports dma-bufs
// with mmap(), and offers format modifiers only if it can create dma-bufs through /dev/udmabuf.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstring>

namespace {

constexpr const char* Device = "/dev/udmabuf";
constexpr const char* RenderNode = "/dev/dri/renderD128";  // opened as /dev/null: fake drivers need no device

std::atomic<int> pending_fence = -1;

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

using Open = int(const char*, int, ...);

int open_by(const char* name, const char* path, int flags, mode_t mode) {
  if (std::strcmp(path, Device) == 0) return memfd_create("udmabuf", MFD_CLOEXEC);
  if (std::strcmp(path, RenderNode) == 0) path = "/dev/null";
  return next<Open>(name)(path, flags, mode);
}

/// Returns open()'s mode argument, which exists only if the call may create a file.
mode_t mode_of(int flags, va_list arguments) {
  const bool may_create = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return may_create ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
}

}  // namespace

extern "C" {

// NOLINTBEGIN: names and signatures are those of libc.
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_by("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_by("open64", path, flags, mode);
}

int ioctl(int descriptor, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (request == UDMABUF_CREATE) {
    return fcntl(static_cast<const udmabuf_create*>(argument)->memfd, F_DUPFD_CLOEXEC, 0);
  }
  if (request == DMA_BUF_IOCTL_SYNC) return 0;
  if (request == DMA_BUF_IOCTL_EXPORT_SYNC_FILE) {
    const int fence = pending_fence.exchange(-1);
    if (fence < 0) {
      errno = ENOTTY;  // as kernels before 6.0 do
      return -1;
    }
    static_cast<dma_buf_export_sync_file*>(argument)->fd = fcntl(fence, F_DUPFD_CLOEXEC, 0);
    return 0;
  }
  using Ioctl = int(int, unsigned long, ...);
  return next<Ioctl>("ioctl")(descriptor, request, argument);
}

/// Overrides libdrm's function, which libva calls.
int drmGetNodeTypeFromFd(int) {
  constexpr int RenderNode = 2;  // DRM_NODE_RENDER
  return RenderNode;
}

/// Makes the next DMA_BUF_IOCTL_EXPORT_SYNC_FILE return a duplicate of this descriptor, which counts as
/// signaled when it is readable.
void glyphreel_pretend_fence(int descriptor) {
  pending_fence = descriptor;
}
// NOLINTEND

}  // extern "C"
