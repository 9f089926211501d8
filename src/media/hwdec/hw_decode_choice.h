#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hw_decode_api.h"

namespace glyphreel::media {

class HwDeviceProvider;

/// The processor that renders. A Vulkan driver that runs on the CPU counts as Cpu.
enum class RenderedBy { Cpu, Gpu };

/// Provides what hardware decoders need so that their frames stay on the rendering GPU.
struct HwDecodeContext {
  std::shared_ptr<HwDeviceProvider> devices;  ///< null: the renderer provides no devices
  RenderedBy rendered_by = RenderedBy::Cpu;
};

/// Holds the HwDecodeContext, which is known only after the renderer was created. Until bind(), the CPU
/// decodes; afterward, a hardware decoder continues at the current position. Therefore, an input can be
/// opened, and errors in the input can be reported, before any device exists.
class DeferredHwDecode {
 public:
  /// Sets the context. Call before the reader thread starts.
  void bind(HwDecodeContext context) { context_ = std::move(context); }
  /// Returns the context; empty before bind().
  [[nodiscard]] const std::optional<HwDecodeContext>& context() const { return context_; }

 private:
  std::optional<HwDecodeContext> context_;
};

/// Maximum number of a hardware decoder's frames that consumers may hold at once. Further frames are
/// downloaded to host memory, because the decoder needs the remaining surfaces to decode into. NVDEC has at
/// most 32 surfaces; a stream's reference frames use up to 17 of them. For large frames, see
/// max_held_surfaces().
inline constexpr int MaxHeldSurfaces = 12;

/// The decoder in use, and the decoders that failed.
struct HwDecodeStatus {
  std::string decoder = "no";  ///< HwDecodeApiSpec::name; "no": the CPU
  struct Fallback {
    std::string from;    ///< HwDecodeApiSpec::name
    std::string reason;  ///< one sentence
  };
  std::vector<Fallback> fallbacks;  ///< oldest first
};

}  // namespace glyphreel::media
