#include "tui/language/words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/embedded.hpp"
#include "tui/language/catalogue.hpp"
#include "tui/language/wrap.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kStart = 4;           // letters of a pattern's start by which it is found
constexpr std::size_t kLongest = 4096;      // bytes of a text that is looked at
constexpr std::size_t kMostWork = 1 << 21;  // bytes compared for one text
constexpr int kDeepest = 4;                 // phrases inside of phrases
constexpr std::size_t kSureWeight = 8;      // letters that make a pattern sure of what stands in its places
constexpr std::size_t kLeastWeight = 3;     // letters without which a pattern would fit anything

// Where a text is taken apart: a sentence, a clause, what explains.
constexpr std::array<std::string_view, 5> kJoints{N_(". "), N_("; "), N_(": "), N_(" ("), N_(", ")};

constexpr std::string_view kSentence = ". ", kClause = "; ", kColon = ": ", kItemEnd = ", ";
constexpr int kMostParted = 6;  // places at which one text is parted to see which fits

constexpr std::string_view kToType = "one of: ";  // keys and words of a file or a flag: as they are typed

constexpr std::string_view kBracketEnd = N_(")");

// A single word is a name, a state or a command: those stay as they are.
bool is_phrase(std::string_view text) { return text.find(' ') != std::string_view::npos; }

// "power-cycle the", "the GPU once it is empty"
bool has_article(std::string_view text) {
  return text.starts_with("the ") || text.ends_with(" the") || text.find(" the ") != std::string_view::npos;
}

// "2 gpu:1g.10gb", "88101 (alice)", "mig 16": of its words at most one, units aside, is
// written in small letters alone, and none is an article.
bool is_data(std::string_view text) {
  if (has_article(text)) return false;
  constexpr std::array<std::string_view, 5> kUnits{"d", "h", "min", "s", "ms"};
  int words = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const bool letters = std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    words += letters && std::find(kUnits.begin(), kUnits.end(), word) == kUnits.end() ? 1 : 0;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words <= 1;
}

// "scontrol show job": the source of a fact, or what is to be typed.
bool is_command(std::string_view text) {
  constexpr std::array<std::string_view, 8> kPrograms{"scontrol ", "squeue ",     "sinfo ",     "sacctmgr ",
                                                      "kubectl ",  "nvidia-smi ", "systemctl ", "tessera "};
  return std::any_of(kPrograms.begin(), kPrograms.end(),
                     [&](std::string_view program) { return text.starts_with(program); });
}

// A pattern of few letters, such as "the {} {}" or "{} job", fits nearly anything: its arguments have to be
// names or figures. One that begins with its letters ("down: {}") takes a reason, but no sentence where it is
// a word of a step ("reset {}").
bool is_guess(const Pattern& pattern, const std::vector<std::string_view>& arguments) {
  if (pattern.weight() >= kSureWeight) return false;
  const auto is_prose = [](std::string_view one) { return is_phrase(one) && !is_data(one); };
  if (pattern.places() == 1)
    return is_prose(arguments.front()) &&
           (pattern.first().empty() || (!pattern.first().ends_with(": ") && has_article(arguments.front())));
  return std::any_of(arguments.begin(), arguments.end(),
                     [&](std::string_view one) { return is_prose(one) && !is_command(one); });
}

bool has_joint(std::string_view text) {
  return std::any_of(kJoints.begin(), kJoints.end(),
                     [&](std::string_view one) { return text.find(one) != std::string_view::npos; });
}

struct Parted {
  std::string_view first, second;
  bool bracket = false;  // the second stood in brackets
};
// nullopt: nothing is in front of the joint or behind it, or its bracket does not end the text.
std::optional<Parted> part_at(std::string_view text, std::string_view joint, std::size_t at) {
  const std::size_t end = joint == kSentence ? at + 1 : at;  // a full stop belongs to its sentence
  const bool bracket = joint == " (" && text.ends_with(')');
  if (joint == " (" && !bracket) return std::nullopt;
  if (at == 0 || at + joint.size() == text.size()) return std::nullopt;
  const std::size_t length = text.size() - at - joint.size() - (bracket ? 1 : 0);
  return Parted{text.substr(0, end), text.substr(at + joint.size(), length), bracket};
}

// "alice, frank and 2 more": what stands between two items of a list, and how a sentence of the reader's
// language joins them. Commas inside of brackets belong to an item.
struct ListJoint {
  std::string_view english, told;
};
constexpr std::array<ListJoint, 5> kListJoints{
    {{", then ", "、"}, {", and ", "、"}, {", ", "、"}, {" and ", "、"}, {" or ", "または"}}};

struct ListItem {
  std::string_view text, joint;  // joint: as told behind the item, empty behind the last one
};

std::vector<ListItem> list_items(std::string_view text) {
  std::vector<ListItem> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == ')' || text[at] == ']') --depth;
    if (depth > 0 || at == begin) continue;
    for (const ListJoint& joint : kListJoints) {
      if (!text.substr(at).starts_with(joint.english)) continue;
      items.push_back({text.substr(begin, at - begin), joint.told});
      at += joint.english.size() - 1, begin = at + 1;
      break;
    }
  }
  items.push_back({text.substr(begin), {}});
  return items;
}

// A list in which nothing is translated, as the reader's language joins it.
std::string joined(std::string_view list) {
  std::string text;
  for (const ListItem& item : list_items(list)) text.append(item.text).append(item.joint);
  return text;
}

// How the reader's language joins two parts.
std::string joint_of(const std::unordered_map<std::string_view, std::string>& texts, std::string_view english,
                     std::string_view otherwise) {
  const auto found = texts.find(english);
  return std::string(found == texts.end() ? otherwise : std::string_view(found->second));
}

bool has_clause(std::string_view text) {
  return text.find(": ") != std::string_view::npos || text.find("; ") != std::string_view::npos;
}

// "n31 (Tab offers the nodes)", and not "88120 (alice)".
bool has_remark(std::string_view text) {
  const std::size_t at = text.rfind(" (");
  if (at == std::string_view::npos || !text.ends_with(kBracketEnd)) return false;
  const std::string_view inside = text.substr(at + 2, text.size() - at - 3);
  return is_phrase(inside) && !is_data(inside);
}

// "cannot create instances on n1: Failed to …": the last place of a pattern is a name, and a reason follows
// that may be a tool's own English. Of "down: {}" the reason is the place itself.
bool ends_at_a_name(std::string_view text, std::string_view last) {
  const std::string_view before = text.substr(0, static_cast<std::size_t>(last.data() - text.data()));
  if (before.ends_with(": ") || before.ends_with("; ")) return false;
  const std::string_view name = last.substr(0, std::min(last.find(": "), last.find("; ")));
  return !is_phrase(name) || is_data(name);
}

// Names, numbers and abbreviations alone: no word of three small letters.
bool says_nothing(std::string_view text) {
  int small = 0;
  for (char c : text) {
    small = c >= 'a' && c <= 'z' ? small + 1 : 0;
    if (small == 3) return false;
  }
  return true;
}

}  // namespace

std::string_view word(Language language) { return language == Language::ja ? "ja" : "en"; }

std::optional<Language> parse_language(std::string_view text) {
  for (Language one : {Language::en, Language::ja})
    if (word(one) == text) return one;
  return std::nullopt;
}

Language language_of_locale(std::string_view locale) {
  const std::string_view name = locale.substr(0, locale.find_first_of("_.@"));
  return name == "ja" ? Language::ja : Language::en;
}

struct Words::Search {
  std::size_t work = 0;
  bool quoted = false;  // the argument that is told next
  bool spent() const { return work > kMostWork; }
};

Result<Words> Words::parse(std::string_view bytes) {
  auto entries = read_catalogue(bytes);
  if (!entries) return entries.error();
  Words words;
  for (const CatalogueEntry& entry : *entries) {
    Pattern original(entry.original);
    if (original.places() == 0) {
      // Doubled braces are one in the finished text, which whole texts are never written with.
      words.whole_.emplace(entry.original, entry.translation);
    } else if (original.weight() >= kLeastWeight) {
      words.patterns_.push_back({std::move(original), Pattern(entry.translation)});
    }
  }
  std::stable_sort(words.patterns_.begin(), words.patterns_.end(),
                   [](const Known& a, const Known& b) { return a.original.weight() > b.original.weight(); });
  for (std::size_t i = 0; i < words.patterns_.size(); ++i) {
    const std::string_view first = words.patterns_[i].original.first();
    if (first.size() < kStart)
      words.floating_.push_back(i);
    else
      words.by_start_[std::string(first.substr(0, kStart))].push_back(i);
  }
  return words;
}

Result<WordsPtr> Words::of(Language language) {
  if (language == Language::en) return WordsPtr();
  for (const embedded::File& file : embedded::translations()) {
    if (file.name != std::string(word(language)) + ".mo") continue;
    auto words = parse(file.text);
    if (!words) return words.error();
    return WordsPtr(std::make_shared<const Words>(std::move(*words)));
  }
  return Error{"cannot read the translations", std::string(word(language)) + ".mo is not part of this binary",
               ""};
}

const Words::Known* Words::find(Search& search, std::string_view text,
                                std::vector<std::string_view>& arguments) const {
  static const std::vector<std::size_t> kNone;
  const auto found =
      text.size() < kStart ? by_start_.end() : by_start_.find(std::string(text.substr(0, kStart)));
  const std::vector<std::size_t>& near = found == by_start_.end() ? kNone : found->second;
  // Both lists are in the order of sureness: they are walked as one.
  for (std::size_t a = 0, b = 0; a < near.size() || b < floating_.size();) {
    const bool from_near = b == floating_.size() || (a < near.size() && near[a] < floating_[b]);
    const Known& known = patterns_[from_near ? near[a++] : floating_[b++]];
    if (search.spent()) return nullptr;
    search.work += text.size() + kStart;
    if (auto matched = known.original.match(text); matched && !is_guess(known.original, *matched)) {
      arguments = std::move(*matched);
      return &known;
    }
  }
  return nullptr;
}

// A text of the catalogue may have clauses of its own ("reset it; where it comes back, replace it"): of
// several places to part it the one counts that leaves nothing in English, else the first.
std::optional<Words::Told> Words::tell_parts(Search& search, std::string_view text, int depth) const {
  // nullopt: neither side has anything of the reader's language.
  const auto told_at = [&](std::string_view joint, std::size_t at) -> std::optional<Told> {
    const auto parted = part_at(text, joint, at);
    if (!parted) return std::nullopt;
    const Told left = tell(search, parted->first, depth + 1);
    const Told right = tell(search, parted->second, depth + 1);
    if (left.text == parted->first && right.text == parted->second) return std::nullopt;
    std::string between = joint_of(whole_, joint, joint.substr(joint == kSentence ? 1 : 0));
    if (joint == kSentence && left.text.ends_with("。")) between.clear();
    return Told{left.text + between + right.text +
                    (parted->bracket ? joint_of(whole_, kBracketEnd, kBracketEnd) : ""),
                left.whole && right.whole};
  };
  std::optional<Told> best;
  for (std::string_view joint : kJoints) {
    bool any = false;
    std::size_t at = text.find(joint);
    for (int tries = 0; at != std::string_view::npos && tries < kMostParted; ++tries) {
      std::optional<Told> told = told_at(joint, at);
      if (told && told->whole) return told;
      any = any || told;
      if (told && !best) best = std::move(told);
      if (joint != kClause) break;
      at = text.find(joint, at + joint.size());
    }
    // Below a clause one way to part it is enough.
    if (any && joint != kSentence && joint != kClause) break;
  }
  return best;
}

// A list whose items are names, figures or phrases that have a translation; another one is no list.
std::optional<std::string> Words::tell_list(Search& search, std::string_view text, int depth) const {
  const std::vector<ListItem> items = list_items(text);
  if (items.size() < 2) return std::nullopt;
  std::string told;
  for (const ListItem& item : items) {
    if (item.text.empty()) return std::nullopt;
    if (!is_phrase(item.text)) {
      told += std::string(item.text) + std::string(item.joint);
      continue;
    }
    const Told phrase = tell(search, item.text, depth + 1);
    if (!phrase.whole && !is_data(item.text)) return std::nullopt;
    told += phrase.whole ? phrase.text : std::string(item.text);
    told += item.joint;
  }
  return told;
}

// A single word is a name and stays, and so does a command. Of what is quoted ("fan swap, ticket 4711 [root],
// 3 h ago") only what stands behind it is ours; it is a list where one of its items has a translation.
std::string Words::tell_argument(Search& search, std::string_view text, int depth) const {
  const bool quoted = std::exchange(search.quoted, false);
  const auto tell_quoted = [&](std::string_view words) {
    search.quoted = true;
    return tell_argument(search, words, depth);
  };
  // Its colon stands in the place, too: "not responding{}".
  if (text.starts_with(kColon))
    return joint_of(whole_, kColon, kColon) + tell_quoted(text.substr(kColon.size()));
  if (!is_phrase(text) || is_command(text)) return std::string(text);
  if (const auto known = whole_.find(text); known != whole_.end()) return known->second;
  if (depth > kDeepest || search.spent()) return tell(search, text, depth).text;
  if (const std::size_t comma = text.rfind(kItemEnd); quoted && comma != std::string_view::npos) {
    const std::string_view tail = text.substr(comma + kItemEnd.size());
    if (const Told own = tell(search, tail, depth + 1); own.whole && own.text != tail)
      return tell_quoted(text.substr(0, comma)) + joint_of(whole_, kItemEnd, kItemEnd) + own.text;
  }
  std::optional<std::string> list = tell_list(search, text, depth);
  if (list && !(quoted && *list == joined(text))) return std::move(*list);
  return tell(search, text, depth).text;
}

Words::Told Words::tell(Search& search, std::string_view text, int depth) const {
  if (const auto known = whole_.find(text); known != whole_.end()) return {known->second, true};
  const bool nothing = says_nothing(text);
  if (depth > kDeepest || search.spent()) return {std::string(text), nothing};
  std::vector<std::string_view> arguments;
  if (const Known* known = find(search, text, arguments)) {
    // A pattern that begins with a place may swallow a clause that stands before its own.
    if (known->original.first().empty() && has_joint(arguments.front()))
      if (auto parts = tell_parts(search, text, depth); parts && parts->whole) return std::move(*parts);
    // And one that ends with a place the reason, the clause or the remark behind it.
    const std::string_view last =
        known->original.ends_open() ? arguments[known->original.order().back()] : "";
    if (has_clause(last) || has_remark(last))
      if (auto parts = tell_parts(search, text, depth);
          parts && (parts->whole || (has_clause(last) && ends_at_a_name(text, last))))
        return std::move(*parts);
    std::vector<std::string> told;
    for (std::string_view one : arguments) {
      const bool ends = one.end() == text.end();
      if (ends && text.substr(0, text.size() - one.size()).ends_with(kToType)) {
        told.emplace_back(one);
        continue;
      }
      // What stands last and behind a colon may be a person's own words, such as the reason of a drain.
      search.quoted = ends && text.substr(0, text.size() - one.size()).ends_with(kColon);
      told.push_back(tell_argument(search, one, depth + 1));
    }
    return {known->translation.fill(told), true};
  }
  if (nothing) return {std::string(text), true};
  if (auto parts = tell_parts(search, text, depth)) return std::move(*parts);
  return {std::string(text), false};
}

Words::Told Words::tell(std::string_view english) const {
  if (english.size() > kLongest) return {std::string(english), false};
  Search search;
  return tell(search, english, 0);
}

std::string told(const WordsPtr& words, std::string_view english) {
  return words ? words->tell(english).text : std::string(english);
}

std::string told_facts(const WordsPtr& words, std::string_view english) {
  if (!words) return std::string(english);
  constexpr std::string_view kSource = " (source: ";
  std::string out;
  while (!english.empty()) {
    const std::size_t at = english.find(kSource), end = english.find(')', at);
    if (at == std::string_view::npos || end == std::string_view::npos) return out + told(words, english);
    out +=
        told(words, english.substr(0, at)) + " (" + told(words, english.substr(at + 2, end - at - 2)) + ")";
    english.remove_prefix(end + 1);
    if (!english.starts_with("; ")) continue;
    out += "; ";
    english.remove_prefix(2);
  }
  return out;
}

namespace {

// "    # " of a comment that stands in lines of its own; empty: the line is another.
std::string_view comment_lead(std::string_view line) {
  const std::size_t mark = line.find_first_not_of(' ');
  const bool comment = mark != std::string_view::npos && line.substr(mark).starts_with("# ");
  return comment ? line.substr(0, mark + 2) : std::string_view();
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// A line that a translation holds alone and in ASCII is to be copied: it is never broken.
std::string comment_lines(std::string_view lead, std::string_view told, int width) {
  const int room = std::max(width - display_width(lead), 1);
  std::string out;
  while (!told.empty()) {
    const std::string_view line = take_line(told);
    const bool copied =
        std::all_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    for (const std::string& one :
         copied ? std::vector<std::string>{std::string(line)} : wrap(line, room, LongWord::kept))
      out += std::string(lead) + one + "\n";
  }
  return out;
}

// "job.sh  # behind what is typed"; above it where that is too wide, but never inside of a command that goes
// on from the line before.
std::string told_line(const Words& words, std::string_view line, int width, bool goes_on) {
  const std::size_t mark = line.find("  # ");
  if (mark == std::string_view::npos) return std::string(line) + "\n";
  const std::string_view typed = line.substr(0, mark), english = line.substr(mark + 4);
  const std::string told = words.tell(english).text;
  std::string beside = std::string(typed) + "  # " + told;
  if (goes_on || display_width(beside) <= width) return beside + "\n";
  const std::string_view indent = typed.substr(0, std::min(typed.find_first_not_of(' '), typed.size()));
  return comment_lines(std::string(indent) + "# ", told, width) + std::string(typed) + "\n";
}

}  // namespace

std::string told_comments(const WordsPtr& words, std::string_view text, int width) {
  if (!words) return std::string(text);
  std::string out;
  bool goes_on = false;
  while (!text.empty()) {
    const std::string_view line = take_line(text), lead = comment_lead(line);
    if (lead.empty()) {
      out += told_line(*words, line, width, goes_on);
      goes_on = line.ends_with('\\');
      continue;
    }
    // A sentence may take several lines: they are told as one, and broken again.
    std::string sentence(line.substr(lead.size())), lines = std::string(line) + "\n";
    while (comment_lead(text) == lead) {
      const std::string_view more = take_line(text);
      sentence += " " + std::string(more.substr(lead.size()));
      lines += std::string(more) + "\n";
    }
    const Words::Told told = words.get()->tell(sentence);
    if (told.text == sentence) {
      out += lines;
      continue;
    }
    out += comment_lines(lead, told.text, width);
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace tessera::tui
