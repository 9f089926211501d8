#include "batch/item_listing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/io/printable.h"

namespace glyphreel::batch {
namespace {

using std::string_view;

std::string lower(string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

double to_millionths(double value) {
  return std::round(value * 1e6) / 1e6;
}

Error list_error(std::string message) {
  return {ErrorCode::Usage, std::move(message), {}};
}

/// Quotes a word for the shell, unless it needs no quotes.
std::string shell_word(string_view word) {
  constexpr string_view Plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(Plain) == string_view::npos) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace

nlohmann::json item_json(const Item& item) {
  nlohmann::json stages = nlohmann::json::object();
  for (std::size_t i = 0; i < StageCount; ++i) {
    if (item.figures.stage_ms[i] > 0)
      stages[stage_name(static_cast<Stage>(i))] = to_millionths(item.figures.stage_ms[i]);
  }
  return {{"id", item.id},
          {"state", state_name(item.state)},
          {"input", item.input},
          {"output", item.output},
          {"attempts", item.attempts},
          {"exit", static_cast<int>(item.code)},
          {"error", item.error},
          {"host", item.host},
          {"started", to_millionths(item.started_s)},
          {"frames", item.figures.frames},
          {"bytes", item.figures.bytes},
          {"damaged", item.figures.damaged},
          {"wall", to_millionths(item.figures.wall_s)},
          {"luma", to_millionths(item.figures.luma)},
          {"edges", to_millionths(item.figures.edges)},
          {"flicker", to_millionths(item.figures.flicker)},
          {"ssim", item.figures.ssim ? nlohmann::json(to_millionths(*item.figures.ssim)) : nlohmann::json()},
          {"segments", item.segments.size()},
          {"stages", stages}};
}

Result<ItemFilter::Condition> ItemFilter::parse_condition(string_view text) {
  constexpr std::pair<string_view, Operator> Operators[] = {
      {"!=", Operator::NotEqual},    {"!~", Operator::NotContains},
      {"<=", Operator::LessOrEqual}, {">=", Operator::GreaterOrEqual},
      {"=", Operator::Equal},        {"~", Operator::Contains},
      {"<", Operator::Less},         {">", Operator::Greater}};
  const std::size_t at = text.find_first_of("!=~<>");
  const string_view rest = at == string_view::npos ? string_view() : text.substr(at);
  const auto* const found =
      std::ranges::find_if(Operators, [&](const auto& each) { return rest.starts_with(each.first); });
  if (found == std::end(Operators))
    return list_error(
        fmt::format("--list takes conditions such as state=failed or frames>100, not '{}'.", text));
  Condition condition{.field = std::string(text.substr(0, at)),
                      .operation = found->second,
                      .value = std::string(rest.substr(found->first.size()))};
  const nlohmann::json fields = item_json({});
  const auto field = fields.find(condition.field);
  if (field == fields.end() || field->is_object()) {
    std::string names;
    for (const auto& [name, value] : fields.items()) {
      if (!value.is_object()) names += (names.empty() ? "" : ", ") + name;
    }
    return list_error(fmt::format("Items have no field '{}'; choose one of {}.", condition.field, names));
  }
  const bool compares = condition.operation >= Operator::Less;
  const bool is_number = field->is_number() || field->is_null();  // null: a number that was not measured
  if (is_number) {
    const char* const end = condition.value.data() + condition.value.size();
    const auto [after, problem] = std::from_chars(condition.value.data(), end, condition.number);
    const bool searches =
        condition.operation == Operator::Contains || condition.operation == Operator::NotContains;
    if (searches || problem != std::errc() || after != end)
      return list_error(fmt::format("--list {}: {} is a number; write a comparison such as {}>100.", text,
                                    condition.field, condition.field));
  } else if (compares) {
    return list_error(
        fmt::format("--list: {} is text; use one of the operators =, !=, ~ and !~.", condition.field));
  }
  if (condition.field == "state" && !compares && condition.operation <= Operator::NotEqual &&
      std::ranges::find(StateNames, condition.value) == StateNames.end())
    return list_error(fmt::format("There is no state '{}'; choose one of {}.", condition.value,
                                  fmt::join(StateNames, ", ")));
  return condition;
}

Result<ItemFilter> ItemFilter::parse(string_view text) {
  ItemFilter filter;
  while (!text.empty()) {
    const string_view condition = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), condition.size() + 1));
    TRY_ASSIGN(Condition parsed, parse_condition(condition));
    filter.conditions_.push_back(std::move(parsed));
  }
  return filter;
}

bool ItemFilter::holds(const Condition& condition, const nlohmann::json& field) {
  if (field.is_null()) return condition.operation == Operator::NotEqual;
  const bool is_number = field.is_number();
  const double number = is_number ? field.get<double>() : 0;
  const std::string text = is_number ? std::string() : lower(field.get<std::string>());
  const std::string value = lower(condition.value);
  const bool is_equal = is_number ? number == condition.number : text == value;
  switch (condition.operation) {
    case Operator::Equal:
      return is_equal;
    case Operator::NotEqual:
      return !is_equal;
    case Operator::Contains:
      return text.find(value) != std::string::npos;
    case Operator::NotContains:
      return text.find(value) == std::string::npos;
    case Operator::Less:
      return number < condition.number;
    case Operator::LessOrEqual:
      return number <= condition.number;
    case Operator::Greater:
      return number > condition.number;
    case Operator::GreaterOrEqual:
      return number >= condition.number;
  }
  return false;
}

bool ItemFilter::matches(const Item& item) const {
  if (conditions_.empty()) return true;
  const nlohmann::json fields = item_json(item);
  return std::ranges::all_of(
      conditions_, [&](const Condition& condition) { return holds(condition, fields[condition.field]); });
}

std::string item_table(std::span<const Item> items) {
  std::string text;
  for (const Item& item : items) {
    text += fmt::format("{:>6}  {:7}  {} -> {}", item.id, state_name(item.state), printable(item.input),
                        printable(item.output));
    if (item.state == State::Done) {
      text += fmt::format("  {} frame{}, {} bytes, {:.2f} s", item.figures.frames,
                          item.figures.frames == 1 ? "" : "s", item.figures.bytes, item.figures.wall_s);
    }
    if (!item.error.empty()) text += fmt::format("\n         {}", printable(item.error));
    text += '\n';
  }
  return text;
}

std::string job_log(std::span<const Item> items, string_view folder) {
  std::string text = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
  for (const Item& item : items) {
    if (item.attempts == 0) continue;
    const std::string output = fmt::format("{}/{}", folder, item.output);
    text += fmt::format("{}\t{}\t{:.3f}\t{:10.3f}\t0\t{}\t{}\t0\tglyphreel record {} -o {}\n", item.id,
                        item.host.empty() ? ":" : item.host, item.started_s, item.figures.wall_s,
                        item.figures.bytes,
                        item.state == State::Done ? 0 : std::max(1, static_cast<int>(item.code)),
                        printable(shell_word(item.input)), printable(shell_word(output)));
  }
  return text;
}

}  // namespace glyphreel::batch
