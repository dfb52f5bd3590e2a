#include "tui/terminal/decoder.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tessera::tui {
namespace {

std::string story(const std::vector<Input>& inputs) {
  std::string out;
  for (const Input& input : inputs) {
    if (!out.empty()) out += ' ';
    if (const auto* key = std::get_if<Key>(&input)) out += to_text(*key);
    if (const auto* paste = std::get_if<Paste>(&input)) out += "paste(" + paste->text + ")";
    if (const auto* focus = std::get_if<Focus>(&input)) out += focus->gained ? "focus" : "blur";
    if (const auto* mouse = std::get_if<Mouse>(&input))
      out += "mouse" + std::to_string(static_cast<int>(mouse->kind)) + "@" + std::to_string(mouse->x) + "," +
             std::to_string(mouse->y);
  }
  return out;
}

std::string decoded(std::string_view bytes) {
  Decoder decoder;
  return story(decoder.feed(bytes));
}

TEST(Decoder, PlainKeys) {
  EXPECT_EQ(decoded("jG?"), "j G ?");
  EXPECT_EQ(decoded("\x04\x15\x1c"), "Ctrl-d Ctrl-u Ctrl-\\");
  EXPECT_EQ(decoded(std::string_view("\0", 1)), "Ctrl-Space");
  EXPECT_EQ(decoded("\r\n\t\x7f\x08 "), "Enter Enter Tab Backspace Backspace Space");
  EXPECT_EQ(decoded("é日"), "é 日");
}

TEST(Decoder, ArrowsInBothFormsAndOtherNamedKeys) {
  EXPECT_EQ(decoded("\x1b[A\x1bOB\x1b[C\x1bOD"), "Up Down Right Left");
  EXPECT_EQ(decoded("\x1b[H\x1b[F\x1bOH\x1b[1~\x1b[4~\x1b[7~\x1b[8~"), "Home End Home Home End Home End");
  EXPECT_EQ(decoded("\x1b[5~\x1b[6~\x1b[3~\x1b[2~\x1b[Z"), "PgUp PgDn Delete Insert Shift-Tab");
  EXPECT_EQ(decoded("\x1bOP\x1b[15~\x1b[17~\x1b[21~\x1b[24~\x1b[[A\x1b[[E"), "F1 F5 F6 F10 F12 F1 F5");
  EXPECT_EQ(decoded("\x1b[1;5C\x1b[1;3A\x1b[5;5~"), "Ctrl-Right Alt-Up Ctrl-PgUp");
  EXPECT_EQ(decoded("\x1b[97;5u\x1b[27;5;97~"), "Ctrl-a Ctrl-a");
}

TEST(Decoder, ALoneEscapeIsKnownWhenNothingFollows) {
  Decoder decoder;
  EXPECT_EQ(story(decoder.feed("\x1b")), "");
  ASSERT_TRUE(decoder.waiting());
  EXPECT_EQ(decoder.waiting()->count(), 25);
  EXPECT_EQ(story(decoder.expire()), "Esc");
  EXPECT_FALSE(decoder.waiting());
  EXPECT_EQ(story(decoder.feed("\x1b\x1b")), "Esc");
  EXPECT_EQ(story(decoder.feed("[A")), "Up");
}

TEST(Decoder, AltIsEscapeWithACharacter) {
  EXPECT_EQ(decoded("\x1bx\x1b\x7f\x1bé"), "Alt-x Alt-Backspace Alt-é");
  Decoder decoder;
  decoder.feed("\x1b[");
  EXPECT_EQ(story(decoder.expire()), "Alt-[");
}

TEST(Decoder, UnrequestedAnswersVanish) {
  EXPECT_EQ(decoded("\x1b[?62;c\x1b[12;40R\x1b[>1;2cj"), "j");
  EXPECT_EQ(decoded("\x1b]11;rgb:1e1e/1e1e/1e1e\x07j"), "j");
  EXPECT_EQ(decoded("\x1b]52;c;YWJj\x1b\\j"), "j");
  EXPECT_EQ(decoded("\x1bP1$r0m\x1b\\\x1b_app\x1b\\j"), "j");
  EXPECT_EQ(decoded("\x1b[1;2;3;4;5;6;7;8;9yj"), "j");
  EXPECT_EQ(decoded("\x1b[" + std::string(5000, '7') + "Aj"), "j");
}

TEST(Decoder, ABrokenOffSequenceDoesNotEatTheNextKey) {
  EXPECT_EQ(decoded("\x1b[1;\rj"), "Enter j");
  EXPECT_EQ(decoded("\xe2\x82j"), "j");
  EXPECT_EQ(decoded("\xffj\x80"), "j");
  Decoder decoder;
  decoder.feed("\x1b]0;half a title");
  EXPECT_EQ(story(decoder.expire()), "");
  EXPECT_EQ(story(decoder.feed("j")), "j");
}

TEST(Decoder, APasteIsOneValueAndNeverKeys) {
  EXPECT_EQ(decoded("\x1b[200~q\x1b[A\r:quit\x1b[201~j"), "paste(q\x1b[A\r:quit) j");
  EXPECT_EQ(decoded("\x1b[200~\x1b[201~"), "paste()");
}

TEST(Decoder, AHugePasteIsCutAndItsEndStillFound) {
  const std::string huge(10'000'000, 'q');
  Decoder decoder;
  const auto inputs = decoder.feed("\x1b[200~" + huge + "\x1b[201~j");
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(std::get<Paste>(inputs[0]).text, std::string(Decoder::kMaxPaste, 'q'));
  EXPECT_EQ(to_text(std::get<Key>(inputs[1])), "j");
}

TEST(Decoder, ALostPasteEndDoesNotLeaveTheConsoleDeaf) {
  Decoder decoder;
  EXPECT_EQ(story(decoder.feed("\x1b[200~abc")), "");
  EXPECT_GE(decoder.waiting()->count(), 1000);
  EXPECT_EQ(story(decoder.expire()), "paste(abc)");
  EXPECT_EQ(story(decoder.feed("j")), "j");
}

// Without its end a paste took every key that followed, Ctrl-c too.
TEST(Decoder, CtrlCGetsOutOfAPasteThatNeverEnds) {
  Decoder decoder;
  EXPECT_EQ(story(decoder.feed_read("\x1b[200~abc")), "");
  EXPECT_EQ(story(decoder.feed_read("\x03")), "Ctrl-c");
  EXPECT_EQ(story(decoder.feed_read("j")), "j");
}
TEST(Decoder, ACtrlCInsidePastedTextIsText) {
  Decoder decoder;
  EXPECT_EQ(story(decoder.feed_read("\x1b[200~ab\x03q\x1b[201~")), "paste(ab\x03q)");
}

TEST(Decoder, MouseAndFocus) {
  EXPECT_EQ(decoded("\x1b[<0;5;3M\x1b[<0;5;3m\x1b[<64;1;1M\x1b[<65;1;1M"),
            "mouse0@4,2 mouse2@0,0 mouse3@0,0");
  EXPECT_EQ(decoded("\x1b[<0;0;3M\x1b[<2;1;1M\x1b[<999999999999;1;1M"), "");
  EXPECT_EQ(decoded("\x1b[I\x1b[O"), "focus blur");
}

RC_GTEST_PROP(Decoder, ItDoesNotMatterWhereTheBytesAreSplit, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("j", "\x1b", "[A", "\x1b[5~", "\x1bOP", "\x1b[200~", "\x1b[201~", "é",
                                    "\xe2", "\x1b]x\x07", "\x1b[<0;5;3M", ";", "1", "~"));
  std::string all;
  Decoder split;
  std::vector<Input> one;
  for (const std::string& piece : pieces) {
    all += piece;
    for (const char c : piece)
      for (Input& input : split.feed(std::string_view(&c, 1))) one.push_back(std::move(input));
  }
  Decoder whole;
  RC_ASSERT(story(one) == story(whole.feed(all)));
  RC_ASSERT(split.waiting() == whole.waiting());
}

}  // namespace
}  // namespace tessera::tui
