// Where the parts of check() leave what they find: faults that nodes share become one remark.
// Threads: a value with one owner.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/model/event.hpp"
#include "engine/slurmconf/config.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurmconf {

class Findings {
 public:
  using Grade = Remark::Grade;
  Findings(const SlurmSetup& its_site, const Config& its_config) : site(its_site), config(its_config) {}

  void add(Place at, Grade grade, std::string text, std::string hint);
  // The text becomes "gpu[01-02]: TEXT".
  void add(Place at, Grade grade, const std::string& node, std::string text, std::string hint);
  void add(Remark remark) { remarks_.push_back(std::move(remark)); }
  std::vector<Remark> take();

  const SlurmSetup& site;
  const Config& config;

 private:
  struct Shared {
    Remark remark;
    std::vector<std::string> nodes;
  };
  std::vector<Remark> remarks_;
  std::map<std::pair<Place, std::string>, Shared> shared_;
};

// gres.conf against slurm.conf (check_gres.cpp), and against the nodes as they run; null: not known.
void check_gres(Findings& findings, const std::vector<NodeLine>& nodes, const std::vector<GresLine>& lines,
                const std::vector<Node>* running);

}  // namespace tessera::slurmconf
