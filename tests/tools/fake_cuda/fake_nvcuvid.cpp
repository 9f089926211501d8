// A fake libnvcuvid.so.1 without a GPU, written from NVIDIA's documentation. VP9 and JPEG pictures arrive as
// complete packets, which FFmpeg's software decoders decode. VP9 clips must not have hidden frames. Pictures
// of other codecs arrive as slices without the headers that decoding needs, so a moving pattern replaces
// them.
#include "fake_cuda.h"

#include <cstdlib>

#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_cuviddec.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace {

constexpr auto Failed = static_cast<CUresult>(999);        // CUDA_ERROR_UNKNOWN
constexpr auto Invalid = static_cast<CUresult>(1);         // CUDA_ERROR_INVALID_VALUE
constexpr auto MapFailed = static_cast<CUresult>(205);     // CUDA_ERROR_MAP_FAILED
constexpr auto NotSupported = static_cast<CUresult>(801);  // CUDA_ERROR_NOT_SUPPORTED

/// One decoded picture: one plane per component, with the samples in the low bits.
struct Decoded {
  struct Component {
    int width = 0, height = 0;
    std::vector<std::uint16_t> samples;
  };
  Component components[3];
};

struct Surface {
  CUdeviceptr memory = 0;
  bool mapped = false;
};

struct Decoder {
  CUVIDDECODECREATEINFO info{};
  AVCodecContext* inner = nullptr;  ///< null if a pattern replaces the pictures
  std::map<int, Decoded> pictures;  ///< by picture index
  int decoded = 0;
  std::size_t pitch = 0;
  std::size_t surface_size = 0;
  std::mutex mutex;  ///< guards `surfaces`, since any thread may unmap frames
  std::vector<Surface> surfaces;
};

const char* name_of(cudaVideoCodec codec) {
  switch (codec) {
    case cudaVideoCodec_MPEG1:
      return "mpeg1video";
    case cudaVideoCodec_MPEG2:
      return "mpeg2video";
    case cudaVideoCodec_MPEG4:
      return "mpeg4";
    case cudaVideoCodec_VC1:
      return "vc1";
    case cudaVideoCodec_H264:
      return "h264";
    case cudaVideoCodec_JPEG:
      return "mjpeg";
    case cudaVideoCodec_HEVC:
      return "hevc";
    case cudaVideoCodec_VP8:
      return "vp8";
    case cudaVideoCodec_VP9:
      return "vp9";
    case cudaVideoCodec_AV1:
      return "av1";
    default:
      return "";
  }
}

bool decodes(cudaVideoCodec codec) {
  const char* value = std::getenv("FAKE_NVDEC_CODECS");
  if (value == nullptr) return true;
  std::string_view text = value;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    if (one == name_of(codec)) return true;
    text.remove_prefix(std::min(text.size(), one.size() + 1));
  }
  return false;
}

bool is_wide(cudaVideoSurfaceFormat format) {
  return format == cudaVideoSurfaceFormat_P016 || format == cudaVideoSurfaceFormat_YUV444_16Bit;
}
bool is_444(cudaVideoSurfaceFormat format) {
  return format == cudaVideoSurfaceFormat_YUV444 || format == cudaVideoSurfaceFormat_YUV444_16Bit;
}

Decoded pattern(const CUVIDDECODECREATEINFO& info, int number) {
  Decoded picture;
  for (int c = 0; c < 3; ++c) {
    Decoded::Component& component = picture.components[c];
    const int shift = c > 0 && !is_444(info.OutputFormat) ? 1 : 0;
    component.width = static_cast<int>(info.ulWidth) >> shift;
    component.height = static_cast<int>(info.ulHeight) >> shift;
    for (int y = 0; y < component.height; ++y) {
      for (int x = 0; x < component.width; ++x)
        component.samples.push_back(static_cast<std::uint16_t>((x + 2 * y + 8 * number + 40 * c) & 0xFF));
    }
  }
  return picture;
}

Decoded samples_of(const AVFrame& frame) {
  Decoded picture;
  const AVPixFmtDescriptor& format = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  for (int c = 0; c < std::min<int>(3, format.nb_components); ++c) {
    Decoded::Component& component = picture.components[c];
    component.width = c > 0 ? AV_CEIL_RSHIFT(frame.width, format.log2_chroma_w) : frame.width;
    component.height = c > 0 ? AV_CEIL_RSHIFT(frame.height, format.log2_chroma_h) : frame.height;
    for (int y = 0; y < component.height; ++y) {
      const std::uint8_t* row = frame.data[c] + static_cast<std::ptrdiff_t>(y) * frame.linesize[c];
      for (int x = 0; x < component.width; ++x) {
        std::uint16_t sample = row[x];
        if (format.comp[0].depth > 8) std::memcpy(&sample, row + 2 * x, 2);
        component.samples.push_back(sample);
      }
    }
  }
  return picture;
}

/// Writes a picture in NVDEC's layout: each plane begins `ulTargetHeight` rows after the previous plane, and
/// chroma follows luma.
void write(const Decoder& decoder, const Decoded& picture, std::uint8_t* to) {
  const CUVIDDECODECREATEINFO& info = decoder.info;
  const bool wide = is_wide(info.OutputFormat);
  const bool interleaved = !is_444(info.OutputFormat);
  const int shift = wide ? 16 - 8 - static_cast<int>(info.bitDepthMinus8) : 0;
  for (int c = 0; c < 3; ++c) {
    const Decoded::Component& component = picture.components[c];
    const std::size_t plane = interleaved ? (c > 0 ? 1U : 0U) : static_cast<std::size_t>(c);
    std::uint8_t* const base = to + plane * info.ulTargetHeight * decoder.pitch;
    const int step = interleaved && c > 0 ? 2 : 1;
    for (int y = 0; y < component.height; ++y) {
      for (int x = 0; x < component.width; ++x) {
        const auto at = static_cast<std::size_t>(x * step + (step == 2 ? c - 1 : 0));
        const std::uint16_t sample = component.samples[static_cast<std::size_t>(y * component.width + x)];
        std::uint8_t* const row = base + static_cast<std::size_t>(y) * decoder.pitch;
        if (wide) {
          const auto shifted = static_cast<std::uint16_t>(sample << shift);
          std::memcpy(row + 2 * at, &shifted, 2);
        } else {
          row[at] = static_cast<std::uint8_t>(sample);
        }
      }
    }
  }
}

Decoder* as_decoder(CUvideodecoder handle) {
  return static_cast<Decoder*>(handle);
}

bool decode(Decoder& decoder, const CUVIDPICPARAMS& params) {
  if (decoder.inner == nullptr) {
    decoder.pictures[params.CurrPicIdx] = pattern(decoder.info, decoder.decoded++);
    return true;
  }
  AVPacket* packet = av_packet_alloc();
  AVFrame* frame = av_frame_alloc();
  bool done = av_new_packet(packet, static_cast<int>(params.nBitstreamDataLen)) == 0;
  if (done) {
    std::memcpy(packet->data, params.pBitstreamData, params.nBitstreamDataLen);
    done =
        avcodec_send_packet(decoder.inner, packet) == 0 && avcodec_receive_frame(decoder.inner, frame) == 0;
  }
  if (done) decoder.pictures[params.CurrPicIdx] = samples_of(*frame);
  av_packet_free(&packet);
  av_frame_free(&frame);
  return done;
}

}  // namespace

extern "C" {
CUresult cuMemAlloc_v2(CUdeviceptr* memory, std::size_t size);
CUresult cuMemFree_v2(CUdeviceptr memory);
}

#define FAKE(function, ...)                        \
  FAKE_CUDA_EXPORT CUresult function(__VA_ARGS__); \
  FAKE_CUDA_EXPORT CUresult function(__VA_ARGS__)
#define COUNT(function) \
  if (fake_cuda_call(#function)) return Failed

FAKE(cuvidGetDecoderCaps, CUVIDDECODECAPS* caps) {
  COUNT(cuvidGetDecoderCaps);
  unsigned width = 8192, height = 8192;
  if (const char* value = std::getenv("FAKE_NVDEC_MAX"); value != nullptr)
    std::sscanf(value, "%ux%u", &width, &height);
  caps->bIsSupported = decodes(caps->eCodecType) ? 1 : 0;
  caps->nNumNVDECs = 1;
  caps->nOutputFormatMask = 0xF;
  caps->nMaxWidth = width;
  caps->nMaxHeight = height;
  caps->nMaxMBCount = width * height / 256;
  caps->nMinWidth = 16;
  caps->nMinHeight = 16;
  return CUDA_SUCCESS;
}

FAKE(cuvidCreateDecoder, CUvideodecoder* made, CUVIDDECODECREATEINFO* info) {
  COUNT(cuvidCreateDecoder);
  if (!decodes(info->CodecType)) return NotSupported;
  auto* decoder = new Decoder;
  decoder->info = *info;
  if (info->CodecType == cudaVideoCodec_VP9 || info->CodecType == cudaVideoCodec_JPEG) {
    decoder->inner = avcodec_alloc_context3(
        avcodec_find_decoder(info->CodecType == cudaVideoCodec_VP9 ? AV_CODEC_ID_VP9 : AV_CODEC_ID_MJPEG));
    decoder->inner->thread_count = 1;
    avcodec_open2(decoder->inner, decoder->inner->codec, nullptr);
  }
  const std::size_t samples = is_wide(info->OutputFormat) ? 2 : 1;
  decoder->pitch = (info->ulTargetWidth * samples + 255) / 256 * 256;
  decoder->surface_size = decoder->pitch * info->ulTargetHeight * 3;
  decoder->surfaces.resize(std::max<std::size_t>(info->ulNumOutputSurfaces, 1));
  for (Surface& surface : decoder->surfaces) cuMemAlloc_v2(&surface.memory, decoder->surface_size);
  fake_cuda_count_live(1);
  *made = decoder;
  return CUDA_SUCCESS;
}

FAKE(cuvidDestroyDecoder, CUvideodecoder handle) {
  Decoder* decoder = as_decoder(handle);
  avcodec_free_context(&decoder->inner);
  for (const Surface& surface : decoder->surfaces) cuMemFree_v2(surface.memory);
  delete decoder;
  fake_cuda_count_live(-1);
  return CUDA_SUCCESS;
}

FAKE(cuvidDecodePicture, CUvideodecoder handle, CUVIDPICPARAMS* params) {
  COUNT(cuvidDecodePicture);
  return decode(*as_decoder(handle), *params) ? CUDA_SUCCESS : Failed;
}

FAKE(cuvidMapVideoFrame64, CUvideodecoder handle, int index, unsigned long long* memory, unsigned* pitch,
     CUVIDPROCPARAMS*) {
  COUNT(cuvidMapVideoFrame64);
  Decoder& decoder = *as_decoder(handle);
  const auto picture = decoder.pictures.find(index);
  if (picture == decoder.pictures.end()) return Invalid;
  const std::lock_guard lock(decoder.mutex);
  const auto free = std::find_if(decoder.surfaces.begin(), decoder.surfaces.end(),
                                 [](const Surface& surface) { return !surface.mapped; });
  if (free == decoder.surfaces.end()) return MapFailed;
  free->mapped = true;
  fake_cuda_count_live(1);
  *memory = free->memory;
  *pitch = static_cast<unsigned>(decoder.pitch);
  // cuMemFree() waits for the stream before it frees the surface, so the task may write to the surface.
  fake_cuda_enqueue(
      [info = decoder.info, decoder_pitch = decoder.pitch, to = free->memory, shown = picture->second] {
        Decoder shape;
        shape.info = info;
        shape.pitch = decoder_pitch;
        write(shape, shown, reinterpret_cast<std::uint8_t*>(to));
      });
  return CUDA_SUCCESS;
}

FAKE(cuvidUnmapVideoFrame64, CUvideodecoder handle, unsigned long long memory) {
  Decoder& decoder = *as_decoder(handle);
  // The lock is held until the task is in the stream. Otherwise another thread could reuse the surface first,
  // and the task would then overwrite the next picture.
  const std::lock_guard lock(decoder.mutex);
  for (Surface& surface : decoder.surfaces) {
    if (surface.memory != memory) continue;
    surface.mapped = false;
    fake_cuda_count_live(-1);
    // From now on, the hardware may overwrite the surface.
    const auto spoil = [memory, size = decoder.surface_size] {
      std::memset(reinterpret_cast<void*>(memory), 0xEE, size);
    };
    if (std::getenv("FAKE_NVDEC_REUSE_AT_ONCE") != nullptr) {
      spoil();
    } else {
      fake_cuda_enqueue(spoil);
    }
    return CUDA_SUCCESS;
  }
  return Invalid;
}

#define ABSENT(function)                 \
  FAKE_CUDA_EXPORT CUresult function();  \
  FAKE_CUDA_EXPORT CUresult function() { \
    return NotSupported;                 \
  }
ABSENT(cuvidCreateVideoParser)
ABSENT(cuvidCreateVideoSource)
ABSENT(cuvidCreateVideoSourceW)
ABSENT(cuvidCtxLock)
ABSENT(cuvidCtxLockCreate)
ABSENT(cuvidCtxLockDestroy)
ABSENT(cuvidCtxUnlock)
ABSENT(cuvidDestroyVideoParser)
ABSENT(cuvidDestroyVideoSource)
ABSENT(cuvidGetDecodeStatus)
ABSENT(cuvidGetSourceAudioFormat)
ABSENT(cuvidGetSourceVideoFormat)
ABSENT(cuvidGetVideoSourceState)
ABSENT(cuvidParseVideoData)
ABSENT(cuvidReconfigureDecoder)
ABSENT(cuvidSetVideoSourceState)
