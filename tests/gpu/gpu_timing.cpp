// Measures the GPU time to map, draw and pack frames in GPU memory, where hardware decoders write them,
// and the bandwidth of a large copy for comparison. Also measures what frames in host memory cost, and the
// frames per second for each number of frames in flight. Lists the statistics of the compiled pipelines and
// the codecs that the device decodes. Prints JSON for tests/gpu/run_on_gpu.sh.
//
//   gpu_timing [--quick] [--only copy|stages|host|depths|pipelines|codecs]
//
// --quick: few small frames, to check that the program runs on a software driver.

#include <fmt/format.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/threads/stage_times.h"
#include "gpu/gpu_renderer.h"
#include "gpu/resources/buffer.h"
#include "gpu/resources/copy_timing.h"
#include "gpu/resources/frame_ring.h"
#include "gpu/resources/frame_source.h"
#include "interop/frame_importer.h"
#include "support/device_codecs.h"
#include "support/pipeline_report.h"
#include "test_frame.h"
#include "text/charset.h"
#include "text/glyph_set.h"

namespace glyphreel {
namespace {

using Json = nlohmann::json;
using DevicePointer = std::shared_ptr<gpu::Device>;

constexpr CellSize Cell{8, 16};

/// The amount of work to measure.
struct Effort {
  std::vector<Extent> sizes{{1920, 1080}, {3840, 2160}, {7680, 4320}};
  /// Frames per measurement. Each measurement starts with a warm-up of a fifth of this number, in which the
  /// GPU's clock rates rise.
  int frames = 240;
  std::size_t copied_bytes = std::size_t{1} << 30;
  int copies = 30;
  std::vector<int> depths{1, 2, 4, 8, 16, 32, 64};
};

Frame make_frame(Extent size, int number) {
  Frame frame =
      parity::make_frame({.layout = parity::layout_named("nv12"),
                          .size = size,
                          .color = {},
                          .pattern = number % 2 == 0 ? parity::Pattern::Smooth : parity::Pattern::Halves,
                          .seed = static_cast<std::uint32_t>(number + 1)});
  frame.pts = number;
  return frame;
}

/// Provides frames in buffers, which are in device memory or shared with the host. Like a decoder, cycles
/// through several surfaces, so that frames come from memory and not from a cache. At 4K, the surfaces total
/// 100 MB, which exceeds the L2 cache of an H100 (50 MB). At 1080p, they total 25 MB and fit in it.
class DeviceFrames final : public gpu::FrameSource {
 public:
  static constexpr int Count = 8;

  [[nodiscard]] Result<void> fill(const DevicePointer& device, Extent size, gpu::MemoryKind memory) {
    TRY_ASSIGN(const std::unique_ptr<gpu::FrameRing> ring, gpu::FrameRing::make(device, 1, nullptr));
    for (int i = 0; i < Count; ++i) {
      frames_.push_back(make_frame(size, i));
      const Frame& frame = frames_.back();
      const std::array<std::size_t, 2> bytes{plane_bytes(frame.view, 0, size.height),
                                             plane_bytes(frame.view, 1, (size.height + 1) / 2)};
      chroma_at_ = (bytes[0] + 255) / 256 * 256;
      TRY_ASSIGN(const gpu::Buffer staging,
                 gpu::make_buffer(*device, chroma_at_ + bytes[1], VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                  gpu::MemoryKind::Shared, "staging"));
      std::memcpy(staging.mapped, frame.view.planes[0], bytes[0]);
      std::memcpy(staging.mapped + chroma_at_, frame.view.planes[1], bytes[1]);
      TRY_ASSIGN(gpu::Buffer target,
                 gpu::make_buffer(*device, chroma_at_ + bytes[1],
                                  VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                  memory, "frame"));
      TRY_ASSIGN(gpu::FrameCommands frame_commands, ring->begin());
      frame_commands.commands().use(target, gpu::CopyWrite);
      const VkBufferCopy region{0, 0, staging.size};
      vkCmdCopyBuffer(frame_commands.commands().handle(), staging.handle.get(), target.handle.get(), 1,
                      &region);
      frame_commands.commands().use(target, gpu::ComputeRead);
      TRY(frame_commands.submit());
      TRY(ring->finish(0));
      buffers_.push_back(std::move(target));
    }
    return {};
  }

  [[nodiscard]] Result<gpu::GpuFrame> import_frame(const Frame& frame) override {
    const auto which = static_cast<std::size_t>(frame.pts % Count);
    gpu::GpuFrame imported;
    imported.buffer = buffers_[which].handle.get();
    imported.plane_offsets[1] = chroma_at_;
    imported.strides = frames_[which].view.strides;
    return imported;
  }
  [[nodiscard]] HostMemory* memory() override { return nullptr; }

  [[nodiscard]] Frame frame(int number) const {
    Frame frame = frames_[static_cast<std::size_t>(number % Count)];
    frame.pts = number;
    return frame;
  }
  /// Returns the bytes of the samples, without row padding.
  [[nodiscard]] static std::size_t bytes(Extent size) {
    return static_cast<std::size_t>(size.width) * size.height * 3 / 2;
  }

 private:
  static std::size_t plane_bytes(const FrameView& view, std::size_t plane, int rows) {
    return static_cast<std::size_t>(view.strides[plane]) * (static_cast<std::size_t>(rows) - 1) +
           static_cast<std::size_t>(view.size.width + 1) / 2 * 2;
  }

  std::vector<Frame> frames_;
  std::vector<gpu::Buffer> buffers_;
  std::size_t chroma_at_ = 0;
};

struct TimedMode {
  const char* name;
  Mode mode;
  mapping::Color color;
};
constexpr TimedMode TimedModes[] = {{"ramp mono", Mode::Ramp, mapping::Color::Mono},
                                    {"shape fg", Mode::Shape, mapping::Color::Fg},
                                    {"shape full", Mode::Shape, mapping::Color::Full},
                                    {"edge full", Mode::Edge, mapping::Color::Full}};

Result<std::shared_ptr<const text::GlyphSet>> make_glyphs() {
  TRY_ASSIGN(const text::Charset ascii, text::resolve_charset("ascii", "DejaVu Sans Mono"));
  return text::GlyphSet::make({.cell = Cell, .characters = ascii.characters, .duplicates = ascii.duplicates});
}

/// Returns the frame with its planes copied to a block of `memory`, as if a decoder had written them there.
Result<Frame> in_block_of(HostMemory& memory, const Frame& frame) {
  const std::array<int, 2> rows{frame.view.size.height, (frame.view.size.height + 1) / 2};
  std::array<std::size_t, 2> bytes{};
  for (std::size_t p = 0; p < 2; ++p) {
    bytes[p] = (static_cast<std::size_t>(frame.view.strides[p]) * static_cast<std::size_t>(rows[p]) + 255) /
               256 * 256;
  }
  const std::shared_ptr<const HostBlock> block = memory.acquire(bytes[0] + bytes[1]);
  if (!block) return Error{ErrorCode::Failed, "There is no memory for a frame.", {}};
  Frame moved = frame;
  for (std::size_t p = 0; p < 2; ++p) {
    std::byte* const to = block->bytes + (p == 0 ? 0 : bytes[0]);
    const auto stride = static_cast<std::size_t>(frame.view.strides[p]);
    const auto width = static_cast<std::size_t>(frame.view.size.width + 1) / 2 * 2;
    for (int row = 0; row < rows[p]; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * stride;
      std::memcpy(to + at, frame.view.planes[p] + at, width);
    }
    moved.view.planes[p] = to;
  }
  moved.view.block = block.get();
  moved.owner = block;
  return moved;
}

/// Where frames are when the renderer receives them.
enum class FramePlace {
  GpuMemory,       ///< where hardware decoders write
  SharedInPlace,   ///< in host memory, which shaders read even if MemoryPolicy::stages is set
  DecodedInPlace,  ///< in the renderer's own host memory, where software decoders write
  Heap,            ///< in other host memory: the CPU copies each frame
};

/// A renderer, and a source of frames of one size for it.
struct Bench {
  std::unique_ptr<gpu::GpuRenderer> renderer;
  std::function<Frame(int)> frame;  ///< returns the frame with this number
  GridSize grid;

  [[nodiscard]] static Result<Bench> make(const DevicePointer& device, StageTimes& times, Extent size,
                                          int depth, FramePlace place = FramePlace::GpuMemory) {
    Bench bench{.grid = {size.width / Cell.width, size.height / Cell.height}};
    if (place == FramePlace::GpuMemory || place == FramePlace::SharedInPlace) {
      auto frames = std::make_unique<DeviceFrames>();
      TRY(frames->fill(device, size,
                       place == FramePlace::GpuMemory ? gpu::MemoryKind::Device : gpu::MemoryKind::Shared));
      bench.frame = [source = frames.get()](int number) { return source->frame(number); };
      TRY_ASSIGN(bench.renderer, gpu::make_gpu_renderer(device, times, std::move(frames), depth));
      return bench;
    }
    TRY_ASSIGN(bench.renderer, interop::make_gpu_renderer(device, times, depth));
    HostMemory* const memory = place == FramePlace::DecodedInPlace ? bench.renderer->frame_memory() : nullptr;
    std::vector<Frame> frames;
    for (int i = 0; i < DeviceFrames::Count; ++i) {
      frames.push_back(make_frame(size, i));
      if (memory == nullptr) continue;
      TRY_ASSIGN(frames.back(), in_block_of(*memory, frames.back()));
    }
    bench.frame = [frames](int number) {
      Frame numbered = frames[static_cast<std::size_t>(number) % frames.size()];
      numbered.pts = number;
      return numbered;
    };
    return bench;
  }

  [[nodiscard]] Result<void> configure(const TimedMode& mode, PictureFormat picture,
                                       const std::shared_ptr<const text::GlyphSet>& glyphs) {
    return renderer->configure({.grid = grid,
                                .glyphs = glyphs,
                                .mapping = {.mode = mode.mode, .color = mode.color},
                                .picture = picture,
                                .want_cells = false});
  }

  /// Renders `count` frames and returns the frames per second.
  [[nodiscard]] Result<double> run(int count) {
    const auto start = std::chrono::steady_clock::now();
    int collected = 0;
    for (int submitted = 0; submitted < count; ++submitted) {
      if (submitted - collected == renderer->depth()) {
        TRY(renderer->collect());
        ++collected;
      }
      TRY(renderer->submit(frame(submitted), {}));
    }
    for (; collected < count; ++collected) TRY(renderer->collect());
    return count / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
};

double median(std::vector<float> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Returns the median of the stage's durations in milliseconds. Ignores the first `passed` frames.
double median_after(const StageTimes& times, Stage stage, std::size_t passed) {
  std::vector<float> values = times.samples(stage);
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(passed, values.size())));
  return median(std::move(values));
}

/// Measures a copy within the GPU's memory: each byte is read and written.
Result<Json> measure_copy(const DevicePointer& device, const Effort& effort) {
  TRY_ASSIGN(const double milliseconds, gpu::copy_ms(device, effort.copied_bytes, effort.copies));
  const double moved = 2.0 * static_cast<double>(effort.copied_bytes);
  return Json{{"bytes", effort.copied_bytes},
              {"runs", effort.copies},
              {"median_ms", milliseconds},
              {"gigabytes_per_s", milliseconds > 0 ? moved / milliseconds / 1e6 : 0.0}};
}

/// Measures map, draw and pack with each of TimedModes at one size.
Result<Json> measure_size(const DevicePointer& device, const Effort& effort, Extent size,
                          const std::shared_ptr<const text::GlyphSet>& glyphs) {
  Json rows = Json::array();
  const auto before = static_cast<std::size_t>(effort.frames / 5);
  for (const TimedMode& mode : TimedModes) {
    StageTimes drawn{StageTimes::Keep::All};
    StageTimes packed{StageTimes::Keep::All};
    for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
      StageTimes& times = format == PictureFormat::Bgra8 ? drawn : packed;
      TRY_ASSIGN(Bench bench, Bench::make(device, times, size, 2));
      TRY(bench.configure(mode, format, glyphs));
      TRY(bench.run(effort.frames));
    }
    const auto cells = static_cast<std::size_t>(size.width / Cell.width) * (size.height / Cell.height);
    const std::size_t cell_bytes = cells * sizeof(render::Cell);
    const std::size_t pixels = cells * Cell.width * Cell.height;
    // The bytes are the minimum memory traffic: mapping reads samples and writes cells; drawing and packing
    // read cells and write pixels.
    rows.push_back({{"width", size.width},
                    {"height", size.height},
                    {"looks", mode.name},
                    {"cells", cells},
                    {"map_ms", median_after(drawn, Stage::Map, before)},
                    {"draw_ms", median_after(drawn, Stage::Draw, before)},
                    {"pack_ms", median_after(packed, Stage::Pack, before)},
                    {"map_bytes", DeviceFrames::bytes(size) + cell_bytes},
                    {"draw_bytes", cell_bytes + pixels * 4},
                    {"pack_bytes", cell_bytes + pixels * 3 / 2}});
  }
  return rows;
}

/// Measures what frames in host memory cost, compared with frames in GPU memory.
Result<Json> measure_host(const DevicePointer& device, const Effort& effort, Extent size,
                          const std::shared_ptr<const text::GlyphSet>& glyphs) {
  static constexpr std::pair<const char*, FramePlace> Places[] = {
      {"GPU memory", FramePlace::GpuMemory},
      {"host memory, read by shaders", FramePlace::SharedInPlace},
      {"host memory, as decoded", FramePlace::DecodedInPlace},
      {"host memory, copied by the CPU", FramePlace::Heap}};
  Json rows = Json::array();
  for (const auto& [name, place] : Places) {
    StageTimes times{StageTimes::Keep::All};
    TRY_ASSIGN(Bench bench, Bench::make(device, times, size, 2, place));
    TRY(bench.configure(TimedModes[2], PictureFormat::None, glyphs));
    TRY(bench.run(effort.frames / 5));
    TRY_ASSIGN(const double fps, bench.run(effort.frames));
    const auto before = static_cast<std::size_t>(effort.frames / 5);
    rows.push_back({{"width", size.width},
                    {"height", size.height},
                    {"frames", name},
                    {"engine", times.engine(Stage::Import)},
                    {"bytes", DeviceFrames::bytes(size)},
                    {"import_ms", median_after(times, Stage::Import, before)},
                    {"map_ms", median_after(times, Stage::Map, before)},
                    {"frame_ms", 1000 / fps}});
  }
  return rows;
}

/// Creates every pipeline that maps frames or draws pictures.
Result<void> create_pipelines(const DevicePointer& device,
                              const std::shared_ptr<const text::GlyphSet>& glyphs) {
  for (const TimedMode& mode : TimedModes) {
    for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
      StageTimes times;
      TRY_ASSIGN(Bench bench, Bench::make(device, times, {640, 360}, 1));
      TRY(bench.configure(mode, format, glyphs));
      TRY(bench.run(2));
    }
  }
  return {};
}

/// Measures the frames per second for each number of frames in flight, which shows the benefit of overlap.
Result<Json> measure_depths(const DevicePointer& device, const Effort& effort,
                            const std::shared_ptr<const text::GlyphSet>& glyphs) {
  Json rows = Json::array();
  for (const int depth : effort.depths) {
    StageTimes times;
    TRY_ASSIGN(Bench bench, Bench::make(device, times, effort.sizes.front(), depth));
    TRY(bench.configure(TimedModes[2], PictureFormat::Yuv420p, glyphs));
    TRY(bench.run(effort.frames / 5));
    TRY_ASSIGN(const double fps, bench.run(effort.frames));
    rows.push_back({{"in_flight", depth}, {"fps", fps}});
  }
  return rows;
}

Json described(const gpu::Device& device) {
  return {{"device", device.name()}, {"driver", device.listing().driver}};
}

/// Lists the statistics of every pipeline. They are captured on a separate device, since capturing them may
/// change how a driver caches pipelines.
Result<Json> list_pipelines() {
  TRY_ASSIGN(const std::shared_ptr<gpu::PipelineReport> report, gpu::PipelineReport::make());
  TRY_ASSIGN(const std::shared_ptr<const text::GlyphSet> glyphs, make_glyphs());
  TRY(create_pipelines(report->device(), glyphs));
  Json json = described(*report->device());
  json["pipelines"] = report->json();
  json["validation_messages"] = report->device()->validation_messages();
  return json;
}

Result<Json> measure(const Effort& effort, const std::string& only) {
  if (only == "pipelines") return list_pipelines();
  TRY_ASSIGN(const DevicePointer device, gpu::Device::make({}));
  TRY_ASSIGN(const std::shared_ptr<const text::GlyphSet> glyphs, make_glyphs());
  Json json = described(*device);
  if (only.empty() || only == "copy") {
    TRY_ASSIGN(json["copy"], measure_copy(device, effort));
  }
  if (only.empty() || only == "stages") {
    json["stages"] = Json::array();
    for (const Extent size : effort.sizes) {
      TRY_ASSIGN(const Json rows, measure_size(device, effort, size, glyphs));
      json["stages"].insert(json["stages"].end(), rows.begin(), rows.end());
    }
  }
  if (only.empty() || only == "host") {
    json["host"] = Json::array();
    for (const Extent size : effort.sizes) {
      TRY_ASSIGN(const Json rows, measure_host(device, effort, size, glyphs));
      json["host"].insert(json["host"].end(), rows.begin(), rows.end());
    }
  }
  if (only.empty() || only == "codecs") json["codecs"] = gpu::device_codecs(device);
  if (only.empty() || only == "depths") {
    TRY_ASSIGN(json["depths"], measure_depths(device, effort, glyphs));
  }
  json["validation_messages"] = device->validation_messages();
  return json;
}

}  // namespace
}  // namespace glyphreel

int main(int argc, char** argv) {
  glyphreel::Effort effort;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      effort = {.sizes = {{640, 360}},
                .frames = 10,
                .copied_bytes = std::size_t{1} << 22,
                .copies = 5,
                .depths = {1, 4, 64}};
    } else if (word == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else {
      std::fprintf(
          stderr,
          "gpu_timing: use only the options --quick and --only copy|stages|host|depths|pipelines|codecs\n");
      return 2;
    }
  }
  const glyphreel::Result<nlohmann::json> measured = glyphreel::measure(effort, only);
  if (!measured) {
    std::fprintf(stderr, "gpu_timing: %s (%s)\n", measured.error().message.c_str(),
                 measured.error().cause.c_str());
    return 1;
  }
  std::puts(measured->dump(2).c_str());
  if ((*measured)["validation_messages"] != 0) {
    std::fprintf(stderr, "gpu_timing: there were validation errors; see the log\n");
    return 1;
  }
  return 0;
}
