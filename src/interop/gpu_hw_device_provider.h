#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device/device.h"
#include "media/hwdec/hw_decode_choice.h"

namespace glyphreel::interop {

class SurfaceImport;

/// Hardware decoders on the GPU that draws, so that their frames need not leave it.
[[nodiscard]] media::HwDecodeContext make_hw_decode_context(std::shared_ptr<gpu::Device> device);

/// Returns the imports that `device` supports, for the frames of hardware decoders and of other producers of
/// DRM PRIME frames.
[[nodiscard]] std::vector<std::unique_ptr<SurfaceImport>> make_surface_imports(
    const std::shared_ptr<gpu::Device>& device);

/// Whether one kind of hardware decoding is available on a GPU.
struct HardwareListing {
  std::string name;    ///< as --hwdec takes it
  std::string reason;  ///< why not, in a sentence; empty if it is available
};
/// Lists every kind, in the order in which they are tried. Starts their drivers, which takes up to a
/// second.
[[nodiscard]] std::vector<HardwareListing> list_hardware(std::shared_ptr<gpu::Device> device);

}  // namespace glyphreel::interop
