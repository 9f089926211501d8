#include "commands/cluster/machine_settings.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "batch/cluster/task_gpu.h"
#include "batch/host.h"
#include "batch/settings_key.h"
#include "cli/parse.h"
#include "cli/version.h"
#include "commands/cluster/tool_identity.h"
#include "commands/record_kit.h"
#include "gpu/device/device.h"
#include "media/input/child_process.h"
#include "session/setup.h"

namespace glyphreel::commands {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::string list_nvidia_gpus() {
  constexpr std::chrono::seconds Timeout{30};
  const auto outcome = media::run_process({"nvidia-smi", "-L"}, Timeout, {});
  return outcome ? outcome->output : std::string();
}

batch::TaskGpu find_assigned_gpu() {
  batch::AssignedGpu assigned{
      .visible = variable("CUDA_VISIBLE_DEVICES"), .job = variable("SLURM_JOB_GPUS"), .nvidia_smi = {}};
  std::vector<batch::ListedGpu> listed;
  if (assigned.visible || assigned.job) {
    assigned.nvidia_smi = list_nvidia_gpus();
    for (const gpu::DeviceListing& device : gpu::list_devices()) {
      if (device.score > 0)
        listed.push_back({device.index, device.uuid, device.kind == gpu::DeviceKind::Cpu});
    }
  }
  return batch::find_task_gpu(assigned, listed);
}

/// Returns the options for tasks. A task treats all its options as if the user had given them on the command
/// line. But text output overrides --color and --reverse only if they come from a look or a configuration
/// file, not if they come from the command line. So for text output, omits --color and --reverse if the user
/// has not given them on the command line.
std::vector<cli::GivenOption> task_options(const cli::Settings& settings) {
  std::vector<cli::GivenOption> options = settings.options;
  const Result<ExportFormat> format = export_format_of({}, settings.batch.to_format);
  if (format && format->writer == ExportWriter::Text)
    std::erase_if(options, [&](const cli::GivenOption& option) {
      return (option.name == "color" || option.name == "reverse") && !cli::is_explicit(settings, option.name);
    });
  return options;
}

Error other_machine(std::string_view what) {
  return Error{
      ErrorCode::Failed,
      fmt::format("{} on {} is not the same as on the machine that planned the run; install the same version "
                  "on both.",
                  what, batch::host_name()),
      {}};
}

}  // namespace

Result<void> check_machine(const batch::ClusterPlan& plan) {
  const auto check = [](std::string_view what, const std::string& here,
                        const std::string& planned) -> Result<void> {
    if (here == planned) return {};
    Error error = other_machine(what);
    error.cause = fmt::format("{} instead of {}", here, planned);
    return error;
  };
  TRY(check("The version of glyphreel", cli::version(), plan.program));
  return check("The version of FFmpeg", library_versions(), plan.libraries);
}

batch::ClusterVariant make_cluster_variant(const cli::Settings& settings, const std::string& font,
                                           const std::string& scratch) {
  batch::ClusterVariant variant{.options = task_options(settings),
                                .settings = batch::canonical_settings(settings),
                                .font = font,
                                .encoder = {}};
  // If the encoder cannot be opened on this machine, leave its checksum empty. For example, a hardware
  // encoder may work only on the machines that run tasks. Without the checksum, the tasks cannot check their
  // encoders, and segments from different encoders are detected only when the segments are assembled.
  if (Result<std::string> encoder = encoder_fingerprint(settings, scratch))
    variant.encoder = *std::move(encoder);
  return variant;
}

MachineSettings::MachineSettings(const batch::ClusterPlan& plan, const RunFolder& folder)
    : plan_(plan), folder_(folder), settings_(plan.variants.size()) {}

Result<cli::Settings> MachineSettings::make(const batch::ClusterVariant& variant) const {
  const cli::Settings base{.verb = cli::Verb::Batch};
  TRY_ASSIGN(cli::Settings settings, cli::with_options(base, variant.options));
  TRY_ASSIGN(settings, session::with_palette(std::move(settings)));
  settings.recording.output = plan_.output;
  if (batch::canonical_settings(settings) != variant.settings)
    return other_machine("The meaning of the options");
  TRY_ASSIGN(const std::string font, glyph_fingerprint(settings));
  if (font != variant.font) return other_machine("The font");
  if (!variant.encoder.empty()) {
    const std::string scratch =
        fmt::format("{}/.encoder-{}-{}", folder_.path(), batch::host_name(), ::getpid());
    TRY_ASSIGN(const std::string encoder, encoder_fingerprint(settings, scratch));
    if (encoder != variant.encoder) return other_machine("The encoder");
  }
  return settings;
}

/// Chooses the renderer for all variants. Returns the reason.
std::string MachineSettings::choose_device(const cli::Settings& settings) {
  uses_gpu_ = false;
  if (settings.engine.renderer == cli::RendererChoice::Cpu) return "--renderer cpu";
  if (variable("SLURM_JOB_ID")) {
    const batch::TaskGpu found = find_assigned_gpu();
    uses_gpu_ = found.index.has_value();
    if (uses_gpu_) device_ = fmt::format("{}", *found.index);
    if (uses_gpu_ || variable("SLURM_JOB_GPUS") || settings.engine.renderer == cli::RendererChoice::Auto)
      return found.reason;
  }
  // Over ssh, or with --renderer gpu if Slurm has assigned no GPU, any GPU of the machine may be used.
  const auto device = gpu::Device::make({.selector = settings.engine.device});
  if (!device) return full_text(device.error());
  const Result<session::RendererDecision> decided = session::decide_renderer(settings, device);
  uses_gpu_ = decided && decided->use_gpu;
  return decided ? decided->reason : full_text(decided.error());
}

Result<const cli::Settings*> MachineSettings::of_variant(std::size_t index) {
  std::optional<cli::Settings>& settings = settings_.at(index);
  if (!settings) {
    TRY_ASSIGN(cli::Settings made, make(plan_.variants.at(index)));
    if (renderer_.empty()) {
      const std::string reason = choose_device(made);
      renderer_ = fmt::format("{} ({})", uses_gpu_ ? "GPU" : "CPU", reason);
    }
    settings = std::move(made);
    apply_device(*settings);
  }
  return &*settings;
}

void MachineSettings::apply_device(cli::Settings& settings) const {
  const bool is_gpu = uses_gpu_ && settings.engine.renderer != cli::RendererChoice::Cpu;
  settings.engine.renderer = is_gpu ? cli::RendererChoice::Gpu : cli::RendererChoice::Cpu;
  if (is_gpu && device_) settings.engine.device = *device_;
}

int MachineSettings::threads(const cli::Settings& settings) {
  if (settings.engine.threads > 0) return settings.engine.threads;
  const std::optional<std::string> cpus = variable("SLURM_CPUS_PER_TASK");
  return cpus ? std::max(1, std::atoi(cpus->c_str())) : 0;
}

bool MachineSettings::fall_back_to_cpu(const Error& error) {
  if (!uses_gpu_) return false;
  uses_gpu_ = false;
  renderer_ = fmt::format("CPU (the GPU failed: {})", full_text(error));
  for (std::optional<cli::Settings>& settings : settings_) {
    if (settings) apply_device(*settings);
  }
  return true;
}

}  // namespace glyphreel::commands
