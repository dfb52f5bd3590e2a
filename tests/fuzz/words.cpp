// Any bytes as a catalogue, and any text reported by it or by what ships: in bounds, in time, and never empty
// where something was said.
#include "tui/language/words.hpp"

#include <cstdint>
#include <cstdlib>

using namespace tessera::tui;

int fuzz_words(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static const WordsPtr ours = Words::of(Language::ja).value();
  const std::string text = told(ours, bytes);
  if (text.empty() && !bytes.empty()) std::abort();
  (void)told_comments(ours, bytes);
  auto words = Words::parse(bytes);
  if (!words) {
    if (words.error().reason.empty()) std::abort();
    return 0;
  }
  (void)words->tell(bytes.substr(bytes.size() / 2));
  return 0;
}
