#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interop/cuda/cuda_sharing.h"
#include "interop/surface/surface_import.h"

namespace glyphreel::interop {

struct CudaImportOptions {
  const char* library = cuda::DriverLibrary;
  ExportSemaphore export_semaphore;  ///< empty: the Vulkan driver exports them
};

/// Imports NVDEC's frames (AV_PIX_FMT_CUDA), which never visit the host.
///
/// The GPU copies each frame once: NVDEC decodes into CUDA's own allocations, which cannot be handed to
/// Vulkan; memory can only be shared the other way round. FFmpeg's own transfer from CUDA to Vulkan copies
/// as well, into images; this copy goes into a buffer, which the sampling shader reads faster and which has
/// no layout to keep. It also frees the decoder's surface, of which there are few, as soon as it is done.
///
/// Buffers are recycled: steady state creates nothing. CUDA's stream and Vulkan's queue wait for each other
/// through two timeline semaphores; the host waits for neither. If the semaphores cannot be shared, the
/// host waits for each copy, about as long as the copy takes, and the log says so once.
///
/// A frame stays referenced until its copy is done, which the next import_frame() checks. The last frame
/// stays referenced until another one comes, so that importing it again (paused, or mapped again) needs no
/// copy. In steady state that holds two of the decoder's surfaces.
/// Thread-safety: one thread at a time.
class CudaImport final : public SurfaceImport {
 public:
  /// Does not load the driver until the first frame comes; FFmpeg has loaded it by then.
  explicit CudaImport(std::shared_ptr<gpu::Device> device, CudaImportOptions options = {});
  ~CudaImport() override;

  [[nodiscard]] bool takes(const AVFrame& frame) const override;
  [[nodiscard]] Result<gpu::GpuFrame> import_frame(const AVFrame& frame, const FrameView& view) override;
  [[nodiscard]] const char* engine() const override { return "CUDA"; }

 private:
  class Slot;
  class ReadLease;

  /// Switches the session to the frame's decoder.
  [[nodiscard]] Result<void> switch_session(const AVFrame& frame);
  void make_timelines();
  [[nodiscard]] Result<gpu::GpuFrame> try_import(const AVFrame& frame, const FrameView& view);
  /// Returns a slot that is not in use, whose buffer has `size` bytes or a little more.
  [[nodiscard]] Result<std::shared_ptr<Slot>> idle_slot(std::size_t size);
  void forget();

  const std::shared_ptr<gpu::Device> device_;
  std::shared_ptr<const cuda::Api> api_;  ///< null: not loaded yet
  const CudaImportOptions options_;
  std::shared_ptr<const CudaSession> session_;  ///< null: none yet, or it failed
  std::shared_ptr<SharedTimeline> copied_;      ///< signaled by CUDA; null: the host waits
  std::shared_ptr<SharedTimeline> read_;        ///< signaled by Vulkan; null if `copied_` is
  std::uint64_t copied_value_ = 0;              ///< last value requested of `copied_`
  std::uint64_t read_value_ = 0;                ///< last value requested of `read_`
  std::vector<std::shared_ptr<Slot>> slots_;
  std::shared_ptr<Slot> latest_;  ///< holds the frame imported last
  bool waits_are_logged_ = false;
};

}  // namespace glyphreel::interop
