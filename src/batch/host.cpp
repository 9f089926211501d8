#include "batch/host.h"

#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace glyphreel::batch {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

bool is_local_file_system(std::uint32_t magic) {
  // Magic numbers of file systems that may be remote, from statfs(2) and the kernel's sources.
  constexpr std::array<std::uint32_t, 16> Remote = {
      0x00006969,  // NFS
      0x0000517B,  // SMB
      0xFE534D42,  // SMB2
      0xFF534D42,  // CIFS
      0x0BD00BD0,  // Lustre
      0x65735546,  // FUSE, such as SSHFS
      0x00C36400,  // Ceph
      0x5346414F,  // AFS
      0x6B414653,  // kAFS
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
      0x01021997,  // 9P
      0x7461636F,  // OCFS2
      0x01161970,  // GFS2
      0x786F4256,  // VirtualBox shared folder
      0xAAD7AAEA,  // PanFS
  };
  return std::ranges::find(Remote, magic) == Remote.end();
}

bool is_on_local_disk(const std::string& path) {
  struct statfs status {};
  return ::statfs(path.c_str(), &status) == 0 &&
         is_local_file_system(static_cast<std::uint32_t>(status.f_type));
}

}  // namespace glyphreel::batch
