#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace glyphreel::test {

/// The answer to a request.
struct HttpAnswer {
  int status = 200;
  std::string body;
  std::string headers;  ///< additional header lines, each with "\r\n"
  /// The server closes the connection after this many bytes of the response, including the headers.
  std::optional<std::size_t> break_after;
  /// The server pauses for this time: before the response or, if `break_after` is set, before it closes the
  /// connection.
  double silence_seconds = 0;
  bool can_seek = true;  ///< whether the server answers range requests and sends Content-Length
};

/// A web server on the loopback interface for one test. Each request uses its own connection and receives
/// the handler's answer.
class HttpServer {
 public:
  /// Receives the path and the number of earlier requests. Runs on a separate thread.
  using Handler = std::function<HttpAnswer(const std::string& path, int request)>;
  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::string url(const std::string& path) const;
  [[nodiscard]] int requests() const { return requests_.load(); }
  /// Makes the server refuse connections for this many seconds after it closes a connection early.
  void refuse_after_break(double seconds) { away_seconds_.store(seconds); }

 private:
  void listen();
  void serve(std::stop_token stop);
  void answer(int connection, std::stop_token stop);

  Handler handler_;
  int port_ = 0;
  std::atomic<int> listener_ = -1;
  std::atomic<int> requests_ = 0;
  std::atomic<double> away_seconds_ = 0;
  std::atomic<bool> is_away_ = false;
  std::vector<std::jthread> connections_;
  std::jthread server_;
};

}  // namespace glyphreel::test
