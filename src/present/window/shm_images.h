#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "base/threads/call_thread.h"
#include "base/threads/stage_times.h"
#include "present/window/window.h"
#include "present/window/window_images.h"

namespace glyphreel::present {

class ShmConnection;

/// Shows pictures in an X11 window without Vulkan: a CPU renderer draws them into memory that is shared with
/// the X server (MIT-SHM), which copies each picture once. With Vulkan's software drivers, a picture is
/// copied four times. Thread-safety: main thread only.
class ShmImages final : public WindowImages {
 public:
  /// Adds presentation times to Stage::Present of `times`. `window` and `times` must outlive the images.
  /// Errors: NoDevice if the window is not an X11 window, the X server is on another machine or lacks
  /// MIT-SHM, or the window's pixels have neither 8 nor 10 bits per channel.
  [[nodiscard]] static Result<std::shared_ptr<ShmImages>> make(const Window& window, StageTimes& times);

  [[nodiscard]] Result<void> resize(Extent) override { return {}; }
  [[nodiscard]] HostMemory* picture_memory() override;
  [[nodiscard]] Result<bool> show(const Picture& picture) override;
  [[nodiscard]] bool is_covered() const override { return is_covered_; }
  [[nodiscard]] bool can_show() override {
    is_covered_ = is_blocked();
    return !is_covered_;
  }
  [[nodiscard]] bool is_out_of_date() const override { return !puts_->result().value_or(true); }
  [[nodiscard]] bool can_be_destroyed() const override;

 private:
  ShmImages(const Window& window, StageTimes& times) : window_(window), times_(times) {}
  [[nodiscard]] bool is_blocked() const;

  const Window& window_;
  StageTimes& times_;
  std::shared_ptr<ShmConnection> connection_;
  bool is_covered_ = false;
  std::unique_ptr<CallThread<bool>>
      puts_;  ///< sends pictures; the result is false if the connection was lost
};

}  // namespace glyphreel::present
