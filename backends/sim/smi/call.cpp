#include "backends/sim/smi/call.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "engine/number.hpp"

namespace tessera::sim {
namespace {

using Words = std::span<const std::string>;

constexpr int kMostSamples = 1000;  // of pmon

// Verbs of `nvidia-smi mig`, and whether a value follows; -cci may have one.
struct Verb {
  std::string_view word;
  bool value;
};
constexpr std::array kMig = {Verb{"-lgip", false}, Verb{"-lgipp", false}, Verb{"-lgi", false},
                             Verb{"-lci", false},  Verb{"-cgi", true},    Verb{"-cci", true},
                             Verb{"-dgi", false},  Verb{"-dci", false}};

class Taker {
 public:
  Taker(Words words, Call& call, Misread& why) : words_(words), call_(call), why_(why) {}

  bool mig() {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      auto verb = std::find_if(kMig.begin(), kMig.end(), [&](const Verb& one) { return one.word == word; });
      if (verb != kMig.end()) {
        if (!name(word)) return false;
        if (verb->value && at_ < words_.size() && !words_[at_].starts_with('-')) call_.value = words_[at_++];
        if (word == "-cgi" && call_.value.empty()) return misses(word);
      } else if (word == "-C") {
        call_.compute = true;
      } else if (word == "-gi" || word == "-ci") {
        if (!take(word == "-gi" ? call_.instances : call_.computes, word)) return false;
      } else if (!common(word)) {
        return false;
      }
    }
    return !call_.verb.empty() || misses("mig");
  }

  bool policy() {
    call_.verb = "compute-policy";
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      constexpr std::string_view kSet = "--set-timeslice=";
      if (word == "-l" || word == "--list")
        call_.value.clear();
      else if (word.starts_with(kSet))
        call_.value = word.substr(kSet.size());
      else if (!common(word))
        return false;
    }
    return true;
  }

  // Its other options choose columns and the time between samples: the stand-in has one of each, and refuses.
  bool pmon() {
    call_.verb = "pmon";
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      std::optional<std::string> value;
      if (word == "-c" || word == "--count") {
        if (!take(value, word)) return false;
        if (!whole_number(*value, kMostSamples)) return misses(word);
        call_.value = *value;
      } else if (!common(word)) {
        return false;
      }
    }
    return true;
  }

  // What is no verb of its own is told otherwise than inside one.
  bool plain() {
    if (take_plain()) return true;
    if (!unknown_.empty())
      why_ = {"ERROR: Option " + unknown_ + " is not recognized. Please run 'nvidia-smi -h'.\n\n", 255};
    else if (call_.verb == "-L" && call_.which)
      why_ = {"ERROR: Option -i is not valid for this command. Please run 'nvidia-smi -h' for help.\n\n", 2};
    return false;
  }

 private:
  bool take_plain() {
    bool query = false;
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      constexpr std::string_view kFields = "--query-gpu=", kFormat = "--format=";
      std::optional<std::string> value;
      if (word == "-L" || word == "--list-gpus") {
        if (!name("-L")) return false;
      } else if (word == "-q" || word == "--query") {
        query = true;
      } else if (word == "-x" || word == "--xml-format") {
        call_.xml = true;
      } else if (word.starts_with(kFields)) {
        call_.value = word.substr(kFields.size());
        if (!name("--query-gpu")) return false;
      } else if (word.starts_with(kFormat)) {
        call_.format = word.substr(kFormat.size());
      } else if (word == "-mig" || word == "-c" || word == "-pm") {
        if (!name(word) || !take(value, word)) return false;
        call_.value = *value;
      } else if (word == "--gpu-reset" || word == "-r") {
        if (!name("--gpu-reset")) return false;
      } else if (!common(word)) {
        return false;
      }
    }
    if (query && (!name("-q") || !call_.xml)) return misses("-q");
    if (call_.verb == "-L" && call_.which) return misses("-L");
    return !call_.verb.empty() || misses("nvidia-smi");
  }

  bool name(std::string_view verb) {
    if (!call_.verb.empty()) return misses(verb);
    call_.verb = verb;
    return true;
  }
  bool take(std::optional<std::string>& into, const std::string& word) {
    if (at_ >= words_.size()) return misses(word);
    into = words_[at_++];
    return true;
  }
  bool common(const std::string& word) {
    if (word == "-i" || word == "--id") return take(call_.which, word);
    if (word.starts_with("--id=")) return call_.which = word.substr(5), true;
    unknown_ = word;
    why_ = {"Option \"" + word + "\" is not recognized.\n", 2};
    return false;
  }
  bool misses(std::string_view) {
    why_ = {"Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n", 2};
    return false;
  }

  Words words_;
  Call& call_;
  Misread& why_;
  std::string unknown_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Call> take_apart(const std::vector<std::string>& words, Misread& why) {
  Call call;
  Words all(words);
  const std::string first = words.empty() ? "" : words[0];
  bool sub = first == "mig" || first == "compute-policy" || first == "pmon";
  Taker taker(sub ? all.subspan(1) : all, call, why);
  bool fine = !sub              ? taker.plain()
              : first == "mig"  ? taker.mig()
              : first == "pmon" ? taker.pmon()
                                : taker.policy();
  if (!fine) return std::nullopt;
  return call;
}

bool changes(const Call& call) {
  constexpr std::array<std::string_view, 9> kChanging = {"-cgi",        "-cci", "-dgi", "-dci", "-mig",
                                                         "--gpu-reset", "-c",   "-pm",  "apply"};
  if (call.verb == "compute-policy") return !call.value.empty();
  return std::find(kChanging.begin(), kChanging.end(), call.verb) != kChanging.end();
}

int code_of(Outcome::Refusal refusal) {
  using Refusal = Outcome::Refusal;
  switch (refusal) {
    case Refusal::none: return 0;
    case Refusal::invalid: return 2;
    case Refusal::not_supported: return 3;
    case Refusal::not_found: return 6;
    case Refusal::in_use: return 19;
    case Refusal::insufficient: return 23;
  }
  return 255;
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    std::size_t comma = std::min(text.find(','), text.size());
    all.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return all;
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace tessera::sim
