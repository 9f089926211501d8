#include "commands/collections/picture_batch.h"

#include <algorithm>
#include <chrono>

#include "base/threads/thread.h"
#include "batch/pictures/picture_groups.h"
#include "mapping/tables/sample_plan.h"
#include "media/ffmpeg/picture_limits.h"
#include "render/picture_layout.h"

namespace glyphreel::commands {
namespace {

using Clock = std::chrono::steady_clock;
using PicturePtr = std::unique_ptr<Conversion>;

/// Returns how many bytes of memory a picture needs until it is written: for the frame, the samples, the
/// cells and the drawn picture. The cells and the drawn picture count twice, because they may exist both in
/// GPU memory and in host memory.
std::int64_t bytes_of(Conversion& picture) {
  const render::RenderSetup& setup = picture.setup();
  const CellSize cell = setup.glyphs->cell();
  const auto samples =
      static_cast<std::int64_t>(mapping::samples_per_cell(cell, setup.mapping.sampling).cells());
  const std::int64_t cell_bytes = 2 * sizeof(render::Cell) + samples * sizeof(std::uint32_t);
  const auto drawn = static_cast<std::int64_t>(render::picture_layout(setup.picture, setup.grid, cell).bytes);
  return media::bytes_of(picture.picture().view) + setup.grid.cells() * cell_bytes + 2 * drawn;
}

/// Whether two frames have the same format and size, so that they are sampled in the same way.
bool are_alike(const FrameView& a, const FrameView& b) {
  return a.layout == b.layout && a.color == b.color && a.size == b.size && a.rotation == b.rotation &&
         a.sample_aspect_ratio == b.sample_aspect_ratio;
}

}  // namespace

bool PictureBatch::is_full(std::size_t waiting) const {
  if (is_empty()) return false;
  const auto count = static_cast<std::int64_t>(pictures_.size());
  return static_cast<int>(count) >= batch::batch_size({.chosen = options_.chosen,
                                                       .most = pictures_.front()->renderer().most_together(),
                                                       .picture_bytes = bytes_ / count,
                                                       .render_ms = options_.balance.load().gpu_ms,
                                                       .waiting = waiting + pictures_.size(),
                                                       .jobs = options_.jobs});
}

void PictureBatch::add(PicturePtr picture) {
  bytes_ += bytes_of(*picture);
  pictures_.push_back(std::move(picture));
}

void PictureBatch::convert(const Ended& ended) {
  std::vector<PicturePtr> pictures = std::exchange(pictures_, {});
  bytes_ = 0;
  const auto has_same_setup = [](const PicturePtr& a, const PicturePtr& b) {
    return a->setup() == b->setup();
  };
  batch::gather_equal(pictures, [](const PicturePtr& a, const PicturePtr& b) {
    return are_alike(a->picture().view, b->picture().view);
  });
  batch::gather_equal(pictures, has_same_setup);
  for (auto first = pictures.begin(); first != pictures.end();) {
    const auto last = std::find_if(
        first, pictures.end(), [&](const PicturePtr& picture) { return !has_same_setup(*first, picture); });
    convert_group(Pictures(first, last), ended);
    first = last;
  }
}

render::Renderer& PictureBatch::renderer_of(batch::Engine engine, const Conversion& picture) const {
  const bool is_second =
      engine == batch::Engine::Cpu && options_.engines == batch::EngineBalance::Engines::Both;
  return is_second ? options_.kit->cpu_renderer(picture.task().threads) : picture.renderer();
}

Result<void> PictureBatch::configure(batch::Engine engine, const Conversion& first) {
  Configured& configured = configured_[static_cast<std::size_t>(engine)];
  if (configured.settings == first.task().settings && configured.setup == first.setup()) return {};
  configured = {};
  TRY(renderer_of(engine, first).configure(first.setup()));
  configured = {first.task().settings, first.setup()};
  return {};
}

void PictureBatch::convert_group(Pictures group, const Ended& ended) {
  const auto share = options_.balance.begin(static_cast<int>(group.size()), options_.engines);
  const auto most = static_cast<std::size_t>(renderer_of(share.engine, *group.front()).most_together());
  double rendering_ms = 0;
  for (std::size_t first = 0; first < group.size(); first += most) {
    const Pictures part = group.subspan(first, std::min(most, group.size() - first));
    const auto start = Clock::now();
    const StageTotals before = stage_totals(options_.kit->times());
    Result<std::vector<render::RenderedFrame>> rendered =
        catching([&] { return render(share.engine, part); });
    const std::chrono::duration<double, std::milli> spent = Clock::now() - start;
    rendering_ms += spent.count();
    if (first + part.size() == group.size()) {
      const bool compiled = share.engine == batch::Engine::Gpu && !std::exchange(is_warm_, true);
      options_.balance.end(share, rendered && !compiled ? rendering_ms : 0);
    }
    StageTotals stages = elapsed(before, stage_totals(options_.kit->times()));
    for (double& stage : stages) stage /= static_cast<double>(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
      part[i]->add_times(spent.count() / 1000 / static_cast<double>(part.size()), stages);
      if (options_.is_stopped) {
        part[i]->fail({ErrorCode::Interrupted, "Interrupted.", {}});
      } else if (!rendered) {
        part[i]->fail(rendered.error());
      } else {
        part[i]->write_picture((*rendered)[i]);
      }
      ended(*part[i]);
    }
    if (!rendered) configured_[static_cast<std::size_t>(share.engine)] = {};
  }
}

Result<std::vector<render::RenderedFrame>> PictureBatch::render(batch::Engine engine, Pictures pictures) {
  const Conversion& first = *pictures.front();
  render::Renderer& renderer = renderer_of(engine, first);
  TRY(configure(engine, first));
  std::vector<Frame> frames;
  for (const PicturePtr& picture : pictures) {
    frames.push_back(picture->picture());
    frames.back().epoch = ++epoch_;
  }
  TRY(renderer.submit_together(frames, first.frame_options()));
  std::vector<render::RenderedFrame> rendered;
  while (rendered.size() < frames.size()) {
    TRY_ASSIGN(render::RenderedFrame frame, renderer.collect());
    rendered.push_back(std::move(frame));
  }
  return rendered;
}

}  // namespace glyphreel::commands
