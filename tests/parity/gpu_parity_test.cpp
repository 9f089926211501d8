// Compares the GPU renderer with the CPU renderer: every cell and every byte of every picture, on the
// available Vulkan device, under the validation layer.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cases.h"
#include "gpu/device/device.h"
#include "interop/frame_importer.h"
#include "moving_frame.h"
#include "render/renderer.h"

namespace glyphreel::parity {
namespace {

using render::RenderedFrame;
using render::RenderSetup;

constexpr PictureFormat Formats[] = {PictureFormat::None, PictureFormat::Bgra8, PictureFormat::Yuv420p};

/// The Vulkan devices of all tests: one for each tuning, opened on first use. Released before exit() destroys
/// the validation layer's globals.
class Devices : public testing::Environment {
 public:
  Result<std::shared_ptr<gpu::Device>> get(gpu::ShaderTuning shaders) {
    std::shared_ptr<gpu::Device>& device = devices_[shaders];
    if (!device) {
      TRY_ASSIGN(device, gpu::Device::make({.validation = gpu::Validation::On, .shaders = shaders}));
    }
    return device;
  }
  void TearDown() override { devices_.clear(); }

 private:
  std::map<gpu::ShaderTuning, std::shared_ptr<gpu::Device>> devices_;
};

/// Owned by GoogleTest.
Devices* const devices = static_cast<Devices*>(testing::AddGlobalTestEnvironment(new Devices));

class GpuParity : public testing::Test {
 protected:
  explicit GpuParity(gpu::ShaderTuning shaders = gpu::ShaderTuning::FromEnvironment) : shaders_(shaders) {}

  void SetUp() override {
    auto device = devices->get(shaders_);
    ASSERT_TRUE(device) << "Cannot compare with a GPU: " << device.error().message
                        << " (mesa-vulkan-drivers provides a software device)";
    device_ = *std::move(device);
    messages_before_ = device_->validation_messages();
    auto made = interop::make_gpu_renderer(device_, gpu_times_, 3);
    ASSERT_TRUE(made) << made.error().message;
    gpu_ = *std::move(made);
    cpu_ = render::make_cpu_renderer(2, cpu_times_);
  }
  void TearDown() override {
    if (!device_) return;
    EXPECT_TRUE(device_->has_validation());
    EXPECT_EQ(device_->validation_messages(), messages_before_) << "validation errors: see the log";
  }

  /// Configures both renderers.
  void configure(const Case& test_case, PictureFormat format) {
    const RenderSetup setup{.grid = test_case.grid,
                            .fit = test_case.fit,
                            .glyphs = glyphs_of(test_case),
                            .mapping = test_case.mapping,
                            .tables = tables_of(test_case),
                            .picture = format};
    const Result<void> gpu = gpu_->configure(setup);
    ASSERT_TRUE(gpu) << gpu.error().message << " " << gpu.error().cause << "\n  " << describe(test_case);
    ASSERT_TRUE(cpu_->configure(setup));
  }

  /// Compares both renderers on the frames of these cases, which share a setup. Keeps as many frames in
  /// flight as the GPU renderer allows.
  void compare(const std::vector<Case>& cases) {
    std::vector<Frame> frames;
    for (const Case& test_case : cases) frames.push_back(placed(make_frame(test_case.frame), frames.size()));
    compare(frames, cases);
  }

  /// Returns the options of frame `number`. Every third frame has glow and scanlines.
  static render::FrameOptions options_of(const Case& test_case, std::size_t number) {
    render::FrameOptions options{.adjustments = test_case.adjustments};
    if (number % 3 == 1) options.light = {.glow = 65, .scanlines = 40};
    return options;
  }

  /// Compares both renderers on these frames. `cases[i]` describes `frames[i]`.
  void compare(const std::vector<Frame>& frames, const std::vector<Case>& cases) {
    std::size_t submitted = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      for (; submitted < frames.size() && submitted < i + static_cast<std::size_t>(gpu_->depth());
           ++submitted) {
        const Result<void> result = gpu_->submit(frames[submitted], options_of(cases[submitted], submitted));
        ASSERT_TRUE(result) << result.error().message << " " << result.error().cause;
      }
      const Result<RenderedFrame> gpu = gpu_->collect();
      ASSERT_TRUE(gpu) << gpu.error().message << " " << gpu.error().cause;
      const Result<RenderedFrame> cpu = cpu_->render(frames[i], options_of(cases[i], i));
      ASSERT_TRUE(cpu);
      expect_same(*gpu, *cpu, cases[i]);
      if (HasFatalFailure()) return;
    }
  }

  /// Compares both renderers. `cases` has `count` parts of equal length, and the cases of a part share a
  /// pixel layout. A whole sweep configures the renderers for each case. Otherwise, the renderers are
  /// configured once for each part, and render only every `nth` case of the part. Cases of a part can share
  /// pipelines although their color tags and adjustments differ, because shaders read tags and adjustments
  /// from buffers.
  void compare_streams(const std::vector<Case>& cases, std::size_t count, std::size_t nth) {
    ASSERT_EQ(cases.size() % count, 0u);
    const std::size_t length = cases.size() / count;
    for (std::size_t part = 0; part < count; ++part) {
      const auto begin = cases.begin() + static_cast<std::ptrdiff_t>(part * length);
      std::vector<Case> stream(begin, begin + static_cast<std::ptrdiff_t>(length));
      if (is_whole_sweep()) {
        for (std::size_t i = 0; i < stream.size(); ++i) {
          configure(stream[i], Formats[i % 3]);
          compare({stream[i], stream[i]});
          if (HasFatalFailure()) return;
        }
        continue;
      }
      stream = slice(stream, nth);
      // Vary the mode and the color from part to part. Every fifth part samples at corners.
      const Mode mode = part % 2 == 0 ? Mode::Shape : Mode::Ramp;
      const mapping::Parameters mapping{.mode = mode,
                                        .color = static_cast<mapping::Color>(part / 2 % 3),
                                        .sampling = part % 5 == 3 ? Sampling::Corner : Sampling::Area,
                                        .luma = stream.front().mapping.luma};
      for (Case& test_case : stream) test_case.mapping = mapping;
      configure(stream.front(), Formats[part % 3]);
      compare(stream);
      if (HasFatalFailure()) return;
    }
  }

  /// Compares both renderers on a sequence of frames that has a fade, a cut and a seek. The last frames have
  /// new adjustments, which include inversion if `inverted`. The cells of a frame depend on earlier frames.
  /// As many frames as possible are in flight.
  void compare_sequence(Case test_case, PictureFormat format, bool inverted) {
    configure(test_case, format);
    const MovingOptions options{.size = test_case.frame.size, .seed = test_case.frame.seed};
    std::vector<Frame> frames;
    for (int index = 0; index < SequenceFrames + 4; ++index) {
      frames.push_back(placed(moving_frame(options, index), frames.size()));
    }
    const std::vector<Frame> rest(frames.begin() + SequenceFrames, frames.end());
    frames.resize(SequenceFrames);
    compare(frames, std::vector<Case>(frames.size(), test_case));
    ASSERT_FALSE(HasFatalFailure());
    test_case.adjustments = {.brightness = -20, .contrast = 30, .inverted = inverted};
    compare(rest, std::vector<Case>(rest.size(), test_case));
  }

  /// Compares every `nth` of the geometry cases in one stream with one setup.
  void compare_frame_kinds(std::size_t nth) {
    std::vector<Case> cases = slice(geometry_cases(40), nth);
    std::erase_if(cases, [](const Case& test_case) { return test_case.frame.size.width > 1000; });
    const Case setup{.grid = {37, 6}};
    for (Case& test_case : cases) test_case = {.frame = test_case.frame, .grid = setup.grid};
    configure(setup, PictureFormat::Yuv420p);
    constexpr std::size_t Together = 60;  // half of these frames use one block each; the renderer has 64
    for (std::size_t first = 0; first < cases.size(); first += Together) {
      const auto begin = cases.begin() + static_cast<std::ptrdiff_t>(first);
      compare({begin, begin + static_cast<std::ptrdiff_t>(std::min(Together, cases.size() - first))});
    }
  }

  /// Returns the frame itself or, every other time, a copy in the GPU renderer's own memory, which the
  /// renderer reads without another copy.
  Frame placed(Frame frame, std::size_t number) {
    const FrameView& view = frame.view;
    if (number % 2 == 0 || gpu_->frame_memory() == nullptr || view.strides[0] < 0) return frame;
    std::array<std::size_t, 4> offsets{};
    std::array<std::size_t, 4> rows{};
    std::size_t size = 64;
    for (std::size_t p = 0; p < 4; ++p) {
      if (view.planes[p] == nullptr) continue;
      for (int c = 0; c < view.layout.component_count(); ++c) {
        const ComponentLayout& component = view.layout.components[static_cast<std::size_t>(c)];
        if (component.plane == p)
          rows[p] = static_cast<std::size_t>(component_extent(component, view.size).height);
      }
      offsets[p] = size;
      size += rows[p] * static_cast<std::size_t>(view.strides[p]) + 64;
      size += size % 2;  // two-byte samples need even addresses
    }
    const std::shared_ptr<const HostBlock> block = gpu_->frame_memory()->acquire(size);
    if (!block) return frame;
    Frame moved = frame;
    for (std::size_t p = 0; p < 4; ++p) {
      if (view.planes[p] == nullptr) continue;
      moved.view.planes[p] = block->bytes + offsets[p];
      // Copy the last row only up to its last sample: the padding after that sample must not be read.
      const auto stride = static_cast<std::size_t>(view.strides[p]);
      std::memcpy(block->bytes + offsets[p], view.planes[p], stride * (rows[p] - 1));
      std::size_t row_bytes = 0;
      for (int c = 0; c < view.layout.component_count(); ++c) {
        const ComponentLayout& component = view.layout.components[static_cast<std::size_t>(c)];
        if (component.plane != p) continue;
        const auto columns = static_cast<std::size_t>(component_extent(component, view.size).width);
        row_bytes = std::max(row_bytes, columns * component.step);
      }
      std::memcpy(block->bytes + offsets[p] + stride * (rows[p] - 1), view.planes[p] + stride * (rows[p] - 1),
                  row_bytes);
    }
    moved.view.block = block.get();
    moved.owner = block;
    return moved;
  }

  static void expect_same(const RenderedFrame& gpu, const RenderedFrame& cpu, const Case& test_case) {
    ASSERT_EQ(gpu.cells.size(), cpu.cells.size());
    for (std::size_t i = 0; i < cpu.cells.size(); ++i) {
      const render::Cell& a = gpu.cells[i];
      const render::Cell& b = cpu.cells[i];
      ASSERT_TRUE(a.glyph == b.glyph && a.foreground == b.foreground && a.background == b.background)
          << "first at column " << static_cast<int>(i) % cpu.grid.columns << ", row "
          << static_cast<int>(i) / cpu.grid.columns << ": "
          << fmt::format(
                 "GPU glyph {} foreground {:08X} background {:08X}, CPU glyph {} foreground {:08X} "
                 "background {:08X}",
                 a.glyph, a.foreground, a.background, b.glyph, b.foreground, b.background)
          << "\n  pts " << cpu.pts << ' ' << describe(test_case);
    }
    ASSERT_EQ(gpu.picture.format, cpu.picture.format);
    ASSERT_EQ(gpu.picture.size, cpu.picture.size);
    if (cpu.picture.format == PictureFormat::None) return;
    const bool yuv = cpu.picture.format == PictureFormat::Yuv420p;
    for (std::size_t plane = 0; plane < (yuv ? 3u : 1u); ++plane) {
      const int divide = plane == 0 ? 1 : 2;
      const int row_bytes = yuv ? cpu.picture.size.width / divide : cpu.picture.size.width * 4;
      for (int y = 0; y < cpu.picture.size.height / divide; ++y) {
        const std::byte* a =
            gpu.picture.planes[plane] + static_cast<std::ptrdiff_t>(y) * gpu.picture.strides[plane];
        const std::byte* b =
            cpu.picture.planes[plane] + static_cast<std::ptrdiff_t>(y) * cpu.picture.strides[plane];
        for (int x = 0; x < row_bytes; ++x) {
          ASSERT_EQ(static_cast<int>(a[x]), static_cast<int>(b[x]))
              << "plane " << plane << ", byte " << x << " of row " << y << "\n  " << describe(test_case);
        }
      }
    }
  }

  const gpu::ShaderTuning shaders_;
  std::shared_ptr<gpu::Device> device_;
  std::uint64_t messages_before_ = 0;
  StageTimes gpu_times_, cpu_times_;
  std::unique_ptr<render::Renderer> gpu_, cpu_;
};

/// Tests every layout, and ramp and shape mode in every color. A layout affects only the samples, and a mode
/// reads only the samples. Therefore the default run tests each layout with only one mode and color, and a
/// whole sweep tests all combinations. The patterns of a combination are the frames of one stream.
TEST_F(GpuParity, EveryLayoutPatternAndMode) {
  std::vector<Case> cases = layout_cases();
  std::vector<std::vector<Case>> streams(all_layouts().size() * 6);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::vector<Case>& stream = streams[i / (6 * PatternCount) * 6 + i % 6];
    if (!stream.empty()) {  // all frames of a stream use its first setup
      cases[i].mapping = stream.front().mapping;
      cases[i].frame.color = stream.front().frame.color;
    }
    stream.push_back(cases[i]);
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (!is_whole_sweep() && i / 6 % 6 != i % 6) continue;
    configure(streams[i].front(), Formats[i % 3]);
    compare(streams[i]);
    if (HasFatalFailure()) return;
  }
}

TEST_F(GpuParity, HdrAndWideGamuts) {
  compare_streams(wide_color_cases(), 11, 5);
}

TEST_F(GpuParity, Adjustments) {
  compare_streams(adjusted_cases(), 8, 2);
}

/// By default, compares every 11th case. The first cases of geometry_cases() repeat the same 12 combinations
/// of mode, color and sampling. 11 and 12 are coprime, so every mode, color and sampling occurs.
TEST_F(GpuParity, SizesRotationsFitsCellsAndGlyphCounts) {
  const std::vector<Case> cases = slice(geometry_cases(120), 11);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    configure(cases[i], Formats[i % 3]);
    compare({cases[i], cases[i]});
    if (HasFatalFailure()) return;
  }
}

/// A stream may change its format, size and rotation between frames.
TEST_F(GpuParity, OneSetupHandlesAllFrameKinds) {
  compare_frame_kinds(5);
}

/// Tests, on any device, the variant of the mapping shaders that GPUs use. A few cases cover each part of the
/// shaders. With GLYPHREEL_SHADERS=gpu, the tests above run all their cases with this variant.
class GpuShaderParity : public GpuParity {
 protected:
  GpuShaderParity() : GpuParity(gpu::ShaderTuning::Gpu) {}
};

TEST_F(GpuShaderParity, EveryModeAndColor) {
  // Each mode occurs with each color. Every dither, palettes, reverse video, legibility and disabled auto
  // levels occur at least once.
  const std::vector<Case> cases = sequence_cases();
  std::set<std::pair<Mode, mapping::Color>> compared;
  for (const std::size_t i : {2u, 11u, 13u, 21u, 29u, 30u, 37u, 44u, 53u}) {
    compare_sequence(cases.at(i), PictureFormat::None, i % 2 == 0);
    ASSERT_FALSE(HasFatalFailure());
    compared.emplace(cases[i].mapping.mode, cases[i].mapping.color);
  }
  EXPECT_EQ(compared.size(), std::size(AllModes) * 3);
}

TEST_F(GpuShaderParity, WideCharacters) {
  // A ramp with a palette, shape mode with a palette and dithering, and edge mode with legibility.
  const std::vector<Case> cases = wide_glyph_cases();
  for (const std::size_t i : {3u, 19u, 32u}) {
    compare_sequence(cases.at(i), PictureFormat::None, i % 2 == 0);
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST_F(GpuShaderParity, HdrAndAllFrameKinds) {
  std::vector<Case> p010 = wide_color_cases();
  std::erase_if(
      p010, [](const Case& test_case) { return std::string_view(test_case.frame.layout.name) != "p010"; });
  compare_streams(p010, 1, 5);
  ASSERT_FALSE(HasFatalFailure());
  compare_frame_kinds(11);
}

class GpuSequenceParity : public GpuParity, public testing::WithParamInterface<Mode> {
 protected:
  /// Compares the cases whose mode is the test's parameter: every `nth` case from `first` on, or all in a
  /// whole sweep. Fails unless `cases` has `count` cases with this mode.
  void compare_sequences(const std::vector<Case>& cases, std::size_t count, std::size_t nth,
                         std::size_t first = 0) {
    std::vector<Case> of_mode;
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(of_mode),
                 [](const Case& test_case) { return test_case.mapping.mode == GetParam(); });
    ASSERT_EQ(of_mode.size(), count);
    if (!is_whole_sweep())
      of_mode.erase(of_mode.begin(), of_mode.begin() + static_cast<std::ptrdiff_t>(first));
    int compared = 0;
    for (const Case& test_case : slice(of_mode, nth)) {
      ++compared;
      compare_sequence(test_case, compared % 9 == 4 ? PictureFormat::Yuv420p : PictureFormat::None,
                       compared % 2 == 0);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
};

TEST_P(GpuSequenceParity, EveryColorReverseAndDither) {
  compare_sequences(sequence_cases(), 18, 5);
}

/// By default, compares one case of each mode, each with a different color. More cases would need more
/// pipelines, which take seconds to compile. The tests of effects and text compare further cases.
TEST_P(GpuSequenceParity, WideCharacters) {
  compare_sequences(wide_glyph_cases(), GetParam() == Mode::Ramp ? 6 : 18, 18,
                    GetParam() == Mode::Ramp    ? 1
                    : GetParam() == Mode::Shape ? 8
                                                : 16);
}

std::string name_of_mode(const testing::TestParamInfo<Mode>& mode) {
  std::string name(mode_name(mode.param));
  name[0] = static_cast<char>(std::toupper(name[0]));
  return name;
}

INSTANTIATE_TEST_SUITE_P(Modes, GpuSequenceParity, testing::ValuesIn(AllModes), name_of_mode);

}  // namespace
}  // namespace glyphreel::parity
