#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "media/hwdec/hw_decode_backend.h"

namespace glyphreel::test {

/// The backend calls that can be made to fail.
enum class HwDecodeCall { FindCodec, MakeDevice, ChooseFormat, FramesParameters, InitFrames, Send, Receive };
inline constexpr int HwDecodeCallCount = 7;

/// Fake hardware decoders that run FFmpeg's software decoders: they output DRM PRIME frames in memory files,
/// which only mapping brings to the host. Each has exactly as many frames as were requested, and fails where
/// configured.
class FakeHardware final : public media::HwDecodeBackend {
 public:
  struct Fault {
    HwDecodeCall call = HwDecodeCall::MakeDevice;
    int at = 0;               ///< index of the call, from 0, across all decoders
    bool is_lasting = false;  ///< all later calls of any kind on the same decoder fail too
    int code = 0;             ///< the AVERROR; 0: AVERROR_EXTERNAL
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

  /// Surfaces that cannot be downloaded, counted from 0 across all decoders: the first one, and how many.
  int first_lost = 0;
  int lost_surfaces = 0;
  /// Frames wider than this are refused; 0: no limit.
  int most_width = 0;
  [[nodiscard]] int calls(HwDecodeCall call) const { return counts_[static_cast<std::size_t>(call)]; }
  /// Live frames of this hardware, and the most there ever were.
  [[nodiscard]] int frames_alive() const { return *alive_; }
  [[nodiscard]] int most_alive() const { return most_alive_; }

 private:
  [[nodiscard]] int fails(HwDecodeCall call);
  [[nodiscard]] int to_surface(AVFrame& frame, AVCodecContext& context);

  std::vector<Fault> faults_;
  std::array<int, HwDecodeCallCount> counts_{};
  int lasting_ = 0;  ///< the AVERROR of the current decoder since it failed
  media::BufferRef device_;
  media::BufferRef frames_;
  std::shared_ptr<std::atomic<int>> alive_ = std::make_shared<std::atomic<int>>(0);
  int most_alive_ = 0;
  int surfaces_ = 0;  ///< number created
};

}  // namespace glyphreel::test
