#pragma once

#include <vulkan/vulkan.h>

#include <memory>

#include "gpu/resources/buffer.h"
#include "mapping/shared/shared_types.h"
#include "render/overlay.h"
#include "render/text_image.h"

namespace glyphreel::gpu {

/// The buffers of one frame in flight: results that the GPU writes, and parameters that the host writes.
struct SlotResources {
  Buffer frame;  ///< a copy of the frame in GPU memory; null unless MemoryPolicy::stages is true
  Buffer lattice;
  Buffer cells;
  Buffer recorded;    ///< memory for uploading Frame::cells; null before the first frame that has them
  Buffer source;      ///< the frame scaled to the picture's pixels; null before the first wipe
  Buffer parameters;  ///< two SampleParameters, one MapParameters, one DrawParameters; see the offsets below
  /// OverlayParameters, EffectParameters, OverlayCells; null before the first effect or text.
  Buffer overlay;
  Buffer composed;  ///< the cells after the effect, with text over them
  Buffer picture;   ///< the drawn picture in GPU memory; null unless MemoryPolicy::stages is true
  /// The text whose cells `overlay` contains; null: no text.
  std::shared_ptr<const render::Overlay> overlay_written;
  Buffer text;  ///< pixels of the last text image; null before the first
  std::shared_ptr<const render::TextImage> text_written;  ///< the image that `text` contains
};

// Offsets in SlotResources::parameters: multiples of 256, the largest alignment that Vulkan lets a device
// require.
inline constexpr VkDeviceSize SampleParametersAt = 0;
inline constexpr VkDeviceSize MapParametersAt = 512;
inline constexpr VkDeviceSize DrawParametersAt = 768;
inline constexpr VkDeviceSize SourceParametersAt = 1024;
inline constexpr VkDeviceSize ParametersSize = 1536;
static_assert(sizeof(mapping::shared::SampleParameters) <= MapParametersAt - SampleParametersAt);
static_assert(sizeof(mapping::shared::MapParameters) <= DrawParametersAt - MapParametersAt);
static_assert(sizeof(mapping::shared::SampleParameters) <= ParametersSize - SourceParametersAt);
static_assert(sizeof(mapping::shared::DrawParameters) <= SourceParametersAt - DrawParametersAt);

}  // namespace glyphreel::gpu
