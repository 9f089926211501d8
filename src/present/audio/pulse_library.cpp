#include "present/audio/pulse_library.h"

#include "base/io/runtime_library.h"

namespace glyphreel::present {

const PulseLibrary* PulseLibrary::get() {
  static const PulseLibrary* const loaded = []() -> const PulseLibrary* {
    static PulseLibrary functions;
    const RuntimeLibrary library("libpulse.so.0");
    bool is_complete = true;
#define GLYPHREEL_PULSE_FIND(name) is_complete = library.find(functions.name, "pa_" #name) && is_complete;
    GLYPHREEL_PULSE_FUNCTIONS(GLYPHREEL_PULSE_FIND)
#undef GLYPHREEL_PULSE_FIND
    return is_complete ? &functions : nullptr;
  }();
  return loaded;
}

}  // namespace glyphreel::present
