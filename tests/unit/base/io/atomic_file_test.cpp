#include "base/io/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../../../temporary_files.h"

namespace glyphreel::atomic_file_test {
namespace {

namespace fs = std::filesystem;
using Existing = AtomicFile::Existing;
using Temporary = AtomicFile::Temporary;

class AtomicFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }
  void put(const std::string& name, const std::string& content) const {
    std::ofstream(path(name)) << content;
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] std::unique_ptr<AtomicFile> create(const std::string& name,
                                                   Existing existing = Existing::Refuse,
                                                   Temporary temporary = Temporary::Part,
                                                   const InputFiles& inputs = {}) const {
    auto file = AtomicFile::create({path(name), existing, temporary, inputs});
    EXPECT_TRUE(file) << file.error().message;
    return file ? *std::move(file) : nullptr;
  }
  void expect_refused(const AtomicFile::Options& options, const std::string& part_of_message) const {
    const auto before = folder_.names();
    const auto file = AtomicFile::create(options);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::Usage) << file.error().message;
    EXPECT_NE(file.error().message.find(part_of_message), std::string::npos) << file.error().message;
    EXPECT_EQ(folder_.names(), before);
  }

  const test::TemporaryFolder folder_;
};

using Names = std::vector<std::string>;

TEST(PartPath, PutsMarkerBeforeExtension) {
  EXPECT_EQ(part_path("film.mp4"), "film.part.mp4");
  EXPECT_EQ(part_path("a.b/my.film.MKV"), "a.b/my.film.part.MKV");
  EXPECT_EQ(part_path("film"), "film.part");
}

TEST_F(AtomicFileTest, GetsFinalNameOnCommit) {
  const auto file = create("a.txt");
  ASSERT_FALSE(file->write("some "));
  ASSERT_FALSE(file->write("text"));
  EXPECT_EQ(folder_.names(), Names{"a.part.txt"});
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(folder_.names(), Names{"a.txt"});
  EXPECT_EQ(content("a.txt"), "some text");
  EXPECT_EQ(file->temporary_path(), "");
}

TEST_F(AtomicFileTest, IsRemovedUnlessKept) {
  static_cast<void>(create("a.txt")->write("x"));
  EXPECT_EQ(folder_.names(), Names{});
  create("a.txt")->keep();
  EXPECT_EQ(folder_.names(), Names{"a.part.txt"});
}

TEST_F(AtomicFileTest, ExistingFileIsReplacedOnlyOnRequestAndAtCommit) {
  put("a.txt", "old");
  expect_refused({.path = path("a.txt")}, "--force");
  const auto file = create("a.txt", Existing::Replace);
  static_cast<void>(file->write("new"));
  EXPECT_EQ(content("a.txt"), "old");
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(content("a.txt"), "new");
}

TEST_F(AtomicFileTest, FileCreatedMeanwhileIsNotReplaced) {
  const auto file = create("a.txt");
  static_cast<void>(file->write("new"));
  put("a.txt", "other");
  const Result<void> committed = file->commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::Failed);
  EXPECT_EQ(content("a.txt"), "other");
  EXPECT_EQ(file->temporary_path(), path("a.part.txt"));
}

TEST_F(AtomicFileTest, DirectoryCreatedMeanwhileIsKept) {
  const auto file = create("a.txt", Existing::Replace);
  fs::create_directory(path("a.txt"));
  EXPECT_FALSE(file->commit());
  EXPECT_TRUE(fs::is_directory(path("a.txt")));
}

TEST_F(AtomicFileTest, SecondWriterIsRejectedEvenWithForce) {
  const auto first = create("a.txt");
  expect_refused({.path = path("a.txt")}, "being written");
  expect_refused({.path = path("a.txt"), .existing = Existing::Replace}, "being written");
  static_cast<void>(first->write("first"));
  ASSERT_TRUE(first->commit());
  EXPECT_EQ(content("a.txt"), "first");
}

TEST_F(AtomicFileTest, ConcurrentWritersAreExclusive) {
  constexpr int Rounds = 200;
  for (int round = 0; round < Rounds; ++round) {
    const std::string name = "a" + std::to_string(round) + ".txt";
    std::vector<std::jthread> writers;
    std::atomic<int> committed = 0;
    for (const char* text : {"one", "two", "three"}) {
      writers.emplace_back([&, text] {
        const auto file = AtomicFile::create({.path = path(name), .existing = Existing::Replace});
        if (!file) return;
        static_cast<void>((*file)->write(text));
        if ((*file)->commit()) ++committed;
      });
    }
    writers.clear();
    EXPECT_GE(committed, 1);
    const std::string text = content(name);
    EXPECT_TRUE(text == "one" || text == "two" || text == "three") << text;
  }
}

TEST_F(AtomicFileTest, LeftoverPartIsReplacedOnlyOnRequest) {
  put("a.part.txt", "precious");
  expect_refused({.path = path("a.txt")}, "a.part.txt was left");
  EXPECT_EQ(content("a.part.txt"), "precious");
  const auto file = create("a.txt", Existing::Replace);
  static_cast<void>(file->write("new"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(folder_.names(), Names{"a.txt"});
}

TEST_F(AtomicFileTest, LeftoverCopiesAreRemovedOnlyOnRequest) {
  put("a.finishing.txt", "half");
  put("a.finishing-2.txt", "half");
  put("b.finishing.txt", "another output's");
  static_cast<void>(create("a.txt"));
  EXPECT_EQ(content("a.finishing.txt"), "half");
  static_cast<void>(create("a.txt", Existing::Replace));
  EXPECT_EQ(folder_.names(), Names{"b.finishing.txt"});
}

TEST_F(AtomicFileTest, LinksAtTemporaryNameAreNotFollowed) {
  put("victim", "precious");
  fs::create_symlink(path("victim"), path("a.part.txt"));
  expect_refused({.path = path("a.txt")}, "a.part.txt");
  const auto file = create("a.txt", Existing::Replace);
  static_cast<void>(file->write("new"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(content("victim"), "precious");
  EXPECT_FALSE(fs::is_symlink(path("a.txt")));
}

TEST_F(AtomicFileTest, FifosAndFoldersAtTemporaryNameFail) {
  ASSERT_EQ(::mkfifo(path("a.part.txt").c_str(), 0600), 0);
  expect_refused({.path = path("a.txt"), .existing = Existing::Replace},
                 "a.part.txt exists and is not a regular file");
  fs::create_directory(path("b.part.txt"));
  expect_refused({.path = path("b.txt"), .existing = Existing::Replace},
                 "b.part.txt exists and is not a regular file");
}

TEST_F(AtomicFileTest, CopiesAndHiddenFilesUseAnotherName) {
  fs::create_directory(path("a.finishing.txt"));
  const auto copy = create("a.txt", Existing::Refuse, Temporary::Copy);
  EXPECT_EQ(copy->temporary_path(), path("a.finishing-2.txt"));
  const auto hidden = create("a.txt", Existing::Refuse, Temporary::Hidden);
  const auto other = create("a.txt", Existing::Refuse, Temporary::Hidden);
  EXPECT_NE(hidden->temporary_path(), other->temporary_path());
  EXPECT_TRUE(fs::is_directory(path("a.finishing.txt")));
}

TEST_F(AtomicFileTest, InputIsNotReplaced) {
  put("in.txt", "precious");
  fs::create_hard_link(path("in.txt"), path("hard.txt"));
  fs::create_symlink("in.txt", path("soft.txt"));
  InputFiles inputs;
  inputs.add(path("in.txt"));
  for (const char* name : {"in.txt", "hard.txt", "soft.txt", "./in.txt"}) {
    expect_refused({.path = path(name), .existing = Existing::Replace, .inputs = inputs}, "is an input");
  }
  EXPECT_EQ(content("in.txt"), "precious");
}

TEST_F(AtomicFileTest, InputNamedPartIsKept) {
  put("a.part.txt", "precious");
  InputFiles inputs;
  inputs.add(path("a.part.txt"));
  for (const Existing existing : {Existing::Refuse, Existing::Replace}) {
    const auto file = create("a.txt", existing, Temporary::Part, inputs);
    EXPECT_EQ(file->temporary_path(), path("a.part-2.txt"));
    static_cast<void>(file->write("new"));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(folder_.names(), (Names{"a.part.txt", "a.txt"}));
  }
  EXPECT_EQ(content("a.part.txt"), "precious");
}

TEST_F(AtomicFileTest, LinksAtTargetAreFollowed) {
  fs::create_directory(path("folder"));
  put("folder/real.txt", "old");
  fs::create_symlink("folder/real.txt", path("link.txt"));
  fs::create_symlink("folder/new.txt", path("dangling.txt"));
  for (const char* name : {"link.txt", "dangling.txt"}) {
    const auto file = create(name, Existing::Replace);
    static_cast<void>(file->write("new"));
    ASSERT_TRUE(file->commit());
    EXPECT_TRUE(fs::is_symlink(path(name)));
    EXPECT_EQ(content(name), "new");
  }
  EXPECT_EQ(content("folder/real.txt"), "new");
  EXPECT_EQ(content("folder/new.txt"), "new");
}

TEST_F(AtomicFileTest, DevicesAreWrittenInPlace) {
  fs::create_symlink("/dev/null", path("null.txt"));
  const auto file = create("null.txt");
  EXPECT_FALSE(file->is_regular());
  EXPECT_FALSE(file->write("x"));
  ASSERT_TRUE(file->commit());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(folder_.names(), Names{"null.txt"});

  const auto full = AtomicFile::create({.path = "/dev/full"});
  ASSERT_TRUE(full);
  EXPECT_EQ((*full)->write("x").value(), ENOSPC);
}

TEST_F(AtomicFileTest, FifosAreWrittenInPlace) {
  ASSERT_EQ(::mkfifo(path("pipe.txt").c_str(), 0600), 0);
  std::string received;
  std::jthread reader([&] { received = content("pipe.txt"); });
  const std::string text(300'000, 'x');  // larger than a pipe's buffer
  {
    const auto file = create("pipe.txt");
    EXPECT_FALSE(file->write(text));
    ASSERT_TRUE(file->commit());
  }
  reader.join();
  EXPECT_EQ(received, text);
  EXPECT_TRUE(fs::is_fifo(path("pipe.txt")));
}

TEST_F(AtomicFileTest, RegularFileDescriptorsAreAppendedTo) {
  put("log.txt", "before ");
  const FileDescriptor opened(::open(path("log.txt").c_str(), O_WRONLY | O_APPEND));
  const std::string name = "/proc/self/fd/" + std::to_string(opened.number());
  ASSERT_TRUE(write_file({.path = name, .existing = Existing::Replace}, "after"));
  EXPECT_EQ(content("log.txt"), "before after");
}

TEST_F(AtomicFileTest, FileBeingWrittenIsNotReplaced) {
  const auto part = create("a.txt");
  static_cast<void>(part->write("recording"));
  expect_refused({.path = path("a.part.txt"), .existing = Existing::Replace, .temporary = Temporary::Hidden},
                 "being written");
  EXPECT_FALSE(open_log(path("a.part.txt")));
  EXPECT_EQ(content("a.part.txt"), "recording");
}

TEST_F(AtomicFileTest, ReplacedTemporaryFileIsNotCommitted) {
  const auto file = create("a.txt");
  fs::remove(path("a.part.txt"));
  put("a.part.txt", "another's");
  EXPECT_FALSE(file->commit());
  EXPECT_EQ(folder_.names(), Names{"a.part.txt"});
}

TEST_F(AtomicFileTest, RewritingReplacesEverythingWritten) {
  put("out.finishing.svg", "of a killed program");
  const auto file = create("out.svg");
  ASSERT_FALSE(file->write("a long text"));
  file->keep();
  const int before = ::open(path("out.part.svg").c_str(), O_RDONLY);
  ASSERT_TRUE(file->rewrite("new"));
  EXPECT_EQ(content("out.part.svg"), "new");
  char text[32];
  EXPECT_EQ(::read(before, text, sizeof text), 11) << "the old bytes are not overwritten";
  ::close(before);
  EXPECT_EQ(folder_.names(), (Names{"out.finishing.svg", "out.part.svg"}));
  expect_refused({.path = path("out.svg"), .existing = Existing::Replace}, "being written");
  ASSERT_FALSE(file->write(" end"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(content("out.svg"), "new end");
}

TEST_F(AtomicFileTest, ReplacedTemporaryFileIsNotRewritten) {
  const auto file = create("out.svg");
  fs::remove(path("out.part.svg"));
  const auto rewritten = file->rewrite("new");
  ASSERT_FALSE(rewritten);
  EXPECT_NE(rewritten.error().message.find("was removed"), std::string::npos) << rewritten.error().message;
  EXPECT_EQ(folder_.names(), Names{});
}

TEST_F(AtomicFileTest, LogsAreTruncatedThenAppended) {
  put("a.log", "old");
  const Result<FileDescriptor> log = open_log(path("a.log"));
  ASSERT_TRUE(log);
  EXPECT_EQ(content("a.log"), "");
  EXPECT_TRUE(open_log("/dev/null"));
}

TEST_F(AtomicFileTest, ErrorsNameMissingFolder) {
  fs::create_directory(path("folder"));
  const auto file = create("folder/a.txt");
  file->keep();
  static_cast<void>(file->write("new"));
  fs::remove_all(path("folder"));
  const Result<void> committed = file->commit();
  ASSERT_FALSE(committed);
  EXPECT_NE(committed.error().message.find("was removed"), std::string::npos) << committed.error().message;
  EXPECT_EQ(file->temporary_path(), "") << "the temporary file no longer exists";
}

TEST_F(AtomicFileTest, ChecksWithoutCreating) {
  EXPECT_TRUE(AtomicFile::check({.path = path("a.json")}));
  EXPECT_FALSE(AtomicFile::check({.path = path("none/a.json")}));
  EXPECT_FALSE(AtomicFile::check({.path = path(".")}));
  EXPECT_TRUE(AtomicFile::check({.path = "/dev/null"}));
  EXPECT_EQ(folder_.names(), Names{});
}

}  // namespace
}  // namespace glyphreel::atomic_file_test
