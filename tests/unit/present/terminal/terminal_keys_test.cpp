#include "present/terminal/terminal_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace glyphreel::present::terminal_keys_test {
namespace {

using Action = TerminalMouse::Action;
using ::testing::ElementsAre;

/// Returns the inputs as text, such as the names of keys.
std::vector<std::string> texts(const std::vector<TerminalInput>& inputs) {
  std::vector<std::string> texts;
  for (const TerminalInput& input : inputs) {
    if (const auto* key = std::get_if<TerminalKey>(&input)) texts.push_back(key->name);
    if (std::holds_alternative<TerminalReply>(input)) texts.emplace_back("reply");
    if (const auto* position = std::get_if<TerminalPosition>(&input))
      texts.push_back("at " + std::to_string(position->row) + " " + std::to_string(position->column));
    if (const auto* mouse = std::get_if<TerminalMouse>(&input)) {
      const char* action = mouse->action == Action::Press     ? "press"
                           : mouse->action == Action::Release ? "release"
                                                              : "move";
      texts.push_back(std::string(action) + " " + mouse->button + " " + std::to_string(mouse->column) + " " +
                      std::to_string(mouse->row));
    }
  }
  return texts;
}

std::vector<std::string> inputs_of(const std::string& bytes) {
  TerminalKeys keys;
  std::vector<TerminalInput> inputs;
  keys.feed(bytes, inputs);
  if (keys.pending()) keys.time_out(inputs);
  EXPECT_FALSE(keys.pending());
  return texts(inputs);
}

struct Named {
  const char* bytes;
  const char* key;
};
// Sources: xterm's ctlseqs, rxvt's rxvtRef, console_codes(4), kitty's keyboard protocol.
constexpr Named Table[] = {
    {"q", "q"},
    {"Q", "Q"},
    {"?", "?"},
    {" ", "SPACE"},
    {"\r", "ENTER"},
    {"\n", "ENTER"},
    {"\t", "TAB"},
    {"\x7f", "BS"},
    {"\b", "BS"},
    {"\x1b", "ESC"},
    {"\x01", "Ctrl+a"},
    {"\x0c", "Ctrl+l"},
    {"\x1c", "Ctrl+\\"},
    {"\x1f", "Ctrl+_"},
    {"é", "é"},
    {"漢", "漢"},
    {"\x1bx", "Alt+x"},
    {"\x1b\xc3\xa9", "Alt+é"},
    {"\x1b[", "Alt+["},
    {"\x1bO", "Alt+O"},
    {"\x1b]", "Alt+]"},
    {"\x1b ", "Alt+SPACE"},
    {"\x1b\x7f", "Alt+BS"},
    {"\x1b[A", "UP"},
    {"\x1bOA", "UP"},
    {"\x1b[1;2C", "Shift+RIGHT"},
    {"\x1b[1;5D", "Ctrl+LEFT"},
    {"\x1b[1;6D", "Ctrl+Shift+LEFT"},
    {"\x1b[1;3B", "Alt+DOWN"},
    {"\x1b\x1b[B", "Alt+DOWN"},
    {"\x1b[c", "Shift+RIGHT"},
    {"\x1bOc", "Ctrl+RIGHT"},
    {"\x1bO5C", "Ctrl+RIGHT"},
    {"\x1b[H", "HOME"},
    {"\x1bOF", "END"},
    {"\x1b[1~", "HOME"},
    {"\x1b[8~", "END"},
    {"\x1b[2~", "INS"},
    {"\x1b[3~", "DEL"},
    {"\x1b[3;5~", "Ctrl+DEL"},
    {"\x1b[5~", "PGUP"},
    {"\x1b[6~", "PGDWN"},
    {"\x1b[5^", "Ctrl+PGUP"},
    {"\x1b[5$", "Shift+PGUP"},
    {"\x1b[5@", "Ctrl+Shift+PGUP"},
    {"\x1bOP", "F1"},
    {"\x1b[[A", "F1"},
    {"\x1b[11~", "F1"},
    {"\x1b[1;2R", "Shift+F3"},
    {"\x1b[15~", "F5"},
    {"\x1b[23~", "F11"},
    {"\x1b[24;2~", "Shift+F12"},
    {"\x1b[Z", "Shift+TAB"},
    {"\x1bOM", "ENTER"},
    {"\x1bOk", "+"},
    {"\x1b[27;5;43~", "Ctrl++"},
    {"\x1b[27;2;65~", "A"},
    {"\x1b[27;5;9~", "Ctrl+TAB"},
    {"\x1b[43;5u", "Ctrl++"},
    {"\x1b[97;2u", "A"},
    {"\x1b[49:33;2u", "!"},
    {"\x1b[97;6u", "Ctrl+A"},
    {"\x1b[27u", "ESC"},
    {"\x1b[13;2u", "Shift+ENTER"},
    {"\x1b[57402u", "3"},
};

TEST(TerminalKeys, RecognizesSequencesOfAllTerminals) {
  for (const Named& named : Table) EXPECT_THAT(inputs_of(named.bytes), ElementsAre(named.key)) << named.key;
}

TEST(TerminalKeys, HandlesSequencesSplitAnywhere) {
  for (const Named& named : Table) {
    const std::string bytes = named.bytes;
    TerminalKeys keys;
    std::vector<TerminalInput> inputs;
    for (const char byte : bytes) keys.feed(std::string(1, byte), inputs);
    if (keys.pending()) keys.time_out(inputs);
    EXPECT_THAT(texts(inputs), ElementsAre(named.key)) << named.key;
  }
}

TEST(TerminalKeys, HandlesConsecutiveKeys) {
  EXPECT_THAT(inputs_of("a\x1b[Ab\x1bOP\x1b[1;2Dé\x1b"),
              ElementsAre("a", "UP", "b", "F1", "Shift+LEFT", "é", "ESC"));
  EXPECT_THAT(inputs_of("\x1b\x1b"), ElementsAre("ESC", "ESC"));
  EXPECT_THAT(inputs_of("\x1b\x1bq"), ElementsAre("ESC", "Alt+q"));
}

TEST(TerminalKeys, ParsesMouseEvents) {
  EXPECT_THAT(inputs_of("\x1b[<0;10;5M"), ElementsAre("press MBTN_LEFT 9 4"));
  EXPECT_THAT(inputs_of("\x1b[<0;10;5m"), ElementsAre("release MBTN_LEFT 9 4"));
  EXPECT_THAT(inputs_of("\x1b[<35;1;1M"), ElementsAre("move  0 0"));
  EXPECT_THAT(inputs_of("\x1b[<32;300;2M"), ElementsAre("move MBTN_LEFT 299 1"));
  EXPECT_THAT(inputs_of("\x1b[<64;1;1M\x1b[<65;1;1M"),
              ElementsAre("press WHEEL_UP 0 0", "press WHEEL_DOWN 0 0"));
  EXPECT_THAT(inputs_of("\x1b[<80;1;1M"), ElementsAre("press Ctrl+WHEEL_UP 0 0"));
  EXPECT_THAT(inputs_of("\x1b[M !!"), ElementsAre("press MBTN_LEFT 0 0")) << "X10 mouse encoding";
  EXPECT_THAT(inputs_of("\x1b[<999;0;1Mx"), ElementsAre("x"));
}

TEST(TerminalKeys, IgnoresUnknownSequences) {
  EXPECT_THAT(inputs_of("\x1b[I\x1b[Ox"), ElementsAre("x")) << "focus events are ignored";
  EXPECT_THAT(inputs_of("\x1b[?62;4c\x1b[0nx"), ElementsAre("reply", "x"));
  EXPECT_THAT(inputs_of("\x1b[?2026;2$yx"), ElementsAre("x"));
  EXPECT_THAT(inputs_of("\x1bP1$r0m\x1b\\\x1b]11;rgb:0/0/0\ax"), ElementsAre("x"));
  EXPECT_THAT(inputs_of("\x1b[97;1:3ux"), ElementsAre("x")) << "key releases are ignored";
  EXPECT_THAT(inputs_of("\x1b[12;40Rx"), ElementsAre("at 12 40", "x"));
  EXPECT_THAT(inputs_of("\xff\xc3(\xc2\x85"), ElementsAre("("));
}

TEST(TerminalKeys, IgnoresPastedText) {
  EXPECT_THAT(inputs_of("a\x1b[200~quit\x1b[A\x1b[20\x1b[201~b"), ElementsAre("a", "b"));
  TerminalKeys keys;
  std::vector<TerminalInput> inputs;
  keys.feed("\x1b[200~qqq\x1b[20", inputs);
  EXPECT_TRUE(keys.pending());
  keys.feed("1~q", inputs);
  EXPECT_THAT(texts(inputs), ElementsAre("q"));
  keys.feed("\x1b[200~qqq", inputs);
  keys.time_out(inputs);
  keys.feed("p", inputs);
  EXPECT_THAT(texts(inputs), ElementsAre("q", "p")) << "an unterminated paste times out";
}

TEST(TerminalKeys, EscTimesOutBeforeReply) {
  TerminalKeys keys;
  std::vector<TerminalInput> inputs;
  keys.feed("\x1b", inputs);
  const double escape = keys.timeout_seconds();
  keys.feed("P1$r", inputs);
  EXPECT_GT(keys.timeout_seconds(), escape);
  keys.time_out(inputs);
  EXPECT_TRUE(inputs.empty());
}

/// After any bytes and a timeout, the next key must be recognized.
TEST(TerminalKeys, SurvivesRandomBytes) {
  std::mt19937 random(7);
  const std::string likely = "\x1b\x1b\x1b[[[OP]<M;:0123456789~umRq$^\x18\x07\\\xc3\xa9";
  for (int round = 0; round < 20000; ++round) {
    TerminalKeys keys;
    std::vector<TerminalInput> inputs;
    std::string bytes;
    for (std::size_t length = random() % 40; length > 0; --length) {
      bytes += random() % 4 == 0 ? static_cast<char>(random() % 256) : likely[random() % likely.size()];
    }
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = 1 + random() % 7;
      keys.feed(std::string_view(bytes).substr(at, piece), inputs);
      at += piece;
    }
    keys.time_out(inputs);
    ASSERT_FALSE(keys.pending());
    inputs.clear();
    keys.feed("z\x1b[A", inputs);
    ASSERT_THAT(texts(inputs), ElementsAre("z", "UP"));
  }
}

TEST(TerminalKeys, UnterminatedSequenceIsBounded) {
  TerminalKeys keys;
  std::vector<TerminalInput> inputs;
  keys.feed("\x1b]" + std::string(5000, 'a'), inputs);
  EXPECT_FALSE(keys.pending());
  inputs.clear();
  keys.feed("\x1b[" + std::string(70, ';') + "q", inputs);
  EXPECT_FALSE(keys.pending());
}

}  // namespace
}  // namespace glyphreel::present::terminal_keys_test
