// What a person asked for on the command line, after flags, environment and files were weighed.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/guide/facts.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/model/units.hpp"
#include "engine/plan/intent.hpp"
#include "engine/plan/planner.hpp"
#include "engine/record/recording.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/usage/limits.hpp"
#include "tui/cli/paper.hpp"
#include "tui/language/words.hpp"

namespace tessera::slurmconf {
struct SlurmSetup;
}

namespace tessera::usage {
struct Exceptions;
}

namespace tessera::cli {

enum class OutputFormat : std::uint8_t { table, wide, json, yaml, csv };

// A value and who set it: "--theme", "TESSERA_THEME", "/etc/tessera/config.yaml:3", "default".
struct Setting {
  std::string value;
  std::string from;
};
using Settings = std::map<std::string, Setting>;  // by flag name

struct Options {
  std::string command;             // empty: the console
  std::vector<std::string> words;  // what follows it
  bool help = false;
  bool version = false;

  std::string cluster;             // only this one; empty: all
  std::optional<std::string> sim;  // scenario; empty: the default one, or what the state file holds
  std::optional<std::uint64_t> sim_seed;
  std::optional<double> sim_speed;
  std::string sim_state;  // file; empty: none
  // sim serve
  bool serve_kubernetes = false;
  std::string listen;                 // port or path; empty: any free port
  std::string kubeconfig_out;         // file; empty: none
  std::string user_ports;             // "viewer=8002:view", several by commas
  std::string slurm_conf;             // file; empty: what Slurm's commands take themselves
  std::string kubeconfig;             // file; empty: what kubectl takes itself
  std::vector<std::string> contexts;  // of the kubeconfig; empty: its current one
  std::shared_ptr<const slurmconf::SlurmSetup> slurm_site;  // what the site says of its Slurm; never null
  Settings figures;  // sources of figures beside the cluster's own (Flag::figures)
  std::optional<Duration> interval;
  bool write = false;

  OutputFormat output = OutputFormat::table;
  std::string filter;
  std::vector<std::string> sort;     // "name", "-gpus"
  std::vector<std::string> columns;  // empty: as the format has them
  bool headers = true;
  bool watch = false;
  Duration timeout{30000};

  std::string theme;
  bool theme_chosen = false;  // by a flag, the environment or a file, and not by default
  std::string keys;
  bool color = true;
  bool ascii = false;
  bool mouse = false;
  Paper paper;  // what the data is printed on
  tui::Language language = tui::Language::en;
  tui::WordsPtr reader;  // texts in that language, for people; null: English, as every document

  mig::Which which = mig::Which::undominated;
  std::vector<std::string> profiles;
  std::optional<std::string> check;

  std::string boards_file;  // pack: GPUs and demand; "-": standard input

  bool for_queue = false;               // pack: what waits is the demand
  std::optional<Duration> for_history;  // pack: the peaks of so long a time are the demand
  std::string ends_within;  // pack: 12h, or as at: what ends by then, by its limit, counts as gone
  std::string partition;    // pack: only work and nodes of this partition; empty: all
  bool plan_it = false;     // pack: the plan of its answer...
  bool apply_it = false;    // ...and its run
  std::string fleet_file;   // fleet: where no FILE is named
  int days = 7;             // fleet calendar: so many days ahead

  // plan and apply: what to change...
  std::string nodes;  // names, ranges or a filter
  std::vector<GpuIndex> gpus;
  std::string intent_file;              // instead of all these
  std::vector<plan::BoardWish> wishes;  // as it says; each with its node
  std::optional<std::string> layout;
  std::string preset;
  std::string strategy;
  std::optional<int> replicas;
  std::string vgpu;
  plan::WishedSwitches switches;  // the device plugin's, as wished; those of --intent by node
  std::map<std::string, plan::WishedSwitches> node_switches;
  std::string at;                    // a time in words
  plan::ChangeOptions change;        // ...and how; without `at`
  std::optional<int> canary, batch;  // those of `change` where they were given: undo has the run's else
  // apply, undo, resume, journal
  std::string runs;  // folder; empty: the user's own
  bool yes = false;
  bool dry_run = false;
  bool replan = false;
  bool back = false;
  bool accept_harm = false;
  bool go_on = false;
  bool due = false;
  bool messages = false;
  int hours = 24;      // whatif: so far ahead
  bool patch = false;  // what a plan adds to files of the site's, instead

  // What was, and what is kept of it.
  std::string recording;  // folder or file; empty: none
  record::Keep keep;
  Duration every{60'000};                // record: between two rounds
  int rounds = 0;                        // record: so many and no more; 0: until it is ended
  std::string hash_names;                // record: the salt; empty: names as they are
  double speed = 0;                      // replay
  std::string from, to;                  // diff: times in words
  Duration since{7LL * 24 * 3'600'000};  // usage, waste: how far back
  std::string by;                        // usage, users; empty: user, or what the source tells
  bool accounting = false;               // usage: ask the scheduler's accounting, no recording
  bool no_cache = false;                 // ...about each day again
  bool demand = false;                   // usage: peaks by profile and hour, instead of sums
  bool right_sized = false;              // of a past demand: in the profiles that would have done
  std::optional<double> more_than;       // waste: slice-hours beyond which the exit code is 1

  // usage and waste: where from, from when on something counts, what does not, and how owners are told
  std::string source;         // "recording", "accounting", "prometheus"; empty: what there is
  bool source_typed = false;  // by --source, not by a file
  usage::Limits limits{};
  std::shared_ptr<const usage::Exceptions> except;  // null: everything counts
  std::vector<std::string> owner_command;           // empty: none is set
  bool send = false;

  bool rbac = false;               // doctor: the role that is needed, instead...
  std::string operator_namespace;  // ... where the GPU operator is
  std::string group;               // ... and for whom

  // guide
  std::string product;                                // instead of nodes: a GPU that is in no cluster yet
  std::vector<std::pair<std::string, bool>> answers;  // "Q2", yes
  std::optional<sharing::Platform> platform;          // nullopt: by what is seen
  guide::SiteFacts site;
  plan::SiteRules rules;   // what this site adds to what a cluster tells, `platform` among it
  bool compare = false;    // the four ways side by side
  bool scheduler = false;  // Kubernetes or Slurm
  bool terms = false;      // the glossary
};

using Environment = std::map<std::string, std::string>;

}  // namespace tessera::cli
