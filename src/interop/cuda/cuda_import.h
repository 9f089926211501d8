#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interop/cuda/cuda_sharing.h"
#include "interop/surface/surface_import.h"

namespace glyphreel::interop {

struct CudaImportOptions {
  const char* library = cuda::DriverLibrary;
  ExportSemaphore export_semaphore;  ///< for tests; if empty, the Vulkan driver exports semaphores
};

/// Imports NVDEC's frames (AV_PIX_FMT_CUDA) without a copy through host memory.
///
/// The GPU copies each frame once. NVDEC decodes into CUDA's own allocations, which cannot be exported to
/// Vulkan; memory can only be exported from Vulkan to CUDA. FFmpeg's own transfer from CUDA to Vulkan also
/// copies, but into images. CudaImport copies into a buffer, which the sampling shader reads faster and which
/// needs no layout transitions. A decoder has few surfaces, and the copy lets the frame's surface return to
/// the decoder early.
///
/// Buffers are recycled: in steady state, none are created. CUDA's stream and Vulkan's queue wait for each
/// other through two timeline semaphores; the host waits for neither. If the semaphores cannot be shared, the
/// host waits until each copy is done, and logs this once.
///
/// A frame stays referenced until its copy is done, which the next import_frame() checks. The last frame
/// stays referenced until another frame is imported, so that importing it again (while paused, or after a
/// settings change) needs no copy. In steady state, this keeps two of the decoder's surfaces in use.
/// Thread-safety: one thread at a time.
class CudaImport final : public SurfaceImport {
 public:
  /// Loads the driver when the first frame is imported; FFmpeg has loaded it by then.
  explicit CudaImport(std::shared_ptr<gpu::Device> device, CudaImportOptions options = {});
  ~CudaImport() override;

  [[nodiscard]] bool supports(const AVFrame& frame) const override;
  [[nodiscard]] Result<gpu::GpuFrame> import_frame(const AVFrame& frame, const FrameView& view) override;
  [[nodiscard]] const char* engine() const override { return "CUDA"; }

 private:
  class Slot;
  class ReadLease;

  /// Creates a new session, unless the current session already has the CUDA context and stream of the frame's
  /// decoder.
  [[nodiscard]] Result<void> switch_session(const AVFrame& frame);
  void make_timelines();
  [[nodiscard]] Result<gpu::GpuFrame> try_import(const AVFrame& frame, const FrameView& view);
  /// Returns an unused slot. Its buffer has at least `size` bytes, but not many more (see
  /// glyphreel::serves()).
  [[nodiscard]] Result<std::shared_ptr<Slot>> idle_slot(std::size_t size);
  void forget();

  const std::shared_ptr<gpu::Device> device_;
  std::shared_ptr<const cuda::Api> api_;  ///< null: not loaded yet
  const CudaImportOptions options_;
  std::shared_ptr<const CudaSession> session_;  ///< null: there is none yet, or the last one failed
  std::shared_ptr<SharedTimeline> copied_;      ///< signaled by CUDA after each copy; null: the host waits
  std::shared_ptr<SharedTimeline> read_;        ///< signaled by Vulkan after reads; null if `copied_` is null
  std::uint64_t copied_value_ = 0;              ///< the value of `copied_` after the last copy
  std::uint64_t read_value_ = 0;                ///< the value that `read_` has once the last import is read
  std::vector<std::shared_ptr<Slot>> slots_;
  std::shared_ptr<Slot> latest_;  ///< holds the frame imported last
  bool waits_are_logged_ = false;
};

}  // namespace glyphreel::interop
