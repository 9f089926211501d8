// Checks that the structures of shaders/shared/structs.glsl have the same layout in C++ and in SPIR-V.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "gpu/device/shader_interface.h"
#include "mapping/shared/shared_types.h"
#include "shaders/embedded.h"

namespace glyphreel::gpu {
namespace {

using mapping::shared::Cell;
using mapping::shared::CellAnalysis;
using mapping::shared::ComponentSource;
using mapping::shared::DrawParameters;
using mapping::shared::EffectParameters;
using mapping::shared::FrameState;
using mapping::shared::MapParameters;
using mapping::shared::OverlayCell;
using mapping::shared::OverlayParameters;
using mapping::shared::SampleParameters;

/// The parts of a SPIR-V module that describe layouts (SPIR-V 1.6 specification, sections 2.3 and 3.42).
class Reflection {
 public:
  explicit Reflection(std::span<const std::uint32_t> words) {
    for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
      const std::span<const std::uint32_t> op = words.subspan(at, words[at] >> 16);
      switch (op[0] & 0xFFFF) {
        case 72:                                            // OpMemberDecorate
          if (op[3] == 35) offsets_[op[1]][op[2]] = op[4];  // Offset
          break;
        case 71:                                          // OpDecorate
          if (op[2] == 33) bindings_[op[3]] = op[1];      // Binding
          if (op[2] == 6) array_strides_[op[1]] = op[3];  // ArrayStride
          break;
        case 30:  // OpTypeStruct
          members_[op[1]].assign(op.begin() + 2, op.end());
          break;
        case 29:  // OpTypeRuntimeArray
          elements_[op[1]] = op[2];
          break;
        case 32:  // OpTypePointer
          pointees_[op[1]] = op[3];
          break;
        case 59:  // OpVariable
          variables_[op[2]] = op[1];
          break;
        default:
          break;
      }
    }
  }

  [[nodiscard]] std::uint32_t block(std::uint32_t binding) const {
    return pointees_.at(variables_.at(bindings_.at(binding)));
  }
  /// Returns the type of the first member of the block at `binding`.
  [[nodiscard]] std::uint32_t block_member(std::uint32_t binding) const {
    return members_.at(block(binding)).at(0);
  }
  [[nodiscard]] std::uint32_t element(std::uint32_t array) const { return elements_.at(array); }
  [[nodiscard]] std::uint32_t array_stride(std::uint32_t array) const { return array_strides_.at(array); }
  [[nodiscard]] std::uint32_t member(std::uint32_t structure, std::size_t index) const {
    return members_.at(structure).at(index);
  }
  [[nodiscard]] std::vector<std::size_t> member_offsets(std::uint32_t structure) const {
    std::vector<std::size_t> offsets;
    for (const auto& [index, offset] : offsets_.at(structure)) offsets.push_back(offset);
    return offsets;
  }
  /// Returns the offsets of the members, with each member that is a structure replaced by its own members.
  [[nodiscard]] std::vector<std::size_t> offsets(std::uint32_t structure) const {
    std::vector<std::size_t> offsets;
    for (const auto& [index, offset] : offsets_.at(structure)) {
      const std::uint32_t type = member(structure, index);
      const std::vector<std::size_t> inner =
          members_.contains(type) ? this->offsets(type) : std::vector<std::size_t>{0};
      for (const std::size_t at : inner) offsets.push_back(offset + at);
    }
    return offsets;
  }

 private:
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> offsets_;
  std::map<std::uint32_t, std::uint32_t> bindings_, array_strides_, elements_, pointees_, variables_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> members_;
};

/// Returns the offsets of `count` 32-bit members without gaps.
std::vector<std::size_t> words(std::size_t count) {
  std::vector<std::size_t> offsets;
  for (std::size_t i = 0; i < count; ++i) offsets.push_back(i * 4);
  return offsets;
}

TEST(StructOffsets, SampleParameters) {
  const Reflection shader(shaders::sample_lattice_comp);
  const std::uint32_t type = shader.block_member(shared::SampleParametersBinding);
  const std::vector<std::size_t> offsets = shader.offsets(type);
  EXPECT_EQ(offsets, words(sizeof(SampleParameters) / 4));
  EXPECT_EQ(offsetof(SampleParameters, yuv), offsets[8]);
  EXPECT_EQ(offsetof(SampleParameters, luma_yuv.b_from_cb), offsets[23]);
  EXPECT_EQ(offsetof(SampleParameters, gamut.b_from_b), offsets[40]);
  EXPECT_EQ(offsetof(SampleParameters, component_1.axis_x), offsets[57]);
}

TEST(StructOffsets, MapParameters) {
  const Reflection shader(shaders::match_cells_comp);
  const std::vector<std::size_t> offsets = shader.offsets(shader.block_member(shared::MapParametersBinding));
  EXPECT_EQ(offsets, words(sizeof(MapParameters) / 4));
  EXPECT_EQ(offsetof(MapParameters, forms), offsets[11]);
  EXPECT_EQ(offsetof(MapParameters, glow_at), offsets.back());
}

TEST(StructOffsets, FrameStateBeforeSums) {
  for (const Reflection& shader :
       {Reflection(shaders::analyze_cells_comp), Reflection(shaders::frame_state_comp)}) {
    const std::uint32_t type = shader.block_member(shared::StateBinding);
    EXPECT_EQ(shader.offsets(type), words(sizeof(FrameState) / 4));
    EXPECT_EQ(offsetof(FrameState, frames), shader.offsets(type).back());
    const std::uint32_t block = shader.block(shared::StateBinding);
    EXPECT_EQ(shader.member_offsets(block),
              (std::vector<std::size_t>{0, sizeof(FrameState),
                                        sizeof(FrameState) + mapping::shared::RegionCount * 4}));
    for (const std::size_t array : {1u, 2u}) EXPECT_EQ(shader.array_stride(shader.member(block, array)), 4u);
  }
  EXPECT_EQ(shared::StateWords, sizeof(FrameState) / 4 + mapping::shared::RegionCount + shared::RegionSums +
                                    mapping::shared::RegionCount);
  EXPECT_EQ(mapping::shared::RegionCount, mapping::shared::RegionsX * mapping::shared::RegionsY);
  EXPECT_EQ(shared::MovedSum, shared::HistogramSize);
  EXPECT_EQ(shared::RegionSums, shared::MovedSum + 1);
  const Reflection match(shaders::match_cells_comp);
  EXPECT_EQ(match.offsets(match.block_member(shared::StateBinding)), words(sizeof(FrameState) / 4));
}

/// SURROUND() and MODE_WORD() of prelude.glsl access the two members of CellAnalysis as words 0 and 1.
TEST(StructOffsets, CellAnalysisIsTwoWords) {
  const Reflection shader(shaders::analyze_cells_comp);
  EXPECT_EQ(shader.array_stride(shader.block_member(shared::AnalysisBinding)), 4u);
  EXPECT_EQ(sizeof(CellAnalysis), 8u);
  EXPECT_EQ(offsetof(CellAnalysis, halves), 0u);
  EXPECT_EQ(offsetof(CellAnalysis, mode_word), 4u);
}

TEST(StructOffsets, DrawParameters) {
  const Reflection shader(shaders::draw_glyphs_frag);
  const std::uint32_t type = shader.block_member(shared::DrawParametersBinding);
  EXPECT_EQ(shader.offsets(type), words(sizeof(DrawParameters) / 4));
  EXPECT_EQ(offsetof(DrawParameters, glow_glyphs), shader.offsets(type).back());
}

TEST(StructOffsets, CellsArePackedWithoutGaps) {
  const std::pair<Reflection, shared::uint> blocks[] = {
      {Reflection(shaders::match_cells_comp), shared::CellBinding},
      {Reflection(shaders::match_cells_comp), shared::HistoryBinding},
      {Reflection(shaders::compose_cells_comp), shared::CellBinding},
      {Reflection(shaders::compose_cells_comp), shared::DrawnBinding},
      {Reflection(shaders::draw_glyphs_frag), shared::DrawnBinding}};
  for (const auto& [shader, binding] : blocks) {
    const std::uint32_t array = shader.block_member(binding);
    EXPECT_EQ(shader.array_stride(array), sizeof(Cell));
    EXPECT_EQ(shader.offsets(shader.element(array)), words(sizeof(Cell) / 4));
  }
}

TEST(StructOffsets, ParametersBeforeOverlayCells) {
  const Reflection shader(shaders::compose_cells_comp);
  const std::uint32_t block = shader.block(shared::OverlayBinding);
  EXPECT_EQ(shader.member_offsets(block),
            (std::vector<std::size_t>{0, sizeof(OverlayParameters),
                                      sizeof(OverlayParameters) + sizeof(EffectParameters)}));
  EXPECT_EQ(shader.offsets(shader.member(block, 0)), words(sizeof(OverlayParameters) / 4));
  EXPECT_EQ(offsetof(OverlayParameters, coverage_at), shader.offsets(shader.member(block, 0)).back());
  EXPECT_EQ(shader.offsets(shader.member(block, 1)), words(sizeof(EffectParameters) / 4));
  EXPECT_EQ(shader.array_stride(shader.member(block, 2)), sizeof(OverlayCell));
  EXPECT_EQ(shader.offsets(shader.element(shader.member(block, 2))), words(sizeof(OverlayCell) / 4));
}

}  // namespace
}  // namespace glyphreel::gpu
