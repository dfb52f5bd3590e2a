// What `tessera init` asks: the settings that no cluster tells, each with what was found and why it matters.
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.hpp"
#include "tui/cli/self/self.hpp"

namespace tessera::cli {

struct Question {
  std::string_view setting;  // its name in config.yaml
  std::string ask;
  std::string why;
  std::string found;   // what the clusters and this machine say; empty: nothing
  std::string answer;  // taken by Enter; empty: the setting is left out
};

// The questions that fit the clusters that were found, in the order in which they are asked. `ssh`: it is in
// PATH; `writes_conf`: this user may write slurm.conf here; `contexts`: of the kubeconfig, the current one
// first; `named`: settings of the clusters themselves that a flag or a variable gives now (slurm-conf,
// kubeconfig, context): without them in the file the next tessera would not find the same clusters.
struct Surroundings {
  bool ssh = false;
  bool writes_conf = false;
  std::vector<std::string> contexts;
  std::map<std::string, std::string> named;
};
std::vector<Question> questions(const Model& found, const Surroundings& here);

// The answers alone, as a configuration file has them. Errors: a control character in one of them.
Result<std::string> settings_text_of(const std::map<std::string, std::string>& answers);

// config.yaml with these answers, each under what it means; empty answers are left out.
std::string configuration(const std::vector<Question>& asked,
                          const std::map<std::string, std::string>& answers);

}  // namespace tessera::cli
