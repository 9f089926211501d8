#include <array>
#include <string>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "cli/options/option_groups.h"
#include "cli/options/option_setters.h"

namespace glyphreel::cli {
namespace {

std::string endings_with_layouts() {
  std::string text;
  for (const ExportFormat& format : ExportFormats) {
    if (!text.empty()) text += &format == &ExportFormats.back() ? ", or " : ", ";
    text += fmt::format(".{}{}{}", format.ending, format.layout.empty() ? "" : " ", format.layout);
  }
  return text;
}

/// Returns the default encoders in words, such as "libx264, or libvpx-vp9 for .webm".
std::string default_encoders() {
  std::string text;
  for (const ExportFormat& format : ExportFormats) {
    const std::string_view encoder = format.container.video_encoder;
    if (text.find(encoder) != std::string::npos) continue;
    text += text.empty() ? encoder : fmt::format(", or {} for .{}", encoder, format.ending);
  }
  return text;
}

// Texts that the table below refers to.
const std::string OutputAccepts =
    fmt::format("a file name that ends in {}, a video device such as /dev/video9, or -", export_endings());
const std::string OutputHelp = fmt::format(
    "File to write, or - for standard output; its extension selects the format: {}. With a number "
    "format such as %05d in the name of a picture or text file, each frame gets a file of its own. With a "
    "v4l2loopback device such as /dev/video9, other programs see the picture as a camera",
    endings_with_layouts());
const std::string FormatAccepts = fmt::format("one of {}", export_names());
const std::string CodecHelp =
    fmt::format("FFmpeg video encoder, or a codec such as h264 or av1; by default {}", default_encoders());

const auto RecordingOptions = std::to_array<OptionSpec>({
    {.verbs = Record,
     .name = "output",
     .alias = 'o',
     .metavar = "FILE",
     .accepts = OutputAccepts,
     .help = OutputHelp,
     .apply = set_text<&RecordingSettings::output>},
    {.verbs = Record,
     .name = "format",
     .metavar = "NAME",
     .accepts = FormatAccepts,
     .help = "Format of the output if its extension does not select one: an extension without the dot, such "
             "as mkv",
     .apply = set_format},
    flag<&RecordingSettings::transparent>(Recording, "transparent",
                                          "Leave out the background color in formats with transparency"),
    {.verbs = Recording,
     .name = "cast-version",
     .metavar = "2|3",
     .accepts = "2 or 3",
     .help = "Version of the asciicast format (.cast); only newer players support version 3",
     .apply = parsed<&RecordingSettings::cast_version, parse_integer, 2, 3>},
    flag<&RecordingSettings::svg_outlines>(Recording, "svg-outlines",
                                           "Draw the characters of .svg files as shapes, which need no font"),
    {.verbs = Play | Recording,
     .name = "codec",
     .metavar = "NAME",
     .accepts = "the name of an FFmpeg encoder or of a codec, such as libx264 or h264",
     .help = CodecHelp,
     .apply = set_text<&RecordingSettings::codec>},
    {.verbs = Play | Recording,
     .name = "pix-fmt",
     .metavar = "NAME",
     .accepts = "FFmpeg's name of a pixel format, such as yuv420p or yuv444p",
     .help = "Pixel format of the video, if the encoder supports it; the default is RGB for lossless "
             "encoders and yuv420p for all others. Every player shows yuv420p, but it halves the color "
             "resolution; yuv444p keeps colored text sharp",
     .apply = set_text<&RecordingSettings::pixel_format>},
    {.verbs = Play | Recording,
     .name = "crf",
     .metavar = "N",
     .accepts = "a number from 0 (best) to 63",
     .help = "Constant quality, 0 (best) to 63; the scale depends on the encoder",
     .apply = parsed<&RecordingSettings::crf, parse_integer, 0, 63>},
    {.verbs = Play | Recording,
     .name = "bitrate",
     .metavar = "RATE",
     .accepts = "bits per second from 1k to 1000M, such as 800k or 2.5M",
     .help = "Video bits per second, such as 800k or 2.5M, instead of constant quality",
     .apply = parsed<&RecordingSettings::bits_per_second, parse_bitrate>},
    flag<&RecordingSettings::embed>(
        Record, "embed",
        "For a web server: with .html, write a page, its script, and a .cells file that the page "
        "streams; with .cast, also write a page that uses asciinema-player, a copy of the cast in segments, "
        "and a sound file"),
    {.verbs = Recording,
     .name = "fps",
     .metavar = "N",
     .accepts = "frames per second from 0.01 to 1000, such as 10, 29.97 or 30000/1001",
     .help = "Frames per second of the recording: frames are left out or repeated; by default the frame rate "
             "of the input",
     .apply = parsed<&RecordingSettings::frame_rate, parse_frame_rate>},
    {.verbs = Play | Recording,
     .name = "preset",
     .metavar = "NAME",
     .accepts = "a preset of the encoder, such as fast",
     .help = "Speed of the encoder, such as slow or veryfast for libx264, or 0 to 13 for libsvtav1; slower "
             "presets make smaller files",
     .apply = set_text<&RecordingSettings::preset>},
    flag<&RecordingSettings::resume>(
        Record, "resume",
        "Record a video in segments, in the folder OUTPUT.segments; run the command again to "
        "continue a recording that was stopped or killed"),
    {.verbs = Recording,
     .name = "segment",
     .metavar = "SECONDS|auto",
     .accepts = "seconds from 1 to 86400, or auto",
     .default_text = "auto",
     .help = "Length of the segments in which --resume records and 'batch' converts long videos; "
             "'auto' means one minute",
     .apply = set_segment},
    flag<&RecordingSettings::overwrite>(
        Recording, "force",
        "Replace an existing output and the NAME.part.EXT of an unfinished recording; with 'batch', convert "
        "everything again",
        'y'),
});

const auto BatchOptions = std::to_array<OptionSpec>({
    {.verbs = Batch,
     .name = "output-dir",
     .alias = 'o',
     .metavar = "DIR",
     .accepts = "a directory name",
     .help = "Directory for the outputs and, in .glyphreel, the job database; created if it is missing",
     .apply = set_text<&RecordingSettings::output>},
    {.verbs = Batch,
     .name = "to",
     .metavar = "FORMAT",
     .accepts = FormatAccepts,
     .help = "Format of the outputs, such as mp4 or png: an extension that 'record' writes",
     .apply = set_batch_format},
    {.verbs = Batch,
     .name = "name",
     .metavar = "TEMPLATE",
     .accepts = "a name with fields such as {name}",
     .default_text = "{dir}/{name}",
     .help = "Name of each output without its extension, with fields of the input: {dir} is its folder below "
             "an INPUT directory, {name} its name, {ext} its extension, {index} its number "
             "({index:05}: with at least 5 digits) and {hash} a checksum of its content; a slash begins a "
             "subdirectory",
     .apply = set_text<&BatchSettings::name_template>},
    {.verbs = Batch,
     .name = "files-from",
     .metavar = "FILE|-",
     .accepts = "a file name, or - for standard input",
     .help = "Also convert the files that this file names, one per line; a .toml or .jsonl file is a "
             "manifest, which may give each item its own options",
     .apply = set_text<&BatchSettings::files_from>},
    flag<&BatchSettings::files0>(
        Batch, "files0", "The names of --files-from end with a NUL byte, as 'find -print0' prints them"),
    {.verbs = Batch,
     .name = "jobs",
     .alias = 'j',
     .metavar = "N|auto",
     .accepts = "a number from 1 to 10000, or auto",
     .default_text = "auto",
     .help = "Number of items to convert at a time; 'auto' means one per CPU, or as many as keep a GPU busy. "
             "With --cluster slurm, the number of tasks at a time; with --cluster ssh:HOSTS, the number of "
             "tasks at a time on each host",
     .apply = set_jobs},
    {.verbs = Batch,
     .name = "batch",
     .metavar = "N|auto",
     .accepts = "a number from 1 to 32, or auto",
     .default_text = "auto",
     .help = "Number of pictures that a GPU renders at a time for each job; more than 1 saves time if the "
             "pictures are small; auto chooses a number from their size and measured rendering times",
     .apply = set_batch},
    {.verbs = Batch,
     .name = "retry",
     .metavar = "N",
     .accepts = "a number from 0 to 100",
     .default_text = "1",
     .help = "Number of further attempts at an item whose failure may be temporary; a damaged input fails at "
             "once",
     .apply = parsed<&BatchSettings::retries, parse_integer, 0, 100>},
    flag<&BatchSettings::verify>(Batch, "verify",
                                 "Open and decode each finished output, and count its frames; an output that "
                                 "fails is converted again"),
    flag<&BatchSettings::ssim>(
        Batch, "ssim",
        "Measure how similar the pictures of the outputs are to the inputs, for --list "
        "and --json; this takes longer"),
    flag<&BatchSettings::dry_run>(Batch, "dry-run",
                                  "Print what would be converted, and why, and write nothing"),
    {.verbs = Batch,
     .name = "list",
     .metavar = "FILTER",
     .bare_value = "all",
     .accepts = "conditions separated by commas, such as state=failed or frames>100",
     .help = "Print the items of the job database, and convert nothing; FILTER selects the items that match "
             "every condition, such as state=failed,input~.mkv; the operators are = != ~ !~ < <= > >=, and "
             "the fields are the keys that --json prints",
     .apply = set_list},
    {.verbs = Batch,
     .name = "db",
     .metavar = "FILE",
     .accepts = "a file name",
     .help = "Job database, by default .glyphreel/jobs.db in the output directory; only one run at a time "
             "can use it",
     .apply = set_text<&BatchSettings::database>},
    {.verbs = Batch,
     .name = "joblog",
     .metavar = "FILE|-",
     .accepts = "a file name, or - for standard output",
     .help =
         "Write a log of the items in the format of GNU parallel's --joblog when the run ends; with --list, "
         "write it without a run",
     .apply = set_text<&BatchSettings::job_log>},
});

const auto ClusterOptions = std::to_array<OptionSpec>({
    {.verbs = Batch,
     .name = "cluster",
     .metavar = "slurm|ssh:HOSTS",
     .accepts = "'slurm', or 'ssh:' followed by host names separated by commas",
     .help = "Convert on a cluster: through Slurm, or through GNU parallel on HOSTS; the output "
             "directory must be on a file system that all machines share",
     .apply = set_cluster},
    {.verbs = Batch,
     .name = "partition",
     .metavar = "NAME",
     .accepts = "the name of a partition of Slurm",
     .help = "Slurm partition of the tasks",
     .apply = set_word<&ClusterSettings::partition>},
    {.verbs = Batch,
     .name = "gres",
     .metavar = "LIST",
     .accepts = "resources in Slurm's form, such as gpu:1",
     .help = "Resources of each Slurm task, such as gpu:1; without a GPU, the CPU renders the same output",
     .apply = set_word<&ClusterSettings::gres>},
    {.verbs = Batch,
     .name = "time",
     .metavar = "LIMIT",
     .accepts = "a time in Slurm's form, such as 90 (minutes), 1:30:00 or 2-12 (days-hours)",
     .help = "Time limit of each Slurm task; a task stops before the limit, and a new task "
             "continues its work",
     .apply = set_time_limit},
    {.verbs = Batch,
     .name = "array-limit",
     .metavar = "N",
     .accepts = "a number from 1 to 100000",
     .help = "Maximum number of tasks in a Slurm job array; the default is the site's limit, but at most "
             "1000",
     .apply = parsed<&ClusterSettings::array_limit, parse_integer, 1, 100000>},
    flag<&ClusterSettings::detach>(
        Batch, "detach",
        "Submit to Slurm and return; run the command again without --detach to collect the "
        "results"),
    flag<&ClusterSettings::status>(Batch, "status",
                                   "Print the progress of the cluster run in the output directory"),
    flag<&ClusterSettings::cancel>(Batch, "cancel",
                                   "Stop the tasks of the cluster run in the output directory"),
    {.verbs = Batch,
     .name = "task",
     .metavar = "FILE",
     .accepts = "a file name",
     .help = "Run one task of a cluster run; --cluster starts the program with this option on the other "
             "machines",
     .apply = set_text<&ClusterSettings::task_file>},
});

constexpr auto ComparingOptions = std::to_array<OptionSpec>({
    {.verbs = Compare | Bench,
     .name = "report",
     .metavar = "DIR",
     .accepts = "a directory name",
     .help = "Write a page to this directory: with 'compare', pictures side by side, their differences, and "
             "timings; with 'bench', plots of all figures",
     .apply = set_text<&ReportSettings::directory>},
    flag<&BenchSettings::matrix>(
        Bench, "matrix",
        "Measure every combination of sizes, grids, modes, colors, renderers and batches, which "
        "takes minutes; an option such as --mode leaves only the combinations with the given value"),
    {.verbs = Bench,
     .name = "repetitions",
     .metavar = "N",
     .accepts = "a number from 1 to 1000",
     .help = "Number of repetitions of each measurement; the default is 9, or 3 with --matrix, or 15 with "
             "--against",
     .apply = parsed<&BenchSettings::repetitions, parse_integer, 1, 1000>},
    {.verbs = Bench,
     .name = "against",
     .metavar = "FILE.json|PROGRAM",
     .accepts = "a result of 'glyphreel bench --json', or a glyphreel program",
     .help = "Compare with an earlier run, or with another build that runs alternately with this one; exit "
             "status 1 if this build is slower",
     .apply = set_text<&BenchSettings::against>},
    flag<&BenchSettings::peers>(
        Bench, "peers",
        "Instead of measuring every stage, compare with other programs on the same input and grid: chafa, "
        "mpv, timg and an OpenCV loop, if they are installed"),
});

constexpr auto OtherOptions = std::to_array<OptionSpec>({
    flag<&ReportSettings::json>(
        Batch | Compare | Bench | Info, "json",
        "Print the result as one JSON object instead of a table; 'batch' prints one object per line: "
        "progress reports, one object for each item, and a summary"),
    flag<&ReportSettings::recent>(
        Info, "recent", "List the files that were played with --save-position, the most recent first"),
    {.verbs = Rendering,
     .name = "stats",
     .metavar = "FILE.json",
     .accepts = "a file name",
     .help = "Write statistics to this file as JSON: frame counts, settings and the time of each stage",
     .apply = set_text<&ReportSettings::stats_file>},
    {.verbs = Play,
     .name = "input-ipc-server",
     .metavar = "FILE",
     .accepts = "the path of a Unix socket",
     .help = "Let programs control the player through this Unix socket, with mpv's JSON protocol",
     .apply = set_text<&WindowSettings::ipc_socket>},
    flag<&ReportSettings::verbosity, log::Verbosity::Quiet>(All, "quiet", "Print only errors", 'q'),
    flag<&ReportSettings::verbosity, log::Verbosity::Verbose>(
        All, "verbose", "Print what each component decides, and why", 'v'),
    {.verbs = All,
     .name = "log-file",
     .metavar = "FILE",
     .accepts = "a file name",
     .help = "Also write the messages to this file",
     .apply = set_text<&ReportSettings::log_file>},
    {.verbs = All,
     .name = "config",
     .metavar = "FILE",
     .accepts = "a file name",
     .help = "Read options from this file instead of ~/.config/glyphreel/config.toml",
     .apply = set_text<&ConfigSettings::file>},
    {.verbs = All,
     .name = "profile",
     .metavar = "NAME[,NAME...]",
     .accepts = "a comma-separated list of profiles, which are tables in config.toml",
     .help = "Use the options of these profiles, which are tables in config.toml; later profiles override "
             "earlier ones",
     .apply = set_text<&ConfigSettings::profile>},
    flag<&ConfigSettings::is_ignored>(All, "no-config", "Ignore config.toml and input.conf"),
    {.verbs = All, .name = "version", .help = "Print the version and exit"},
    {.verbs = All, .name = "help", .alias = 'h', .help = "Print this text and exit"},
});

const std::array<OptionGroup, 5> OutputGroups{{{"Recording", RecordingOptions},
                                               {"Collections", BatchOptions},
                                               {"Collections on a cluster", ClusterOptions},
                                               {"Comparing and measuring", ComparingOptions},
                                               {"Other", OtherOptions}}};

}  // namespace

std::span<const OptionGroup> output_options() {
  return OutputGroups;
}

}  // namespace glyphreel::cli
