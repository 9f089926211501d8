#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "media/hwdec/hw_decode_backend.h"

namespace glyphreel::test {

/// The backend calls that a Fault can make fail.
enum class HwDecodeCall { FindCodec, MakeDevice, ChooseFormat, FramesParameters, InitFrames, Send, Receive };
inline constexpr int HwDecodeCallCount = 7;

/// Fake hardware decoders that run FFmpeg's software decoders. They output DRM PRIME frames in memory files,
/// whose pixels are accessible only by mapping. Decoding fails if more frames would exist at once than the
/// decoder's user requested. Calls fail as configured by the faults.
class FakeHardware final : public media::HwDecodeBackend {
 public:
  struct Fault {
    HwDecodeCall call = HwDecodeCall::MakeDevice;
    int at = 0;               ///< index of the failing call among the calls of this kind to all decoders
    bool is_lasting = false;  ///< whether all later calls of any kind on the same decoder fail, too
    int code = 0;             ///< the AVERROR code of the failure; 0 means AVERROR_EXTERNAL
  };
  explicit FakeHardware(std::vector<Fault> faults = {});

  [[nodiscard]] const AVCodec* find_codec(AVCodecID codec, HwDecodeApi decoder) override;
  [[nodiscard]] Result<media::BufferRef> make_device(HwDecodeApi decoder) override;
  [[nodiscard]] AVPixelFormat choose_format(HwDecodeApi decoder, const AVPixelFormat* offered) override;
  [[nodiscard]] int frames_parameters(AVCodecContext& context, HwDecodeApi decoder, AVBufferRef* device,
                                      AVPixelFormat format, media::BufferRef& frames) override;
  [[nodiscard]] int init_frames(AVBufferRef* frames) override;
  [[nodiscard]] int send(AVCodecContext& context, const AVPacket* packet) override;
  [[nodiscard]] int receive(AVCodecContext& context, AVFrame& frame) override;

  /// The download fails for `lost_surfaces` surfaces, starting with surface number `first_lost`. Surfaces are
  /// numbered from 0 across all decoders.
  int first_lost = 0;
  int lost_surfaces = 0;
  /// If not NONE, the surfaces have this format and show a black picture.
  AVPixelFormat surface_format = AV_PIX_FMT_NONE;
  /// The maximum width of a frame that decoders accept, in pixels; 0: no limit.
  int max_width = 0;
  [[nodiscard]] int calls(HwDecodeCall call) const { return counts_[static_cast<std::size_t>(call)]; }
  /// Returns how many frames of this hardware exist now.
  [[nodiscard]] int frames_alive() const { return *alive_; }

 private:
  [[nodiscard]] int fails(HwDecodeCall call);
  [[nodiscard]] int to_surface(AVFrame& frame, AVCodecContext& context);

  std::vector<Fault> faults_;
  std::array<int, HwDecodeCallCount> counts_{};
  int lasting_error_ = 0;  ///< AVERROR of the current decoder's lasting fault; 0 if there is none
  media::BufferRef device_;
  media::BufferRef frames_;
  std::shared_ptr<std::atomic<int>> alive_ = std::make_shared<std::atomic<int>>(0);
  int surfaces_ = 0;  ///< number of surfaces created
};

}  // namespace glyphreel::test
