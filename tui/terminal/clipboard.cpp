#include "tui/terminal/clipboard.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::tui {
namespace {

std::string base64(std::string_view text) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((text.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < text.size(); i += 3) {
    const std::size_t here = std::min<std::size_t>(3, text.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = (bits << 8) | (j < here ? static_cast<unsigned char>(text[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) out += j <= here ? kDigits[(bits >> (18 - 6 * j)) & 63u] : '=';
  }
  return out;
}

// GNU screen passes a device control string on, but only a short one at a time.
std::string through_screen(std::string_view sequence) {
  constexpr std::size_t kPiece = 250;
  std::string out;
  for (; !sequence.empty(); sequence.remove_prefix(std::min(kPiece, sequence.size())))
    out.append("\x1bP").append(sequence.substr(0, kPiece)).append("\x1b\\");
  return out;
}

}  // namespace

std::string copy_sequence(std::string_view text, Multiplexer between) {
  const std::string plain = "\x1b]52;c;" + base64(text) + "\a";
  switch (between) {
    case Multiplexer::none: return plain;
    case Multiplexer::screen: return through_screen(plain);
    case Multiplexer::tmux: break;
  }
  // tmux takes the plain one where set-clipboard is on, and passes the wrapped one where allow-passthrough
  // is; which of the two cannot be told from inside.
  return plain + "\x1bPtmux;\x1b" + plain + "\x1b\\";
}

}  // namespace tessera::tui
