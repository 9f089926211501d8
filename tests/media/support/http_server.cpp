#include "http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>

namespace glyphreel::test {
namespace {

void wait(double seconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
}

bool is_readable(int socket) {
  pollfd ready{socket, POLLIN, 0};
  return ::poll(&ready, 1, 10) > 0;
}

}  // namespace

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  listen();
  server_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

HttpServer::~HttpServer() {
  server_.request_stop();
  server_.join();
  for (std::jthread& connection : connections_) connection.request_stop();
  connections_.clear();
  if (listener_ >= 0) ::close(listener_);
}

std::string HttpServer::url(const std::string& path) const {
  return fmt::format("http://127.0.0.1:{}{}", port_, path);
}

/// Listens at a free port. Later calls listen at the port of the first call.
void HttpServer::listen() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener, any, length) != 0 || ::listen(listener, 16) != 0) ADD_FAILURE() << "cannot listen";
  ::getsockname(listener, any, &length);
  port_ = ntohs(address.sin_port);
  listener_ = listener;
}

void HttpServer::serve(std::stop_token stop) {
  while (!stop.stop_requested()) {
    if (is_away_) {
      ::close(listener_.exchange(-1));
      is_away_ = false;
      wait(away_seconds_, stop);
      listen();
    }
    if (!is_readable(listener_)) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    connections_.emplace_back([this, connection](const std::stop_token& stopping) {
      answer(connection, stopping);
      ::close(connection);
    });
  }
}

void HttpServer::answer(int connection, std::stop_token stop) {
  std::string request;
  char buffer[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    if (stop.stop_requested()) return;
    if (!is_readable(connection)) continue;
    const ssize_t count = ::recv(connection, buffer, sizeof buffer, 0);
    if (count <= 0) return;
    request.append(buffer, static_cast<std::size_t>(count));
  }
  const std::size_t path = request.find(' ') + 1;
  HttpAnswer answer = handler_(request.substr(path, request.find(' ', path) - path), requests_++);

  std::size_t start = 0;
  if (const std::size_t range = request.find("Range: bytes="); range != std::string::npos && answer.can_seek)
    start =
        std::min<std::size_t>(std::strtoul(request.c_str() + range + 13, nullptr, 10), answer.body.size());
  std::string head = fmt::format("HTTP/1.1 {} Answer\r\nConnection: close\r\n{}",
                                 start > 0 ? 206 : answer.status, answer.headers);
  if (answer.can_seek) {
    head += fmt::format("Accept-Ranges: bytes\r\nContent-Length: {}\r\n", answer.body.size() - start);
    if (start > 0)
      head +=
          fmt::format("Content-Range: bytes {}-{}/{}\r\n", start, answer.body.size() - 1, answer.body.size());
  }
  if (!answer.break_after) wait(answer.silence_seconds, stop);
  std::string sent = head + "\r\n" + answer.body.substr(start);
  if (answer.break_after) sent.resize(std::min(sent.size(), *answer.break_after));
  for (std::size_t at = 0; at < sent.size() && !stop.stop_requested();) {
    pollfd ready{connection, POLLOUT, 0};
    if (::poll(&ready, 1, 10) <= 0) continue;
    const ssize_t count = ::send(connection, sent.data() + at, sent.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) return;
    at += static_cast<std::size_t>(count);
  }
  if (answer.break_after) {
    wait(answer.silence_seconds, stop);
    if (away_seconds_ > 0) is_away_ = true;
    // Keep this connection open until the listener is closed. When the client notices that its connection was
    // closed and tries to reconnect, the server already refuses connections.
    while (is_away_ && !stop.stop_requested()) wait(0.001, stop);
  }
}

}  // namespace glyphreel::test
