#include "batch/database/job_database.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "batch/database/owner_lock.h"
#include "batch/host.h"

namespace glyphreel::batch::job_database_test {
namespace {

namespace fs = std::filesystem;

class JobDatabaseTest : public testing::Test {
 protected:
  JobDatabaseTest() {
    std::string pattern = (fs::temp_directory_path() / "glyphreel-batch-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = (folder_ / "jobs.db").string();
  }
  ~JobDatabaseTest() override { fs::remove_all(folder_); }

  /// Runs statements on the file as another program would.
  void run(const std::string& sql) const {
    const auto sqlite = Sqlite::open(path_, Sqlite::Access::Write);
    ASSERT_TRUE(sqlite);
    ASSERT_TRUE((*sqlite)->run_script(sql));
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(JobDatabaseTest, ReadsWhatItWrote) {
  Item film{.input = "a.mkv",
            .output = "a.mp4",
            .stamp = FileStamp{1, 2, 3, 4},
            .content = "c",
            .state = State::Done,
            .attempts = 2,
            .code = ErrorCode::BadInput,
            .error = "e",
            .host = "h",
            .started_s = 12.5};
  film.figures = {.frames = 10,
                  .bytes = 99,
                  .damaged = 1,
                  .wall_s = 0.5,
                  .luma = 0.25,
                  .edges = 0.5,
                  .flicker = 0.125,
                  .ssim = 0.75};
  film.figures.stage_ms[static_cast<std::size_t>(Stage::Map)] = 7;
  film.segments = {
      {.number = 0, .state = State::Done, .attempts = 1, .output = "s0", .figures = film.figures},
      {.number = 1, .state = State::Waiting}};
  Item url{.input = "http://host/b", .output = "b.mp4"};
  {
    auto database = JobDatabase::open(path_);
    ASSERT_TRUE(database) << database.error().message;
    const SettingsRecord record{.text = "t", .font = "f", .program = "p"};
    const auto id = database->add_settings(record);
    ASSERT_TRUE(id);
    EXPECT_EQ(*database->add_settings(record), *id);
    EXPECT_NE(*database->add_settings({.text = "t", .font = "other", .program = "p"}), *id);
    film.settings = url.settings = *id;
    Item* const items[] = {&film, &url};
    ASSERT_TRUE(database->write(items));
  }
  auto database = JobDatabase::open_to_read(path_);
  ASSERT_TRUE(database) << database.error().message;
  EXPECT_EQ(*database->items(), (std::vector{film, url}));
  EXPECT_EQ(database->settings()->size(), 2U);
}

TEST_F(JobDatabaseTest, ItemOfTheSameOutputIsReplaced) {
  auto database = JobDatabase::open(path_);
  ASSERT_TRUE(database);
  Item first{.input = "a.mkv", .output = "a.mp4", .settings = *database->add_settings({})};
  first.segments = {{.number = 0}, {.number = 1}};
  Item* items[] = {&first};
  ASSERT_TRUE(database->write(items));
  Item second{.input = "b.mkv", .output = "a.mp4", .settings = first.settings, .state = State::Done};
  items[0] = &second;
  ASSERT_TRUE(database->write(items));
  EXPECT_EQ(second.id, first.id);
  EXPECT_EQ(*database->items(), std::vector{second});
}

TEST_F(JobDatabaseTest, FailedTransactionChangesNothing) {
  auto database = JobDatabase::open(path_);
  ASSERT_TRUE(database);
  Item good{.input = "a", .output = "a", .settings = *database->add_settings({})};
  Item bad{.input = "b", .output = "b", .settings = 999};  // no settings have this number
  Item* const items[] = {&good, &bad};
  EXPECT_FALSE(database->write(items));
  EXPECT_TRUE(database->items()->empty());
  Item* const rest[] = {&good};
  EXPECT_TRUE(database->write(rest));
}

TEST_F(JobDatabaseTest, NewerVersionIsRefusedAndUnchanged) {
  ASSERT_TRUE(JobDatabase::open(path_));
  run("PRAGMA user_version=99");
  for (const auto& database : {JobDatabase::open(path_), JobDatabase::open_to_read(path_)}) {
    ASSERT_FALSE(database);
    EXPECT_EQ(database.error().code, ErrorCode::Usage);
    EXPECT_NE(database.error().message.find("newer version of this program (format 99, not 1)"),
              std::string::npos);
  }
}

TEST_F(JobDatabaseTest, OtherFilesAreRefusedAndUnchanged) {
  run("CREATE TABLE theirs (a)");
  ASSERT_FALSE(JobDatabase::open(path_));
  EXPECT_EQ(JobDatabase::open(path_).error().code, ErrorCode::Usage);
  run("INSERT INTO theirs VALUES (1)");
  fs::resize_file(path_, 0);
  EXPECT_TRUE(JobDatabase::open(path_));  // SQLite treats an empty file as an empty database
  ASSERT_TRUE(fs::remove(path_));
  EXPECT_EQ(JobDatabase::open_to_read(path_).error().code, ErrorCode::Usage);
}

TEST_F(JobDatabaseTest, SecondOwnerLearnsWhoIsFirst) {
  const std::string lock = path_ + ".lock";
  {
    const auto first = OwnerLock::acquire(lock, "out");
    ASSERT_TRUE(first) << first.error().message;
    const auto second = OwnerLock::acquire(lock, "out");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::Usage);
    EXPECT_NE(second.error().message.find("out is in use by process " + std::to_string(getpid()) + " on "),
              std::string::npos)
        << second.error().message;
  }
  EXPECT_TRUE(OwnerLock::acquire(lock, "out"));
}

TEST(JournalMode, AvoidsTheLogWhereItIsUnsafe) {
  for (const int version : {3'040'001, 3'044'005, 3'045'000, 3'050'006, 3'051'000, 3'051'002})
    EXPECT_EQ(journal_mode(version, true), "TRUNCATE") << version;
  for (const int version : {3'044'006, 3'050'007, 3'051'003, 3'052'000}) {
    EXPECT_EQ(journal_mode(version, true), "WAL") << version;
    EXPECT_EQ(journal_mode(version, false), "TRUNCATE") << version;
  }
}

TEST(JournalMode, DependsOnTheFileSystem) {
  constexpr std::uint32_t Ext4 = 0xEF53, Xfs = 0x58465342, Btrfs = 0x9123683E, Tmpfs = 0x01021994,
                          Zfs = 0x2FC12FC1;
  constexpr std::uint32_t Nfs = 0x6969, Smb2 = 0xFE534D42, Lustre = 0x0BD00BD0, Fuse = 0x65735546,
                          BeeGfs = 0x19830326;
  for (const std::uint32_t magic : {Ext4, Xfs, Btrfs, Tmpfs, Zfs})
    EXPECT_EQ(journal_mode(3'051'003, is_local_file_system(magic)), "WAL") << std::hex << magic;
  for (const std::uint32_t magic : {Nfs, Smb2, Lustre, Fuse, BeeGfs})
    EXPECT_EQ(journal_mode(3'051'003, is_local_file_system(magic)), "TRUNCATE") << std::hex << magic;
}

}  // namespace
}  // namespace glyphreel::batch::job_database_test
