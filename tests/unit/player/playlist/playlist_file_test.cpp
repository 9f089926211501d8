#include "player/playlist/playlist_file.h"

#include <gtest/gtest.h>

namespace glyphreel::player::playlist_file_test {
namespace {

using Lines = std::vector<PlaylistEntry>;

TEST(ReadM3u, ReadsTitlesAndSkipsComments) {
  const auto lines = read_playlist("a.m3u",
                                   "\xEF\xBB\xBF#EXTM3U\r\n"
                                   "#PLAYLIST:Evenings\r\n"
                                   "# a comment\r\n"
                                   "\r\n"
                                   "#EXTINF:12.5 tvg-logo=\"a,b.png\",First, the best\r\n"
                                   "first video.mkv\r\n"
                                   "  second.mp4  \r\n"
                                   "#EXTINF:-1,\r\n"
                                   "#EXTVLCOPT:start-time=3\r\n"
                                   "http://example.org/third?x=1#y\r\n"
                                   "#EXTINF:1,Last\n"
                                   "last.mkv");
  ASSERT_TRUE(lines);
  EXPECT_EQ(*lines, (Lines{{"first video.mkv", "First, the best"},
                           {"second.mp4", ""},
                           {"http://example.org/third?x=1#y", ""},
                           {"last.mkv", "Last"}}));
}

TEST(ReadM3u, HlsIsAStream) {
  EXPECT_FALSE(read_playlist("a.m3u", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n"));
  EXPECT_FALSE(read_playlist("a.m3u", "#EXTM3U\r\n#EXTINF:4,\r\na.ts\r\n#EXT-X-ENDLIST\r\n"));
  EXPECT_EQ(read_playlist("a.m3u", ""), Lines{});
  EXPECT_EQ(read_playlist("a.m3u", "#EXTM3U\n#EXTINF"), Lines{});
}

TEST(ReadPls, OrdersByNumber) {
  EXPECT_EQ(
      read_playlist("a.pls",
                    "[playlist]\r\nNumberOfEntries=3\r\nFile10=z.mkv\r\nfile2 = b=c.mkv\r\nTitle2=Two\r\n"
                    "Title7=no file\r\nFile1=a.mkv\r\nLength1=-1\r\nVersion=2\r\nFileX=no\r\n"),
      (Lines{{"a.mkv", ""}, {"b=c.mkv", "Two"}, {"z.mkv", ""}}));
  EXPECT_EQ(read_playlist("a.pls", ""), Lines{});
}

TEST(PlaylistName, HasKnownExtensions) {
  for (const char* name : {"a.m3u", "b/A.M3U8", "x.pls", "http://host/list.m3u8?token=a.mp4"}) {
    EXPECT_TRUE(is_playlist_name(name)) << name;
  }
  for (const char* name : {"m3u", "a.m3u.mkv", "http://host/a.mp4?list=b.m3u", "a.m3u?x", ""}) {
    EXPECT_FALSE(is_playlist_name(name)) << name;
  }
}

TEST(ResolveOnNetwork, JoinsLikeBrowsers) {
  const char* base = "https://host:81/dir/list.m3u?a=/b/c";
  EXPECT_EQ(resolve_on_network(base, "video.mkv"), "https://host:81/dir/video.mkv");
  EXPECT_EQ(resolve_on_network(base, "/video.mkv"), "https://host:81/video.mkv");
  EXPECT_EQ(resolve_on_network(base, "//other/video.mkv"), "https://other/video.mkv");
  EXPECT_EQ(resolve_on_network(base, "http://other/live"), "http://other/live");
  EXPECT_EQ(resolve_on_network("http://host", "video.mkv"), "http://host/video.mkv");
  EXPECT_EQ(resolve_on_network("http://host?x=/a/b", "video.mkv"), "http://host/video.mkv");
}

TEST(ResolveOnNetwork, RejectsLocalNames) {
  for (const char* location : {"file:///etc/passwd",
                               "FILE:///etc/passwd",
                               "file:/etc/passwd",
                               "concat:/etc/passwd|/etc/group",
                               "camera:",
                               "screen:",
                               "lavfi:movie=/etc/passwd",
                               "mf:///etc/*",
                               "av://lavfi:movie=/etc/passwd",
                               "pipe:0",
                               "fd:0",
                               "subfile,,start,0,end,0,,:/etc/passwd",
                               "crypto:/etc/passwd",
                               "tcp://host:22",
                               "udp://@239.0.0.1:5000",
                               "rtmp://host/live?listen=1",
                               "demo:",
                               "C:\\videos\\a.avi",
                               "data:text/plain,x",
                               "unix:///run/x",
                               ""}) {
    EXPECT_EQ(resolve_on_network("http://host/list.m3u", location), std::nullopt) << location;
  }
  // An absolute path is resolved on the server.
  EXPECT_EQ(resolve_on_network("http://host/list.m3u", "/etc/passwd"), "http://host/etc/passwd");
}

TEST(PathOfFileUrl, Decodes) {
  EXPECT_EQ(path_of_file_url("file:///a%20b%2Fc%zz%4"), "/a b/c%zz%4");
  EXPECT_EQ(path_of_file_url("FILE://localhost/a"), "/a");
  EXPECT_EQ(path_of_file_url("file:///a%41"), "/aA");
  EXPECT_EQ(path_of_file_url("file:///a%00b"), "/a%00b");
  EXPECT_EQ(path_of_file_url("file://other/a"), std::nullopt);
  EXPECT_EQ(path_of_file_url("file.mp4"), std::nullopt);
}

}  // namespace
}  // namespace glyphreel::player::playlist_file_test
