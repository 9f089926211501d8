#include "player/playlist/playlist.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../../../temporary_files.h"

namespace glyphreel::player::playlist_test {
namespace {

namespace fs = std::filesystem;

/// Provides a temporary folder, which is the working directory during the test.
class PlaylistTest : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::current_path(folder_.path());
  }
  void TearDown() override { fs::current_path(before_); }

  static void make(const std::string& name, const std::string& text = "x") {
    const fs::path path(name);
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  static std::vector<std::string> urls(const std::vector<std::string>& inputs) {
    std::vector<std::string> result;
    for (const PlaylistEntry& entry : expand_inputs(inputs).entries) result.push_back(entry.url);
    return result;
  }
  static std::size_t problems(const std::vector<std::string>& inputs) {
    return expand_inputs(inputs).problems.size();
  }

  const test::TemporaryFolder folder_;
  fs::path before_;
};
using Strings = std::vector<std::string>;

Error failure(const std::string& what) {
  return {ErrorCode::BadInput, what, {}};
}

TEST_F(PlaylistTest, NonFilesAreKeptUnchanged) {
  const Strings inputs = {
      "-",          "demo:",          "camera:1", "screen:640x480+0+0", "lavfi:testsrc2=size=1280x720",
      "http://h/a", "no.mp4",         "mf://a*",  "rtmp://h/*",         "http://h/%04d.png",
      "nonsense:x", "av://lavfi:a[b]"};
  EXPECT_EQ(urls(inputs), inputs);
  EXPECT_EQ(problems(inputs), 0U);
}

TEST_F(PlaylistTest, FolderIsInNaturalOrderWithoutCovers) {
  for (const char* name : {"d/video 10.mkv", "d/video 9.MKV", "d/cover.jpg", "d/.hidden.mkv", "d/notes.txt",
                           "d/a/1.mp4", "d/a/cover.png", "d/.git/2.mp4", "d/noending", "d/list.m3u"}) {
    make(name);
  }
  fs::create_directory_symlink("..", "d/a/loop");
  const Strings found = urls({"d"});
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(Strings(found.begin(), found.begin() + 3),
            (Strings{"d/video 9.MKV", "d/video 10.mkv", "d/a/1.mp4"}));
  EXPECT_LT(found.size(), 100U);
}

TEST_F(PlaylistTest, FolderOfImagesIsListed) {
  for (const char* name : {"p/2.png", "p/10.JPG", "p/1.webp", "p/sub/0.png", "p/readme"}) make(name);
  EXPECT_EQ(urls({"p/"}), (Strings{"p/1.webp", "p/2.png", "p/10.JPG", "p/sub/0.png"}));
}

TEST_F(PlaylistTest, EmptyFolderIsAProblem) {
  fs::create_directory("empty");
  const ExpandedInputs expanded = expand_inputs({"empty", "a.mkv"});
  EXPECT_EQ(expanded.entries, (std::vector<PlaylistEntry>{{"a.mkv", ""}}));
  ASSERT_EQ(expanded.problems.size(), 1U);
  EXPECT_NE(expanded.problems[0].message.find("empty contains no videos"), std::string::npos);
}

TEST_F(PlaylistTest, Globs) {
  for (const char* name : {"a2.mkv", "a10.mkv", "b.mp4", "[1].mkv", "one.png", "s-1.png", "s-2.png"})
    make(name);
  EXPECT_EQ(urls({"a*.mkv"}), (Strings{"./a2.mkv", "./a10.mkv"}));
  EXPECT_EQ(urls({"{b,a2}.*"}), (Strings{"./a2.mkv", "./b.mp4"}));
  EXPECT_EQ(urls({"[1].mkv"}), (Strings{"[1].mkv"}));  // a file has this name, so this is not a pattern
  EXPECT_EQ(urls({"s-*.png"}), (Strings{"mf://s-*.png"}));
  EXPECT_EQ(urls({"o*.png"}), (Strings{"./one.png"}));
  EXPECT_EQ(urls({"s-%d.png"}), (Strings{"mf://s-%d.png"}));
  EXPECT_EQ(urls({"*.none"}), Strings{});
  EXPECT_EQ(problems({"*.none"}), 1U);
}

TEST_F(PlaylistTest, PlaylistsReferenceSiblingsAndNetwork) {
  make("lists/one.m3u",
       "#EXTM3U\r\n#EXTINF:3,The "
       "title\r\nvideo.mkv\r\n/abs/video.mkv\r\nhttp://h/video.mkv\r\nfile:///x%20y.mkv\r\n"
       "camera:\r\n-\r\nlavfi:testsrc2\r\nconcat:a|b\r\nsub\r\ntwo.pls\r\n");
  make("lists/two.pls", "[playlist]\nFile1=../up.mkv\nTitle1=Up\n");
  make("lists/sub/b.mkv");
  const ExpandedInputs expanded = expand_inputs({"lists/one.m3u"});
  EXPECT_EQ(expanded.entries,
            (std::vector<PlaylistEntry>{{"lists/video.mkv", "The title"},
                                        {"/abs/video.mkv", ""},
                                        {"http://h/video.mkv", ""},
                                        {"/x y.mkv", ""},
                                        {"lists/camera:", ""},  // treated as a file despite its name
                                        {"lists/-", ""},
                                        {"lists/lavfi:testsrc2", ""},
                                        {"lists/concat:a|b", ""},
                                        {"lists/sub/b.mkv", ""},
                                        {"lists/../up.mkv", "Up"}}));
  fs::current_path("lists");
  EXPECT_EQ(urls({"one.m3u"})[4], "./camera:");
  fs::current_path(folder_.path());
}

TEST_F(PlaylistTest, SelfReferencingPlaylistsEnd) {
  make("loop.m3u", "a.mkv\nloop.m3u\nb.mkv\n");
  const ExpandedInputs expanded = expand_inputs({"loop.m3u"});
  EXPECT_EQ(expanded.entries.size(), 16U);
  EXPECT_EQ(expanded.problems.size(), 1U);
}

TEST_F(PlaylistTest, HlsOnDiskIsOneEntry) {
  make("live.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n");
  EXPECT_EQ(urls({"live.m3u8"}), Strings{"live.m3u8"});
}

TEST_F(PlaylistTest, GoesForwardAndBack) {
  Playlist playlist({"a", "b", "c"});
  EXPECT_FALSE(playlist.previous());
  EXPECT_EQ(playlist.current()->url, "a");
  EXPECT_TRUE(playlist.next());
  EXPECT_TRUE(playlist.next());
  EXPECT_FALSE(playlist.next());
  EXPECT_EQ(playlist.current()->url, "c");
  EXPECT_TRUE(playlist.previous());
  EXPECT_EQ(playlist.current()->url, "b");
  playlist.advance();
  playlist.advance();
  EXPECT_EQ(playlist.current(), nullptr);
}

TEST_F(PlaylistTest, SelectsByPosition) {
  Playlist playlist({"a", "b", "c"});
  playlist.select(2);
  EXPECT_EQ(playlist.current()->url, "c");
  EXPECT_EQ(playlist.position(), 2U);
  playlist.select(1);
  playlist.skip_current(failure("b is bad."));
  EXPECT_EQ(playlist.current()->url, "a") << "skipping continues in the direction of the last move";
  playlist.select(9);
  EXPECT_EQ(playlist.current()->url, "c");
}

TEST_F(PlaylistTest, EndsWhenNothingPlays) {
  Playlist playlist({"a", "b"});
  playlist.skip_current(failure("a is bad."));
  ASSERT_NE(playlist.current(), nullptr);
  EXPECT_EQ(playlist.current()->url, "b");
  playlist.skip_current(failure("b is bad."));
  EXPECT_EQ(playlist.current(), nullptr);
  EXPECT_EQ(playlist.take_problems().size(), 2U);
  EXPECT_TRUE(playlist.take_problems().empty());
  ASSERT_FALSE(playlist.outcome());
  EXPECT_EQ(playlist.outcome().error().message,
            "None of the 2 inputs could be played; the messages above give the reasons.");
  EXPECT_EQ(playlist.outcome().error().code, ErrorCode::BadInput);
}

TEST_F(PlaylistTest, SkipsFailuresInDirectionOfTravel) {
  Playlist playlist({"a", "bad", "c", "worse"});
  playlist.set_played();
  playlist.advance();
  playlist.skip_current(failure("bad."));
  EXPECT_EQ(playlist.current()->url, "c");
  EXPECT_EQ(playlist.take_problems().size(), 1U);
  EXPECT_TRUE(playlist.next());
  playlist.skip_current(failure("worse."));
  EXPECT_EQ(playlist.current(), nullptr);
  EXPECT_TRUE(playlist.outcome());

  Playlist back({"a", "bad", "c"});
  EXPECT_TRUE(back.next());
  EXPECT_TRUE(back.next());
  EXPECT_TRUE(back.previous());
  back.skip_current(failure("bad."));
  EXPECT_EQ(back.current()->url, "a");
}

TEST_F(PlaylistTest, OnlyFailureIsReportedOnce) {
  Playlist playlist({"missing.mkv"});
  playlist.skip_current(failure("There is no file missing.mkv."));
  EXPECT_TRUE(playlist.take_problems().empty());
  ASSERT_FALSE(playlist.outcome());
  EXPECT_EQ(playlist.outcome().error().message, "There is no file missing.mkv.");

  fs::create_directory("empty");
  Playlist folder({"empty"});
  EXPECT_EQ(folder.current(), nullptr);
  EXPECT_TRUE(folder.take_problems().empty());
  EXPECT_FALSE(folder.outcome());
}

TEST_F(PlaylistTest, Drops) {
  Playlist playlist({"a", "b"});
  EXPECT_TRUE(playlist.next());
  fs::create_directory("empty");
  EXPECT_FALSE(playlist.replace({"empty"}));
  EXPECT_EQ(playlist.current()->url, "b");
  EXPECT_EQ(playlist.take_problems().size(), 1U);
  EXPECT_TRUE(playlist.replace({"n", "m"}));
  EXPECT_EQ(playlist.current()->url, "n");
  EXPECT_EQ(playlist.size(), 2U);
}

TEST_F(PlaylistTest, NetworkPlaylistIsReadWhenReached) {
  Playlist playlist({"a.mkv", "http://h/d/list.m3u", "b.mkv"});
  EXPECT_FALSE(playlist.is_network_playlist());
  playlist.advance();
  ASSERT_TRUE(playlist.is_network_playlist());
  playlist.expand_current(std::string("#EXTINF:1,One\none.mkv\nfile:///etc/passwd\nlist.m3u\n"));
  EXPECT_EQ(playlist.entries(),
            (std::vector<PlaylistEntry>{
                {"a.mkv", ""}, {"http://h/d/one.mkv", "One"}, {"http://h/d/list.m3u", ""}, {"b.mkv", ""}}));
  EXPECT_EQ(playlist.current()->url, "http://h/d/one.mkv");
  EXPECT_EQ(playlist.take_problems().size(), 1U);
  playlist.advance();
  EXPECT_FALSE(playlist.is_network_playlist());  // list.m3u has already been read
}

TEST_F(PlaylistTest, NetworkPlaylistMayBeStreamOrMissing) {
  Playlist playlist({"http://h/live.m3u8", "http://h/gone.m3u"});
  ASSERT_TRUE(playlist.is_network_playlist());
  playlist.expand_current(std::string("#EXTM3U\n#EXT-X-VERSION:3\n"));
  EXPECT_FALSE(playlist.is_network_playlist());
  EXPECT_EQ(playlist.current()->url, "http://h/live.m3u8");
  playlist.advance();
  ASSERT_TRUE(playlist.is_network_playlist());
  playlist.expand_current(failure("It is not there."));
  EXPECT_EQ(playlist.current(), nullptr);
}

TEST_F(PlaylistTest, StillImagesAdvanceOnlyAmongOthers) {
  EXPECT_EQ(Playlist({"a.png"}).still_image_seconds(), std::nullopt);
  EXPECT_EQ(Playlist({"a.png", "b.png"}).still_image_seconds(), ImageDisplaySeconds);
}

TEST_F(PlaylistTest, ShufflesEveryEntryOnce) {
  std::vector<std::string> inputs;
  for (int i = 0; i < 100; ++i) inputs.push_back(std::to_string(i) + ".mkv");
  const Playlist playlist(inputs, Playlist::Order::Shuffled);
  std::vector<std::string> urls;
  for (const PlaylistEntry& entry : playlist.entries()) urls.push_back(entry.url);
  EXPECT_NE(urls, inputs);
  EXPECT_THAT(urls, ::testing::UnorderedElementsAreArray(inputs));
}

TEST_F(PlaylistTest, EntriesHaveDisplayNames) {
  EXPECT_EQ((PlaylistEntry{"/videos/a b.mkv", ""}).name(), "a b.mkv");
  EXPECT_EQ((PlaylistEntry{"/videos/a b.mkv", "A to B"}).name(), "A to B");
  EXPECT_EQ((PlaylistEntry{"http://me:secret@h/x.mp4", ""}).name(), "http://me@h/x.mp4");
  EXPECT_EQ((PlaylistEntry{"camera:", ""}).name(), "camera:");
}

}  // namespace
}  // namespace glyphreel::player::playlist_test
