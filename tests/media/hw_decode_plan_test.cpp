#include "media/hwdec/hw_decode_plan.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/geometry.h"
#include "media/demux/packet_history.h"
#include "media/hwdec/hardware_surface.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/hwdec/shared_hw_devices.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media::hw_decode_plan_test {
namespace {

using enum HwDecodeApi;
using Chain = std::vector<HwDecodeApi>;

/// The parameters of a stream that its headers declare.
struct StreamHeaders {
  AVCodecID codec = AV_CODEC_ID_NONE;
  int profile = -99;
  AVPixelFormat format = AV_PIX_FMT_NONE;
  Extent size;
};

Chain plan(const StreamHeaders& stream, HwDecodeChoice choice = HwDecodeChoice::Auto,
           RenderedBy rendered_by = RenderedBy::Gpu) {
  const CodecParametersPtr parameters(avcodec_parameters_alloc());
  parameters->codec_id = stream.codec;
  parameters->profile = stream.profile;
  parameters->format = stream.format;
  parameters->width = stream.size.width;
  parameters->height = stream.size.height;
  return rank_hw_decoders(*parameters, choice, rendered_by);
}

constexpr Extent Hd{1920, 1080};

TEST(HwDecodePlan, FfmpegKnowsEveryApi) {
  for (const HwDecodeApiSpec& spec : HwDecodeApis) {
    EXPECT_NE(av_hwdevice_find_type_by_name(spec.ffmpeg_device), AV_HWDEVICE_TYPE_NONE) << spec.name;
    EXPECT_NE(av_get_pix_fmt(spec.ffmpeg_surface), AV_PIX_FMT_NONE) << spec.name;
  }
}

TEST(HwDecodePlan, OrdersDecodersFastestFirst) {
  const StreamHeaders needs{.codec = AV_CODEC_ID_H264, .format = AV_PIX_FMT_YUV420P, .size = Hd};
  EXPECT_EQ(plan(needs), (Chain{Cuda, Vulkan, Vaapi}));
  EXPECT_EQ(plan(needs, choice_of(Vaapi)), Chain{Vaapi});
  EXPECT_EQ(plan(needs, choice_of(Cuda)), Chain{Cuda});
  EXPECT_EQ(plan(needs, choice_of(Vulkan)), Chain{Vulkan});
  EXPECT_EQ(plan(needs, HwDecodeChoice::No), Chain{});
}

TEST(HwDecodePlan, SkipsHardwareWhenCpuDraws) {
  const StreamHeaders needs{.codec = AV_CODEC_ID_HEVC, .format = AV_PIX_FMT_YUV420P10, .size = Hd};
  EXPECT_EQ(plan(needs, HwDecodeChoice::Auto, RenderedBy::Cpu), Chain{});
  EXPECT_EQ(plan(needs, choice_of(Cuda), RenderedBy::Cpu), Chain{Cuda});
  EXPECT_EQ(plan(needs, HwDecodeChoice::No, RenderedBy::Gpu), Chain{});
}

TEST(HwDecodePlan, ListsDecodersThatSupportStream) {
  struct Case {
    StreamHeaders needs;
    Chain chain;
  };
  const Chain all{Cuda, Vulkan, Vaapi};
  const std::vector<Case> cases = {
      {{.codec = AV_CODEC_ID_HEVC, .format = AV_PIX_FMT_YUV420P10, .size = {7680, 4320}}, all},
      {{.codec = AV_CODEC_ID_HEVC, .format = AV_PIX_FMT_YUV444P12, .size = Hd}, all},
      {{.codec = AV_CODEC_ID_HEVC, .format = AV_PIX_FMT_YUV444P16, .size = Hd}, {}},
      {{.codec = AV_CODEC_ID_HEVC, .format = AV_PIX_FMT_GBRP, .size = Hd}, all},
      {{.codec = AV_CODEC_ID_H264, .format = AV_PIX_FMT_YUV420P10, .size = Hd}, {Cuda}},
      {{.codec = AV_CODEC_ID_H264, .format = AV_PIX_FMT_YUV422P10, .size = Hd}, {Cuda}},
      {{.codec = AV_CODEC_ID_H264, .format = AV_PIX_FMT_YUV444P, .size = Hd}, {}},
      {{.codec = AV_CODEC_ID_H264, .format = AV_PIX_FMT_YUV420P, .size = {7680, 4320}}, {Cuda, Vulkan}},
      {{.codec = AV_CODEC_ID_H264, .format = AV_PIX_FMT_YUV420P, .size = {16000, 9000}}, {}},
      {{.codec = AV_CODEC_ID_AV1, .profile = 0, .format = AV_PIX_FMT_YUV420P10, .size = Hd}, all},
      {{.codec = AV_CODEC_ID_AV1, .profile = 1, .format = AV_PIX_FMT_YUV444P, .size = Hd}, {}},
      {{.codec = AV_CODEC_ID_VP9, .format = AV_PIX_FMT_YUV420P, .size = Hd}, {Cuda, Vaapi}},
      {{.codec = AV_CODEC_ID_VP9, .format = AV_PIX_FMT_YUVA420P, .size = Hd}, {}},
      {{.codec = AV_CODEC_ID_MPEG2VIDEO, .format = AV_PIX_FMT_YUV422P, .size = Hd}, {}},
      {{.codec = AV_CODEC_ID_MPEG2VIDEO, .format = AV_PIX_FMT_YUV420P, .size = Hd}, {Cuda, Vaapi}},
      {{.codec = AV_CODEC_ID_FFV1, .format = AV_PIX_FMT_YUV420P, .size = Hd}, {}},
      {{.codec = AV_CODEC_ID_H264}, all},  // headers without details
  };
  for (const Case& c : cases) {
    EXPECT_EQ(plan(c.needs), c.chain) << avcodec_get_name(c.needs.codec) << " " << c.needs.format << " "
                                      << c.needs.size.width << " profile " << c.needs.profile;
  }
}

PacketPtr packet_of(int size, bool is_key) {
  PacketPtr packet = new_packet();
  CHECK(av_new_packet(packet.get(), size) >= 0, "out of memory");
  if (is_key) packet->flags |= AV_PKT_FLAG_KEY;
  return packet;
}

TEST(HeldSurfaces, LargeFramesGetFewer) {
  const auto held = [](AVPixelFormat format, int width, int height) {
    AVHWFramesContext frames{};
    frames.sw_format = format;
    frames.width = width;
    frames.height = height;
    return max_held_surfaces(frames);
  };
  EXPECT_EQ(held(AV_PIX_FMT_NV12, 1920, 1080), MaxHeldSurfaces);
  EXPECT_EQ(held(AV_PIX_FMT_NV12, 3840, 2160), MaxHeldSurfaces);
  EXPECT_EQ(held(AV_PIX_FMT_P010, 3840, 2160), 10);
  EXPECT_EQ(held(AV_PIX_FMT_P010, 7680, 4320), MinHeldSurfaces);
}

TEST(PacketHistory, StartsAtLastOutputKeyframe) {
  PacketHistory history;
  for (int i = 0; i < 12; ++i) history.add(*packet_of(10, i % 4 == 0), false);
  EXPECT_EQ(history.first(), 0);
  EXPECT_EQ(history.next_number(), 12);
  history.note_output(0, 100);
  history.note_output(5, 200);  // a frame of the next group, whose keyframe was not output yet
  EXPECT_EQ(history.first(), 0);
  EXPECT_TRUE(history.was_output(0, 100));
  EXPECT_TRUE(history.was_output(5, 200));
  EXPECT_FALSE(history.was_output(5, 201));  // another frame of the same packet, as when a frame is repeated
  EXPECT_FALSE(history.was_output(3, 150));  // outside a replay, no frame is dropped for being late
  history.begin_replay();
  EXPECT_TRUE(history.was_output(0, 100));
  EXPECT_TRUE(history.was_output(3, 150));  // the frame was never output, but its time has passed
  EXPECT_FALSE(history.was_output(4, 300));
  EXPECT_TRUE(history.was_output(5, 200));
  EXPECT_FALSE(history.was_output(3, 150));  // all earlier output has been replayed, so this frame is new
  history.note_output(4, 300);
  EXPECT_EQ(history.first(), 4);
  EXPECT_EQ(history.find(3), nullptr);
  ASSERT_NE(history.find(4), nullptr);
  EXPECT_NE(history.find(4)->packet->flags & AV_PKT_FLAG_KEY, 0);
  EXPECT_EQ(history.find(12), nullptr);
  history.clear();
  EXPECT_EQ(history.first(), 12);
  EXPECT_FALSE(history.was_output(4, 300));
}

TEST(PacketHistory, StaysWithinByteLimit) {
  PacketHistory history(100);
  history.add(*packet_of(60, true), false);
  history.add(*packet_of(40, false), false);
  EXPECT_FALSE(history.has_gap());
  history.add(*packet_of(1, false), false);
  EXPECT_TRUE(history.has_gap());
  EXPECT_EQ(history.first(), 3);
  history.add(*packet_of(1, false), false);
  EXPECT_EQ(history.first(), 4);
  history.add(*packet_of(50, true), true);  // begins a GOP that is within the limit
  EXPECT_FALSE(history.has_gap());
  EXPECT_EQ(history.first(), 4);
  EXPECT_TRUE(history.find(4)->is_skippable);
  history.add(*packet_of(101, true), false);  // a frame that is larger than the limit
  EXPECT_TRUE(history.has_gap());
  EXPECT_EQ(history.first(), history.next_number());
  history.note_output(2, 50);
  history.begin_replay();
  EXPECT_FALSE(history.was_output(2, 50)) << "frames that cannot be decoded again must not use memory";
}

/// Creates a new device for each call. The devices are never opened.
class FakeDevices final : public HwDeviceProvider {
 public:
  Result<BufferRef> device(HwDecodeApi decoder) override {
    if (decoder == Vaapi) return Error{ErrorCode::Failed, "No driver.", {}};
    ++made;
    return BufferRef(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_DRM));
  }
  void adjust_frames(HwDecodeApi, AVHWFramesContext&) override {}
  int made = 0;
};

TEST(SharedHwDevices, SharesDevicesUntilTheyFail) {
  const auto source = std::make_shared<FakeDevices>();
  SharedHwDevices shared(source);
  const auto first = shared.device(Cuda);
  const auto second = shared.device(Cuda);
  ASSERT_TRUE(first && second);
  EXPECT_EQ((*first)->data, (*second)->data);
  const auto vulkan = shared.device(Vulkan);
  ASSERT_TRUE(vulkan);
  EXPECT_NE((*vulkan)->data, (*first)->data) << "each API has its own device";
  shared.discard(Cuda);
  const auto third = shared.device(Cuda);
  ASSERT_TRUE(third);
  EXPECT_NE((*third)->data, (*first)->data);
  EXPECT_EQ(source->made, 3);
  EXPECT_FALSE(shared.device(Vaapi)) << "errors are not kept as devices";
  EXPECT_FALSE(shared.device(Vaapi));
}

}  // namespace
}  // namespace glyphreel::media::hw_decode_plan_test
