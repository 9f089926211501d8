#include "present/window/shm_images.h"

#include <sys/mman.h>
#include <unistd.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "gpu/presentation/surface_pixels.h"
#include "render/picture_layout.h"

namespace glyphreel::present {
namespace {

constexpr std::size_t MaxIdleSegments = 4;
/// How long to wait until the X server has read a picture. After this time, the server counts as blocked.
constexpr std::chrono::milliseconds MaxPutTime{1000};

/// A reply or an error of the X server.
template <typename T>
using Reply = std::unique_ptr<T, decltype([](T* reply) { std::free(reply); })>;

Error unavailable(std::string cause) {
  return {ErrorCode::NoDevice, "Pictures cannot be shared with the X server.", std::move(cause)};
}

/// Returns the visual of a window; null if the server does not list it.
const xcb_visualtype_t* visual_of(xcb_connection_t& connection, xcb_visualid_t wanted) {
  for (auto screen = xcb_setup_roots_iterator(xcb_get_setup(&connection)); screen.rem > 0;
       xcb_screen_next(&screen)) {
    for (auto depth = xcb_screen_allowed_depths_iterator(screen.data); depth.rem > 0;
         xcb_depth_next(&depth)) {
      for (auto visual = xcb_depth_visuals_iterator(depth.data); visual.rem > 0;
           xcb_visualtype_next(&visual)) {
        if (visual.data->visual_id == wanted) return visual.data;
      }
    }
  }
  return nullptr;
}

/// A visual's masks of red, green and blue, and the format of its pixels.
struct VisualFormat {
  std::uint32_t red, green, blue;
  VkFormat format;
};

constexpr std::array<VisualFormat, 4> VisualFormats = {
    {{0xFF0000, 0xFF00, 0xFF, VK_FORMAT_B8G8R8A8_UNORM},
     {0xFF, 0xFF00, 0xFF0000, VK_FORMAT_A8B8G8R8_UNORM_PACK32},
     {0x3FF00000, 0xFFC00, 0x3FF, VK_FORMAT_A2R10G10B10_UNORM_PACK32},
     {0x3FF, 0xFFC00, 0x3FF00000, VK_FORMAT_A2B10G10R10_UNORM_PACK32}}};

/// Returns the pixel format of a window with this visual and depth. Returns VK_FORMAT_UNDEFINED if
/// VisualFormats lacks the format, or if the pixels are not 32 bits in little-endian order.
VkFormat format_of(xcb_connection_t& connection, xcb_visualid_t visual, std::uint8_t depth) {
  const xcb_visualtype_t* type = visual_of(connection, visual);
  const xcb_setup_t* setup = xcb_get_setup(&connection);
  if (type == nullptr || setup->image_byte_order != XCB_IMAGE_ORDER_LSB_FIRST) return VK_FORMAT_UNDEFINED;
  const auto found = std::ranges::find_if(VisualFormats, [&](const VisualFormat& each) {
    return type->red_mask == each.red && type->green_mask == each.green && type->blue_mask == each.blue;
  });
  for (auto format = xcb_setup_pixmap_formats_iterator(setup); format.rem > 0; xcb_format_next(&format)) {
    const bool is_word = format.data->depth == depth && format.data->bits_per_pixel == 32;
    if (is_word && found != VisualFormats.end()) return found->format;
  }
  return VK_FORMAT_UNDEFINED;
}

}  // namespace

/// A connection to the X server, separate from GLFW's, and the memory that is shared with the server.
/// Thread-safety: any thread; one put() at a time.
class ShmConnection final : public HostMemory, public std::enable_shared_from_this<ShmConnection> {
 public:
  [[nodiscard]] static Result<std::shared_ptr<ShmConnection>> open(xcb_window_t window) {
    std::shared_ptr<ShmConnection> made(new ShmConnection(window));
    if (const char* cause = made->connect(); cause != nullptr) return unavailable(cause);
    return made;
  }
  ~ShmConnection() override {
    idle_.clear();
    xcb_disconnect(connection_);
  }

  std::shared_ptr<const HostBlock> acquire(std::size_t size) override {
    std::unique_ptr<Segment> segment = pop_idle(size);
    if (!segment) segment = make_segment(size);
    if (!segment) return nullptr;
    return {segment.release(), [self = shared_from_this()](const HostBlock* returned) {
              // The cast is valid: this class itself created the block, as a non-const Segment.
              self->push_idle(
                  std::unique_ptr<Segment>(const_cast<Segment*>(static_cast<const Segment*>(returned))));
            }};
  }
  /// Whether the window's pixel format is that of Bgra8 pictures, so that pictures can be drawn directly into
  /// this connection's memory.
  [[nodiscard]] bool takes_pictures() const { return format_ == VK_FORMAT_B8G8R8A8_UNORM; }
  /// Returns `picture` in a block of this connection, in the window's format; null if shared memory is
  /// exhausted.
  [[nodiscard]] std::shared_ptr<const HostBlock> block_of(const Picture& picture) {
    if (picture.block->origin == this) return picture.block;
    const auto bytes =
        static_cast<std::size_t>(picture.strides[0]) * static_cast<std::size_t>(picture.size.height);
    std::shared_ptr<const HostBlock> copy = acquire(bytes);
    if (!copy) return nullptr;
    const std::size_t words = bytes / sizeof(std::uint32_t);
    gpu::convert_pixels({reinterpret_cast<const std::uint32_t*>(picture.planes[0]), words}, format_,
                        {reinterpret_cast<std::uint32_t*>(copy->bytes), words});
    return copy;
  }

  /// Shows a picture in the middle of the window. The picture begins `offset` bytes into `block`, which must
  /// be from this connection. `picture` and `window`: sizes in pixels; `stride`: in bytes. Waits until the
  /// server has read the picture. Returns false if the connection was lost.
  [[nodiscard]] bool put(const HostBlock& block, std::size_t offset, Extent picture, int stride,
                         Extent window) {
    const auto x = render::overlap(picture.width, window.width);
    const auto y = render::overlap(picture.height, window.height);
    const auto to_16 = [](int value) { return static_cast<std::uint16_t>(value); };
    const auto rectangle = [&](int left, int top, int right, int bottom) {
      return xcb_rectangle_t{static_cast<std::int16_t>(left), static_cast<std::int16_t>(top),
                             to_16(right - left), to_16(bottom - top)};
    };
    const int right = x.to + x.count, bottom = y.to + y.count;
    const std::array margins = {
        rectangle(0, 0, window.width, y.to), rectangle(0, bottom, window.width, window.height),
        rectangle(0, y.to, x.to, bottom), rectangle(right, y.to, window.width, bottom)};
    xcb_poly_fill_rectangle(connection_, window_, black_, margins.size(), margins.data());
    xcb_shm_put_image(connection_, window_, black_, to_16(stride / 4), to_16(picture.height), to_16(x.from),
                      to_16(y.from), to_16(x.count), to_16(y.count), static_cast<std::int16_t>(x.to),
                      static_cast<std::int16_t>(y.to), depth_, XCB_IMAGE_FORMAT_Z_PIXMAP, 0,
                      static_cast<const Segment&>(block).id, static_cast<std::uint32_t>(offset));
    // The server executes requests in order, so the reply to this later request means that the server has
    // read the picture.
    const Reply<xcb_get_input_focus_reply_t> done(
        xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr));
    // Ignores errors of the requests above: they fail if the window was destroyed.
    while (const Reply<xcb_generic_event_t> ignored{xcb_poll_for_event(connection_)}) {
    }
    return done != nullptr;
  }

 private:
  /// A block in memory that is shared with the server.
  struct Segment : HostBlock {
    ~Segment() {
      if (id != 0) xcb_shm_detach(connection, id);
      if (bytes != nullptr) munmap(bytes, size);
    }
    xcb_connection_t* connection = nullptr;
    xcb_shm_seg_t id = 0;
  };

  explicit ShmConnection(xcb_window_t window) : connection_(xcb_connect(nullptr, nullptr)), window_(window) {}

  /// Returns why the connection cannot be used; null if it can.
  [[nodiscard]] const char* connect() {
    if (xcb_connection_has_error(connection_) != 0)
      return "a second connection to the X server could not be opened";
    const Reply<xcb_get_geometry_reply_t> geometry(
        xcb_get_geometry_reply(connection_, xcb_get_geometry(connection_, window_), nullptr));
    const Reply<xcb_get_window_attributes_reply_t> attributes(xcb_get_window_attributes_reply(
        connection_, xcb_get_window_attributes(connection_, window_), nullptr));
    if (!geometry || !attributes) return "the X server does not know the window";
    depth_ = geometry->depth;
    format_ = format_of(*connection_, attributes->visual, depth_);
    if (format_ == VK_FORMAT_UNDEFINED) return "the window's pixels have neither 8 nor 10 bits per channel";
    const xcb_query_extension_reply_t* shm = xcb_get_extension_data(connection_, &xcb_shm_id);
    if (shm == nullptr || shm->present == 0) return "the X server lacks MIT-SHM";
    // Version 1.2 passes memory as file descriptors, which also work if the server runs in another container.
    const Reply<xcb_shm_query_version_reply_t> version(
        xcb_shm_query_version_reply(connection_, xcb_shm_query_version(connection_), nullptr));
    if (!version || std::pair(version->major_version, version->minor_version) <
                        std::pair<std::uint16_t, std::uint16_t>(1, 2))
      return "the X server lacks MIT-SHM 1.2";
    black_ = xcb_generate_id(connection_);
    std::uint32_t pixel = 0xFF000000;
    gpu::convert_pixels({&pixel, 1}, format_, {&pixel, 1});
    xcb_create_gc(connection_, black_, window_, XCB_GC_FOREGROUND, &pixel);
    // This fails if the server is on another machine, because file descriptors cannot be sent there.
    return make_segment(1) ? nullptr : "the X server cannot attach shared memory";
  }

  [[nodiscard]] std::unique_ptr<Segment> make_segment(std::size_t size) {
    constexpr std::size_t Page = 4096;  // the system rounds sizes up to whole pages
    auto segment = std::make_unique<Segment>();
    segment->connection = connection_;
    segment->size = (size + Page - 1) / Page * Page;
    segment->origin = this;
    const int shared = memfd_create("picture", MFD_CLOEXEC);
    if (shared < 0) return nullptr;
    if (ftruncate(shared, static_cast<off_t>(segment->size)) != 0) {
      close(shared);
      return nullptr;
    }
    void* mapped = mmap(nullptr, segment->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, shared, 0);
    if (mapped != MAP_FAILED) segment->bytes = static_cast<std::byte*>(mapped);
    const xcb_shm_seg_t id = xcb_generate_id(connection_);
    // xcb closes `shared`.
    const Reply<xcb_generic_error_t> error(
        xcb_request_check(connection_, xcb_shm_attach_fd_checked(connection_, id, shared, 1)));
    if (error || xcb_connection_has_error(connection_) != 0) return nullptr;
    segment->id = id;
    return segment->bytes != nullptr ? std::move(segment) : nullptr;
  }

  [[nodiscard]] std::unique_ptr<Segment> pop_idle(std::size_t size) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto fitting =
        std::ranges::find_if(idle_, [&](const auto& segment) { return serves(segment->size, size); });
    if (fitting == idle_.end()) return nullptr;
    std::unique_ptr<Segment> found = std::move(*fitting);
    idle_.erase(fitting);
    return found;
  }
  void push_idle(std::unique_ptr<Segment> segment) EXCLUDES(mutex_) {
    std::unique_ptr<Segment> oldest;  // destroyed after the lock is released
    const MutexLock lock(mutex_);
    idle_.push_back(std::move(segment));
    if (idle_.size() <= MaxIdleSegments) return;
    oldest = std::move(idle_.front());
    idle_.erase(idle_.begin());
  }

  xcb_connection_t* const connection_;
  const xcb_window_t window_;
  xcb_gcontext_t black_ = 0;
  std::uint8_t depth_ = 0;
  VkFormat format_ = VK_FORMAT_UNDEFINED;
  Mutex mutex_;
  std::vector<std::unique_ptr<Segment>> idle_ GUARDED_BY(mutex_);
};

Result<std::shared_ptr<ShmImages>> ShmImages::make(const Window& window, StageTimes& times) {
  if (window.x_id() == 0) return unavailable("the window is not an X11 window");
  std::shared_ptr<ShmImages> images(new ShmImages(window, times));
  TRY_ASSIGN(images->connection_, ShmConnection::open(static_cast<xcb_window_t>(window.x_id())));
  const auto wake_if_lost = [](bool is_connected) {
    if (!is_connected) Window::wake();
  };
  TRY_ASSIGN(images->puts_, CallThread<bool>::start("present", wake_if_lost));
  times.set_engine(Stage::Present, "X11 shared memory");
  return images;
}

HostMemory* ShmImages::picture_memory() {
  return connection_->takes_pictures() ? connection_.get() : nullptr;
}

bool ShmImages::is_blocked() const {
  return !puts_->wait(MaxPutTime);
}

bool ShmImages::can_be_destroyed() const {
  return puts_->wait(MaxPutTime);
}

Result<bool> ShmImages::show(const Picture& picture) {
  const ScopedStage stage(times_, Stage::Present);
  if (!can_show()) return false;
  if (!puts_->take_result().value_or(true))
    return Error{ErrorCode::Failed, "The connection to the X server was lost.", {}};
  const Extent window = window_.framebuffer_size();
  if (window.width <= 0 || window.height <= 0) return false;
  std::shared_ptr<const HostBlock> block = connection_->block_of(picture);
  if (!block)
    return Error{
        ErrorCode::Failed, "Out of memory for the pictures in the window; make the window smaller.", {}};
  const std::size_t offset =
      block == picture.block ? static_cast<std::size_t>(picture.planes[0] - block->bytes) : std::size_t{0};
  puts_->begin([connection = connection_, block = std::move(block), offset, size = picture.size,
                stride = picture.strides[0],
                window] { return connection->put(*block, offset, size, stride, window); });
  return true;
}

}  // namespace glyphreel::present
