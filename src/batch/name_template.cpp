#include "batch/name_template.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace glyphreel::batch {
namespace {

namespace fs = std::filesystem;
using std::string_view;

constexpr int MaxIndexDigits = 12;

/// Replaces slashes and control characters with underscores. Also replaces the whole name with an underscore
/// if it is "." or "..".
std::string file_name_of(string_view text) {
  std::string name(text);
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || byte < 0x20 || byte == 0x7F) c = '_';
  }
  return name == "." || name == ".." ? "_" : name;
}

/// Returns the last part of a path or URL, without the URL's query and fragment.
string_view last_part(string_view url) {
  if (url.find("://") != string_view::npos) url = url.substr(0, url.find_first_of("?#"));
  while (url.ends_with('/')) url.remove_suffix(1);
  return url.substr(url.find_last_of('/') + 1);
}

Error template_error(string_view text, string_view problem) {
  return {ErrorCode::Usage, fmt::format("--name {} {}.", text, problem), {}};
}

}  // namespace

NameFields name_fields(string_view input, string_view folder) {
  NameFields fields;
  const fs::path file(last_part(input));
  const std::string extension = file.extension().string();
  fields.name = file_name_of(file.stem().string());
  fields.ext = extension.empty() ? "" : file_name_of(string_view(extension).substr(1));
  if (fields.name.empty()) fields.name = "input";
  if (!folder.empty()) {
    const fs::path below = fs::path(input).lexically_relative(fs::path(folder)).parent_path();
    if (!below.empty() && *below.begin() != "..") fields.dir = below.generic_string();
    if (fields.dir == ".") fields.dir.clear();
  }
  return fields;
}

Result<NameTemplate::Part> NameTemplate::parse_field(string_view field) {
  constexpr std::pair<string_view, Field> Fields[] = {{"dir", Field::Dir},
                                                      {"name", Field::Name},
                                                      {"ext", Field::Ext},
                                                      {"index", Field::Index},
                                                      {"hash", Field::Hash}};
  const std::size_t colon = field.find(':');
  const string_view name = field.substr(0, colon);
  const auto* const found = std::ranges::find(Fields, name, &std::pair<string_view, Field>::first);
  Part part;
  if (found != std::end(Fields)) part.field = found->second;
  bool is_valid = found != std::end(Fields);
  if (is_valid && colon != string_view::npos) {
    const string_view width = field.substr(colon + 1);
    const auto [end, problem] = std::from_chars(width.data(), width.data() + width.size(), part.width);
    is_valid = part.field == Field::Index && problem == std::errc() && end == width.data() + width.size() &&
               part.width >= 1 && part.width <= MaxIndexDigits;
  }
  if (is_valid) return part;
  return Error{
      ErrorCode::Usage,
      fmt::format(
          "--name takes {{dir}}, {{name}}, {{ext}}, {{hash}}, {{index}} and {{index:N}}, not {{{}}}; N is "
          "the minimum number of digits, from 1 to {}.",
          field, MaxIndexDigits),
      {}};
}

Result<NameTemplate> NameTemplate::parse(string_view text) {
  NameTemplate result;
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) result.parts_.push_back({.text = std::exchange(literal, {})});
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if ((c == '{' || c == '}') && text.substr(at + 1).starts_with(c)) {
      literal += c;
      ++at;
    } else if (c == '}') {
      return template_error(text, "has a } without a {; write }} for a literal }");
    } else if (c == '{') {
      const std::size_t close = text.find('}', at);
      if (close == string_view::npos)
        return template_error(text, "has a { without a }; write {{ for a literal {");
      end_literal();
      TRY_ASSIGN(Part part, parse_field(text.substr(at + 1, close - at - 1)));
      result.parts_.push_back(std::move(part));
      at = close;
    } else {
      literal += c;
    }
  }
  end_literal();
  const std::string example = result.expand({.dir = "d", .name = "n", .ext = "e", .index = 1, .hash = "h"});
  const fs::path path(example);
  const bool leaves = std::ranges::any_of(path, [](const fs::path& part) { return part == ".."; });
  if (leaves || text.starts_with('/'))
    return template_error(text, "is a path outside the output directory; use a relative path without ..");
  if (text.ends_with('/'))
    return template_error(text, "names a directory; end it with a file name, such as {name}");
  return result;
}

std::string NameTemplate::expand(const NameFields& fields) const {
  std::string text;
  for (const Part& part : parts_) {
    switch (part.field) {
      case Field::Text:
        text += part.text;
        break;
      case Field::Dir:
        text += fields.dir;
        break;
      case Field::Name:
        text += fields.name;
        break;
      case Field::Ext:
        text += fields.ext;
        break;
      case Field::Index:
        text += fmt::format("{:0{}}", fields.index, std::max(1, part.width));
        break;
      case Field::Hash:
        text += fields.hash;
        break;
    }
  }
  std::string path = fs::path(text).relative_path().lexically_normal().generic_string();
  return path.empty() || path == "." ? "output" : path;
}

bool NameTemplate::needs_hash() const {
  return std::ranges::any_of(parts_, [](const Part& part) { return part.field == Field::Hash; });
}

}  // namespace glyphreel::batch
