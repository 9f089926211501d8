#include "support/device_codecs.h"

#include <va/va.h>

#include <array>
#include <vector>

#include "interop/cuda/cuda_device.h"
#include "interop/drm/vaapi_device.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_cuda.h>
#include <libavutil/hwcontext_vaapi.h>
}

namespace glyphreel::gpu {
namespace {

using Json = nlohmann::json;

/// Returns the API-specific part (`hwctx`) of a device that FFmpeg has opened.
template <typename Context>
Context& context_of(const media::BufferRef& opened) {
  return *static_cast<Context*>(reinterpret_cast<AVHWDeviceContext*>(opened->data)->hwctx);
}

/// Whether Vulkan Video decodes HEVC with 10 bits per sample (Main 10). The device must decode HEVC.
bool decodes_hevc_10_bit(const Device& device) {
  const auto get_capabilities = reinterpret_cast<PFN_vkGetPhysicalDeviceVideoCapabilitiesKHR>(
      vkGetInstanceProcAddr(device.instance(), "vkGetPhysicalDeviceVideoCapabilitiesKHR"));
  if (get_capabilities == nullptr) return false;
  VkVideoDecodeH265ProfileInfoKHR main_10{VK_STRUCTURE_TYPE_VIDEO_DECODE_H265_PROFILE_INFO_KHR};
  main_10.stdProfileIdc = STD_VIDEO_H265_PROFILE_IDC_MAIN_10;
  VkVideoProfileInfoKHR profile{VK_STRUCTURE_TYPE_VIDEO_PROFILE_INFO_KHR};
  profile.pNext = &main_10;
  profile.videoCodecOperation = VK_VIDEO_CODEC_OPERATION_DECODE_H265_BIT_KHR;
  profile.chromaSubsampling = VK_VIDEO_CHROMA_SUBSAMPLING_420_BIT_KHR;
  profile.lumaBitDepth = profile.chromaBitDepth = VK_VIDEO_COMPONENT_BIT_DEPTH_10_BIT_KHR;
  VkVideoDecodeH265CapabilitiesKHR hevc{VK_STRUCTURE_TYPE_VIDEO_DECODE_H265_CAPABILITIES_KHR};
  VkVideoDecodeCapabilitiesKHR decoding{VK_STRUCTURE_TYPE_VIDEO_DECODE_CAPABILITIES_KHR};
  decoding.pNext = &hevc;
  VkVideoCapabilitiesKHR capabilities{VK_STRUCTURE_TYPE_VIDEO_CAPABILITIES_KHR};
  capabilities.pNext = &decoding;
  return get_capabilities(device.physical(), &profile, &capabilities) == VK_SUCCESS;
}

Json vulkan_codecs(const Device& device) {
  const VkVideoCodecOperationFlagsKHR codecs = device.video().codecs;
  Json names = Json::array();
  if ((codecs & VK_VIDEO_CODEC_OPERATION_DECODE_H264_BIT_KHR) != 0) names.push_back("h264");
  if ((codecs & VK_VIDEO_CODEC_OPERATION_DECODE_H265_BIT_KHR) != 0) {
    names.push_back("hevc");
    if (decodes_hevc_10_bit(device)) names.push_back("hevc 10 bit");
  }
  if ((codecs & DecodeAv1) != 0) names.push_back("av1");
  return names;
}

Json vaapi_codecs(const Device& device) {
  static constexpr std::pair<VAProfile, const char*> Known[] = {{VAProfileH264High, "h264"},
                                                                {VAProfileHEVCMain, "hevc"},
                                                                {VAProfileHEVCMain10, "hevc 10 bit"},
                                                                {VAProfileAV1Profile0, "av1"},
                                                                {VAProfileVP9Profile0, "vp9"}};
  const Result<media::BufferRef> opened = interop::make_vaapi_device(device);
  if (!opened) return nullptr;
  const VADisplay display = context_of<AVVAAPIDeviceContext>(*opened).display;
  Json names = Json::array();
  for (const auto& [profile, name] : Known) {
    int count = 0;
    std::vector<VAEntrypoint> entries(static_cast<std::size_t>(vaMaxNumEntrypoints(display)));
    if (vaQueryConfigEntrypoints(display, profile, entries.data(), &count) != VA_STATUS_SUCCESS) continue;
    entries.resize(static_cast<std::size_t>(count));
    if (std::ranges::find(entries, VAEntrypointVLD) != entries.end()) names.push_back(name);
  }
  return names;
}

Json cuda_codecs(const Device& device) {
  struct KnownCodec {
    cudaVideoCodec codec;
    unsigned extra_bits;
    const char* name;
  };
  static constexpr KnownCodec Known[] = {{cudaVideoCodec_H264, 0, "h264"},
                                         {cudaVideoCodec_HEVC, 0, "hevc"},
                                         {cudaVideoCodec_HEVC, 2, "hevc 10 bit"},
                                         {cudaVideoCodec_AV1, 0, "av1"},
                                         {cudaVideoCodec_VP9, 0, "vp9"}};
  const Result<media::BufferRef> opened = interop::make_cuda_device(device);
  const Result<std::shared_ptr<const interop::cuda::Api>> api = interop::cuda::load();
  if (!opened || !api) return nullptr;
  void* const library = ::dlopen("libnvcuvid.so.1", RTLD_NOW | RTLD_LOCAL);
  auto* const get_caps =
      library != nullptr ? reinterpret_cast<tcuvidGetDecoderCaps*>(::dlsym(library, "cuvidGetDecoderCaps"))
                         : nullptr;
  if (get_caps == nullptr) return nullptr;
  const interop::cuda::CurrentContext current(**api, context_of<AVCUDADeviceContext>(*opened).cuda_ctx);
  Json names = Json::array();
  for (const KnownCodec& known : Known) {
    CUVIDDECODECAPS caps{};
    caps.eCodecType = known.codec;
    caps.eChromaFormat = cudaVideoChromaFormat_420;
    caps.nBitDepthMinus8 = known.extra_bits;
    if (get_caps(&caps) == CUDA_SUCCESS && caps.bIsSupported != 0) names.push_back(known.name);
  }
  return names;
}

}  // namespace

Json device_codecs(const std::shared_ptr<Device>& device) {
  return {
      {"vulkan", vulkan_codecs(*device)}, {"vaapi", vaapi_codecs(*device)}, {"cuda", cuda_codecs(*device)}};
}

}  // namespace glyphreel::gpu
