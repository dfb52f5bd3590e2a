// tessera about itself: what it is and what it found on this machine, for bug reports (`tessera about`), and
// whether that is as it should be (`tessera doctor --self`). No cluster is asked.
//
// What is printed holds no setting's value, no host name and no credential; the home folder is shown as ~.
// Threads: gathering runs on the calling thread; the rest are pure functions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/model.hpp"
#include "tui/cli/parse.hpp"
#include "tui/cli/settings.hpp"
#include "tui/cli/streams.hpp"

namespace tessera::cli {

// What only main can look up.
struct Machine {
  std::function<std::optional<std::string>(std::string_view program)> find_program;
  std::string journals;  // folder; empty: there is no home to put it in
  // For `tessera init`. The contexts of the kubeconfig, the current one first; empty: there is no kubeconfig.
  std::function<std::vector<std::string>(const Options&)> contexts;
  // Tries a setting (of Slurm, the contexts) without changing anything, on that node where it is about one:
  // what was seen, or why it does not work; nullopt: there is nothing to try. Takes as long as a node may
  // take to answer.
  std::function<std::optional<Result<std::string>>(const Options&, std::string_view setting, const NodeName&)>
      try_setting;
};

struct FileFact {
  std::string path;
  std::string state;  // "read", "not there", or why it cannot be used
  bool good = true;
  std::string hint;  // where it is not good
};

struct SelfFacts {
  std::string kernel;    // "Linux 6.1.0"
  std::string terminal;  // TERM
  std::string drawn_as;  // the terminfo entry in use; empty: none fits
  bool guessed = false;
  bool utf8 = false;
  std::string locale;  // LC_ALL, LC_CTYPE or LANG: the one that counts; empty: none is set
  std::vector<FileFact> files;
  std::string settings_problem;       // of all of them together; empty: none
  std::vector<std::string> settings;  // names of those that are set, with where
  std::vector<std::pair<std::string, std::optional<std::string>>> programs;  // name, path
  std::string journals;
  std::string journals_problem;  // empty: none
  TimePoint now{};
};

struct SelfCheck {
  std::string name;
  Severity severity = Severity::good;
  std::string found;
  std::string hint;  // empty where all is well
};
std::vector<SelfCheck> self_checks(const SelfFacts& facts);

// These look at the machine and print. They return the exit code.
int run_about(const Parsed& parsed, const Environment& environment, const Machine& machine,
              const Streams& streams);
int run_self_check(const Parsed& parsed, const Environment& environment, const Machine& machine,
                   TimePoint now, const Streams& streams);

}  // namespace tessera::cli
