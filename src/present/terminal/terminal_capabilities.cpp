#include "present/terminal/terminal_capabilities.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string_view>

extern "C" {  // the header has no extern "C" itself
#include <unibilium.h>
}

#include "text/fonts/c_deleter.h"

namespace glyphreel::present {
namespace {

bool begins_with_one_of(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view b) { return text.starts_with(b); });
}

/// Whether all versions of the terminal with this name support 24-bit color.
bool is_direct_by_name(std::string_view term) {
  return term.ends_with("-direct") || term.ends_with("-truecolor") ||
         begins_with_one_of(term, {"xterm-kitty", "xterm-ghostty", "ghostty", "alacritty", "foot", "wezterm",
                                   "contour", "mintty", "iterm", "konsole", "vte", "gnome", "st-", "rio"});
}

/// Whether variables other than TERM identify a terminal with 24-bit color: such a terminal may set TERM to
/// xterm.
bool is_direct_by_mark(const Environment& environment) {
  const std::string program = environment("TERM_PROGRAM");
  constexpr std::string_view Programs[] = {"iTerm.app", "WezTerm", "vscode", "ghostty",     "Hyper",
                                           "mintty",    "rio",     "Tabby",  "WarpTerminal"};
  if (std::ranges::find(Programs, program) != std::end(Programs)) return true;
  if (!environment("WT_SESSION").empty() || !environment("KONSOLE_VERSION").empty()) return true;
  const std::string vte = environment("VTE_VERSION");  // 3600 is version 0.36
  int version = 0;
  std::from_chars(vte.data(), vte.data() + vte.size(), version);
  return version >= 3600;
}

/// Whether the terminal is the kernel's console.
bool is_console(std::string_view term) {
  return begins_with_one_of(term, {"linux", "cons25"});
}

/// Whether the locale's characters are UTF-8. The first of LC_ALL, LC_CTYPE and LANG that is set counts
/// (POSIX).
bool is_utf8(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = environment(name);
    if (locale.empty()) continue;
    std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return std::tolower(c); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

bool is_inside_tmux(const Environment& environment) {
  return !environment("TMUX").empty() && environment("STY").empty();
}

ColorDepth color_depth(const Environment& environment, const std::optional<Terminfo>& info) {
  const std::string term = environment("TERM");
  if (!environment("NO_COLOR").empty() || term.empty() || term == "dumb") return ColorDepth::None;
  if (info && info->colors < 8 && !info->direct_color) return ColorDepth::None;

  // The kernel's console always has 16 colors. Inside GNU screen, COLORTERM and similar variables may
  // describe the outer terminal, so they are ignored.
  const bool console = is_console(term);
  const bool multiplexer = begins_with_one_of(term, {"screen", "tmux"});
  // tmux accepts 24-bit colors and reduces them to the colors that the outer terminal supports.
  const bool tmux = multiplexer && is_inside_tmux(environment);
  if (!console) {
    if (tmux || is_direct_by_name(term) || (info && info->direct_color)) return ColorDepth::Direct;
    const std::string colorterm = environment("COLORTERM");
    if (colorterm == "truecolor" || colorterm == "24bit") {
      if (!term.starts_with("screen")) return ColorDepth::Direct;
    } else if (!multiplexer && is_direct_by_mark(environment)) {
      return ColorDepth::Direct;
    }
  }
  if ((info && info->colors >= 256) || term.ends_with("-256color")) return ColorDepth::Ansi256;
  if (info) return ColorDepth::Ansi16;
  const bool colorful = multiplexer || console || term.find("color") != std::string::npos ||
                        begins_with_one_of(term, {"xterm", "rxvt", "ansi", "cygwin", "putty", "eterm",
                                                  "Eterm", "aterm", "kterm", "st"});
  return colorful ? ColorDepth::Ansi16 : ColorDepth::None;
}

/// Whether the entry has the extended capability RGB or Tc, of any type. Both mean 24-bit color.
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

/// Returns the value of an environment variable of this process; empty if it is not set. Used as an
/// Environment.
std::string own_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::optional<Terminfo> find_terminfo(const std::string& term) {
  const std::unique_ptr<unibi_term, text::CDeleter<unibi_destroy>> entry(unibi_from_term(term.c_str()));
  if (entry == nullptr) return std::nullopt;
  return Terminfo{.colors = std::max(0, unibi_get_num(entry.get(), unibi_max_colors)),
                  .direct_color = has_direct_color(entry.get()),
                  .back_color_erase = unibi_get_bool(entry.get(), unibi_back_color_erase) != 0,
                  .erase_characters = unibi_get_str(entry.get(), unibi_erase_chars) != nullptr};
}

TerminalCapabilities terminal_capabilities(const Environment& environment,
                                           const std::optional<Terminfo>& info) {
  const std::string term = environment("TERM");
  const bool xterm_like =
      is_direct_by_name(term) || begins_with_one_of(term, {"xterm", "rxvt", "putty", "screen", "tmux"});
  // tmux and screen can erase characters, although their terminfo entries do not list this capability. Cells
  // that tmux erases get the current background color.
  const bool screen = term.starts_with("screen");
  const bool tmux = term.starts_with("tmux") || (screen && is_inside_tmux(environment));
  return {.colors = color_depth(environment, info),
          .back_color_erase = tmux || (info && info->back_color_erase),
          .erase_characters = tmux || screen || (info ? info->erase_characters : xterm_like),
          .private_modes = xterm_like || (info && info->colors >= 256),
          // The console's font has at most 512 characters, few of them block elements.
          .block_elements = is_utf8(environment) && !is_console(term)};
}

TerminalCapabilities expected_capabilities() {
  return terminal_capabilities(own_variable, find_terminfo(own_variable("TERM")));
}

ColorDepth piped_colors(const Environment& environment, const std::optional<Terminfo>& info) {
  const bool is_unknown = environment("TERM").empty() && environment("NO_COLOR").empty();
  return is_unknown ? ColorDepth::Direct : terminal_capabilities(environment, info).colors;
}

ColorDepth piped_colors() {
  return piped_colors(own_variable, find_terminfo(own_variable("TERM")));
}

}  // namespace glyphreel::present
