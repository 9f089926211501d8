#include "base/io/read_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "../../../temporary_files.h"

namespace glyphreel::read_file_test {
namespace {

class ReadFile : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const char* name) const { return folder_.file(name); }
  [[nodiscard]] std::string fifo() const {
    EXPECT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
    return path("fifo");
  }
  static ReadFileOptions options(std::size_t max_bytes) {
    return {.max_bytes = max_bytes, .code = ErrorCode::Usage, .explain = [](FileProblem problem) {
              return std::to_string(static_cast<int>(problem));
            }};
  }
  /// Checks that read_file() rejects the file because of this problem.
  static void expect_problem(const std::string& file, std::size_t max_bytes, FileProblem problem) {
    const Result<std::string> read = read_file(file, options(max_bytes));
    ASSERT_FALSE(read) << file;
    EXPECT_EQ(read.error().code, ErrorCode::Usage) << file;
    EXPECT_EQ(read.error().message, std::to_string(static_cast<int>(problem))) << file;
  }
  const test::TemporaryFolder folder_;
};

TEST_F(ReadFile, ReadsAllBytesUpToLimit) {
  const std::string content(200'000, 'a');
  std::ofstream(path("file")) << content;
  std::ofstream(path("empty"));
  EXPECT_EQ(*read_file(path("file"), options(content.size())), content);
  EXPECT_EQ(*read_file(path("empty"), options(0)), "");
  expect_problem(path("file"), content.size() - 1, FileProblem::TooLarge);
}

TEST_F(ReadFile, ErrorsNameProblem) {
  expect_problem(path("missing"), 1, FileProblem::Missing);
  expect_problem(folder_.path().string(), 1, FileProblem::Directory);
  expect_problem("/proc/self/mem", 1, FileProblem::Unreadable);
  expect_problem("/dev/zero", 1'000'000, FileProblem::TooLarge);
}

TEST_F(ReadFile, WaitsForFifoWriter) {
  const std::string file = fifo();
  const std::jthread writer([&] { std::ofstream(file) << "late"; });
  EXPECT_EQ(*read_file(file, options(100)), "late");
}

TEST_F(ReadFile, StopRequestEndsFifoWait) {
  ReadFileOptions waiting = options(100);
  int asked = 0;
  waiting.should_stop = [&] { return ++asked > 2; };
  const Result<std::string> read = read_file(fifo(), waiting);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Interrupted);
}

}  // namespace
}  // namespace glyphreel::read_file_test
