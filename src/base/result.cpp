#include "base/result.h"

#include <cstdio>

namespace glyphreel {

std::string full_text(const Error& error) {
  return error.cause.empty() ? error.message : error.message + " (" + error.cause + ")";
}

void check_failed(const char* condition, const char* file, int line, const std::string& message) {
  std::fprintf(stderr, "glyphreel: internal error: %s (%s) at %s:%d; please report it\n", message.c_str(),
               condition, file, line);
  std::abort();
}

}  // namespace glyphreel
