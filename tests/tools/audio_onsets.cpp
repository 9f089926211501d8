// audio_onsets SECONDS [SOURCE]: records a PulseAudio source (default: testsink.monitor) and prints when
// sounds begin and end at the monitored device. All times T are in monotonic seconds.
//   begin T  a sound begins after silence
//   end T    the sound ends
//   until T  printed ten times per second: all lines for times before T have been printed
#include <pulse/pulseaudio.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr pa_sample_spec Format{PA_SAMPLE_FLOAT32NE, 48000, 1};
constexpr float Loud = 0.09F;
constexpr int SilenceFrames = 48000 / 50;  // a sound ends after this many silent frames: 20 ms
constexpr double ReportSeconds = 0.1;

struct Recorder {
  pa_mainloop* loop = nullptr;
  std::string source;
  double end = 0;
  int silent_frames = SilenceFrames;
  double last_loud = 0;
  double reported = 0;
};

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void print(const char* what, double seconds) {
  std::printf("%s %.6f\n", what, seconds);
  std::fflush(stdout);  // tests may kill the program before it ends
}

void read(pa_stream* stream, std::size_t, void* user) {
  auto& recorder = *static_cast<Recorder*>(user);
  const void* peeked = nullptr;
  std::size_t size = 0;
  while (pa_stream_readable_size(stream) > 0 && pa_stream_peek(stream, &peeked, &size) >= 0 && size > 0) {
    pa_usec_t latency_us = 0;
    int is_negative = 0;
    const bool is_timed = pa_stream_get_latency(stream, &latency_us, &is_negative) == 0;
    // For recording, the latency is the age of the next frame to be read.
    const double age = static_cast<double>(latency_us) * 1e-6;
    const double first = monotonic_seconds() - (is_negative != 0 ? -age : age);
    const std::size_t frames = size / sizeof(float);
    for (std::size_t i = 0; peeked != nullptr && i < frames; ++i) {
      if (std::abs(static_cast<const float*>(peeked)[i]) < Loud) {
        if (++recorder.silent_frames == SilenceFrames) print("end", recorder.last_loud);
        continue;
      }
      if (!is_timed) continue;  // without a latency, the time of the sound is unknown
      recorder.last_loud = first + static_cast<double>(i) / Format.rate;
      if (recorder.silent_frames >= SilenceFrames) print("begin", recorder.last_loud);
      recorder.silent_frames = 0;
    }
    const double until = first + static_cast<double>(frames) / Format.rate;
    if (is_timed && until >= recorder.reported + ReportSeconds) {
      // An "end" is printed only after SilenceFrames of silence. So for a sound that ended within the last
      // SilenceFrames frames, the "end" may still be missing.
      print("until", until - static_cast<double>(SilenceFrames) / Format.rate);
      recorder.reported = until;
    }
    pa_stream_drop(stream);
  }
}

void connect(pa_context* context, void* user) {
  auto& recorder = *static_cast<Recorder*>(user);
  const pa_context_state_t state = pa_context_get_state(context);
  if (!PA_CONTEXT_IS_GOOD(state)) pa_mainloop_quit(recorder.loop, 1);
  if (state != PA_CONTEXT_READY) return;
  pa_stream* stream = pa_stream_new(context, "onsets", &Format, nullptr);
  pa_stream_set_read_callback(stream, read, user);
  constexpr auto Default = static_cast<std::uint32_t>(-1);
  const pa_buffer_attr buffer{Default, Default, Default, Default, Format.rate / 100 * sizeof(float)};
  pa_stream_connect_record(
      stream, recorder.source.c_str(), &buffer,
      static_cast<pa_stream_flags_t>(PA_STREAM_ADJUST_LATENCY | PA_STREAM_AUTO_TIMING_UPDATE |
                                     PA_STREAM_INTERPOLATE_TIMING));
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: audio_onsets SECONDS [SOURCE]\n");
    return 2;
  }
  Recorder recorder;
  recorder.source = count > 2 ? arguments[2] : "testsink.monitor";
  recorder.end = monotonic_seconds() + std::atof(arguments[1]);
  recorder.loop = pa_mainloop_new();
  pa_context* context = pa_context_new(pa_mainloop_get_api(recorder.loop), "audio_onsets");
  pa_context_set_state_callback(context, connect, &recorder);
  pa_context_connect(context, nullptr, PA_CONTEXT_NOAUTOSPAWN, nullptr);
  int code = 0;
  while (monotonic_seconds() < recorder.end) {
    if (pa_mainloop_prepare(recorder.loop, 10'000) < 0 || pa_mainloop_poll(recorder.loop) < 0 ||
        pa_mainloop_dispatch(recorder.loop) < 0) {
      code = pa_mainloop_get_retval(recorder.loop);
      break;
    }
  }
  pa_context_disconnect(context);
  pa_context_unref(context);
  pa_mainloop_free(recorder.loop);
  return code;
}
