#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/frame.h"
#include "gpu/resources/frame_source.h"
#include "interop/cuda/cuda_import.h"
#include "media/hwdec/hardware_surface.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::gpu {

/// The functions with which tests control the fake drivers; see fake_cuda.h.
struct FakeCuda {
  long (*calls)(const char* function);
  void (*reset_calls)();
  void (*set_broken)(bool is_broken);
  long (*live)();
};
/// Returns null if the fake drivers are not in use.
[[nodiscard]] const FakeCuda* fake_cuda();

/// The frames of a clip's first video stream. FFmpeg decodes them to surfaces of `device`, a CUDA device, or,
/// if `device` is null, in software to host memory.
class ClipFrames {
 public:
  ClipFrames(const std::string& path, AVBufferRef* device);
  ~ClipFrames();
  ClipFrames(const ClipFrames&) = delete;
  ClipFrames& operator=(const ClipFrames&) = delete;

  /// Returns the next frame; null at the end, or if decoding fails.
  [[nodiscard]] media::FramePtr next();

 private:
  AVFormatContext* format_ = nullptr;
  media::CodecContextPtr decoder_;
  int stream_ = -1;
  bool drained_ = false;
};

/// Converts a decoded frame, which is a surface or in host memory, to the program's own type.
[[nodiscard]] Frame frame_of(media::FramePtr decoded);

/// Sets each byte of an NV12 frame in host memory to `value`.
void fill(AVFrame& pixels, unsigned char value);
/// Allocates a CUDA frame without using a decoder, and returns the frame. `write` receives an NV12 frame in
/// host memory and writes the pixels.
[[nodiscard]] media::FramePtr cuda_frame(AVBufferRef* device, Extent size,
                                         const std::function<void(AVFrame& pixels)>& write);
/// Allocates an NV12 CUDA frame without using a decoder, sets every byte to `value`, and returns the frame.
[[nodiscard]] Frame plain_frame(AVBufferRef* device, Extent size, unsigned char value);

/// Imports each frame through CUDA only; never downloads to host memory.
class CudaFrames final : public FrameSource {
 public:
  explicit CudaFrames(std::shared_ptr<interop::CudaImport> cuda) : cuda_(std::move(cuda)) {}
  [[nodiscard]] Result<GpuFrame> import_frame(const Frame& frame) override;
  [[nodiscard]] HostMemory* memory() override { return nullptr; }
  void replace(std::shared_ptr<interop::CudaImport> cuda) { cuda_ = std::move(cuda); }

 private:
  std::shared_ptr<interop::CudaImport> cuda_;
};

/// Returns a function that exports a semaphore of `device` as a descriptor that the fake driver understands.
[[nodiscard]] interop::ExportSemaphore fake_export(VkDevice device);

}  // namespace glyphreel::gpu
