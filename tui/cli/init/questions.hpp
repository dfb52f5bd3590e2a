// What `tessera init` asks: the settings that no cluster tells, each with what was found and why it matters.
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.hpp"
#include "tui/cli/self.hpp"

namespace tessera::cli {

struct Question {
  std::string_view setting;  // its name in config.yaml
  std::string ask;
  std::string why;
  std::string found;   // what the clusters and this machine say; empty: nothing
  std::string answer;  // taken by Enter; empty: the setting is left out
};

// The questions that fit the clusters that were found, in the order in which they are asked. `ssh`: it is in
// PATH; `writes_conf`: this user may write slurm.conf here.
struct Surroundings {
  bool ssh = false;
  bool writes_conf = false;
};
std::vector<Question> questions(const Model& found, const Surroundings& here);

// The answers alone, as a configuration file has them. Errors: a control character in one of them.
Result<std::string> settings_text_of(const std::map<std::string, std::string>& answers);

// config.yaml with these answers, each under what it means; empty answers are left out.
std::string configuration(const std::vector<Question>& asked,
                          const std::map<std::string, std::string>& answers);

}  // namespace tessera::cli
