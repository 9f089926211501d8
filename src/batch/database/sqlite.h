#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace glyphreel::batch {

/// A connection to an SQLite database. Caches prepared statements.
/// Thread-safety: one thread at a time.
class Sqlite {
 public:
  enum class Access { Write, Read };  ///< Write creates the file if it is missing
  using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string_view>;

  /// A row of a result; valid only during the `on_row` call that receives it.
  class Row {
   public:
    explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const;  ///< empty for NULL
    [[nodiscard]] bool is_null(int column) const;

   private:
    sqlite3_stmt* statement_;
  };

  /// Opens a file. Statements wait up to ten seconds while another process writes to it. Errors: Failed.
  [[nodiscard]] static Result<std::unique_ptr<Sqlite>> open(const std::string& path, Access access);
  ~Sqlite();
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  /// Runs one statement, with `values` for its question marks, and passes each row of the result to `on_row`.
  /// `sql` must be a literal, because the cache of prepared statements refers to it. Errors: Failed, for
  /// example if the disk is full.
  [[nodiscard]] Result<void> run(const char* sql, std::span<const Value> values = {},
                                 const std::function<void(const Row&)>& on_row = {});
  /// Runs one or more statements, which are separated by semicolons and contain no question marks.
  [[nodiscard]] Result<void> run_script(const std::string& sql);
  /// Returns the first column of a statement's only row; 0 if there is no row.
  [[nodiscard]] Result<std::int64_t> integer(const char* sql, std::span<const Value> values = {});
  /// Calls `work` in a write transaction. Commits the transaction, or undoes it if `work` fails.
  [[nodiscard]] Result<void> transaction(const std::function<Result<void>()>& work);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  Sqlite(std::string path, sqlite3* connection) : path_(std::move(path)), connection_(connection) {}
  [[nodiscard]] Error failure() const;
  [[nodiscard]] Result<sqlite3_stmt*> prepared(const char* sql);

  std::string path_;
  sqlite3* connection_;  ///< the destructor closes it after finalizing the prepared statements
  std::map<std::string_view, Statement> statements_;
};

/// Returns the version number of the SQLite library, such as 3040001.
[[nodiscard]] int sqlite_version();

}  // namespace glyphreel::batch
