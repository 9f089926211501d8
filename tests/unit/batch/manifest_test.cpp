#include "batch/manifest.h"

#include <gtest/gtest.h>

namespace glyphreel::batch::manifest_test {
namespace {

using namespace std::string_literals;

std::vector<std::string> inputs_of(const std::vector<InputEntry>& entries) {
  std::vector<std::string> inputs;
  for (const InputEntry& entry : entries) inputs.push_back(entry.input);
  return inputs;
}

TEST(NameList, LinesAndNulBytesEndNames) {
  EXPECT_EQ(inputs_of(parse_name_list("a b\r\n\n c\nlast", NameEnd::Line)),
            (std::vector{"a b"s, " c"s, "last"s}));
  EXPECT_EQ(inputs_of(parse_name_list("a\nb\0c\0\0"s, NameEnd::Nul)), (std::vector{"a\nb"s, "c"s}));
  EXPECT_TRUE(parse_name_list("", NameEnd::Line).empty());
}

TEST(Manifest, TomlGivesItemsOptions) {
  const auto items = parse_manifest(
      "[[item]]\ninput = 'a.mkv'\noutput = 'x/a.gif'\nmode = 'edge'\ncrf = 20\n"
      "[[item]]\ninput = '/abs/b.png'\ninvert = true\nmetadata = ''\nthresholds = [10, 20]\n",
      "lists/all.toml");
  ASSERT_TRUE(items) << items.error().message;
  ASSERT_EQ(items->size(), 2U);
  EXPECT_EQ((*items)[0].input, "lists/a.mkv");
  EXPECT_EQ((*items)[0].output, "x/a.gif");
  const std::vector<cli::GivenOption> first = {{"crf", "20"}, {"mode", "edge"}};
  EXPECT_EQ((*items)[0].options, first);
  EXPECT_EQ((*items)[1].input, "/abs/b.png");
  const std::vector<cli::GivenOption> second = {{"invert", "yes"}, {"metadata", ""}, {"thresholds", "10,20"}};
  EXPECT_EQ((*items)[1].options, second);
}

TEST(Manifest, JsonLinesGiveItemsOptions) {
  const auto items = parse_manifest(
      "{\"input\": \"a.mkv\", \"mode\": \"edge\", \"crf\": 20, \"invert\": false}\n\n"
      "{\"input\": \"https://host/b.mp4\"}\n",
      "all.jsonl");
  ASSERT_TRUE(items) << items.error().message;
  ASSERT_EQ(items->size(), 2U);
  const std::vector<cli::GivenOption> options = {{"crf", "20"}, {"invert", "no"}, {"mode", "edge"}};
  EXPECT_EQ((*items)[0].options, options);
  EXPECT_EQ((*items)[1].input, "https://host/b.mp4");
}

TEST(Manifest, MistakesNameTheLine) {
  struct Case {
    const char *text, *path, *message;
  };
  for (const Case& each : std::initializer_list<Case>{
           {"{\"input\": \"a\"}\nnonsense", "m.jsonl", "m.jsonl, line 2: This is not a JSON object."},
           {"{\"mode\": \"edge\"}", "m.jsonl", "m.jsonl, line 1: An item needs an input."},
           {"{\"input\": 3}", "m.jsonl", "m.jsonl, line 1: input must be a path in quotes."},
           {"{\"input\": \"a\", \"crf\": {}}", "m.jsonl",
            "m.jsonl, line 1: crf must be a string, a number, a list, true or false."},
           {"{\"input\": \"a\", \"output\": \"../b.mp4\"}", "m.jsonl",
            "m.jsonl, line 1: output must be a path below the output directory, not '../b.mp4'."},
           {"[[item]]\ninput = 'a'\nstart = 07:32:00", "m.toml",
            "m.toml, line 3: start must be a string, a number, a list, true or false."},
           {"[[item]]\nmode = 'edge'", "m.toml", "m.toml, line 1: An item needs an input."},
           {"input = 'a'", "m.toml", "m.toml, line 1: Write each item as a table [[item]] with an input."}}) {
    const auto items = parse_manifest(each.text, each.path);
    ASSERT_FALSE(items) << each.text;
    EXPECT_EQ(items.error().message, each.message);
    EXPECT_EQ(items.error().code, ErrorCode::Usage);
  }
  EXPECT_FALSE(parse_manifest("[[item]\n", "m.toml"));
}

TEST(Manifest, IsKnownByItsEnding) {
  EXPECT_TRUE(is_manifest_name("a.TOML"));
  EXPECT_TRUE(is_manifest_name("a.jsonl"));
  EXPECT_FALSE(is_manifest_name("a.txt"));
  EXPECT_FALSE(is_manifest_name("-"));
}

}  // namespace
}  // namespace glyphreel::batch::manifest_test
