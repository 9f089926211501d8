#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "base/io/file_descriptor.h"
#include "base/io/input_files.h"
#include "base/result.h"

namespace glyphreel {

/// An output file. The program writes all of its outputs through this class. The target is the file
/// Options::path or, if that is a symbolic link, the file to which the link leads. The bytes are written to a
/// temporary file in the target's folder, and commit() renames the temporary file to the target's name, so
/// that a file with the target's name is always complete. A device or FIFO is written directly and never
/// replaced, and the user can interrupt the writing.
///
///   TRY_ASSIGN(const std::unique_ptr<AtomicFile> file, AtomicFile::create({.path = path}));
///   if (const std::error_code failure = file->write(bytes)) return unwritable(path, failure);
///   return file->commit();
///
/// Thread-safety: one thread at a time.
class AtomicFile {
 public:
  /// What to do if the target already exists.
  enum class Existing { Refuse, Replace };
  /// How the temporary file is named.
  enum class Temporary {
    Part,    ///< NAME.part.EXT: for files that take a long time to write. Locked against a second writer.
    Copy,    ///< NAME.finishing.EXT, or NAME.finishing-2.EXT ...: for a rewritten copy of a Part file
    Hidden,  ///< .glyphreel-PID-N: for small files, which take little time to write
  };
  struct Options {
    std::string path;
    /// With Replace, create() also replaces an existing NAME.part.EXT and removes the Copy files that a
    /// killed program left. create() fails if another program is writing NAME.part.EXT.
    Existing existing = Existing::Refuse;
    Temporary temporary = Temporary::Part;
    InputFiles inputs;  ///< never replaced, and never used as the temporary file
  };
  /// Creates the output. Errors: Usage if the target is a directory, a block device or an input, if another
  /// program is writing it, or, with Refuse, if the target or an unfinished NAME.part.EXT exists; Interrupted
  /// if the user interrupts the wait for a FIFO's reader; otherwise Failed.
  [[nodiscard]] static Result<std::unique_ptr<AtomicFile>> create(Options options);
  /// Checks the target and its folder like create(), without creating anything. Does not look for an
  /// unfinished NAME.part.EXT or wait for a FIFO's reader. Errors: Usage or Failed, as in create().
  [[nodiscard]] static Result<void> check(Options options);
  /// Removes the temporary file unless is_kept().
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Writes all of `bytes`. Blocks until they are written. The user can interrupt a write to a device or
  /// FIFO.
  [[nodiscard]] std::error_code write(std::string_view bytes);
  /// Replaces everything that was written, atomically: if the program is killed, the temporary file has
  /// either the old or the new bytes. Call only if is_regular(). Errors: Failed; Usage if another program is
  /// writing the file. A rewrite that fails does not change the temporary file.
  [[nodiscard]] Result<void> rewrite(std::string_view bytes);
  /// Returns the file descriptor, for seeking. This object owns it.
  [[nodiscard]] int descriptor() const { return file_.number(); }
  /// Whether the target is a regular file. If the target is a device or FIFO, there is no temporary file, and
  /// commit() only closes the target.
  [[nodiscard]] bool is_regular() const { return !temporary_.empty(); }

  /// keep() and discard() select what happens to the temporary file if commit() fails or is not called: the
  /// file remains, or the destructor removes it. discard() is the default.
  void keep() { is_kept_ = true; }
  [[nodiscard]] bool is_kept() const { return is_kept_; }
  void discard() { is_kept_ = false; }
  /// Flushes the file to disk, renames it to the target, and flushes the folder. Errors: Failed. With
  /// Refuse, it is also an error if another program has created the target since create().
  [[nodiscard]] Result<void> commit();
  /// Returns the path of the temporary file. Empty if there is none, or if it was renamed or removed.
  [[nodiscard]] std::string temporary_path() const;

 private:
  explicit AtomicFile(Options options) : options_(std::move(options)) {}
  enum class Kind { Regular, Stream };
  /// Determines what the target is, and whether it may be written.
  [[nodiscard]] Result<Kind> inspect();
  [[nodiscard]] Result<void> open_stream();
  [[nodiscard]] Result<void> open_temporary();
  [[nodiscard]] Result<bool> open_new(const std::string& candidate);
  [[nodiscard]] Result<void> remove_leftover(const std::string& part) const;
  void remove_copies() const;
  [[nodiscard]] Error commit_failure(int error_number) const;

  Options options_;
  std::string target_;     ///< options_.path after resolve_links()
  std::string temporary_;  ///< path of the temporary file; empty: the target is written directly
  FileDescriptor file_;
  bool is_kept_ = false;
};

/// Opens a log file, which is written directly, without a temporary file. Empties the file and locks it
/// against other writers. Errors: Usage if another program is writing it; otherwise Failed.
[[nodiscard]] Result<FileDescriptor> open_log(const std::string& path);

/// Returns the final target of a chain of symbolic links. The target need not exist. Links in /proc are not
/// followed, because they refer to open files, which may have no name.
[[nodiscard]] std::string resolve_links(const std::string& path);

/// Returns NAME.part.EXT for NAME.EXT.
[[nodiscard]] std::string part_path(const std::string& path);

/// Writes a whole small file: create(), write(), commit().
[[nodiscard]] Result<void> write_file(AtomicFile::Options options, std::string_view bytes);

/// Returns an Error that explains why `path` cannot be written, for example a missing folder or a full disk.
/// Its code is Interrupted if `cause` is ECANCELED, otherwise Failed.
[[nodiscard]] Error unwritable(const std::string& path, std::error_code cause);

}  // namespace glyphreel
