#include "player/control/property_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace glyphreel::player {
namespace {

constexpr double Precision = 1e6;  // sums are rounded to 1 / Precision, so that 0.1 + 0.2 is 0.3
constexpr int MaxSteps = 200;      // limits the step of changed_index(); exceeds the length of every list

template <typename... Texts>
Error usage(fmt::format_string<Texts...> format, Texts&&... texts) {
  return {ErrorCode::Usage, fmt::format(format, std::forward<Texts>(texts)...), {}};
}

double limited(const PropertyDomain& domain, double number) {
  number =
      domain.kind == PropertyKind::Integer ? std::round(number) : std::round(number * Precision) / Precision;
  return std::clamp(number, domain.min, domain.max) + 0.0;  // + 0.0 turns -0 into 0
}

/// Converts "yes", "no" or a number to a flag. Converts "inf" to true, because mpv's property loop-file has
/// the value "inf".
std::optional<bool> flag_of(const PropertyValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  if (*text == "yes" || *text == "inf") return true;
  if (*text == "no") return false;
  const std::optional<double> number = number_of(*text);
  return number ? std::optional(*number != 0) : std::nullopt;
}

std::optional<double> number_in(const PropertyValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? number_of(*text) : std::nullopt;
}

std::optional<int> index_of(std::span<const std::string_view> choices, const PropertyValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  const auto found = text != nullptr ? std::ranges::find(choices, *text) : choices.end();
  return found == choices.end() ? std::nullopt : std::optional(static_cast<int>(found - choices.begin()));
}

}  // namespace

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string text_of(const PropertyValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "(unavailable)";
}

std::string shown_value(const PropertyDomain& domain, const PropertyValue& value) {
  const auto* seconds = std::get_if<double>(&value);
  if (domain.kind != PropertyKind::Time || seconds == nullptr) return text_of(value);
  const auto whole = static_cast<long long>(std::max(0.0, *seconds));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

Result<PropertyValue> converted(const PropertyDomain& domain, std::string_view name,
                                const PropertyValue& value) {
  if (domain.kind == PropertyKind::Flag) {
    if (const std::optional<bool> flag = flag_of(value)) return PropertyValue(*flag);
    return usage("{} takes yes or no, not {}.", name, text_of(value));
  }
  if (domain.is_number()) {
    if (!domain.zero.empty() && text_of(value) == domain.zero) return PropertyValue(0.0);
    if (const std::optional<double> number = number_in(value)) return PropertyValue(limited(domain, *number));
    return usage("{} takes a number, not {}.", name, text_of(value));
  }
  const std::string text = text_of(value);
  if (domain.kind == PropertyKind::Choice && !index_of(domain.choices, text)) {
    return usage("{} takes one of {}, not {}.", name, fmt::join(domain.choices, ", "), text);
  }
  return PropertyValue(text);
}

bool can_change(PropertyKind kind, PropertyAction action) {
  const bool is_number =
      kind == PropertyKind::Integer || kind == PropertyKind::Number || kind == PropertyKind::Time;
  return action == PropertyAction::Multiply ? is_number : kind != PropertyKind::Text;
}

double changed_number(const PropertyDomain& domain, double now, PropertyAction action, double amount) {
  const double wanted = action == PropertyAction::Multiply ? now * amount : now + amount;
  if (action == PropertyAction::Cycle && wanted > domain.max && std::isfinite(domain.min)) return domain.min;
  if (action == PropertyAction::Cycle && wanted < domain.min && std::isfinite(domain.max)) return domain.max;
  return limited(domain, wanted);
}

int changed_index(int count, std::optional<int> now, PropertyAction action, double amount) {
  if (!now) return amount < 0 ? count - 1 : 0;
  const double steps = std::clamp<double>(std::round(std::abs(amount)), 1, MaxSteps);
  const int wanted = *now + static_cast<int>(amount < 0 ? -steps : steps);
  return action == PropertyAction::Cycle ? ((wanted % count) + count) % count
                                         : std::clamp(wanted, 0, count - 1);
}

PropertyValue changed_value(const PropertyDomain& domain, const PropertyValue& now, PropertyAction action,
                            double amount) {
  if (domain.kind == PropertyKind::Flag) {
    return action == PropertyAction::Cycle ? !std::get<bool>(now) : amount > 0;
  }
  if (domain.is_number()) return changed_number(domain, std::get<double>(now), action, amount);
  const int count = static_cast<int>(domain.choices.size());
  const int index = changed_index(count, index_of(domain.choices, now), action, amount);
  return std::string(domain.choices[static_cast<std::size_t>(index)]);
}

}  // namespace glyphreel::player
