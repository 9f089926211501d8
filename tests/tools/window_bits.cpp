// window_bits WINDOW COLUMNS ROWS: divides a window of the X server named by DISPLAY into COLUMNS x ROWS
// blocks. Prints "T BITS" at the start and on every change: T is the time in monotonic seconds, and BITS a
// hexadecimal number whose bit i is set if the middle of block i, in reading order, is bright. With 0 columns
// and rows, BITS is a hash of the pixels in the middle of the window. Runs until it is killed or the window
// is closed.
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/Xdamage.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>

namespace {

constexpr int MaxPatch = 32;  // maximum width and height of the pixels examined in a block's middle
constexpr int MiddleWidth = 320;
constexpr int MiddleHeight = 180;
// A block is bright if the mean of its examined pixels' green components (0 to 255) is at least this number.
// The number is low, because glyphs cover only part of a cell.
constexpr unsigned long Bright = 40;

struct Grid {
  int columns = 0;
  int rows = 0;
};

int ignore_error(Display*, XErrorEvent*) {
  return 0;
}

bool is_bright(XImage& image, int left, int top, int width, int height) {
  unsigned long sum = 0;
  for (int y = top; y < top + height; ++y) {
    for (int x = left; x < left + width; ++x) sum += (XGetPixel(&image, x, y) >> 8) & 0xFF;
  }
  return sum >= Bright * static_cast<unsigned long>(width) * static_cast<unsigned long>(height);
}

/// Returns a hash of the pixels in the middle of the window; empty if they cannot be read.
std::optional<std::uint64_t> read_middle(Display* display, Window window, const XWindowAttributes& size) {
  const int width = std::min(size.width, MiddleWidth);
  const int height = std::min(size.height, MiddleHeight);
  XImage* image = XGetImage(display, window, (size.width - width) / 2, (size.height - height) / 2,
                            static_cast<unsigned>(width), static_cast<unsigned>(height), AllPlanes, ZPixmap);
  if (image == nullptr) return std::nullopt;
  const std::size_t bytes =
      static_cast<std::size_t>(image->bytes_per_line) * static_cast<std::size_t>(image->height);
  const std::uint64_t number = std::hash<std::string_view>()({image->data, bytes});
  XDestroyImage(image);
  return number;
}

std::optional<std::uint64_t> read_blocks(Display* display, Window window, const XWindowAttributes& size,
                                         Grid grid) {
  const int block_width = size.width / grid.columns;
  const int block_height = size.height / grid.rows;
  const int width = std::min(block_width, MaxPatch);
  const int height = std::min(block_height, MaxPatch);
  const int left = (block_width - width) / 2;
  const int top = (block_height - height) / 2;
  // The area from the examined pixels of the first block to those of the last block.
  const int all_columns = (grid.columns - 1) * block_width + width;
  const int all_rows = (grid.rows - 1) * block_height + height;
  XImage* image = XGetImage(display, window, left, top, static_cast<unsigned>(all_columns),
                            static_cast<unsigned>(all_rows), AllPlanes, ZPixmap);
  if (image == nullptr) return std::nullopt;
  std::uint64_t bits = 0;
  for (int i = 0; i < grid.columns * grid.rows; ++i) {
    const int x = i % grid.columns * block_width;
    const int y = i / grid.columns * block_height;
    if (is_bright(*image, x, y, width, height)) bits |= std::uint64_t{1} << i;
  }
  XDestroyImage(image);
  return bits;
}

}  // namespace

int main(int count, char** arguments) {
  const Grid grid{count == 4 ? std::atoi(arguments[2]) : -1, count == 4 ? std::atoi(arguments[3]) : -1};
  if (grid.columns < 0 || grid.rows < 0 || grid.columns * grid.rows > 64) {
    std::fprintf(stderr, "usage: window_bits WINDOW COLUMNS ROWS\n");
    return 2;
  }
  Display* display = XOpenDisplay(nullptr);
  int damage_event = 0;
  int damage_error = 0;
  if (display == nullptr || !XDamageQueryExtension(display, &damage_event, &damage_error)) return 1;
  XSetErrorHandler(ignore_error);  // the window may be hidden or gone at any moment
  const Window window = std::strtoul(arguments[1], nullptr, 0);
  XSelectInput(display, window, StructureNotifyMask);
  const Damage damage = XDamageCreate(display, window, XDamageReportNonEmpty);
  XWindowAttributes size{};
  std::optional<std::uint64_t> last;
  while (XGetWindowAttributes(display, window, &size) != 0) {
    const auto before = std::chrono::steady_clock::now();
    XDamageSubtract(display, damage, None, None);  // later changes are reported again
    const std::optional<std::uint64_t> bits = grid.columns * grid.rows == 0
                                                  ? read_middle(display, window, size)
                                                  : read_blocks(display, window, size, grid);
    if (bits && bits != last) {
      const auto when = std::chrono::duration<double>(before.time_since_epoch());
      std::printf("%.6f %llx\n", when.count(), static_cast<unsigned long long>(*bits));
      std::fflush(stdout);
      last = bits;
    }
    XEvent event;
    do XNextEvent(display, &event);
    while (XPending(display) > 0);
  }
  XCloseDisplay(display);
  return 0;
}
