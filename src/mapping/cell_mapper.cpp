#include "mapping/cell_mapper.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "mapping/shared/shared_scalar.h"

namespace glyphreel::mapping {
namespace {

/// Counts down the rows of one step, so that the next step can wait for all of them.
class RowCount {
 public:
  explicit RowCount(int rows) : left_(rows) {}
  /// `last`: called on the thread that finishes the last row, before the waiting threads continue.
  template <typename Last>
  void count_down(const Last& last) {
    if (--left_ > 0) return;
    last();
    done_ = true;
    done_.notify_all();
  }
  void wait() {
    if (!spin_until([this] { return done_.load(); })) done_.wait(false);
  }

 private:
  std::atomic<int> left_;
  std::atomic<bool> done_ = false;
};

/// Returns the columns or rows of the cells whose clarity() depends on the mean luma of a region: the cells
/// of the region and of its neighbors. Along this axis, `region` is the region's index, `size` is the number
/// of cells of a region, and `cells` is the number of cells of the grid.
CellRange dependent_cells(std::uint32_t region, std::uint32_t size, std::uint32_t cells) {
  return {.first = static_cast<int>((region > 0 ? region - 1 : 0) * size),
          .end = static_cast<int>(std::min((region + 2) * size, cells))};
}

}  // namespace

SampleKey sample_key(const FrameView& frame, GridSize grid, CellSize cell, Fit fit,
                     const Parameters& parameters, const Adjustments& adjustments) {
  return {.layout = frame.layout,
          .color = frame.color,
          .size = frame.size,
          .rotation = frame.rotation,
          .placement = place(display_aspect(frame), grid, cell, fit),
          .samples = samples_per_cell(cell, parameters.sampling),
          .sampling = parameters.sampling,
          .luma = parameters.luma,
          .luma_alone = parameters.color == Color::Mono,
          .adjustments = adjustments};
}

Result<CellMapper> CellMapper::make(const text::GlyphSet& glyphs, GridSize grid, Fit fit,
                                    const Parameters& parameters, const Kernels& kernels,
                                    const GlyphTables* tables) {
  CellMapper mapper;
  mapper.kernels_ = &kernels;
  mapper.grid_ = grid;
  mapper.fit_ = fit;
  mapper.cell_ = glyphs.cell();
  mapper.samples_ = samples_per_cell(glyphs.cell(), parameters.sampling);
  mapper.parameters_ = parameters;
  if (tables != nullptr) {
    mapper.tables_ = *tables;
  } else {
    TRY_ASSIGN(mapper.tables_, make_glyph_tables(glyphs, parameters, mapper.samples_));
  }
  set_grid(mapper.tables_.parameters, grid);
  mapper.analyzed_ = needs_analysis(mapper.tables_.parameters);
  mapper.drafted_ = mapper.tables_.parameters.two_pass != 0;
  // A ramp in mono needs only each cell's tone. The analysis computes the tone, so the samples need not be
  // kept until matching.
  mapper.keeps_lattice_ =
      mapper.drafted_ ||
      (mapper.analyzed_ && !(parameters.mode == Mode::Ramp && parameters.color == Color::Mono));
  const shared::MapParameters& p = mapper.tables_.parameters;
  // Matching a ramp takes less time than comparing samples.
  mapper.keeps_blocks_ = mapper.keeps_lattice_ && p.mode != shared::ModeRamp && p.forms.wide == 0;
  if (mapper.keeps_blocks_) {
    mapper.changes_ =
        BlockChanges(grid, kernels, words_per_cell(static_cast<std::uint32_t>(mapper.samples_.cells())),
                     parameters.color == Color::Mono);
  }
  if (p.mode == shared::ModeRamp && p.dither.kind == 0 && p.forms.wide_ramp == 0) {
    mapper.ramp_.resize(RampEntries);
    kernels.tabulate_ramp(p, mapper.tables_.words.data(), mapper.ramp_);
  }
  if (mapper.analyzed_) {
    mapper.analyses_.resize(grid);
    mapper.lumas_before_.assign(static_cast<std::size_t>(grid.cells()), 0);
  }
  if (mapper.analyzed_ || mapper.keeps_blocks_)
    mapper.cells_before_.assign(static_cast<std::size_t>(grid.cells()), {});
  if (mapper.drafted_) {
    const std::size_t columns = whole_blocks(static_cast<std::size_t>(grid.columns)) + 2 * MaxBlockCells;
    mapper.draft_pitch_ = static_cast<std::ptrdiff_t>(columns * shared::DraftWords);
    mapper.drafts_.assign(
        static_cast<std::size_t>(mapper.draft_pitch_) * (static_cast<std::size_t>(grid.rows) + 2), 0);
  }
  return mapper;
}

void CellMapper::prepare(const FrameView& frame, const Adjustments& adjustments, int workers) {
  const SampleKey key = sample_key(frame, grid_, cell_, fit_, parameters_, adjustments);
  if (!sampler_.prepare(frame, key, workers)) return;
  scratch_.resize(static_cast<std::size_t>(workers));
  const std::size_t row_words = whole_blocks(static_cast<std::size_t>(grid_.columns)) *
                                words_per_cell(static_cast<std::uint32_t>(samples_.cells()));
  if (keeps_lattice_) {
    lattice_.assign(row_words * static_cast<std::size_t>(grid_.rows), 0);
    changes_.reset();
  }
  if (!keeps_lattice_ || keeps_blocks_) {
    for (Scratch& scratch : scratch_) scratch.lattice.assign(row_words, 0);
  }
}

std::uint32_t* CellMapper::lattice_row(int row, int worker) {
  if (!keeps_lattice_) return scratch_[static_cast<std::size_t>(worker)].lattice.data();
  return lattice_.data() +
         static_cast<std::size_t>(row) * (lattice_.size() / static_cast<std::size_t>(grid_.rows));
}

void CellMapper::sample_row(int row, int worker) {
  std::uint32_t* lattice = lattice_row(row, worker);
  if (!keeps_blocks_) {
    sampler_.sample_row(*kernels_, row, worker, lattice);
    return;
  }
  std::uint32_t* sampled = scratch_[static_cast<std::size_t>(worker)].lattice.data();
  sampler_.sample_row(*kernels_, row, worker, sampled);
  changes_.update_samples(row, sampled, lattice);
}

void CellMapper::analyze_row(int row, int worker) {
  kernels_->analyze_row(tables_.parameters, tables_.words.data(), lattice_row(row, worker),
                        analyses_.halves(row), analyses_.mode_words(row), analyses_.tones(row));
  count_row(row, scratch_[static_cast<std::size_t>(worker)]);
}

void CellMapper::count_row(int row, Scratch& scratch) {
  const int columns = grid_.columns;
  const std::uint32_t* __restrict halves = analyses_.halves(row);
  std::uint32_t* __restrict lumas = lumas_before_.data() + static_cast<std::ptrdiff_t>(row) * columns;
  std::uint32_t moved = 0;
  for (int column = 0; column < columns; ++column) {
    const std::uint32_t luma = ((halves[column] & 0xFFFFu) + (halves[column] >> 16)) >> 5;
    const auto change = static_cast<std::int32_t>(luma - lumas[column]);
    lumas[column] = luma;
    moved += static_cast<std::uint32_t>(change < 0 ? -change : change);
  }
  scratch.moved += moved;
  if (tables_.parameters.levels.automatic == 0) return;  // only auto-levels need the tones
  const std::uint32_t* tones = analyses_.tones(row);
  for (int column = 0; column < columns; ++column) {
    ++scratch.histogram[static_cast<std::size_t>(column % HistogramParts)][tones[column]];
  }
  if (tables_.parameters.regions.columns != 0) count_regions(row, scratch);
}

void CellMapper::count_regions(int row, Scratch& scratch) {
  const shared::MapParameters& p = tables_.parameters;
  const std::uint32_t* halves = analyses_.halves(row);
  for (std::uint32_t column = 0; column < p.columns; column += p.regions.columns) {
    const std::uint32_t end = std::min(column + p.regions.columns, p.columns);
    std::uint32_t sum = 0;
    for (std::uint32_t at = column; at < end; ++at) sum += shared::scalar::luma_of_halves(halves[at]);
    scratch.regions[shared::scalar::region_at(p, column, static_cast<std::uint32_t>(row))] += sum;
  }
}

void CellMapper::finish_regions() {
  const shared::MapParameters& p = tables_.parameters;
  for (std::uint32_t region = 0; region < shared::RegionCount; ++region) {
    std::uint32_t sum = 0;
    for (Scratch& scratch : scratch_) sum += std::exchange(scratch.regions[region], 0);
    const std::uint32_t mean = shared::scalar::region_mean(p, region, sum);
    const std::uint32_t before = std::exchange(region_means_[region], mean);
    if (mean == before || !keeps_blocks_) continue;
    changes_.mark_changed(dependent_cells(region % shared::RegionsX, p.regions.columns, p.columns),
                          dependent_cells(region / shared::RegionsX, p.regions.rows, p.rows));
  }
}

void CellMapper::finish_frame_state(const FrameTime& time) {
  std::array<std::uint32_t, 256> histogram{};
  std::uint32_t moved = 0;
  for (Scratch& scratch : scratch_) {
    moved += std::exchange(scratch.moved, 0);
    for (std::array<std::uint32_t, 256>& part : scratch.histogram) {
      for (std::size_t tone = 0; tone < part.size(); ++tone) histogram[tone] += std::exchange(part[tone], 0);
    }
  }
  if (time.epoch != epoch_) reset_history();
  epoch_ = time.epoch;
  shared::MapParameters& p = tables_.parameters;
  p.levels.rate = level_rate(time);
  state_ = shared::scalar::next_state(p, state_, moved, bright_end(histogram, tables_));
  p.levels.gain = state_.gain;
  p.history.keep = p.history.stability != 0 ? state_.keep : 0;
  analyses_.repeat_border();
  if (p.regions.columns != 0) finish_regions();
}

MapJob CellMapper::map_job(int row, int worker) {
  const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_.columns);
  MapJob job{.parameters = &tables_.parameters,
             .tables = tables_.words.data(),
             .lattice = lattice_row(row, worker),
             .analysis = analyzed_ ? analyses_.view(row) : shared::AnalysisView{},
             .previous = cells_before_.empty() ? nullptr : cells_before_.data() + at,
             .ramp = ramp_.empty() ? nullptr : ramp_.data(),
             .row = row};
  job.analysis.region_means = region_means_.data();
  if (drafted_) {
    job.analysis.drafts =
        drafts_.data() + (row + 1) * draft_pitch_ + std::ptrdiff_t{MaxBlockCells} * shared::DraftWords;
    job.analysis.draft_pitch = draft_pitch_;
  }
  return job;
}

void CellMapper::draft_row(int row, int worker) {
  MapJob job = map_job(row, worker);
  if (keeps_blocks_) job.keep = changes_.drafts_to_keep(row);
  kernels_->draft_row(job);
}

void CellMapper::match_row(int row, int worker, shared::Cell* cells) {
  const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_.columns);
  MapJob job = map_job(row, worker);
  if (keeps_blocks_) job.keep = changes_.cells_to_keep(row);
  kernels_->map_row(job, cells + at);
  if (keeps_blocks_) {
    changes_.update_cells(row, cells + at, cells_before_.data() + at);
  } else if (analyzed_) {
    std::copy_n(cells + at, grid_.columns, cells_before_.data() + at);
  }
}

void CellMapper::map(const FrameView& frame, const FrameTime& time, ThreadPool& pool, shared::Cell* cells,
                     const Adjustments& adjustments) {
  prepare(frame, adjustments, pool.size());
  if (!keeps_lattice_ && !analyzed_) {
    pool.parallel_for(grid_.rows, [&](int row, int worker) {
      sample_row(row, worker);
      match_row(row, worker, cells);
    });
    return;
  }
  // One parallel loop runs all steps. A worker that finds no rows left to analyze waits until all rows are
  // analyzed, then matches rows in reverse order, because the samples of the last rows are still in cache. If
  // cells are drafted, drafting is a step between analyzing and matching.
  const int rows = grid_.rows;
  RowCount unanalyzed(rows);
  RowCount undrafted(rows);
  pool.parallel_for((drafted_ ? 3 : 2) * rows, [&](int index, int worker) {
    if (index < rows) {
      sample_row(index, worker);
      if (analyzed_) analyze_row(index, worker);
      unanalyzed.count_down([&] {
        if (analyzed_) finish_frame_state(time);
        if (keeps_blocks_) changes_.start_matching(tables_.parameters);
      });
    } else if (drafted_ && index < 2 * rows) {
      unanalyzed.wait();
      draft_row(2 * rows - 1 - index, worker);
      undrafted.count_down([] {});
    } else {
      (drafted_ ? undrafted : unanalyzed).wait();
      match_row((drafted_ ? 3 : 2) * rows - 1 - index, worker, cells);
    }
  });
}

FrameTime frame_time(const Frame& frame) {
  return {.epoch = frame.epoch,
          .duration_seconds = static_cast<double>(frame.duration) * frame.time_base.value()};
}

std::uint32_t level_rate(const FrameTime& time) {
  // In seconds: close to the time that eyes need to adapt to a change of light.
  constexpr double TimeConstant = 0.5;
  constexpr double UsualDuration = 1.0 / 25;
  const double seconds = time.duration_seconds > 0 ? std::min(time.duration_seconds, 1.0) : UsualDuration;
  return static_cast<std::uint32_t>(std::lround(65536 * (1 - std::exp(-seconds / TimeConstant))));
}

std::uint32_t bright_end(const std::array<std::uint32_t, 256>& histogram, const GlyphTables& tables) {
  const shared::MapParameters& p = tables.parameters;
  if (p.levels.automatic == 0) return 0;
  const std::uint32_t above = p.columns * p.rows / shared::scalar::BrightShare;
  std::uint32_t tone = 255;
  for (std::uint32_t counted = histogram[tone]; tone > 0 && counted <= above; counted += histogram[tone])
    --tone;
  return tables.words[p.light.linear_at + tone];
}

}  // namespace glyphreel::mapping
