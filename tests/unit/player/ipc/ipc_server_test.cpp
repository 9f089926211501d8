#include "player/ipc/ipc_server.h"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <semaphore>
#include <string>

#include "player/ipc/ipc_socket.h"

namespace glyphreel::player::ipc_server_test {
namespace {

FileDescriptor connect_to(const std::string& path) {
  FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  if (::connect(client.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    client.close();
  return client;
}

/// A server with one client.
struct Connection {
  std::string path = testing::TempDir() + "glyphreel-ipc-" + std::to_string(::getpid());
  std::counting_semaphore<> arrived{0};
  std::unique_ptr<IpcSocket> socket = std::move(*IpcSocket::listen(path));
  std::unique_ptr<IpcServer> server = std::move(*IpcServer::start(*socket, [this] { arrived.release(); }));
  FileDescriptor client = connect_to(path);

  void write(std::string_view text) const {
    EXPECT_EQ(::send(client.number(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  /// Waits for the next message.
  IpcMessage next() {
    std::optional<IpcMessage> message = server->next();
    for (; !message; message = server->next()) arrived.acquire();
    return *message;
  }
  std::string read() const {
    char text[64];
    const ssize_t count = ::recv(client.number(), text, sizeof text, 0);
    return count > 0 ? std::string(text, static_cast<std::size_t>(count)) : "";
  }
};

TEST(IpcServer, ExchangesLines) {
  Connection connection;
  connection.write("a\nb");
  const IpcMessage first = connection.next();
  EXPECT_EQ(first.line, "a");
  connection.write("c\n\n");
  EXPECT_EQ(connection.next().line, "bc");
  EXPECT_EQ(connection.next().line, "");
  connection.server->send(first.client, "answer");
  EXPECT_EQ(connection.read(), "answer\n");
}

TEST(IpcServer, AnswersAfterClientHasSentEverything) {
  Connection connection;
  connection.write("a\nlast");
  ::shutdown(connection.client.number(), SHUT_WR);
  const int id = connection.next().client;
  EXPECT_EQ(connection.next().line, "last") << "also without a line break";
  EXPECT_FALSE(connection.next().line) << "the end";
  connection.server->send(id, "answer");
  connection.server->finish(id);
  EXPECT_EQ(connection.read(), "answer\n");
  EXPECT_EQ(connection.read(), "") << "disconnected";
}

TEST(IpcServer, ReportsClientThatDisappears) {
  Connection connection;
  connection.write("a\n");
  const int id = connection.next().client;
  while (!connection.server->is_congested(id))
    connection.server->send(id, std::string(IpcServer::MaxBacklog, 'x'));
  connection.client.close();
  EXPECT_FALSE(connection.next().line);
}

TEST(IpcServer, EndlessLineEndsConnection) {
  Connection connection;
  connection.write(std::string(IpcServer::MaxLine + 5000, 'x'));
  EXPECT_FALSE(connection.next().line);
}

TEST(IpcServer, KeepsLinesUntilTheyAreTaken) {
  Connection connection;
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += std::to_string(i) + "\n";
  connection.write(lines);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(connection.next().line, std::to_string(i));
}

TEST(IpcSocket, RemovesOnlyItsOwnFile) {
  const std::string path = testing::TempDir() + "glyphreel-ipc-socket-" + std::to_string(::getpid());
  std::unique_ptr<IpcSocket> first = std::move(*IpcSocket::listen(path));
  EXPECT_EQ(IpcSocket::listen(path).error().code, ErrorCode::Usage) << "another server uses the socket";
  std::filesystem::remove(path);
  const std::unique_ptr<IpcSocket> second = std::move(*IpcSocket::listen(path));
  first.reset();
  EXPECT_TRUE(connect_to(path).is_open());
}

}  // namespace
}  // namespace glyphreel::player::ipc_server_test
