#include "player/ipc/remote_control.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace glyphreel::player {
namespace {

constexpr std::size_t MaxRequests = 64;  // maximum size of requests_; further ones stay in the server's queue
constexpr std::size_t MaxObservers = 1000;

/// Returns the value as an integer; empty if it is not an integer.
std::optional<std::int64_t> integer_of(const PropertyValue& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || std::abs(*number) > 1e15 || *number != std::round(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

IpcReply no_property(const PropertyValue& name) {
  const std::string wanted = text_of(name);
  return {.error = ipc_error::NoProperty,
          .message = fmt::format("There is no property {}; {}", wanted, property_hint(wanted))};
}

bool is_comment(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos || text[begin] == '#';
}

}  // namespace

/// A command that only the IPC protocol has. All other commands are the same as in input.conf.
struct RemoteControl::Verb {
  std::string_view name;
  std::size_t words;       ///< number of words, including the name
  std::string_view usage;  ///< the words after the name
  /// Returns an empty optional if the request must wait until an input is open.
  std::optional<IpcReply> (*run)(RemoteControl& self, const Request& request, InputState state);
};

const RemoteControl::Verb RemoteControl::Verbs[] = {
    {"get_property", 2, "NAME",
     [](RemoteControl& self, const Request& request, InputState) {
       return std::optional(self.get(request.content.words[1], false));
     }},
    {"get_property_string", 2, "NAME",
     [](RemoteControl& self, const Request& request, InputState) {
       return std::optional(self.get(request.content.words[1], true));
     }},
    {"set_property", 3, "NAME VALUE",
     [](RemoteControl& self, const Request& request, InputState state) {
       return self.set(request.content.words, state);
     }},
    {"set_property_string", 3, "NAME VALUE",
     [](RemoteControl& self, const Request& request, InputState state) {
       return self.set(request.content.words, state);
     }},
    {"observe_property", 3, "ID NAME",
     [](RemoteControl& self, const Request& request, InputState) {
       return std::optional(self.observe(request.client, request.content.words, false));
     }},
    {"observe_property_string", 3, "ID NAME",
     [](RemoteControl& self, const Request& request, InputState) {
       return std::optional(self.observe(request.client, request.content.words, true));
     }},
    {"unobserve_property", 2, "ID",
     [](RemoteControl& self, const Request& request, InputState) {
       return std::optional(self.unobserve(request.client, request.content.words));
     }},
};

Result<void> RemoteControl::update(InputState state) {
  if (options_.socket == nullptr) return {};
  if (!server_) {
    TRY_ASSIGN(server_, IpcServer::start(*options_.socket, options_.wake));
  }
  handle_requests(state);
  send_changes();
  return {};
}

void RemoteControl::send_event(std::string_view event,
                               const std::vector<std::pair<std::string_view, std::string>>& fields) {
  if (!server_) return;
  for (const int client : server_->clients()) {
    if (!server_->is_congested(client)) server_->send(client, event_text(event, fields));
  }
}

/// Handles each client's requests in order. If a request has to wait, later requests of the same client wait,
/// too.
void RemoteControl::handle_requests(InputState state) {
  if (is_handling_) return;
  is_handling_ = true;
  while (requests_.size() < MaxRequests) {
    std::optional<IpcMessage> message = server_->next();
    if (!message) break;
    requests_.push_back({.client = message->client,
                         .is_end = !message->line,
                         .content = message->line ? parse_request(*message->line) : IpcRequest{}});
  }
  // The server may have more requests, so wake the player to call update() again.
  if (requests_.size() >= MaxRequests) options_.wake();
  std::vector<int> waiting;
  std::deque<Request> left;
  for (Request& request : requests_) {
    if (std::ranges::find(waiting, request.client) == waiting.end() && !options_.is_stopping() &&
        handle(request, state)) {
      continue;
    }
    waiting.push_back(request.client);
    left.push_back(std::move(request));
  }
  requests_ = std::move(left);
  is_handling_ = false;
}

/// Returns false if the request must wait until an input is open.
bool RemoteControl::handle(const Request& request, InputState state) {
  if (request.is_end) {
    std::erase_if(observers_, [&](const Observer& each) { return each.client == request.client; });
    server_->finish(request.client);
    return true;
  }
  if (request.content.problem.empty() && request.content.words.empty() && is_comment(request.content.text))
    return true;  // as in mpv, a comment gets no reply
  const std::optional<IpcReply> reply = reply_to(request, state);
  if (reply) server_->send(request.client, reply_text(request.content.id, *reply));
  return reply.has_value();
}

std::optional<IpcReply> RemoteControl::reply_to(const Request& request, InputState state) {
  const IpcRequest& content = request.content;
  const auto invalid = [](std::string message) {
    return IpcReply{.error = ipc_error::InvalidRequest, .message = std::move(message)};
  };
  if (!content.problem.empty()) return invalid(content.problem);
  if (content.words.empty()) {
    Result<std::vector<Command>> commands = parse_commands(content.text);
    return commands ? run_all(*commands, state) : invalid(commands.error().message);
  }
  const std::string name = text_of(content.words.front());
  const auto* const verb = std::ranges::find(Verbs, name, &Verb::name);
  if (verb != std::end(Verbs)) {
    if (content.words.size() == verb->words) return verb->run(*this, request, state);
    return invalid(fmt::format("Write the command as {} {}.", verb->name, verb->usage));
  }
  std::vector<std::string> words;
  for (const PropertyValue& word : content.words) words.push_back(text_of(word));
  Result<Command> command = parse_command(words);
  return command ? run_all({*command}, state) : invalid(command.error().message);
}

std::optional<IpcReply> RemoteControl::run_all(const std::vector<Command>& commands, InputState state) {
  const auto runs = [this](const Command& each) { return each.runs_while_opening(*options_.player); };
  if (state == InputState::Opening && !std::ranges::all_of(commands, runs)) return std::nullopt;
  for (const Command& command : commands) {
    const Result<void> done = options_.run(command);
    if (!done) return IpcReply{.error = ipc_error::CommandFailed, .message = done.error().message};
  }
  return IpcReply();
}

IpcReply RemoteControl::get(const PropertyValue& name, bool as_text) const {
  const PropertySpec* property = find_property(text_of(name));
  if (property == nullptr) return no_property(name);
  const IpcData data = read(*property, as_text);
  if (std::holds_alternative<std::monostate>(data.value)) return {.error = ipc_error::Unavailable};
  return {.data = data};
}

std::optional<IpcReply> RemoteControl::set(const std::vector<PropertyValue>& words, InputState state) {
  const PropertySpec* property = find_property(text_of(words[1]));
  if (property == nullptr) return no_property(words[1]);
  Result<Command> command = set_command(*property, words[2]);
  if (!command) return IpcReply{.error = ipc_error::BadValue, .message = command.error().message};
  std::optional<IpcReply> reply = run_all({*command}, state);
  if (reply && reply->error != ipc_error::None) reply->error = ipc_error::BadValue;
  return reply;
}

IpcReply RemoteControl::observe(int client, const std::vector<PropertyValue>& words, bool as_text) {
  const std::optional<std::int64_t> id = integer_of(words[1]);
  const PropertySpec* property = find_property(text_of(words[2]));
  if (!id) return {.error = ipc_error::InvalidRequest, .message = "The ID must be an integer."};
  if (property == nullptr) return no_property(words[2]);
  if (observers_.size() >= MaxObservers) {
    return {.error = ipc_error::InvalidRequest,
            .message = "Too many properties are observed; use unobserve_property first."};
  }
  observers_.push_back({.client = client, .id = *id, .property = property, .as_text = as_text});
  return {};
}

IpcReply RemoteControl::unobserve(int client, const std::vector<PropertyValue>& words) {
  const std::optional<std::int64_t> id = integer_of(words[1]);
  if (!id) return {.error = ipc_error::InvalidRequest, .message = "The ID must be an integer."};
  std::erase_if(observers_, [&](const Observer& each) { return each.client == client && each.id == *id; });
  return {};
}

IpcData RemoteControl::read(const PropertySpec& property, bool as_text) const {
  PropertyValue value = property.get(*options_.player);
  if (!as_text || std::holds_alternative<std::monostate>(value))
    return {.kind = domain_of(property).kind, .value = std::move(value)};
  return {.kind = PropertyKind::Text, .value = text_of(value)};
}

/// Sends the observed properties that have changed, and events when pausing or seeking begins or ends. A
/// congested client gets only the latest values, once it reads again.
void RemoteControl::send_changes() {
  send_switch("pause", was_paused_, "pause", "unpause");
  send_switch("seeking", was_seeking_, "seek", "playback-restart");
  for (Observer& observer : observers_) {
    if (server_->is_congested(observer.client)) continue;
    const IpcData now = read(*observer.property, observer.as_text);
    if (!observer.is_new && now.value == observer.sent) continue;
    observer.is_new = false;
    observer.sent = now.value;
    server_->send(observer.client, property_change_text(observer.id, observer.property->name, now));
  }
}

void RemoteControl::send_switch(std::string_view property, bool& last, std::string_view on,
                                std::string_view off) {
  const PropertyValue now = find_property(property)->get(*options_.player);
  if (now == PropertyValue(last)) return;
  last = !last;
  send_event(last ? on : off);
}

}  // namespace glyphreel::player
