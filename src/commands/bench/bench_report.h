#pragma once

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/io/input_files.h"
#include "base/result.h"

namespace glyphreel::commands {

/// The report of `bench --report DIR`. DIR/index.html is a self-contained page that shows all figures as
/// plots and tables. DIR/bench.json contains the output of --json. Thread-safety: one thread.
class BenchReport {
 public:
  /// Creates DIR if it does not exist. Never replaces one of `inputs`. Errors: Failed if DIR cannot be
  /// written.
  [[nodiscard]] static Result<std::unique_ptr<BenchReport>> make(const std::string& directory,
                                                                 const InputFiles& inputs);
  /// Writes both files. `run`: the object that --json prints. Errors: those of write_file().
  [[nodiscard]] Result<void> finish(const nlohmann::json& run);

 private:
  BenchReport(std::string directory, InputFiles inputs)
      : directory_(std::move(directory)), inputs_(std::move(inputs)) {}

  std::string directory_;
  InputFiles inputs_;
};

}  // namespace glyphreel::commands
