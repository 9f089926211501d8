#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/io/file_descriptor.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/threads/queue.h"
#include "player/ipc/ipc_socket.h"

namespace glyphreel::player {

/// A line from a client, or the end of its connection.
struct IpcMessage {
  int client = 0;
  std::optional<std::string> line;  ///< without the line break; empty: the client will send nothing more
};

/// Exchanges lines with the clients of a socket, on its own thread. To bound memory, the server stops reading
/// from a client that sends faster than next() is called, or that does not read what the server sends.
/// Thread-safety: one thread.
class IpcServer {
 public:
  static constexpr std::size_t MaxClients = 16;
  static constexpr std::size_t MaxLine = 1U << 16;     ///< bytes; a longer line ends the connection
  static constexpr std::size_t MaxBacklog = 1U << 16;  ///< bytes; see is_congested()

  /// Starts the server's thread. `socket` must outlive the server. The server's thread calls `on_message`
  /// when next() has a message. `on_message` must do nothing except wake the thread that calls next().
  /// Errors: Failed if the system lacks resources.
  [[nodiscard]] static Result<std::unique_ptr<IpcServer>> start(const IpcSocket& socket,
                                                                std::function<void()> on_message);
  /// Sends as much pending output as possible without blocking, and disconnects the clients.
  ~IpcServer() = default;
  IpcServer(const IpcServer&) = delete;
  IpcServer& operator=(const IpcServer&) = delete;

  /// Returns the next message; empty if there is none.
  [[nodiscard]] std::optional<IpcMessage> next();
  /// Sends `line` and a line break. Does nothing if the client has disconnected.
  void send(int client, std::string_view line) EXCLUDES(mutex_);
  /// Whether more than MaxBacklog bytes wait for the client to read them. Meanwhile, the server does not read
  /// from the client, and the caller should send only replies.
  [[nodiscard]] bool is_congested(int client) const EXCLUDES(mutex_);
  /// Disconnects the client as soon as everything has been sent. Call this after next() has returned the
  /// client's last message.
  void finish(int client) EXCLUDES(mutex_);
  /// Returns the IDs of the connected clients.
  [[nodiscard]] std::vector<int> clients() const EXCLUDES(mutex_);

 private:
  /// The part of a connection that only the server's thread uses.
  struct Client {
    int id = 0;
    FileDescriptor socket;
    std::string input;         ///< received bytes that are not in messages_ yet
    bool has_ended = false;    ///< whether the client sends nothing more
    bool is_reported = false;  ///< whether the end of the connection is in messages_
  };
  /// The part of a connection that the server's thread and the caller's thread use.
  struct Outgoing {
    std::string bytes;  ///< not sent yet
    bool is_finished = false;
  };
  IpcServer(const IpcSocket& socket, FileDescriptor wakeup, std::function<void()> on_message)
      : listener_(socket.descriptor()), wakeup_(std::move(wakeup)), on_message_(std::move(on_message)) {}
  void work(const std::stop_token& stop);
  void wait();
  void accept_clients() EXCLUDES(mutex_);
  [[nodiscard]] bool may_read(const Client& client) const EXCLUDES(mutex_);
  void read(Client& client);
  [[nodiscard]] bool deliver(Client& client);
  [[nodiscard]] bool flush(Client& client) EXCLUDES(mutex_);
  void wake() const;

  const int listener_;
  const FileDescriptor wakeup_;  ///< an eventfd that ends wait()
  const std::function<void()> on_message_;
  BoundedQueue<IpcMessage> messages_{64};
  mutable Mutex mutex_;
  std::map<int, Outgoing> outgoing_ GUARDED_BY(mutex_);  ///< by client ID; only connected clients
  std::vector<Client> clients_;                          ///< used only by the server's thread
  int last_id_ = 0;                                      ///< used only by the server's thread
  std::jthread thread_;  // declared last, so that it is joined before the members above are destroyed
};

}  // namespace glyphreel::player
