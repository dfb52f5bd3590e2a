#include "tui/cli/record/owners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/replaced.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::cli {
namespace {

constexpr std::string_view kPlace = "{user}";
constexpr std::size_t kLongestName = 256;

std::vector<usage::Letter> letters_of(const Looked& looked) {
  return usage::letters(looked.waste, looked.from, looked.to);
}

// A name is a word of the site's command: one that a program could take for an option, or for a place of
// files, is not handed to it. Names of pods' owners are texts of strangers.
bool is_plain_name(const std::string& user) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '@' || c == '+';
  };
  return !user.empty() && user.size() <= kLongestName && user.front() != '-' && user.front() != '.' &&
         std::all_of(user.begin(), user.end(), allowed);
}

Status send_one(const usage::Letter& letter, const Options& options, const Joins& joins) {
  const std::string what = "cannot tell " + clean(letter.user, 100);
  if (!is_plain_name(letter.user))
    return Error{what, "the name is not one of letters, digits and . _ - @ +", "tell this owner yourself"};
  std::vector<std::string> words;
  for (const std::string& word : options.owner_command) words.push_back(replaced(word, kPlace, letter.user));
  Status done = joins.run_command(words, letter.text);
  if (done) return done;
  return Error{what, done.error().reason, done.error().hint};
}

}  // namespace

std::string messages_to_owners(const Looked& looked, const Options& options) {
  std::string text;
  Json whole = Json::map();
  whole.add("from", Json::of(utc_text(looked.from)));
  whole.add("to", Json::of(utc_text(looked.to)));
  Json& list = whole.add("messages", Json::list());
  for (const usage::Letter& letter : letters_of(looked)) {
    text += "To: " + letter.user + "\n" + letter.text + "\n";
    Json& one = list.items.emplace_back(Json::map());
    one.add("to", Json::of(letter.user));
    one.add("text", Json::of(letter.text));
  }
  if (options.output == OutputFormat::json) return document(whole, Markup::json);
  if (options.output == OutputFormat::yaml) return document(whole, Markup::yaml);
  return text;
}

std::optional<Error> why_not_sent(const Options& options, const Joins& joins) {
  if (!options.messages)
    return Error{"cannot send", "--send sends the texts to owners", "write --messages --send"};
  if (options.output != OutputFormat::table && options.output != OutputFormat::wide)
    return Error{"cannot send", "--send prints who was told, line by line",
                 "leave out -o; --messages -o json without --send prints the texts for a program"};
  if (options.owner_command.empty() || !joins.run_command)
    return Error{"cannot send", "owner-command is not set",
                 "owner-command: mail -s 'GPUs held and not used' {user}, in config.yaml; it reads the text "
                 "from its standard input"};
  return std::nullopt;
}

bool send_to_owners(const Looked& looked, const Options& options, const Joins& joins,
                    const Streams& streams) {
  bool all = true;
  const std::vector<usage::Letter> letters = letters_of(looked);
  if (letters.empty()) streams.out << told(streams, "No owner is to be told of anything.") << "\n";
  for (const usage::Letter& letter : letters) {
    const Status sent = send_one(letter, options, joins);
    if (sent)
      streams.out << told(streams, fmt::format("{} was told", letter.user)) << "\n";
    else
      complain(streams, sent.error()), all = false;
    streams.out.flush();
  }
  return all;
}

}  // namespace tessera::cli
