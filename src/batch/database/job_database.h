#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "batch/database/sqlite.h"
#include "batch/item.h"

namespace glyphreel::batch {

/// What an output depends on, apart from its input.
struct SettingsRecord {
  std::int64_t id = 0;
  std::string text;     ///< canonical_settings()
  std::string font;     ///< checksum of the glyphs
  std::string program;  ///< version of the program
  bool operator==(const SettingsRecord&) const = default;
};

/// The state of a batch: its items and their segments, in an SQLite file. Each output is one item. The format
/// has a version number; a file with a newer format is refused. Only the process that holds the OwnerLock
/// opens the file for writing.
/// Thread-safety: one thread at a time.
class JobDatabase {
 public:
  static constexpr int Version = 1;

  /// Opens a job database; creates it if it is missing. Errors: Usage if the file is not a job database or
  /// has a newer format; otherwise Failed.
  [[nodiscard]] static Result<JobDatabase> open(const std::string& path);
  /// Opens an existing file for reading, even while another process writes to it. Errors: those of open();
  /// Usage if the file does not exist.
  [[nodiscard]] static Result<JobDatabase> open_to_read(const std::string& path);

  /// Returns all items in the order of their ids.
  [[nodiscard]] Result<std::vector<Item>> items();
  /// Returns all settings in the order of their ids.
  [[nodiscard]] Result<std::vector<SettingsRecord>> settings();
  /// Returns the id of these settings, and adds them if they are new. Ignores `record.id`.
  [[nodiscard]] Result<std::int64_t> add_settings(const SettingsRecord& record);
  /// Writes items in one transaction and sets the ids of new items. Each item replaces the stored item with
  /// the same output.
  [[nodiscard]] Result<void> write(std::span<Item* const> items);
  /// Switches the database from a write-ahead log to a rollback journal, if possible, because a database with
  /// a write-ahead log cannot be opened on a read-only file system. Call this after the last write().
  void end_log();

 private:
  explicit JobDatabase(std::unique_ptr<Sqlite> sqlite) : sqlite_(std::move(sqlite)) {}
  [[nodiscard]] Result<void> check_version(std::int64_t application, std::int64_t version) const;
  [[nodiscard]] Result<void> prepare_to_write();
  [[nodiscard]] Result<void> write_one(Item& item);

  std::unique_ptr<Sqlite> sqlite_;
};

/// Whether WAL mode is safe in this version of SQLite. In versions 3.7.0 to 3.51.2, except fixed releases of
/// 3.44 and 3.50, two connections that wrote and checkpointed at the same time could damage the database
/// (https://sqlite.org/wal.html).
[[nodiscard]] bool has_safe_wal(int sqlite_version);
/// Returns the journal mode for a database: WAL if the disk is local and has_safe_wal() is true; otherwise
/// TRUNCATE.
[[nodiscard]] std::string_view journal_mode(int sqlite_version, bool is_on_local_disk);

}  // namespace glyphreel::batch
