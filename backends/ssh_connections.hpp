// One ssh connection to each node for all that is run there, instead of a login for each command.
//
// ssh itself keeps it (ControlMaster, ControlPersist) behind a socket in a private folder of ours: the first
// command to a node opens it, the others go through it, and it ends a minute after the last one if no one
// closes it before. Where the user's own configuration shares connections (ControlPath), that is left alone.
// Where sharing does not work here, every command gets a connection of its own, and why_not() says so.
// Threads: the worker's thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/private_folder.hpp"
#include "backends/process.hpp"
#include "engine/model/units.hpp"

namespace tessera {

class SshConnections {
 public:
  // folders: where the private folder may be made; it is made with the first connection. login: as
  // RunnerOptions::login. processes must outlive it.
  SshConnections(Processes& processes, std::vector<std::string> folders, std::string login);

  // The options with which ssh shares the connection to that node; none: it takes one of its own. May be
  // called from inside.
  using Use = std::function<void(std::vector<std::string> options)>;
  void options_for(const NodeName& node, Use use);
  // What ssh said where a command did not get there: true when it was the sharing that failed, so that the
  // command has not run and may be tried without. From then on nothing is shared.
  bool is_at_fault(const std::string& said);
  // A command there was late, or its connection was lost: the next one opens a new connection. What still
  // runs through the old one is let finish.
  void drop(const NodeName& node);
  // Closes all of them; `closed` is called when that is done, perhaps from inside.
  void close(std::function<void()> closed);
  // Why connections are not shared; empty: they are, or nothing was run yet.
  const std::string& why_not() const { return why_not_; }

 private:
  struct Known {
    bool asked = false;        // what ssh's configuration says has come
    bool theirs = false;       // it shares connections itself
    std::string socket;        // of ours
    std::vector<Use> waiting;  // while it is asked
  };
  std::string new_socket();
  void tell(const NodeName& node);
  Command control(const NodeName& node, const std::string& socket, const char* order) const;

  Processes& processes_;
  const std::vector<std::string> folders_;
  const std::string login_;
  std::optional<PrivateFolder> folder_;
  std::map<NodeName, Known> nodes_;
  std::size_t sockets_ = 0;
  std::string why_not_;
};

}  // namespace tessera
