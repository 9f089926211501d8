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

/// Checks that this machine has the program and the libraries that the plan was made with. Errors: Failed
/// with the difference.
[[nodiscard]] Result<void> check_machine(const batch::ClusterPlan& plan);

/// Returns the part of a plan for these settings, of `batch`. `font`: checksum of the glyphs. `scratch`: path
/// of a file that is written and removed.
[[nodiscard]] batch::ClusterVariant make_cluster_variant(const cli::Settings& settings,
                                                         const std::string& font, const std::string& scratch);

/// The settings of a plan on one machine of the cluster, and what renders there.
/// Thread-safety: one thread.
class MachineSettings {
 public:
  /// `plan` and `folder` must outlive this object.
  MachineSettings(const batch::ClusterPlan& plan, const RunFolder& folder);

  /// Returns the settings of a variant, of `batch`. The first call chooses what renders: the GPU that Slurm
  /// has assigned, or the CPU. Errors: Failed if the settings have another meaning on this machine than on
  /// that of the plan, such as other glyphs or another encoder.
  [[nodiscard]] Result<const cli::Settings*> of_variant(std::size_t index);
  /// Returns what renders and why, in words; empty before the first call of of_variant().
  [[nodiscard]] const std::string& renderer() const { return renderer_; }
  /// Returns the number of threads of a unit; 0: one per CPU.
  [[nodiscard]] static int threads(const cli::Settings& settings);
  /// Renders on the CPU from now on, also with settings that of_variant() has returned, after this error on a
  /// GPU. Returns false if it did so before.
  [[nodiscard]] bool fall_back_to_cpu(const Error& error);

 private:
  [[nodiscard]] Result<cli::Settings> make(const batch::ClusterVariant& variant) const;
  [[nodiscard]] std::string choose_device(const cli::Settings& settings);
  void apply_device(cli::Settings& settings) const;

  const batch::ClusterPlan& plan_;
  const RunFolder& folder_;
  std::vector<std::optional<cli::Settings>> settings_;  ///< of each variant; empty: not needed yet
  bool uses_gpu_ = false;
  std::optional<std::string> device_;  ///< --device of the GPU; empty: that of the settings
  std::string renderer_;
};

}  // namespace glyphreel::commands
