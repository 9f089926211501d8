#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file_descriptor.h"
#include "base/input_files.h"
#include "base/result.h"

namespace glyphreel {

/// An output file: every file that this program writes passes here. The bytes go to a temporary file in the
/// target's folder, which commit() gives the target's name, so that a file under that name is always
/// complete. Symbolic links at the target are followed. Devices and FIFOs are written straight through and
/// never replaced; writing to them can be interrupted.
///
///   TRY_ASSIGN(const std::unique_ptr<AtomicFile> file, AtomicFile::create({.path = path}));
///   if (const std::error_code failure = file->write(bytes)) return unwritable(path, failure);
///   return file->commit();
///
/// Thread-safety: one thread at a time.
class AtomicFile {
 public:
  /// What becomes of a file that already has the name.
  enum class Existing { Refuse, Replace };
  /// How the temporary file is named.
  enum class Temporary {
    Part,    ///< NAME.part.EXT: for what takes long to write. It is locked, so that two writers do not meet.
    Copy,    ///< NAME.finishing.EXT, or NAME.finishing-2.EXT ...: for a second version of a Part
    Hidden,  ///< .glyphreel-PID-N: for what is written at once
  };
  struct Options {
    std::string path;
    Existing existing =
        Existing::Refuse;  ///< with Replace, a NAME.part.EXT without a writer is replaced as well
    Temporary temporary = Temporary::Part;
    InputFiles inputs;  ///< files that are neither replaced nor used as the temporary file
  };
  /// Errors: Usage where the target is a directory, an input, exists (Refuse), or is being written by another
  /// program, or where an earlier NAME.part.EXT is still there; Interrupted, while a FIFO waits for its
  /// reader; else Failed.
  [[nodiscard]] static Result<std::unique_ptr<AtomicFile>> create(Options options);
  /// What create() would refuse, without creating anything. Errors: create()'s.
  [[nodiscard]] static Result<void> check(Options options);
  /// Removes the temporary file unless it is to be kept.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Writes all of `bytes`; blocks, on a device or FIFO until it takes them or the user interrupts.
  [[nodiscard]] std::error_code write(std::string_view bytes);
  /// For seeking. Owned by this object.
  [[nodiscard]] int descriptor() const { return file_.number(); }
  /// False for a device or FIFO: there is no temporary file, and commit() only closes.
  [[nodiscard]] bool is_regular() const { return !temporary_.empty(); }

  /// Whether the temporary file stays where commit() is not reached, or fails. At first it does not.
  void keep() { is_kept_ = true; }
  [[nodiscard]] bool is_kept() const { return is_kept_; }
  void discard() { is_kept_ = false; }
  /// Flushes the file to the disk, gives it its name, and flushes the folder. Errors: Failed, also where the
  /// target appeared meanwhile (Refuse).
  [[nodiscard]] Result<void> commit();
  /// The temporary file while it is there under its name; else empty.
  [[nodiscard]] std::string temporary_path() const;

 private:
  explicit AtomicFile(Options options) : options_(std::move(options)) {}
  enum class Kind { Regular, Stream };
  /// What the target is, and whether it may be written.
  [[nodiscard]] Result<Kind> inspect();
  [[nodiscard]] Result<void> open_stream();
  [[nodiscard]] Result<void> open_temporary();
  [[nodiscard]] Result<bool> open_new(const std::string& candidate);
  [[nodiscard]] Result<void> remove_leftover(const std::string& part) const;
  [[nodiscard]] Error commit_failure(int error_number) const;

  Options options_;
  std::string target_;     ///< options_.path with the links at its end resolved
  std::string temporary_;  ///< empty: written straight through
  FileDescriptor file_;
  bool is_kept_ = false;
};

/// Opens a file that grows under its own name, such as a log: emptied, and locked against other writers.
/// Errors: Usage where it is being written by another program; else Failed.
[[nodiscard]] Result<FileDescriptor> open_log(const std::string& path);

/// The file that a chain of symbolic links leads to, whether it is there or not. Links of /proc are not
/// followed: they lead to open files, which need not have a name.
[[nodiscard]] std::string follow_links(const std::string& path);

/// NAME.part.EXT for NAME.EXT.
[[nodiscard]] std::string part_path(const std::string& path);

/// Writes a whole small file: create(), write(), commit().
[[nodiscard]] Result<void> write_file(AtomicFile::Options options, std::string_view bytes);

/// Why `path` cannot be written, in a sentence: no such folder, no permission, full disk ... Code Failed.
[[nodiscard]] Error unwritable(const std::string& path, std::error_code cause);

}  // namespace glyphreel
