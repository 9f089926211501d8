#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glyphreel::batch {

/// The values of a template's fields for one input.
struct NameFields {
  std::string dir;        ///< {dir}: path of the input's folder below the folder given; may be empty
  std::string name;       ///< {name}: name without extension
  std::string ext;        ///< {ext}: extension without the dot; may be empty
  std::size_t index = 0;  ///< {index} or {index:05}: position among the inputs, from 1
  std::string hash;       ///< {hash}: start of the content's checksum
};

/// Returns the fields of an input, a path or a URL, except for `index` and `hash`. `folder`: the folder that
/// was given and that contains the input; empty: none. Characters that file names cannot contain become '_'.
[[nodiscard]] NameFields name_fields(std::string_view input, std::string_view folder);

/// A template for the names of outputs, such as "{dir}/{name}-{index:03}". "{{" and "}}" are braces.
class NameTemplate {
 public:
  /// Errors: Usage for an unknown field, a brace without its counterpart, or a path that could leave the
  /// output directory.
  [[nodiscard]] static Result<NameTemplate> parse(std::string_view text);

  /// Returns the path below the output directory, without extension; "output" if all fields are empty.
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
