#include "media/frame/direct_buffers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <unordered_set>

#include "base/mutex.h"
#include "media/frame/pixel_layout.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

constexpr std::size_t BufferRowAlignment = 64;  // bytes: enough for AVX-512; also a common GPU row pitch
// Decoders' SIMD code reads and writes up to one vector past the end of a plane.
constexpr std::size_t PlaneSlack = 128;

struct PlanePlan {
  std::array<int, 4> strides{};
  std::array<std::size_t, 4> offsets{};
  std::size_t size = 0;  // 0: this format is not supported
};

PlanePlan plan_planes(AVCodecContext& decoder, const AVFrame& frame) {
  PlanePlan plan;
  const auto format = static_cast<AVPixelFormat>(frame.format);
  int width = frame.width;
  int height = frame.height;
  std::array<int, AV_NUM_DATA_POINTERS> alignment{};
  avcodec_align_dimensions2(&decoder, &width, &height, alignment.data());

  // Increase the width until the stride of every plane is aligned, as libavcodec's own pool does. Aligning
  // each stride separately would change the ratio of luma to chroma strides, on which some decoders depend.
  do {
    if (av_image_fill_linesizes(plan.strides.data(), format, width) < 0) return {};
    width += width & ~(width - 1);
  } while (std::ranges::any_of(
      plan.strides, [](int stride) { return stride % static_cast<int>(BufferRowAlignment) != 0; }));

  std::array<std::ptrdiff_t, 4> strides{};
  std::ranges::copy(plan.strides, strides.begin());
  std::array<std::size_t, 4> sizes{};
  if (av_image_fill_plane_sizes(sizes.data(), format, height, strides.data()) < 0) return {};
  for (std::size_t i = 0; i < sizes.size() && sizes[i] != 0; ++i) {
    plan.offsets[i] = plan.size;
    plan.size += (sizes[i] + PlaneSlack + BufferRowAlignment - 1) / BufferRowAlignment * BufferRowAlignment;
  }
  return plan;
}

/// Whether all rows of a plane are inside the block. The stride may be negative.
bool plane_lies_in(const HostBlock& block, const AVFrame& frame, int plane, int rows, int row_bytes) {
  const auto* begin = reinterpret_cast<const std::byte*>(frame.data[plane]);
  const auto* end = begin;
  const std::ptrdiff_t last_row = static_cast<std::ptrdiff_t>(frame.linesize[plane]) * (rows - 1);
  (last_row < 0 ? begin : end) += last_row;
  return begin >= block.bytes && end + row_bytes <= block.bytes + block.size;
}

}  // namespace

/// The leases in use. The opaque pointer of an AVBuffer points to a Lease only if DirectBuffers created the
/// buffer. Therefore the pointer is dereferenced only if it is in this set.
struct DirectBuffers::LiveBlocks {
  Mutex mutex;
  std::unordered_set<const void*> leases GUARDED_BY(mutex);
};

/// The objects that one AVBuffer keeps alive. A lease exists as long as any frame uses the AVBuffer, and
/// frames can outlive the decoder and DirectBuffers.
struct DirectBuffers::Lease {
  std::shared_ptr<const HostBlock> block;
  std::shared_ptr<LiveBlocks> live;
};

DirectBuffers::DirectBuffers(HostMemory& memory) : memory_(memory), live_(std::make_shared<LiveBlocks>()) {}

void DirectBuffers::attach(AVCodecContext& decoder) {
  if ((decoder.codec->capabilities & AV_CODEC_CAP_DR1) == 0) return;
  decoder.opaque = this;
  decoder.get_buffer2 = get_buffer;
#if !GLYPHREEL_AV_CALLBACKS_ALWAYS_THREADED
  // Without this setting, a frame thread that needs a buffer waits until the thread that called the decoder
  // has allocated the buffer.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  decoder.thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#endif
}

int DirectBuffers::get_buffer(AVCodecContext* decoder, AVFrame* frame, int flags) {
  auto* self = static_cast<DirectBuffers*>(decoder->opaque);
  int code = AVERROR(ENOMEM);
  try {
    code = self->provide(*decoder, *frame) ? 0 : avcodec_default_get_buffer2(decoder, frame, flags);
  } catch (const std::bad_alloc&) {  // exceptions must not propagate through FFmpeg
    code = AVERROR(ENOMEM);
  }
  if (code == AVERROR(ENOMEM)) self->has_run_out_ = true;
  return code;
}

bool DirectBuffers::provide(AVCodecContext& decoder, AVFrame& frame) const {
  if (!layout_of(static_cast<AVPixelFormat>(frame.format))) return false;
  const PlanePlan plan = plan_planes(decoder, frame);
  if (plan.size == 0) return false;
  std::shared_ptr<const HostBlock> block = memory_.acquire(plan.size);
  if (block == nullptr || block->bytes == nullptr || block->size < plan.size) return false;

  auto* bytes = reinterpret_cast<std::uint8_t*>(block->bytes);
  auto lease = std::make_unique<Lease>(Lease{std::move(block), live_});
  AVBufferRef* buffer = av_buffer_create(bytes, plan.size, release, lease.get(), 0);
  if (buffer == nullptr) return false;
  {
    const MutexLock lock(live_->mutex);
    live_->leases.insert(lease.get());
  }
  static_cast<void>(lease.release());  // DirectBuffers::release() deletes the lease
  frame.buf[0] = buffer;
  const int planes = av_pix_fmt_count_planes(static_cast<AVPixelFormat>(frame.format));
  for (int i = 0; i < planes; ++i) {
    frame.data[i] = bytes + plan.offsets[static_cast<std::size_t>(i)];
    frame.linesize[i] = plan.strides[static_cast<std::size_t>(i)];
  }
  frame.extended_data = frame.data;
  return true;
}

void DirectBuffers::release(void* opaque, std::uint8_t* /*bytes*/) {
  const std::unique_ptr<Lease> lease(static_cast<Lease*>(opaque));
  const MutexLock lock(lease->live->mutex);
  lease->live->leases.erase(opaque);
}

const HostBlock* DirectBuffers::holding_block(const AVFrame& frame) const {
  if (frame.buf[0] == nullptr || frame.buf[1] != nullptr) return nullptr;
  const void* opaque = av_buffer_get_opaque(frame.buf[0]);
  {
    const MutexLock lock(live_->mutex);
    if (!live_->leases.contains(opaque)) return nullptr;
  }
  const HostBlock* block = static_cast<const Lease*>(opaque)->block.get();

  const auto format = static_cast<AVPixelFormat>(frame.format);
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
  const int planes = av_pix_fmt_count_planes(format);
  for (int i = 0; i < planes; ++i) {
    const bool is_chroma = (i == 1 || i == 2) && (descriptor->flags & AV_PIX_FMT_FLAG_RGB) == 0;
    const int rows = is_chroma ? AV_CEIL_RSHIFT(frame.height, descriptor->log2_chroma_h) : frame.height;
    if (!plane_lies_in(*block, frame, i, rows, av_image_get_linesize(format, frame.width, i))) return nullptr;
  }
  return block;
}

}  // namespace glyphreel::media
