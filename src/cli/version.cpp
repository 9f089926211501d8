#include "cli/version.h"

namespace glyphreel::cli {

const char* version() {
  return GLYPHREEL_VERSION;
}

}  // namespace glyphreel::cli
