// Who of a Slurm cluster's daemons answers, as several answers tell it: controllers by `scontrol ping`,
// munged by every authenticated call from here, slurmdbd by sacctmgr. What nothing here can tell is said so,
// never guessed. slurmd on the nodes is what slurmctld says of each node.
//
// Words of sacctmgr 22.05. Threads: a value with one owner.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/process.hpp"
#include "backends/slurm/parse/parse_cluster.hpp"
#include "engine/model/event.hpp"

namespace tessera::slurm {

class Daemons {
 public:
  void pinged(std::vector<Daemon> controllers) { controllers_ = std::move(controllers); }
  void ping_unanswered();
  // A credential of ours was accepted. Whether that is news; where the site does not use munge, it is not.
  bool authenticated(bool by_munge);
  // why: in munge_trouble's words.
  void munge_fails(const Error& why);
  void configured(const ClusterFacts& facts);
  // What `sacctmgr list cluster` left behind; an Error: it could not be run at all.
  void accounting(const Result<Outcome>& ran);

  const std::vector<Daemon>& controllers() const { return controllers_; }
  // slurmdbd is there and worth asking now and then.
  bool has_accounting() const { return !accounting_host_.empty(); }
  std::vector<Daemon> all() const;
  // What was not asked, and why; of grade info.
  std::vector<Remark> not_asked() const;

 private:
  std::vector<Daemon> controllers_;
  std::optional<Daemon> munge_, accounting_;
  std::string accounting_host_;
  std::string accounting_unknown_;  // why nothing can be told
  bool rest_is_likely_ = false;
};

// Whether what a command said is about credentials: then it reports nothing about whom it asked.
bool speaks_of_authentication(std::string_view text);

}  // namespace tessera::slurm
