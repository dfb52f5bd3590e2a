// Bytes from a terminal made into keys, pastes and mouse clicks; a pure state machine.
//
// Own decoding instead of curses': bytes may come split anywhere, may be invalid UTF-8, and answers that
// not asked for (CSI, OSC, DCS) must vanish instead of turning into Esc and letters. A bracketed paste is
// one value and never keys.
// Threads: one owner.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/model/units.hpp"
#include "tui/terminal/key.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// The terminal's window got or lost the keyboard.
struct Focus {
  bool gained = false;
};
using Input = std::variant<Key, Paste, Mouse, Focus>;

class Decoder {
 public:
  static constexpr std::size_t kMaxPaste = 64 * 1024;  // what is beyond is dropped

  // Everything that is complete after these bytes, in order.
  std::vector<Input> feed(std::string_view bytes);
  // The same for what one read of the terminal brought: a Ctrl-c that comes alone in the middle of a paste is
  // a key, since the end of that paste got lost. Text that is pasted cannot come so.
  std::vector<Input> feed_read(std::string_view bytes);
  // Something is held back: how long to wait for more bytes before calling expire().
  std::optional<Duration> waiting() const;
  // No more bytes came in time: a lone ESC is the Esc key, half a sequence is nothing.
  std::vector<Input> expire();

 private:
  enum class State { ground, escape, csi, ss3, linux_function, string, string_escape, utf8, paste };

  void byte(unsigned char b);
  void ground(unsigned char b);
  void escape(unsigned char b);
  void csi(unsigned char b);
  void finish_csi(char last);
  void ss3(unsigned char b);
  void utf8(unsigned char b);
  void paste(unsigned char b);
  void emit(Key key) { out_.emplace_back(key); }
  void enter(State state);

  State state_ = State::ground;
  bool alt_ = false;           // the UTF-8 character under way came after an ESC
  std::size_t swallowed_ = 0;  // bytes of a control string
  std::string held_;           // parameters, half a character, or the paste so far
  std::vector<Input> out_;
};

}  // namespace tessera::tui
