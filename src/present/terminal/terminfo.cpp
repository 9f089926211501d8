#include "present/terminal/terminfo.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

extern "C" {  // which the header does not say itself
#include <unibilium.h>
}

namespace glyphreel::present {
namespace {

struct Destroy {
  void operator()(unibi_term* entry) const { unibi_destroy(entry); }
};
using Entry = std::unique_ptr<unibi_term, Destroy>;

/// Terminals announce 24-bit color by one of two extended capabilities, of whatever type.
bool has_direct_color(const unibi_term* entry) {
  const auto has = [entry](std::size_t count, auto* name_of) {
    for (std::size_t i = 0; i < count; ++i) {
      const char* name = name_of(entry, i);
      if (name != nullptr && (std::string_view(name) == "RGB" || std::string_view(name) == "Tc")) return true;
    }
    return false;
  };
  return has(unibi_count_ext_bool(entry), unibi_get_ext_bool_name) ||
         has(unibi_count_ext_num(entry), unibi_get_ext_num_name) ||
         has(unibi_count_ext_str(entry), unibi_get_ext_str_name);
}

std::optional<Terminfo> read(const Entry& entry) {
  if (entry == nullptr) return std::nullopt;
  return Terminfo{.colors = std::max(0, unibi_get_num(entry.get(), unibi_max_colors)),
                  .direct_color = has_direct_color(entry.get()),
                  .back_color_erase = unibi_get_bool(entry.get(), unibi_back_color_erase) != 0,
                  .erase_characters = unibi_get_str(entry.get(), unibi_erase_chars) != nullptr};
}

}  // namespace

std::string process_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<Terminfo> parse_terminfo(std::string_view bytes) {
  return read(Entry(unibi_from_mem(bytes.data(), bytes.size())));
}

std::optional<Terminfo> find_terminfo(const std::string& term) {
  if (term.empty() || term.front() == '.' || term.find('/') != std::string::npos) return std::nullopt;
  return read(Entry(unibi_from_term(term.c_str())));
}

}  // namespace glyphreel::present
