#pragma once

#include <string>

namespace glyphreel::batch {

/// Returns this machine's name.
[[nodiscard]] std::string host_name();

/// Whether a path is on a local file system, as opposed to NFS, SMB, Lustre, FUSE and the like, on which the
/// shared memory of SQLite's write-ahead log does not work.
[[nodiscard]] bool is_on_local_disk(const std::string& path);

}  // namespace glyphreel::batch
