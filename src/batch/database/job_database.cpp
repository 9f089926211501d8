#include "batch/database/job_database.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "batch/figures_text.h"
#include "batch/host.h"

namespace glyphreel::batch {
namespace {

constexpr std::int64_t ApplicationId = 0x474C5952;  // "GLYR"

/// Migrations[i] converts a database from version i to version i + 1; version 0 is an empty file.
constexpr std::array<const char*, JobDatabase::Version> Migrations = {R"sql(
CREATE TABLE settings (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  font TEXT NOT NULL,
  program TEXT NOT NULL,
  UNIQUE (text, font, program)
) STRICT;
CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  input TEXT NOT NULL,
  output TEXT NOT NULL UNIQUE,
  device INTEGER, inode INTEGER, size INTEGER, mtime_ns INTEGER,
  content TEXT NOT NULL,
  settings INTEGER NOT NULL REFERENCES settings (id),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
  attempts INTEGER NOT NULL,
  code INTEGER NOT NULL,
  error TEXT NOT NULL,
  host TEXT NOT NULL,
  started_s REAL NOT NULL,
  figures TEXT NOT NULL
) STRICT;
CREATE TABLE segments (
  item INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
  attempts INTEGER NOT NULL,
  output TEXT NOT NULL,
  figures TEXT NOT NULL,
  PRIMARY KEY (item, number)
) STRICT, WITHOUT ROWID;
)sql"};

State state_of(const std::string& name) {
  const auto* const found = std::ranges::find(StateNames, std::string_view(name));
  return found == StateNames.end() ? State::Waiting : static_cast<State>(found - StateNames.begin());
}

Item item_of(const Sqlite::Row& row) {
  Item item{.id = row.integer(0), .input = row.text(1), .output = row.text(2)};
  if (!row.is_null(3)) item.stamp = FileStamp{row.integer(3), row.integer(4), row.integer(5), row.integer(6)};
  item.content = row.text(7);
  item.settings = row.integer(8);
  item.state = state_of(row.text(9));
  item.attempts = static_cast<int>(row.integer(10));
  item.code = static_cast<ErrorCode>(row.integer(11));
  item.error = row.text(12);
  item.host = row.text(13);
  item.started_s = row.real(14);
  item.figures = figures_of(row.text(15));
  item.segments.clear();
  return item;
}

}  // namespace

bool has_safe_wal(int version) {
  return version >= 3'051'003 || (version >= 3'050'007 && version < 3'051'000) ||
         (version >= 3'044'006 && version < 3'045'000);
}

std::string_view journal_mode(int version, bool is_on_local_disk) {
  return is_on_local_disk && has_safe_wal(version) ? "WAL" : "TRUNCATE";
}

Result<void> JobDatabase::check_version(std::int64_t application, std::int64_t version) const {
  if (application != ApplicationId) {
    return Error{ErrorCode::Usage,
                 fmt::format("{} is not a job database of this program; choose a different file with --db.",
                             sqlite_->path()),
                 {}};
  }
  if (version <= Version) return {};
  return Error{
      ErrorCode::Usage,
      fmt::format("The job database {} comes from a newer version of this program (format {}, not {}); "
                  "update the program, or choose a different file with --db.",
                  sqlite_->path(), version, Version),
      {}};
}

Result<void> JobDatabase::prepare_to_write() {
  const std::string folder = std::filesystem::path(sqlite_->path()).parent_path().string();
  TRY(sqlite_->run_script(
      fmt::format("PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; PRAGMA journal_mode={};",
                  journal_mode(sqlite_version(), is_on_local_disk(folder)))));
  return sqlite_->transaction([&]() -> Result<void> {
    TRY_ASSIGN(const std::int64_t application, sqlite_->integer("PRAGMA application_id"));
    TRY_ASSIGN(const std::int64_t version, sqlite_->integer("PRAGMA user_version"));
    TRY_ASSIGN(const std::int64_t tables, sqlite_->integer("SELECT count(*) FROM sqlite_schema"));
    if (application != 0 || version != 0 || tables != 0) TRY(check_version(application, version));
    if (version == Version) return {};
    for (std::int64_t next = version; next < Version; ++next)
      TRY(sqlite_->run_script(Migrations[static_cast<std::size_t>(next)]));
    return sqlite_->run_script(
        fmt::format("PRAGMA application_id={}; PRAGMA user_version={};", ApplicationId, Version));
  });
}

Result<JobDatabase> JobDatabase::open(const std::string& path) {
  TRY_ASSIGN(std::unique_ptr<Sqlite> sqlite, Sqlite::open(path, Sqlite::Access::Write));
  JobDatabase database(std::move(sqlite));
  // Check before writing, so that a database of another program or of a newer version stays unchanged.
  TRY_ASSIGN(const std::int64_t tables, database.sqlite_->integer("SELECT count(*) FROM sqlite_schema"));
  if (tables != 0) {
    TRY_ASSIGN(const std::int64_t application, database.sqlite_->integer("PRAGMA application_id"));
    TRY_ASSIGN(const std::int64_t version, database.sqlite_->integer("PRAGMA user_version"));
    TRY(database.check_version(application, version));
  }
  TRY(database.prepare_to_write());
  return database;
}

Result<JobDatabase> JobDatabase::open_to_read(const std::string& path) {
  std::error_code problem;
  if (!std::filesystem::exists(path, problem)) {
    return Error{
        ErrorCode::Usage,
        fmt::format("There is no job database {}; use the value of -o or --db from an earlier run.", path),
        {}};
  }
  TRY_ASSIGN(std::unique_ptr<Sqlite> sqlite, Sqlite::open(path, Sqlite::Access::Read));
  JobDatabase database(std::move(sqlite));
  TRY_ASSIGN(const std::int64_t application, database.sqlite_->integer("PRAGMA application_id"));
  TRY_ASSIGN(const std::int64_t version, database.sqlite_->integer("PRAGMA user_version"));
  TRY(database.check_version(application, version));
  return database;
}

Result<std::vector<Item>> JobDatabase::items() {
  std::vector<Item> items;
  TRY(sqlite_->run(
      "SELECT id, input, output, device, inode, size, mtime_ns, content, settings, state, attempts, "
      "code, error, host, started_s, figures FROM items ORDER BY id",
      {}, [&](const Sqlite::Row& row) { items.push_back(item_of(row)); }));
  auto item = items.begin();
  TRY(sqlite_->run(
      "SELECT item, number, state, attempts, output, figures FROM segments ORDER BY item, number", {},
      [&](const Sqlite::Row& row) {
        while (item != items.end() && item->id < row.integer(0)) ++item;
        if (item == items.end() || item->id != row.integer(0)) return;
        item->segments.push_back({.number = static_cast<int>(row.integer(1)),
                                  .state = state_of(row.text(2)),
                                  .attempts = static_cast<int>(row.integer(3)),
                                  .output = row.text(4),
                                  .figures = figures_of(row.text(5))});
      }));
  return items;
}

Result<std::vector<SettingsRecord>> JobDatabase::settings() {
  std::vector<SettingsRecord> records;
  TRY(sqlite_->run("SELECT id, text, font, program FROM settings ORDER BY id", {},
                   [&](const Sqlite::Row& row) {
                     records.push_back({row.integer(0), row.text(1), row.text(2), row.text(3)});
                   }));
  return records;
}

Result<std::int64_t> JobDatabase::add_settings(const SettingsRecord& record) {
  const std::array<Sqlite::Value, 3> values = {std::string_view(record.text), std::string_view(record.font),
                                               std::string_view(record.program)};
  std::int64_t id = 0;
  const Result<void> added = sqlite_->transaction([&]() -> Result<void> {
    TRY(sqlite_->run("INSERT OR IGNORE INTO settings (text, font, program) VALUES (?, ?, ?)", values));
    TRY_ASSIGN(
        id, sqlite_->integer("SELECT id FROM settings WHERE text = ? AND font = ? AND program = ?", values));
    return {};
  });
  if (!added) return added.error();
  return id;
}

Result<void> JobDatabase::write_one(Item& item) {
  const auto stamp = [&](std::int64_t FileStamp::*field) {
    return item.stamp ? Sqlite::Value((*item.stamp).*field) : Sqlite::Value(nullptr);
  };
  const std::string figures = figures_text(item.figures);
  const std::array<Sqlite::Value, 15> values = {std::string_view(item.input),
                                                std::string_view(item.output),
                                                stamp(&FileStamp::device),
                                                stamp(&FileStamp::inode),
                                                stamp(&FileStamp::size),
                                                stamp(&FileStamp::mtime_ns),
                                                std::string_view(item.content),
                                                item.settings,
                                                state_name(item.state),
                                                std::int64_t{item.attempts},
                                                static_cast<std::int64_t>(item.code),
                                                std::string_view(item.error),
                                                std::string_view(item.host),
                                                item.started_s,
                                                std::string_view(figures)};
  TRY(sqlite_->run(
      "INSERT INTO items (input, output, device, inode, size, mtime_ns, content, settings, state, attempts, "
      "code, "
      "error, host, started_s, figures) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
      "?15) "
      "ON CONFLICT (output) DO UPDATE SET input=?1, device=?3, inode=?4, size=?5, mtime_ns=?6, content=?7, "
      "settings=?8, state=?9, attempts=?10, code=?11, error=?12, host=?13, started_s=?14, figures=?15 "
      "RETURNING id",
      values, [&](const Sqlite::Row& row) { item.id = row.integer(0); }));
  const std::array<Sqlite::Value, 2> kept = {item.id, static_cast<std::int64_t>(item.segments.size())};
  TRY(sqlite_->run("DELETE FROM segments WHERE item = ? AND number >= ?", kept));
  for (const Segment& segment : item.segments) {
    const std::string measured = figures_text(segment.figures);
    const std::array<Sqlite::Value, 6> row = {item.id,
                                              std::int64_t{segment.number},
                                              state_name(segment.state),
                                              std::int64_t{segment.attempts},
                                              std::string_view(segment.output),
                                              std::string_view(measured)};
    TRY(sqlite_->run(
        "INSERT INTO segments (item, number, state, attempts, output, figures) VALUES (?1, ?2, ?3, ?4, "
        "?5, ?6) ON CONFLICT (item, number) DO UPDATE SET state=?3, attempts=?4, output=?5, figures=?6",
        row));
  }
  return {};
}

void JobDatabase::end_log() {
  static_cast<void>(
      sqlite_->run_script("PRAGMA journal_mode=TRUNCATE"));  // fails if another process uses the file
}

Result<void> JobDatabase::write(std::span<Item* const> items) {
  return sqlite_->transaction([&]() -> Result<void> {
    for (Item* item : items) TRY(write_one(*item));
    return {};
  });
}

}  // namespace glyphreel::batch
