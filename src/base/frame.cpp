#include "base/frame.h"

namespace glyphreel {

Result<Frame> on_host(const Frame& frame, HostMemory* memory) {
  if (!frame.surface) return frame;
  return frame.surface->download(frame, memory);
}

}  // namespace glyphreel
