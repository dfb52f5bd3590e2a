// Any bytes as a journal: an error or entries; what was read is written as it stood, and can be replayed.
#include <cstdint>
#include <cstdlib>

#include "engine/plan/run.hpp"

int fuzz_journal(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::plan;
  auto journal = parse_journal({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!journal) return 0;
  std::string text;
  Chain chain;
  for (Entry& entry : journal->entries) {
    if (auto* started = std::get_if<RunStarted>(&entry.what)) started->version = kJournalVersion;
    text += to_line(entry, chain);
  }
  auto again = parse_journal(text, "again");
  if (!again || again->entries.size() != journal->entries.size() || again->torn) std::abort();
  (void)replay(*journal);
  return 0;
}
