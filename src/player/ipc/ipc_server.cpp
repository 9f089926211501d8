#include "player/ipc/ipc_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/io/log.h"
#include "base/threads/thread.h"

namespace glyphreel::player {
namespace {

bool would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

Result<std::unique_ptr<IpcServer>> IpcServer::start(const IpcSocket& socket,
                                                    std::function<void()> on_message) {
  FileDescriptor wakeup(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wakeup.is_open())
    return Error{ErrorCode::Failed, "The IPC server cannot start; close other programs and try again.", {}};
  std::unique_ptr<IpcServer> self(new IpcServer(socket, std::move(wakeup), std::move(on_message)));
  TRY_ASSIGN(self->thread_, start_thread("ipc", [server = self.get()](const std::stop_token& stop) {
               const Result<void> worked = catching([&] {
                 server->work(stop);
                 return Result<void>();
               });
               if (!worked) log::error("The IPC server ended: {}", full_text(worked.error()));
             }));
  return self;
}

std::optional<IpcMessage> IpcServer::next() {
  std::optional<IpcMessage> message = messages_.try_pop();
  if (message) wake();  // the queue now has room for a line that deliver() could not push
  return message;
}

void IpcServer::send(int client, std::string_view line) {
  {
    const MutexLock lock(mutex_);
    const auto found = outgoing_.find(client);
    if (found == outgoing_.end()) return;
    found->second.bytes.append(line) += '\n';
  }
  wake();
}

bool IpcServer::is_congested(int client) const {
  const MutexLock lock(mutex_);
  const auto found = outgoing_.find(client);
  return found != outgoing_.end() && found->second.bytes.size() > MaxBacklog;
}

void IpcServer::finish(int client) {
  {
    const MutexLock lock(mutex_);
    if (const auto found = outgoing_.find(client); found != outgoing_.end()) found->second.is_finished = true;
  }
  wake();
}

std::vector<int> IpcServer::clients() const {
  const MutexLock lock(mutex_);
  std::vector<int> ids;
  for (const auto& [id, unused] : outgoing_) ids.push_back(id);
  return ids;
}

void IpcServer::wake() const {
  const std::uint64_t one = 1;
  // The write fails only if the counter is at its limit; wait() then ends anyway.
  static_cast<void>(::write(wakeup_.number(), &one, sizeof one) == 0);
}

void IpcServer::work(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { wake(); });
  while (!stop.stop_requested()) {
    wait();
    accept_clients();
    bool has_messages = false;
    std::erase_if(clients_, [&](Client& client) {
      if (may_read(client)) read(client);
      if (flush(client)) return true;
      has_messages = deliver(client) || has_messages;  // after flush(), which may detect a disconnection
      return false;
    });
    if (has_messages) on_message_();
  }
  for (Client& client : clients_) static_cast<void>(flush(client));
}

/// Waits until there is something to accept, read or send, or until wake().
void IpcServer::wait() {
  std::vector<pollfd> waiting = {{.fd = wakeup_.number(), .events = POLLIN, .revents = 0}};
  const bool has_room = clients_.size() < MaxClients;
  waiting.push_back({.fd = has_room ? listener_ : -1, .events = POLLIN, .revents = 0});
  for (const Client& client : clients_) {
    const bool reads = may_read(client);
    const MutexLock lock(mutex_);
    const bool sends = !outgoing_.at(client.id).bytes.empty();
    const auto events = static_cast<short>((reads ? POLLIN : 0) | (sends ? POLLOUT : 0));
    // Leave out a descriptor without events: after its client disconnects, it would end every poll() at once.
    waiting.push_back({.fd = events != 0 ? client.socket.number() : -1, .events = events, .revents = 0});
  }
  static_cast<void>(::poll(waiting.data(), waiting.size(), -1));
  std::uint64_t count = 0;
  static_cast<void>(::read(wakeup_.number(), &count, sizeof count) == 0);
}

void IpcServer::accept_clients() {
  while (clients_.size() < MaxClients) {
    FileDescriptor socket(::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) return;
    Client client{.id = ++last_id_, .socket = std::move(socket)};
    const MutexLock lock(mutex_);
    outgoing_[client.id];
    clients_.push_back(std::move(client));
  }
}

/// Whether to read from the client. False while one of the client's lines waits for room in messages_, while
/// the client is congested, and after the client's input has ended.
bool IpcServer::may_read(const Client& client) const {
  return !client.has_ended && client.input.find('\n') == std::string::npos && !is_congested(client.id);
}

void IpcServer::read(Client& client) {
  std::array<char, 4096> chunk;
  while (client.input.size() <= MaxLine) {
    const ssize_t count = ::recv(client.socket.number(), chunk.data(), chunk.size(), 0);
    if (count < 0 && would_block(errno)) return;
    client.has_ended = count <= 0;
    if (client.has_ended) return;
    client.input.append(chunk.data(), static_cast<std::size_t>(count));
  }
  if (client.input.find('\n') != std::string::npos) return;
  // The line is too long. End the connection, and drop the part of the line that has arrived.
  client.has_ended = true;
  client.input.clear();
}

/// Moves the client's lines, and finally the end of the connection, to messages_ while there is room. Returns
/// whether anything was moved.
bool IpcServer::deliver(Client& client) {
  bool has_moved = false;
  while (!client.is_reported) {
    const std::size_t end = client.input.find('\n');
    if (end == std::string::npos && !client.has_ended) break;
    IpcMessage message{.client = client.id, .line = std::nullopt};
    if (!client.input.empty()) message.line = client.input.substr(0, end);
    const bool is_end = !message.line;
    if (!messages_.try_push(message)) break;
    has_moved = true;
    client.is_reported = is_end;
    client.input.erase(0, end == std::string::npos ? end : end + 1);
  }
  return has_moved;
}

/// Sends as much of the client's pending output as possible without blocking. Returns whether the connection
/// must be closed.
bool IpcServer::flush(Client& client) {
  const MutexLock lock(mutex_);
  Outgoing& outgoing = outgoing_.at(client.id);
  while (!outgoing.bytes.empty()) {
    const ssize_t count =
        ::send(client.socket.number(), outgoing.bytes.data(), outgoing.bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && would_block(errno)) break;
    if (count < 0) {
      client.has_ended = true;
      outgoing.bytes.clear();
    } else {
      outgoing.bytes.erase(0, static_cast<std::size_t>(count));
    }
  }
  if (!outgoing.is_finished || !outgoing.bytes.empty()) return false;
  outgoing_.erase(client.id);
  return true;
}

}  // namespace glyphreel::player
