#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "batch/item.h"

namespace glyphreel::batch {

/// Returns an item as a JSON object with the keys id, state, input, output, attempts, exit, error, host,
/// started, frames, bytes, damaged, wall, luma, edges, flicker, ssim (null: not measured), segments and
/// stages. Each key except "stages" is also the name of a field in ItemFilter conditions.
[[nodiscard]] nlohmann::json item_json(const Item& item);

/// Conditions on items, such as "state=failed,frames>100".
class ItemFilter {
 public:
  /// Parses conditions separated by commas. A condition consists of a field, an operator and a value. All
  /// fields support the operators `=` and `!=`. Text fields also support `~` (contains) and `!~` (does not
  /// contain). Number fields also support `<`, `<=`, `>` and `>=`. Text comparisons ignore case. An empty
  /// `text` matches every item. Errors: Usage for an unknown field, a missing or unsuitable operator, or an
  /// invalid value.
  [[nodiscard]] static Result<ItemFilter> parse(std::string_view text);
  [[nodiscard]] bool matches(const Item& item) const;

 private:
  enum class Operator { Equal, NotEqual, Contains, NotContains, Less, LessOrEqual, Greater, GreaterOrEqual };
  struct Condition {
    std::string field;
    Operator operation = Operator::Equal;
    std::string value;
    double number = 0;  ///< `value` as a number, if the field is a number
  };
  [[nodiscard]] static Result<Condition> parse_condition(std::string_view text);
  [[nodiscard]] static bool holds(const Condition& condition, const nlohmann::json& field);

  std::vector<Condition> conditions_;
};

/// Returns the items as a human-readable table.
[[nodiscard]] std::string item_table(std::span<const Item> items);

/// Returns a log in the format of GNU parallel's --joblog: a header line, and a line for each item that was
/// attempted. `folder`: the output directory.
[[nodiscard]] std::string job_log(std::span<const Item> items, std::string_view folder);

}  // namespace glyphreel::batch
