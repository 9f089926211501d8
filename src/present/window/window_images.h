#pragma once

#include <optional>

#include "base/frame.h"
#include "base/host_memory.h"
#include "base/result.h"

namespace glyphreel::present {

/// Shows pictures in a window. All displays of the window share one such object and use it one at a time.
/// Thread-safety: main thread only.
class WindowImages {
 public:
  virtual ~WindowImages() = default;

  /// Adapts to the window's new framebuffer size.
  [[nodiscard]] virtual Result<void> resize(Extent pixels) = 0;

  /// Returns the memory to draw pictures to, for the RenderSetup::picture_memory of the CPU renderer; null:
  /// the heap.
  [[nodiscard]] virtual HostMemory* picture_memory() = 0;
  /// Shows a Bgra8 picture in the middle of the window, with black around it; a larger picture is cropped
  /// evenly on both sides. Keeps the picture's block as long as needed. A picture outside picture_memory() is
  /// copied there first. Returns false if nothing was shown, because the window is minimized or covered.
  /// Errors: Failed, for example if memory runs out or the GPU is lost.
  [[nodiscard]] virtual Result<bool> show(const Picture& picture) = 0;

  /// Returns the seconds from show() until the picture is on the screen, without the wait for a refresh;
  /// empty if unknown.
  [[nodiscard]] virtual std::optional<double> latency() const { return std::nullopt; }
  /// Whether the last picture was not shown because the window seems to be covered.
  [[nodiscard]] virtual bool is_covered() const = 0;
  /// Waits for a limited time until the last picture is presented. Returns false if the picture is not
  /// presented by then, probably because the window is covered. If so, do not submit work to the GPU that
  /// presents the pictures: the call may block.
  [[nodiscard]] virtual bool can_show() = 0;
  /// Whether showing the last picture failed, for example because the window has changed. If so, call show()
  /// again. If the cause is an error, such as a lost GPU, show() returns the error.
  [[nodiscard]] virtual bool is_out_of_date() const = 0;
  /// Waits for a limited time until the last picture is presented. False means that a driver or the X server
  /// is blocked in a call that uses the window: destroy neither this object nor the window.
  [[nodiscard]] virtual bool can_be_destroyed() const = 0;
};

}  // namespace glyphreel::present
