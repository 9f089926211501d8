#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hw_decode_api.h"

namespace glyphreel::media {

class HwDeviceProvider;

/// What renders the picture. A Vulkan driver that runs on the CPU counts as Cpu.
enum class RenderedBy { Cpu, Gpu };

/// What hardware decoders may use so that their frames stay on the device that renders.
struct HwDecodeContext {
  std::shared_ptr<HwDeviceProvider> devices;  ///< null: there are none
  RenderedBy drawn_by = RenderedBy::Cpu;
};

/// The hardware that may decode, known only once the renderer exists. The CPU decodes until bind(); then
/// hardware takes over where the CPU left off. So an input can be opened, and its errors reported, before
/// any device exists.
class DeferredHwDecode {
 public:
  /// Call before the reader thread starts.
  void bind(HwDecodeContext context) { context_ = std::move(context); }
  /// Empty until bind().
  [[nodiscard]] const std::optional<HwDecodeContext>& context() const { return context_; }

 private:
  std::optional<HwDecodeContext> context_;
};

/// How many frames of a hardware decoder may be held at once without starving it of surfaces to decode
/// into. Further frames are downloaded to host memory. NVDEC has at most 32 surfaces, of which a stream's
/// reference frames use up to 17.
inline constexpr int MaxHeldSurfaces = 12;

/// Which decoder is in use, and which ones failed.
struct HwDecodeStatus {
  std::string decoder = "no";  ///< HwDecodeApiSpec::name; "no": the CPU
  struct Fallback {
    std::string from;    ///< HwDecodeApiSpec::name
    std::string reason;  ///< a sentence
  };
  std::vector<Fallback> fallbacks;  ///< oldest first
};

}  // namespace glyphreel::media
