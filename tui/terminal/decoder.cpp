#include "tui/terminal/decoder.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

constexpr unsigned char kEsc = 0x1B;
constexpr std::size_t kMaxParameters = 64;
constexpr std::string_view kPasteEnd = "\x1b[201~";

// What a control byte means by itself.
Key control_key(unsigned char b) {
  switch (b) {
    case 0x00: return {U' ', Named::none, true, false};
    case 0x08: return {0, Named::backspace, false, false};
    case 0x09: return {0, Named::tab, false, false};
    case 0x0A:
    case 0x0D: return {0, Named::enter, false, false};
    case 0x7F: return {0, Named::backspace, false, false};
    default: break;
  }
  if (b <= 0x1A) return {static_cast<char32_t>('a' + b - 1), Named::none, true, false};
  return {static_cast<char32_t>('@' + b), Named::none, true, false};
}

Named named_by_letter(char last) {
  switch (last) {
    case 'A': return Named::up;
    case 'B': return Named::down;
    case 'C': return Named::right;
    case 'D': return Named::left;
    case 'H': return Named::home;
    case 'F': return Named::end;
    case 'Z': return Named::back_tab;
    case 'P': return Named::f1;
    case 'Q': return Named::f2;
    case 'R': return Named::f3;
    case 'S': return Named::f4;
    default: return Named::none;
  }
}

Named named_by_number(int number) {
  static constexpr std::array kRows{
      std::pair{1, Named::home}, std::pair{2, Named::insert},  std::pair{3, Named::remove},
      std::pair{4, Named::end},  std::pair{5, Named::page_up}, std::pair{6, Named::page_down},
      std::pair{7, Named::home}, std::pair{8, Named::end},     std::pair{11, Named::f1},
      std::pair{12, Named::f2},  std::pair{13, Named::f3},     std::pair{14, Named::f4},
      std::pair{15, Named::f5},  std::pair{17, Named::f6},     std::pair{18, Named::f7},
      std::pair{19, Named::f8},  std::pair{20, Named::f9},     std::pair{21, Named::f10},
      std::pair{23, Named::f11}, std::pair{24, Named::f12},
  };
  for (const auto& [code, named] : kRows)
    if (code == number) return named;
  return Named::none;
}

// "1;5" → {1, 5}; what is missing is 0, what is too large for any key is -1.
std::array<int, 3> parameters(std::string_view text) {
  std::array<int, 3> out{};
  for (int& value : out) {
    const std::string_view part = text.substr(0, text.find(';'));
    if (std::from_chars(part.data(), part.data() + part.size(), value).ec == std::errc::result_out_of_range)
      value = -1;
    if (part.size() == text.size()) break;
    text.remove_prefix(part.size() + 1);
  }
  return out;
}

Key with_modifiers(Key key, int code) {
  const unsigned bits = code > 1 && code <= 256 ? static_cast<unsigned>(code - 1) : 0;
  key.alt = key.alt || (bits & 2u) != 0;
  key.control = key.control || (bits & 4u) != 0;
  if (key.named == Named::tab && (bits & 1u) != 0) key.named = Named::back_tab;
  return key;
}

// A character with modifiers, as kitty and xterm's modifyOtherKeys tell it.
std::optional<Key> key_by_code(int code, int modifiers) {
  if (code <= 0 || code > 0x10FFFF) return std::nullopt;
  const auto character = static_cast<char32_t>(code);
  if (code == kEsc) return with_modifiers({0, Named::escape, false, false}, modifiers);
  if (code < 0x20 || code == 0x7F)
    return with_modifiers(control_key(static_cast<unsigned char>(code)), modifiers);
  if (extent(character) == Extent::control) return std::nullopt;
  return with_modifiers({character, Named::none, false, false}, modifiers);
}

std::optional<Mouse> mouse_event(std::string_view text, char last) {
  const auto [button, x, y] = parameters(text);
  if (x < 1 || y < 1 || last != 'M') return std::nullopt;  // 'm' is a release
  constexpr int kModifiers = 4 | 8 | 16;
  Mouse mouse{Mouse::Kind::press, x - 1, y - 1};
  if (button < 0) return std::nullopt;
  switch (button & ~kModifiers) {
    case 0: return mouse;
    case 64: mouse.kind = Mouse::Kind::wheel_up; return mouse;
    case 65: mouse.kind = Mouse::Kind::wheel_down; return mouse;
    default: return std::nullopt;
  }
}

std::size_t utf8_length(unsigned char lead) { return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }

}  // namespace

std::vector<Input> Decoder::feed(std::string_view bytes) {
  for (const char c : bytes) byte(static_cast<unsigned char>(c));
  return std::exchange(out_, {});
}

std::vector<Input> Decoder::feed_read(std::string_view bytes) {
  if (state_ == State::paste && bytes == "\x03") enter(State::ground);
  return feed(bytes);
}

std::optional<Duration> Decoder::waiting() const {
  switch (state_) {
    case State::ground: return std::nullopt;
    case State::escape: return Duration{25};
    case State::paste: return Duration{5000};  // its end got lost: better a late paste than a deaf console
    default: return Duration{250};             // a slow line may split a sequence
  }
}

std::vector<Input> Decoder::expire() {
  switch (state_) {
    case State::escape: emit({0, Named::escape, false, false}); break;
    case State::csi:
      if (held_.empty()) emit({U'[', Named::none, false, true});
      break;
    case State::ss3: emit({U'O', Named::none, false, true}); break;
    case State::paste: out_.emplace_back(Paste{std::move(held_)}); break;
    default: break;
  }
  enter(State::ground);
  return std::exchange(out_, {});
}

void Decoder::enter(State state) {
  state_ = state;
  held_.clear();
  swallowed_ = 0;
}

void Decoder::byte(unsigned char b) {
  switch (state_) {
    case State::ground: return ground(b);
    case State::escape: return escape(b);
    case State::csi: return csi(b);
    case State::ss3: return ss3(b);
    case State::linux_function:
      enter(State::ground);
      if (b >= 'A' && b <= 'E')
        emit({0, static_cast<Named>(static_cast<int>(Named::f1) + b - 'A'), false, false});
      return;
    case State::string:
      ++swallowed_;
      if (b == 0x07 || b == 0x18 || b == 0x1A) return enter(State::ground);
      if (b == kEsc) state_ = State::string_escape;
      return;
    case State::string_escape:
      if (b == '\\') return enter(State::ground);
      enter(State::escape);
      return escape(b);
    case State::utf8: return utf8(b);
    case State::paste: return paste(b);
  }
}

void Decoder::ground(unsigned char b) {
  if (b == kEsc) return enter(State::escape);
  if (b < 0x20 || b == 0x7F) return emit(control_key(b));
  if (b < 0x7F) return emit({b, Named::none, false, false});
  if (b < 0xC2 || b > 0xF4) return;  // no character starts so
  enter(State::utf8);
  alt_ = false;
  held_.push_back(static_cast<char>(b));
}

void Decoder::escape(unsigned char b) {
  switch (b) {
    case '[': return enter(State::csi);
    case 'O': return enter(State::ss3);
    case ']':
    case 'P':
    case '_':
    case '^':
    case 'X': return enter(State::string);
    case kEsc: return emit({0, Named::escape, false, false});  // the second one may start something
    default: break;
  }
  enter(State::ground);
  if (b < 0x20 || b == 0x7F) {
    Key key = control_key(b);
    key.alt = true;
    return emit(key);
  }
  if (b < 0x7F) return emit({b, Named::none, false, true});
  ground(b);
  alt_ = state_ == State::utf8;
}

void Decoder::csi(unsigned char b) {
  if (held_.empty() && b == '[') return enter(State::linux_function);
  if (b >= 0x20 && b <= 0x3F) {
    if (held_.size() < kMaxParameters) held_.push_back(static_cast<char>(b));
    return;
  }
  if (b >= 0x40 && b <= 0x7E) return finish_csi(static_cast<char>(b));
  enter(State::ground);  // broken off: what comes now stands for itself
  ground(b);
}

void Decoder::finish_csi(char last) {
  const std::string text = std::move(held_);
  enter(State::ground);
  if (text.size() >= kMaxParameters) return;
  if (!text.empty() && text[0] == '<') {
    if (auto mouse = mouse_event(std::string_view(text).substr(1), last)) out_.emplace_back(*mouse);
    return;
  }
  if (text.find_first_not_of("0123456789;") != std::string::npos) return;  // an answer, not a key
  const auto [first, second, third] = parameters(text);
  if (last == 'I' || last == 'O') {
    if (text.empty()) out_.emplace_back(Focus{last == 'I'});
    return;
  }
  if (last == '~' && first == 200) return enter(State::paste);
  if (last == 'u' || (last == '~' && first == 27)) {
    if (auto key = last == 'u' ? key_by_code(first, second) : key_by_code(third, second)) emit(*key);
    return;
  }
  // "ESC[12;40R" is an answer about the cursor; as F3 it would have a first parameter of 1 or none.
  const Named named = last == '~' ? named_by_number(first) : first <= 1 ? named_by_letter(last) : Named::none;
  if (named != Named::none) emit(with_modifiers({0, named, false, false}, second));
}

void Decoder::ss3(unsigned char b) {
  enter(State::ground);
  if (b == 'M') return emit({0, Named::enter, false, false});
  if (b >= 'p' && b <= 'y') return emit({static_cast<char32_t>('0' + b - 'p'), Named::none, false, false});
  if (b < 0x20 || b >= 0x7F) return ground(b);
  const Named named = named_by_letter(static_cast<char>(b));
  if (named != Named::none) emit({0, named, false, false});
}

void Decoder::utf8(unsigned char b) {
  if ((b & 0xC0u) != 0x80u) {
    enter(State::ground);
    return ground(b);
  }
  held_.push_back(static_cast<char>(b));
  if (held_.size() < utf8_length(static_cast<unsigned char>(held_[0]))) return;
  std::string_view text = held_;
  const char32_t c = take_code_point(text);
  const bool whole = text.empty() && extent(c) != Extent::control && extent(c) != Extent::dropped;
  enter(State::ground);
  if (whole) emit({c, Named::none, false, alt_});
}

void Decoder::paste(unsigned char b) {
  held_.push_back(static_cast<char>(b));
  if (b == '~' && held_.ends_with(kPasteEnd)) {
    held_.resize(held_.size() - kPasteEnd.size());
    if (held_.size() > kMaxPaste) held_.resize(kMaxPaste);
    out_.emplace_back(Paste{std::move(held_)});
    return enter(State::ground);
  }
  // Beyond the cap only the last few bytes are kept, where the end mark may be growing.
  if (held_.size() > kMaxPaste + 64) held_.erase(kMaxPaste, held_.size() - kMaxPaste - kPasteEnd.size());
}

}  // namespace tessera::tui
