#pragma once

#include <string>

namespace glyphreel::batch {

/// Returns this machine's name.
[[nodiscard]] std::string host_name();

/// Whether a path is on a local file system, not on NFS, SMB, Lustre, FUSE or a similar one. On those, the
/// shared memory of SQLite's write-ahead log may not work. False if it is unknown.
[[nodiscard]] bool is_on_local_disk(const std::string& path);

}  // namespace glyphreel::batch
