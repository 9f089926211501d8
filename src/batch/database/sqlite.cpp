#include "batch/database/sqlite.h"

#include <sqlite3.h>

#include <utility>

#include <fmt/format.h>

namespace glyphreel::batch {
namespace {

constexpr int BusyTimeoutMs = 10'000;

/// Returns what a result code of SQLite means, and what the user can do about it.
std::string advice(int code) {
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return "cannot be written because the disk is full; free some space and start again";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "cannot be written; check the permissions of its directory, or choose a different file with "
             "--db";
    case SQLITE_CANTOPEN:
      return "cannot be opened; check its directory, or choose a different file with --db";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "is in use by another program; try again later";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "is damaged or not a database; move it away, or choose a different file with --db";
    case SQLITE_IOERR:
      return "cannot be read or written; check the disk and the quota";
    default:
      return "failed unexpectedly; please report it";
  }
}

Error failure_of(const std::string& path, int code, const char* cause) {
  return {ErrorCode::Failed, fmt::format("The job database {} {}.", path, advice(code)), cause};
}

void bind(sqlite3_stmt* statement, int index, const Sqlite::Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, index, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement, index, *real);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    // SQLite stores a null pointer as NULL, and the pointer of an empty view may be null.
    const char* bytes = text->empty() ? "" : text->data();
    sqlite3_bind_text(statement, index, bytes, static_cast<int>(text->size()), SQLITE_STATIC);
  } else {
    sqlite3_bind_null(statement, index);
  }
}

}  // namespace

std::int64_t Sqlite::Row::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Sqlite::Row::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string Sqlite::Row::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

bool Sqlite::Row::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

void Sqlite::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Result<std::unique_ptr<Sqlite>> Sqlite::open(const std::string& path, Access access) {
  const int flags =
      access == Access::Write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  std::unique_ptr<Sqlite> database(new Sqlite(path, connection));  // closes `connection`, even after an error
  if (code != SQLITE_OK)
    return failure_of(path, code, connection != nullptr ? sqlite3_errmsg(connection) : "");
  sqlite3_busy_timeout(connection, BusyTimeoutMs);
  return database;
}

Sqlite::~Sqlite() {
  statements_.clear();
  sqlite3_close(connection_);
}

Error Sqlite::failure() const {
  return failure_of(path_, sqlite3_errcode(connection_), sqlite3_errmsg(connection_));
}

Result<sqlite3_stmt*> Sqlite::prepared(const char* sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second.get();
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v3(connection_, sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr) != SQLITE_OK)
    return failure();
  statements_.emplace(sql, Statement(made));
  return made;
}

Result<void> Sqlite::run(const char* sql, std::span<const Value> values,
                         const std::function<void(const Row&)>& on_row) {
  TRY_ASSIGN(sqlite3_stmt * statement, prepared(sql));
  int index = 0;
  for (const Value& value : values) bind(statement, ++index, value);
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (on_row) on_row(Row(statement));
  }
  Result<void> result;
  if (code != SQLITE_DONE) result = failure();
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return result;
}

Result<void> Sqlite::run_script(const std::string& sql) {
  if (sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failure();
  return {};
}

Result<std::int64_t> Sqlite::integer(const char* sql, std::span<const Value> values) {
  std::int64_t result = 0;
  TRY(run(sql, values, [&](const Row& row) { result = row.integer(0); }));
  return result;
}

Result<void> Sqlite::transaction(const std::function<Result<void>()>& work) {
  // Lock for writing from the start: a transaction that begins with a read fails at its first write, without
  // waiting, if another connection is writing.
  TRY(run("BEGIN IMMEDIATE"));
  Result<void> done = work();
  if (done) done = run("COMMIT");
  if (!done) static_cast<void>(run_script("ROLLBACK"));  // fails if the error has ended the transaction
  return done;
}

int sqlite_version() {
  return sqlite3_libversion_number();
}

}  // namespace glyphreel::batch
