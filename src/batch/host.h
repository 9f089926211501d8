#pragma once

#include <cstdint>
#include <string>

namespace glyphreel::batch {

/// Returns this machine's name.
[[nodiscard]] std::string host_name();

/// Whether a file system, given by its magic number (`f_type` of statfs(2)), is local: not NFS, SMB, Lustre,
/// FUSE or a similar one. On file systems that are not local, the shared memory of SQLite's write-ahead log
/// may not work.
[[nodiscard]] bool is_local_file_system(std::uint32_t magic);
/// Whether a path is on a local file system. False if the file system cannot be determined.
[[nodiscard]] bool is_on_local_disk(const std::string& path);

}  // namespace glyphreel::batch
