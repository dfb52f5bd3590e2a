// Texts that explain, in the reader's language.
//
// The engine, plan files and journals speak English; a front end asks here just before it shows a text.
// A finished text is matched against the catalogue's patterns ("{} waiting jobs can start"), since it may
// come from a file that another version wrote. What no pattern fits is taken apart at ends of sentences and
// at colons, and what remains unknown is shown in English.
// Threads: immutable after load; share freely.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/error.hpp"
#include "tui/language/pattern.hpp"

namespace tessera::tui {

enum class Language : std::uint8_t { en, ja };
std::string_view word(Language language);  // "en" "ja"
std::optional<Language> parse_language(std::string_view text);
// "ja_JP.UTF-8", "ja" are Japanese; all else, C among it, is English.
Language language_of_locale(std::string_view locale);

// Marks a text that is put together from parts, or named by a constant, for the catalogue.
constexpr std::string_view N_(std::string_view text) { return text; }

class Words {
 public:
  // bytes: a compiled catalogue; it must outlive the words. Errors: it is broken.
  static Result<Words> parse(std::string_view bytes);
  // What ships for a language; null for English.
  static Result<std::shared_ptr<const Words>> of(Language language);

  struct Told {
    std::string text;
    bool whole = false;  // no part of it was left in English
  };
  Told tell(std::string_view english) const;

 private:
  struct Known {
    Pattern original, translation;
  };
  struct Search;
  const Known* find(Search& search, std::string_view text, std::vector<std::string_view>& arguments) const;
  Told tell(Search& search, std::string_view text, int depth) const;
  std::optional<std::string> tell_list(Search& search, std::string_view text, int depth) const;
  std::string tell_argument(Search& search, std::string_view text, int depth) const;
  std::optional<Told> tell_parts(Search& search, std::string_view text, int depth) const;

  std::unordered_map<std::string_view, std::string> whole_;  // texts without places
  std::vector<Known> patterns_;                              // the surest first
  std::unordered_map<std::string, std::vector<std::size_t>> by_start_;
  std::vector<std::size_t> floating_;  // begin with a place, or nearly so
};

using WordsPtr = std::shared_ptr<const Words>;  // null: English

std::string told(const WordsPtr& words, std::string_view english);
// Facts as the guide describes them: "text (source: scontrol, 4 s ago); text (source: …)".
std::string told_facts(const WordsPtr& words, std::string_view english);
// A text to hand out: only its comments ("# …") are told, what is to be typed stays. A told comment takes at
// most `width` cells a line with what stands before it.
constexpr int kHandoutWidth = 76;
std::string told_comments(const WordsPtr& words, std::string_view text, int width = kHandoutWidth);

}  // namespace tessera::tui
