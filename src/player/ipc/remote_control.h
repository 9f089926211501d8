#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "player/control/player_command.h"
#include "player/ipc/ipc_protocol.h"
#include "player/ipc/ipc_server.h"

namespace glyphreel::player {

/// Lets other programs control a player through the socket of --input-ipc-server: runs their commands, and
/// sends replies and events.
/// Thread-safety: the player's thread only.
class RemoteControl {
 public:
  struct Options {
    const IpcSocket* socket = nullptr;                ///< must outlive the RemoteControl; null: no socket
    const Player* player = nullptr;                   ///< must outlive the RemoteControl
    std::function<Result<void>(const Command&)> run;  ///< runs a command
    std::function<bool()> is_stopping;  ///< whether the current input is stopping; requests then wait
    std::function<void()> wake;         ///< makes the player call update(); called on any thread
  };
  enum class InputState { Opening, Playing };

  explicit RemoteControl(Options options) : options_(std::move(options)) {}

  /// Handles the requests that have arrived, and sends changes of observed properties. While an input is
  /// being opened, requests that need an open input wait. The first call starts the server. Errors: Failed if
  /// the server cannot start.
  [[nodiscard]] Result<void> update(InputState state);
  /// Sends an event to all clients. `fields`: see event_text().
  void send_event(std::string_view event,
                  const std::vector<std::pair<std::string_view, std::string>>& fields = {});

 private:
  struct Request {
    int client = 0;
    bool is_end = false;  ///< the client has disconnected
    IpcRequest content;
  };
  struct Observer {
    int client = 0;
    std::int64_t id = 0;
    const PropertySpec* property = nullptr;
    bool as_text = false;
    bool is_new = true;  ///< no value has been sent yet
    PropertyValue sent = {};
  };
  struct Verb;
  static const Verb Verbs[];

  void handle_requests(InputState state);
  [[nodiscard]] bool handle(const Request& request, InputState state);
  [[nodiscard]] std::optional<IpcReply> reply_to(const Request& request, InputState state);
  [[nodiscard]] std::optional<IpcReply> run_all(const std::vector<Command>& commands, InputState state);
  [[nodiscard]] IpcReply get(const PropertyValue& name, bool as_text) const;
  [[nodiscard]] std::optional<IpcReply> set(const std::vector<PropertyValue>& words, InputState state);
  [[nodiscard]] IpcReply observe(int client, const std::vector<PropertyValue>& words, bool as_text);
  [[nodiscard]] IpcReply unobserve(int client, const std::vector<PropertyValue>& words);
  void send_changes();
  void send_switch(std::string_view property, bool& last, std::string_view on, std::string_view off);
  [[nodiscard]] IpcData read(const PropertySpec& property, bool as_text) const;

  const Options options_;
  std::unique_ptr<IpcServer> server_;
  std::deque<Request> requests_;  ///< not handled yet
  std::vector<Observer> observers_;
  /// Whether requests are being handled. A request may open an input, and opening calls update().
  bool is_handling_ = false;
  bool was_paused_ = false, was_seeking_ = false;
};

}  // namespace glyphreel::player
