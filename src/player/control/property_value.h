#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace glyphreel::player {

/// The value of a player property: a flag, a number or text; std::monostate: the property is unavailable.
using PropertyValue = std::variant<std::monostate, bool, double, std::string>;

enum class PropertyKind {
  Flag,     ///< on or off: a bool
  Integer,  ///< a double without a fraction
  Number,   ///< a double
  Time,     ///< a double, in seconds; displayed as hours:minutes:seconds
  Choice,   ///< one of `choices`: a string
  Text,     ///< any string
};

/// The values that a property may have.
struct PropertyDomain {
  PropertyKind kind = PropertyKind::Flag;
  double min = -std::numeric_limits<double>::infinity();  ///< `min` and `max`: limits of a number
  double max = std::numeric_limits<double>::infinity();
  std::span<const std::string_view> choices = {};
  std::string_view zero = {};  ///< the word for 0, such as "no"; empty: 0 has no word

  [[nodiscard]] bool is_number() const {
    return kind == PropertyKind::Integer || kind == PropertyKind::Number || kind == PropertyKind::Time;
  }
};

/// What a command does to a property.
enum class PropertyAction {
  Cycle,     ///< switches to the next or previous value; after the last, continues with the first
  Add,       ///< adds a number, and stops at the limits
  Multiply,  ///< multiplies by a number, and stops at the limits
  Set,       ///< sets a value
};

/// Returns the number in `text`, which may begin with a plus sign; empty if it is not a finite number.
[[nodiscard]] std::optional<double> number_of(std::string_view text);

/// Formats the value for display: "yes", "0.5", "1:02:03"; "(unavailable)" if there is none.
[[nodiscard]] std::string shown_value(const PropertyDomain& domain, const PropertyValue& value);
/// Formats the value for input.conf: like shown_value(), but writes a time in seconds.
[[nodiscard]] std::string text_of(const PropertyValue& value);

/// Converts a value to the domain's type: "yes" to true, "5" to 5, 5 to "5" for text. Limits numbers to the
/// domain, and rounds integers. Errors: Usage if the domain has no such value; messages start with `name`.
[[nodiscard]] Result<PropertyValue> converted(const PropertyDomain& domain, std::string_view name,
                                              const PropertyValue& value);

/// Whether the action is possible for values of this kind. The action must not be Set.
[[nodiscard]] bool can_change(PropertyKind kind, PropertyAction action);

/// Returns `now` changed by Cycle, Add or Multiply. Cycle adds `amount`, which is 1 or -1, and wraps around
/// at the domain's limits, if the domain has limits.
[[nodiscard]] double changed_number(const PropertyDomain& domain, double now, PropertyAction action,
                                    double amount);
/// Returns the index that Cycle or Add selects in a list of `count` values. `now`: the current index; empty
/// if the current value is not in the list. The index moves by at least 1, however small the amount.
[[nodiscard]] int changed_index(int count, std::optional<int> now, PropertyAction action, double amount);

/// Returns `now` changed by `action`, which can_change() must allow. `now` must have the domain's type.
[[nodiscard]] PropertyValue changed_value(const PropertyDomain& domain, const PropertyValue& now,
                                          PropertyAction action, double amount);

}  // namespace glyphreel::player
