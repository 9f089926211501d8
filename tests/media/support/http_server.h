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
  std::string headers;                     ///< further lines, each with "\r\n"
  std::optional<std::size_t> break_after;  ///< the connection breaks after this many bytes of the body
  double silence_seconds = 0;              ///< before the answer, or before the break
  bool can_seek = true;                    ///< ranges are honored and the length is sent
};

/// A web server on the loopback for one test: each request gets the handler's answer on a connection of its
/// own.
class HttpServer {
 public:
  /// `handler` gets the path and the number of earlier requests. It runs on a thread of its own.
  using Handler = std::function<HttpAnswer(const std::string& path, int request)>;
  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::string url(const std::string& path) const;
  [[nodiscard]] int requests() const { return requests_.load(); }
  /// After the next broken connection, refuses connections for this many seconds.
  void be_away_after_break(double seconds) { away_seconds_.store(seconds); }

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
