#pragma once

#include <pulse/pulseaudio.h>

namespace glyphreel::present {

// clang-format 14 would indent the lines of this list deeper and deeper.
// clang-format off
/// The functions of PulseAudio that this program calls, without their prefix pa_.
#define GLYPHREEL_PULSE_FUNCTIONS(FUNCTION)                                                             \
  FUNCTION(context_connect) FUNCTION(context_disconnect) FUNCTION(context_errno)                        \
  FUNCTION(context_get_state) FUNCTION(context_new) FUNCTION(context_rttime_new)                        \
  FUNCTION(context_rttime_restart) FUNCTION(context_set_state_callback) FUNCTION(context_unref)         \
  FUNCTION(gettimeofday) FUNCTION(operation_unref) FUNCTION(proplist_free) FUNCTION(proplist_new)       \
  FUNCTION(proplist_sets) FUNCTION(rtclock_now) FUNCTION(stream_begin_write)                            \
  FUNCTION(stream_connect_playback) FUNCTION(stream_cork) FUNCTION(stream_disconnect)                   \
  FUNCTION(stream_flush) FUNCTION(stream_get_state) FUNCTION(stream_get_timing_info)                    \
  FUNCTION(stream_is_suspended) FUNCTION(stream_new_with_proplist)                                      \
  FUNCTION(stream_set_latency_update_callback) FUNCTION(stream_set_state_callback)                      \
  FUNCTION(stream_set_suspended_callback) FUNCTION(stream_set_write_callback) FUNCTION(stream_unref)    \
  FUNCTION(stream_update_timing_info) FUNCTION(stream_writable_size) FUNCTION(stream_write)             \
  FUNCTION(strerror) FUNCTION(threaded_mainloop_free) FUNCTION(threaded_mainloop_get_api)               \
  FUNCTION(threaded_mainloop_lock) FUNCTION(threaded_mainloop_new) FUNCTION(threaded_mainloop_set_name) \
  FUNCTION(threaded_mainloop_signal) FUNCTION(threaded_mainloop_start) FUNCTION(threaded_mainloop_stop) \
  FUNCTION(threaded_mainloop_unlock) FUNCTION(threaded_mainloop_wait) FUNCTION(timeval_age)             \
  FUNCTION(timeval_cmp) FUNCTION(usec_to_bytes)
// clang-format on

/// libpulse, which is loaded on first use. Linking libpulse and the nine libraries that only libpulse needs
/// would delay every start of the program by about 4 ms.
struct PulseLibrary {
#define GLYPHREEL_PULSE_MEMBER(name) decltype(&::pa_##name) name = nullptr;
  GLYPHREEL_PULSE_FUNCTIONS(GLYPHREEL_PULSE_MEMBER)
#undef GLYPHREEL_PULSE_MEMBER

  /// Loads the library on the first call. Returns null if the library or one of the functions is missing.
  /// Thread-safety: any thread.
  [[nodiscard]] static const PulseLibrary* get();
};

}  // namespace glyphreel::present
