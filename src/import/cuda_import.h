#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "import/cuda_sharing.h"
#include "import/surface_import.h"

namespace glyphreel::importer {

struct CudaImportOptions {
  const char* library = cuda::DriverLibrary;
  ExportSemaphore export_semaphore;  ///< empty: the Vulkan driver's own way
};

/// NVDEC's frames (AV_PIX_FMT_CUDA), which never visit the host.
///
/// They are copied once, by the GPU: NVDEC decodes into allocations of CUDA's, and there is no way to hand
/// those to Vulkan; memory is shared the other way round alone. FFmpeg's own transfer from CUDA to Vulkan
/// copies as well, into images; this copy goes into a buffer, which the sampling shader reads faster, without
/// a layout to keep. It also frees the decoder's surface, of which there are few, as soon as it is done.
///
/// Buffers are recycled: steady state creates nothing. CUDA's stream and Vulkan's queue wait for each other
/// through two timeline semaphores, the host for neither. Where those cannot be shared the host waits for
/// each copy, about as long as the copy takes, and the log says so once.
///
/// Frames: referenced until their copy is done, which the next bring() looks up; the last one also until
/// another comes, so that bringing it again (paused, mapped anew) needs no copy. In steady state that is two
/// of the decoder's surfaces. Thread-safety: one thread at a time.
class CudaImport final : public SurfaceImport {
 public:
  /// Loads the driver when the first frame comes, which FFmpeg has loaded by then.
  explicit CudaImport(std::shared_ptr<gpu::Device> device, CudaImportOptions options = {});
  ~CudaImport() override;

  [[nodiscard]] bool takes(const AVFrame& frame) const override;
  [[nodiscard]] Result<gpu::GpuFrame> bring(const AVFrame& frame, const FrameView& view) override;
  [[nodiscard]] const char* engine() const override { return "CUDA"; }

 private:
  class Slot;
  class ReadLease;

  /// Makes the session that of the frame's decoder.
  [[nodiscard]] Result<void> follow(const AVFrame& frame);
  void make_timelines();
  [[nodiscard]] Result<gpu::GpuFrame> bring_here(const AVFrame& frame, const FrameView& view);
  /// One that nobody reads, of `size` bytes or a little more.
  [[nodiscard]] Result<std::shared_ptr<Slot>> idle_slot(std::size_t size);
  /// Lets go of frames that are copied.
  void release_sources();
  void forget();
  /// After a failure, when what is in the stream is anyone's guess: the next frame starts anew.
  void abandon();

  const std::shared_ptr<gpu::Device> device_;
  std::shared_ptr<const cuda::Api> api_;  ///< null: not loaded yet
  const CudaImportOptions options_;
  std::shared_ptr<const CudaSession> session_;  ///< null: none yet, or it failed
  std::shared_ptr<SharedTimeline> copied_;      ///< signalled by CUDA; null: the host waits
  std::shared_ptr<SharedTimeline> read_;        ///< signalled by Vulkan; null as `copied_` is
  std::uint64_t copied_value_ = 0;              ///< last one asked for, of `copied_`
  std::uint64_t read_value_ = 0;                ///< likewise of `read_`
  std::vector<std::shared_ptr<Slot>> slots_;
  std::shared_ptr<Slot> latest_;  ///< holds the frame brought last
  bool told_of_waits_ = false;
};

}  // namespace glyphreel::importer
