#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "media/source.h"

namespace glyphreel::importer {

/// Hardware decoders on the GPU that draws, so that their frames need not leave it.
[[nodiscard]] media::HardwareOffer offer_hardware(std::shared_ptr<gpu::Device> device);

/// Whether a kind of hardware decoding can be had on a GPU.
struct HardwareListing {
  std::string name;    ///< as --hwdec takes it
  std::string reason;  ///< why not, a sentence; empty: it can
};
/// Every kind, in the order in which they are tried. Starts their drivers: up to a second.
[[nodiscard]] std::vector<HardwareListing> list_hardware(std::shared_ptr<gpu::Device> device);

}  // namespace glyphreel::importer
