#include "player/ipc/ipc_protocol.h"

#include <gtest/gtest.h>

#include <string>

namespace glyphreel::player::ipc_protocol_test {
namespace {

using Words = std::vector<PropertyValue>;

TEST(ParseRequest, ReadsJson) {
  const IpcRequest request =
      parse_request(R"({"command": ["set_property", "volume", 50, true], "request_id": 7})");
  EXPECT_EQ(request.id, 7);
  EXPECT_EQ(request.words, (Words{"set_property", "volume", 50.0, true}));
  EXPECT_EQ(request.problem, "");
  EXPECT_EQ(parse_request(R"( {"command": ["quit"]})").id, 0);
}

TEST(ParseRequest, OtherLinesAreText) {
  EXPECT_EQ(parse_request("cycle pause").text, "cycle pause");
  EXPECT_TRUE(parse_request("cycle pause").words.empty());
}

TEST(ParseRequest, ReportsProblems) {
  const auto problem = [](std::string_view line) { return parse_request(line).problem; };
  EXPECT_EQ(problem("{\"command\": ["), "The request is not valid JSON; send one object per line.");
  EXPECT_EQ(problem(R"({"command": ["a"], "request_id": "x"})"), "request_id must be an integer.");
  for (const char* line :
       {"{}", R"({"command": []})", R"({"command": "quit"})", R"({"command": {"name": "quit"}})"})
    EXPECT_TRUE(problem(line).starts_with("command must be an array")) << line;
  for (const char* line :
       {R"({"command": ["a", null]})", R"({"command": ["a", [1]]})", R"({"command": ["a", 1e999]})"})
    EXPECT_NE(problem(line), "") << line;
  const IpcRequest named = parse_request(R"({"command": ["a", null], "request_id": 5})");
  EXPECT_EQ(named.id, 5) << "the error's reply echoes the ID";
  EXPECT_NE(problem(std::string(60'000, '[').insert(0, "{\"command\":")), "");
}

TEST(ReplyText, FollowsMpv) {
  EXPECT_EQ(reply_text(3, {}), R"({"error":"success","request_id":3})");
  EXPECT_EQ(reply_text(3, {.data = IpcData{PropertyKind::Number, 55.5}}),
            R"({"data":55.5,"error":"success","request_id":3})");
  EXPECT_EQ(reply_text(0, {.data = IpcData{PropertyKind::Integer, 2.0}}),
            R"({"data":2,"error":"success","request_id":0})");
  EXPECT_EQ(reply_text(0, {.error = ipc_error::NoProperty, .message = "There is none."}),
            R"({"error":"property not found","message":"There is none.","request_id":0})");
}

TEST(EventText, FollowsMpv) {
  EXPECT_EQ(event_text("end-file", {{"reason", "eof"}}), R"({"event":"end-file","reason":"eof"})");
  EXPECT_EQ(property_change_text(1, "pause", {PropertyKind::Flag, true}),
            R"({"data":true,"event":"property-change","id":1,"name":"pause"})");
  EXPECT_EQ(property_change_text(1, "chapter", {}),
            R"({"data":null,"event":"property-change","id":1,"name":"chapter"})");
  EXPECT_EQ(property_change_text(1, "path", {PropertyKind::Text, "a\xff\n"}),
            "{\"data\":\"a\xEF\xBF\xBD\\n\",\"event\":\"property-change\",\"id\":1,\"name\":\"path\"}")
      << "one line of UTF-8, whatever the file's name is";
}

}  // namespace
}  // namespace glyphreel::player::ipc_protocol_test
