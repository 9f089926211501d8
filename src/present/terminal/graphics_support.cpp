#include "present/terminal/graphics_support.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/io/file_descriptor.h"
#include "media/ffmpeg/base64.h"

namespace glyphreel::present {
namespace {

// IDs of the two queries in kitty's protocol.
constexpr int DirectQuery = 31;
constexpr int SharedQuery = 32;
constexpr int SixelAttribute = 4;  // the answer to DA1 lists this number if the terminal supports sixels
constexpr int ProbeBytes = 3;
constexpr int MaxRegisters = 256;

}  // namespace

SharedPixel::SharedPixel() : name_(fmt::format("/glyphreel-probe-{}", ::getpid())) {
  const FileDescriptor file(::shm_open(name_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.number() < 0 || ::ftruncate(file.number(), ProbeBytes) != 0) name_.clear();
}

SharedPixel::~SharedPixel() {
  if (!name_.empty()) ::shm_unlink(name_.c_str());
}

std::string graphics_probe(std::string_view shared_memory) {
  // a=q: query only; f=24: a pixel of 24 bits; t=d: the command contains the pixel; t=s: shared memory
  // contains the pixel.
  std::string queries = fmt::format("\x1b_Gi={},s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", DirectQuery);
  if (!shared_memory.empty())
    queries +=
        fmt::format("\x1b_Gi={},s=1,v=1,a=q,t=s,f=24;{}\x1b\\", SharedQuery, media::base64(shared_memory));
  // Three more queries: XTSMGRAPHICS (CSI ? 1 ; 1 ; 0 S) asks for the number of color registers, CSI 16 t for
  // the size of a cell, and DA1 (CSI c) for the terminal's attributes.
  return queries + "\x1b[?1;1;0S\x1b[16t\x1b[c";
}

bool is_probe_answered(std::span<const TerminalAnswer> answers) {
  return std::ranges::any_of(answers, [](const TerminalAnswer& answer) { return answer.kind == 'c'; });
}

GraphicsSupport graphics_of(std::span<const TerminalAnswer> answers) {
  GraphicsSupport support;
  for (const TerminalAnswer& answer : answers) {
    const std::vector<int>& numbers = answer.numbers;
    if (answer.kind == 'G') {
      const auto confirms = [&](int query) { return answer.text.starts_with(fmt::format("i={};OK", query)); };
      support.kitty = support.kitty || confirms(DirectQuery);
      support.shares_memory = support.shares_memory || confirms(SharedQuery);
    } else if (answer.kind == 'c') {
      support.sixel = std::ranges::count(numbers, SixelAttribute) > 0;
    } else if (answer.kind == 'S' && numbers.size() >= 3 && numbers[0] == 1 && numbers[1] == 0) {
      support.sixel_colors = std::clamp(numbers[2], 2, MaxRegisters);
    } else if (answer.kind == 't' && numbers.size() == 3 && numbers[0] == 6) {
      if (numbers[1] > 0 && numbers[2] > 0) support.cell = {numbers[2], numbers[1]};
    }
  }
  return support;
}

Result<TerminalGraphics> choose_graphics(TerminalGraphics wanted, const GraphicsSupport& support) {
  const auto missing = [](std::string_view graphics) {
    return Error{ErrorCode::NoDevice,
                 fmt::format("This terminal does not report support for {}; omit --terminal-graphics, or use "
                             "a terminal that supports them.",
                             graphics),
                 {}};
  };
  switch (wanted) {
    case TerminalGraphics::No:
      return wanted;
    case TerminalGraphics::Auto:
      return support.kitty   ? TerminalGraphics::Kitty
             : support.sixel ? TerminalGraphics::Sixel
                             : TerminalGraphics::No;
    case TerminalGraphics::Kitty:
      if (!support.kitty) return missing("kitty graphics");
      return wanted;
    case TerminalGraphics::Sixel:
      if (!support.sixel) return missing("sixel graphics");
      return wanted;
  }
  return wanted;
}

}  // namespace glyphreel::present
