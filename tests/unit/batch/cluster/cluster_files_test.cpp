#include "batch/cluster/cluster_files.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "batch/cluster/claim.h"

namespace glyphreel::batch::cluster_files_test {
namespace {

TEST(ClusterFiles, PlanIsReadAsItWasWritten) {
  const ClusterPlan plan{.program = "1.2",
                         .libraries = "FFmpeg 6",
                         .output = "/data/\xff\"x\n",
                         .variants = {{.options = {{"mode", "edge", true}, {"audio", "", false}},
                                       .settings = "mode=edge\n",
                                       .font = "f",
                                       .encoder = "e"}}};
  const auto read = parse_plan(plan_text(plan), "plan.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, plan);
}

TEST(ClusterFiles, TaskIsReadAsItWasWritten) {
  const std::vector<ClusterUnit> units{{.input = "http://x/y", .output = "y.mp4", .seconds = 60},
                                       {.input = "/in/\xc3\x28.mkv",
                                        .output = "z.mp4",
                                        .size = 1LL << 40,
                                        .mtime_s = 1'700'000'000,
                                        .variant = 3,
                                        .segment = 7,
                                        .is_whole = false,
                                        .borders = {420.1, 480.30000000000001},
                                        .border_index = 1,
                                        .slack_seconds = 15,
                                        .seconds = 0.1}};
  const auto read = parse_task(task_text(units), "0.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, units);
}

TEST(ClusterFiles, ResultIsReadAsItWasWritten) {
  ClusterResult result{.output = "z.mp4", .segment = 7, .size = 5, .figures = {.frames = 9}, .host = "n1"};
  auto read = parse_result(result_text(result), "r.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->figures, result.figures);
  EXPECT_EQ(read->size, 5);
  EXPECT_FALSE(read->error);
  result.error = Error{ErrorCode::BadInput, "Bad.", "why"};
  read = parse_result(result_text(result), "r.json");
  ASSERT_TRUE(read && read->error);
  EXPECT_EQ(read->error->code, ErrorCode::BadInput);
  EXPECT_EQ(full_text(*read->error), full_text(*result.error));
}

TEST(ClusterFiles, DamageIsAnError) {
  const std::string text = task_text({{.input = "a", .output = "b"}});
  for (const std::string& damaged :
       {std::string(), text.substr(0, text.size() / 2), std::string("[]"),
        std::string("{\"format\":2,\"units\":[]}"), std::string("{\"format\":1}")}) {
    const auto read = parse_task(damaged, "x.json");
    ASSERT_FALSE(read) << damaged;
    EXPECT_NE(read.error().message.find("x.json is damaged"), std::string::npos);
  }
}

TEST(ClusterFiles, NamesOfUnitsDiffer) {
  EXPECT_NE(unit_name("a.mp4", 0), unit_name("b.mp4", 0));
  EXPECT_NE(unit_name("a.mp4", 0), unit_name("a.mp4", 1));
  EXPECT_EQ(described({.output = "a.mp4"}), "a.mp4");
  EXPECT_EQ(described({.output = "a.mp4", .segment = 1, .is_whole = false}), "a.mp4, segment 2");
  EXPECT_EQ(unit_name("a/b\n.mp4", 1).find_first_not_of("0123456789abcdef-"), std::string::npos);
}

TEST(Claim, OneHolderPerUnit) {
  std::string folder = (std::filesystem::temp_directory_path() / "claims-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/claims";
  {
    const auto first = Claim::acquire(path, "a");
    EXPECT_TRUE(first);
    EXPECT_FALSE(Claim::acquire(path, "a"));
    EXPECT_TRUE(Claim::acquire(path, "b"));
  }
  EXPECT_TRUE(Claim::acquire(path, "a"));
  // If the lock file cannot be opened, the claim must succeed without a lock, so that the unit is converted.
  EXPECT_TRUE(Claim::acquire("/nonexistent/claims", "a"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace glyphreel::batch::cluster_files_test
