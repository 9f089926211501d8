#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glyphreel::batch {

/// The values of a template's fields for one input.
struct NameFields {
  std::string dir;        ///< {dir}: the input's folder, relative to name_fields()'s `folder`; may be empty
  std::string name;       ///< {name}: name without extension
  std::string ext;        ///< {ext}: extension without the dot; may be empty
  std::size_t index = 0;  ///< {index} or {index:05}: number of the input, from 1
  std::string hash;       ///< {hash}: first digits of the content's checksum
};

/// Returns the fields of `input`, a path or a URL, except for `index` and `hash`. If the user gave a folder
/// that contains the input, `folder` is this folder; if the user gave the input itself, `folder` is empty. In
/// `name` and `ext`, slashes and control characters become '_'.
[[nodiscard]] NameFields name_fields(std::string_view input, std::string_view folder);

/// A template for the names of outputs, such as "{dir}/{name}-{index:03}". "{{" and "}}" stand for braces.
class NameTemplate {
 public:
  /// Errors: Usage for an unknown field, an unmatched brace, a slash at the end, or a path that could leave
  /// the output directory.
  [[nodiscard]] static Result<NameTemplate> parse(std::string_view text);

  /// Returns the output's path, relative to the output directory and without an extension. If this path would
  /// be empty, returns "output".
  [[nodiscard]] std::string expand(const NameFields& fields) const;
  /// Whether the template has {hash}, which requires reading each input.
  [[nodiscard]] bool needs_hash() const;

 private:
  enum class Field { Text, Dir, Name, Ext, Index, Hash };
  struct Part {
    Field field = Field::Text;
    std::string text;  ///< for Field::Text
    int width = 0;     ///< for Field::Index: minimum number of digits
  };
  [[nodiscard]] static Result<Part> parse_field(std::string_view field);

  std::vector<Part> parts_;
};

}  // namespace glyphreel::batch
