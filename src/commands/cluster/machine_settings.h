#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/cluster/cluster_files.h"
#include "cli/options/settings.h"
#include "commands/cluster/run_folder.h"

namespace glyphreel::commands {

/// Checks that this machine has the same versions of the program and the libraries as the machine that made
/// the plan. Errors: Failed; the error states the difference.
[[nodiscard]] Result<void> check_machine(const batch::ClusterPlan& plan);

/// Returns the variant that a plan stores for these settings of the command `batch`. `font`: checksum of the
/// glyphs. `scratch`: path of a temporary file, which this function writes and removes.
[[nodiscard]] batch::ClusterVariant make_cluster_variant(const cli::Settings& settings,
                                                         const std::string& font, const std::string& scratch);

/// The settings of a plan on one machine of the cluster, and the machine's renderer.
/// Thread-safety: one thread.
class MachineSettings {
 public:
  /// `plan` and `folder` must outlive this object.
  MachineSettings(const batch::ClusterPlan& plan, const RunFolder& folder);

  /// Returns the `batch` settings of a variant. The first call chooses the renderer: the GPU that Slurm has
  /// assigned, any GPU if the task runs over ssh, or the CPU. Errors: Failed if the settings would give
  /// different results than on the machine that planned the run, for example if the glyphs or the encoder
  /// differ.
  [[nodiscard]] Result<const cli::Settings*> of_variant(std::size_t index);
  /// Returns a description of the renderer and the reason for it; empty before the first of_variant().
  [[nodiscard]] const std::string& renderer() const { return renderer_; }
  /// Returns the number of threads that convert a unit; 0: one per CPU.
  [[nodiscard]] static int threads(const cli::Settings& settings);
  /// Switches to the CPU because of an error that may come from the GPU. Also changes settings that
  /// of_variant() has returned. Returns false if the CPU was already the renderer.
  [[nodiscard]] bool fall_back_to_cpu(const Error& error);

 private:
  [[nodiscard]] Result<cli::Settings> make(const batch::ClusterVariant& variant) const;
  [[nodiscard]] std::string choose_device(const cli::Settings& settings);
  void apply_device(cli::Settings& settings) const;

  const batch::ClusterPlan& plan_;
  const RunFolder& folder_;
  std::vector<std::optional<cli::Settings>> settings_;  ///< by variant; empty: not needed yet
  bool uses_gpu_ = false;
  std::optional<std::string> device_;  ///< value of --device for the GPU; empty: not set
  std::string renderer_;
};

}  // namespace glyphreel::commands
