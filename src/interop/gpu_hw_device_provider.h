#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device/device.h"
#include "media/hwdec/hw_decode_choice.h"

namespace glyphreel::interop {

class SurfaceImport;

/// Returns the context for hardware decoders on the GPU of `device`, so that decoded frames stay on that GPU.
[[nodiscard]] media::HwDecodeContext make_hw_decode_context(std::shared_ptr<gpu::Device> device);

/// Creates a SurfaceImport for each kind of hardware frame that `device` can import: the frames of each
/// hardware decoding API, and DRM PRIME frames from any producer.
[[nodiscard]] std::vector<std::unique_ptr<SurfaceImport>> make_surface_imports(
    const std::shared_ptr<gpu::Device>& device);

/// Whether one kind of hardware decoding is available on a GPU.
struct HardwareListing {
  std::string name;    ///< as --hwdec expects it
  std::string reason;  ///< why it is not available, in one sentence; empty if it is available
};
/// Lists every kind of hardware decoding, in the order in which `--hwdec auto` tries them. Takes up to a
/// second, because the drivers are started.
[[nodiscard]] std::vector<HardwareListing> list_hardware(std::shared_ptr<gpu::Device> device);

}  // namespace glyphreel::interop
