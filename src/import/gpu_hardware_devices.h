#pragma once

#include <memory>

#include "gpu/device.h"
#include "media/source.h"

namespace glyphreel::importer {

/// Hardware decoders on the GPU that draws, so that their frames need not leave it.
[[nodiscard]] media::HardwareOffer offer_hardware(std::shared_ptr<gpu::Device> device);

}  // namespace glyphreel::importer
