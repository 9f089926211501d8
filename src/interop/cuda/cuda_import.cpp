#include "interop/cuda/cuda_import.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/io/log.h"
#include "gpu/resources/host_frame_pool.h"
#include "interop/cuda/cuda_device.h"
#include "interop/surface/plane_extent.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_cuda.h>
}

namespace glyphreel::interop {
namespace {

/// Exceeds the number of frames that any renderer has in flight.
constexpr std::size_t MaxSlots = 80;

}  // namespace

/// A recycled buffer. CUDA copies a frame into the buffer, and Vulkan reads the copy. The buffer can be
/// reused once the importer holds the only reference to the slot.
class CudaImport::Slot {
 public:
  [[nodiscard]] static Result<std::shared_ptr<Slot>> make(const std::shared_ptr<const CudaSession>& session,
                                                          std::size_t size) {
    auto made = std::make_shared<Slot>(session);
    TRY_ASSIGN(made->buffer_, SharedBuffer::make(session, size));
    CUDA_TRY(*session->api, session->api->cuEventCreate(&made->copied_, CU_EVENT_DISABLE_TIMING));
    return made;
  }
  explicit Slot(std::shared_ptr<const CudaSession> session) : session_(std::move(session)) {}
  ~Slot() {
    const cuda::CurrentContext current(*session_->api, session_->context);
    // The copy may still be running if no commands that read the frame were submitted.
    if (source_ != nullptr) session_->api->cuStreamSynchronize(session_->stream);
    source_.reset();
    if (copied_ != nullptr) session_->api->cuEventDestroy(copied_);
  }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  [[nodiscard]] const SharedBuffer& buffer() const { return *buffer_; }
  /// Whether the slot has a copy of the part of `frame` that `view` describes. The copy must have been made
  /// from the decoder buffers that `frame` references.
  [[nodiscard]] bool holds(const AVFrame& frame, const FrameView& view) const {
    if (source_ == nullptr || size_ != view.size || !(layout_ == view.layout)) return false;
    // While the slot references its source frame, the decoder cannot reuse these buffers for another frame.
    const auto same = [](const AVBufferRef* a, const AVBufferRef* b) {
      return a == nullptr || b == nullptr ? a == b : a->buffer == b->buffer;
    };
    return frame.data[0] == source_->data[0] && frame.crop_left == source_->crop_left &&
           frame.crop_top == source_->crop_top && same(frame.buf[0], source_->buf[0]) &&
           same(frame.buf[1], source_->buf[1]);
  }
  /// Queues two items in the stream: the copy, and then the event that marks the end of the copy. After a
  /// failure, it is unknown which of the two items are in the stream.
  [[nodiscard]] Result<void> copy(const AVFrame& frame, const FrameView& view,
                                  const PlaneBufferLayout& layout) {
    const cuda::Api& api = *session_->api;
    source_.reset(av_frame_clone(&frame));
    CHECK(source_ != nullptr, "out of memory");
    size_ = view.size;
    layout_ = view.layout;
    for (std::size_t p = 0; p < plane_count(view.layout); ++p) {
      const CropOffset crop = crop_offset(view.layout, p, frame.crop_left, frame.crop_top);
      if (frame.data[p] == nullptr || frame.linesize[p] < 0 ||
          crop.x_bytes + layout.extents[p].row_bytes > static_cast<std::size_t>(frame.linesize[p])) {
        return Error{ErrorCode::Failed, "A decoded frame is smaller than its visible area.", {}};
      }
      CUDA_MEMCPY2D copy{};
      copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.srcDevice = reinterpret_cast<CUdeviceptr>(frame.data[p]);
      copy.srcPitch = static_cast<std::size_t>(frame.linesize[p]);
      copy.srcXInBytes = crop.x_bytes;
      copy.srcY = crop.y;
      copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.dstDevice = buffer_->pointer() + layout.offsets[p];
      copy.dstPitch = static_cast<std::size_t>(layout.strides[p]);
      copy.WidthInBytes = layout.extents[p].row_bytes;
      copy.Height = static_cast<std::size_t>(layout.extents[p].rows);
      CUDA_TRY(api, api.cuMemcpy2DAsync(&copy, session_->stream));
    }
    CUDA_TRY(api, api.cuEventRecord(copied_, session_->stream));
    return {};
  }
  /// Whether the slot's copy may still need the source frame.
  [[nodiscard]] bool has_source() const { return source_ != nullptr; }
  /// Releases the source frame if its copy is done. Ignores errors: if the stream failed, the next copy fails
  /// too and reports the error.
  void release_source() {
    if (source_ != nullptr && session_->api->cuEventQuery(copied_) == CUDA_SUCCESS) source_.reset();
  }

  std::uint64_t ready_at = 0;  ///< value that CudaImport::copied_ reaches once the copy is done
  /// Value that CudaImport::read_ reaches once Vulkan has read the copy; 0 if no commands that read the copy
  /// were submitted.
  std::uint64_t read_at = 0;

 private:
  const std::shared_ptr<const CudaSession> session_;
  std::unique_ptr<SharedBuffer> buffer_;
  CUevent copied_ = nullptr;
  media::FramePtr source_;  ///< the frame that is copied; null once the copy is done
  Extent size_;
  PixelLayout layout_;
};

/// Stores in the slot the value that Vulkan signals once it has read the slot's buffer. Stores the value only
/// after the commands that read the buffer are submitted: CUDA must not wait for a value that may never be
/// signaled.
class CudaImport::ReadLease final : public gpu::FrameLease {
 public:
  ReadLease(std::shared_ptr<Slot> slot, std::uint64_t value) : slot_(std::move(slot)), value_(value) {}
  void submitted() override { slot_->read_at = value_; }

 private:
  const std::shared_ptr<Slot> slot_;
  const std::uint64_t value_;
};

CudaImport::CudaImport(std::shared_ptr<gpu::Device> device, CudaImportOptions options)
    : device_(std::move(device)), options_(std::move(options)) {}

CudaImport::~CudaImport() = default;

bool CudaImport::supports(const AVFrame& frame) const {
  return frame.format == AV_PIX_FMT_CUDA && frame.hw_frames_ctx != nullptr;
}

void CudaImport::forget() {
  latest_.reset();
  slots_.clear();
  copied_.reset();
  read_.reset();
  session_.reset();
}

Result<void> CudaImport::switch_session(const AVFrame& frame) {
  if (!api_) {
    TRY_ASSIGN(api_, cuda::load(options_.library));
  }
  const auto* frames = reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data);
  const auto& hardware = *static_cast<const AVCUDADeviceContext*>(frames->device_ctx->hwctx);
  // The session keeps its context alive, so an equal address means the same context.
  if (session_ && session_->context == hardware.cuda_ctx && session_->stream == hardware.stream) return {};
  forget();
  auto session = std::make_shared<CudaSession>();
  session->device = device_;
  session->api = api_;
  session->hardware.reset(av_buffer_ref(frames->device_ref));
  CHECK(session->hardware != nullptr, "out of memory");
  session->context = hardware.cuda_ctx;
  session->stream = hardware.stream;

  const cuda::CurrentContext current(*api_, session->context);
  CUDA_TRY(*api_, current.result());
  CUdevice device = 0;
  CUuuid uuid{};
  CUDA_TRY(*api_, api_->cuCtxGetDevice(&device));
  CUDA_TRY(*api_, api_->cuDeviceGetUuid(&uuid, device));
  const CUuuid ours = device_uuid(*device_);
  if (!std::equal(std::begin(uuid.bytes), std::end(uuid.bytes), std::begin(ours.bytes))) {
    return Error{
        ErrorCode::Failed,
        fmt::format("CUDA decodes this video on a different GPU than {}, which renders it.", device_->name()),
        {}};
  }
  session_ = std::move(session);
  make_timelines();
  return {};
}

void CudaImport::make_timelines() {
  copied_value_ = 0;
  read_value_ = 0;
  Result<std::shared_ptr<SharedTimeline>> copied = SharedTimeline::make(session_, options_.export_semaphore);
  Result<std::shared_ptr<SharedTimeline>> read =
      copied ? SharedTimeline::make(session_, options_.export_semaphore) : std::move(copied.error());
  if (read) {
    copied_ = *std::move(copied);
    read_ = *std::move(read);
    return;
  }
  if (!std::exchange(waits_are_logged_, true)) {
    log::info(
        "The CPU waits for each CUDA frame because CUDA and Vulkan cannot share semaphores; a newer GPU "
        "driver may help ({})",
        read.error().cause);
  }
}

Result<std::shared_ptr<CudaImport::Slot>> CudaImport::idle_slot(std::size_t size) {
  // `slots_` holds the only reference to an idle slot: Vulkan has finished reading the slot's buffer, or no
  // commands that read the buffer were submitted.
  const auto is_idle = [](const std::shared_ptr<Slot>& slot) {
    return slot.use_count() == 1 && !slot->has_source();
  };
  for (const std::shared_ptr<Slot>& slot : slots_) {
    if (is_idle(slot) && serves(slot->buffer().size(), size)) return slot;
  }
  // Any slot that is idle here has the wrong size: the stream's frame size has changed.
  std::erase_if(slots_, is_idle);
  if (slots_.size() >= MaxSlots) {
    return Error{ErrorCode::Failed, "Too many decoded frames are in flight.",
                 fmt::format("{} CUDA frames are in use", slots_.size())};
  }
  TRY_ASSIGN(std::shared_ptr<Slot> made, Slot::make(session_, size));
  slots_.push_back(made);
  return made;
}

Result<gpu::GpuFrame> CudaImport::import_frame(const AVFrame& frame, const FrameView& view) {
  CHECK(supports(frame), "not a CUDA frame");
  Result<gpu::GpuFrame> imported = try_import(frame, view);
  if (!imported) {
    // CUDA's stream may contain only a part of this frame's commands, so the next frame uses a new session.
    if (copied_) copied_->signal_abandoned();
    forget();
  }
  return imported;
}

Result<gpu::GpuFrame> CudaImport::try_import(const AVFrame& frame, const FrameView& view) {
  TRY(switch_session(frame));
  const cuda::CurrentContext current(*api_, session_->context);
  CUDA_TRY(*api_, current.result());
  const PlaneBufferLayout layout = lay_out_planes(view);
  if (!latest_ || !latest_->holds(frame, view)) {
    latest_.reset();
    for (const std::shared_ptr<Slot>& slot : slots_) slot->release_source();
    TRY_ASSIGN(const std::shared_ptr<Slot> slot, idle_slot(layout.size));
    if (read_ && slot->read_at != 0 && !device_->is_lost()) TRY(read_->wait(slot->read_at));
    slot->read_at = 0;
    // The stream reaches the copy's event before the signal that Vulkan waits for. So once Vulkan has read
    // the buffer, the event shows that the copy is done.
    TRY(slot->copy(frame, view, layout));
    if (copied_) {
      TRY(copied_->signal(++copied_value_));
      slot->ready_at = copied_value_;
    } else {
      CUDA_TRY(*api_, api_->cuStreamSynchronize(session_->stream));
    }
    latest_ = slot;
  }
  gpu::GpuFrame imported;
  imported.buffer = latest_->buffer().buffer();
  imported.owner_family = VK_QUEUE_FAMILY_EXTERNAL;
  imported.plane_offsets = layout.offsets;
  imported.strides = layout.strides;
  if (copied_) {
    imported.waits.push_back({copied_->semaphore(), latest_->ready_at});
    imported.signals.push_back({read_->semaphore(), ++read_value_});
    imported.lease = std::make_unique<ReadLease>(latest_, read_value_);
  }
  struct Kept {
    std::shared_ptr<SharedTimeline> copied, read;
    std::shared_ptr<Slot> slot;
  };
  imported.owner = std::make_shared<Kept>(Kept{copied_, read_, latest_});
  return imported;
}

}  // namespace glyphreel::interop
