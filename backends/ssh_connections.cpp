#include "backends/ssh_connections.hpp"

#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "engine/text.hpp"

namespace tessera {
namespace {

constexpr Duration kAsk{5000}, kClose{2000};
constexpr std::string_view kIdle = "60";  // seconds that an unused connection stays
constexpr std::size_t kAddedBySsh = 17;   // to the socket's name while ssh makes it
constexpr const char* kOwnFolder = "shared ssh connections";

// Of `ssh -G HOST`: what it would do, one setting a line, names in small letters.
bool shares_by_itself(std::string_view settings) {
  constexpr std::string_view kPath = "controlpath ";
  while (!settings.empty()) {
    const std::size_t end = std::min(settings.find('\n'), settings.size());
    std::string_view line = settings.substr(0, end);
    settings.remove_prefix(std::min(settings.size(), end + 1));
    if (line.starts_with(kPath) && line.substr(kPath.size()) != "none") return true;
  }
  return false;
}

}  // namespace

SshConnections::SshConnections(Processes& processes, std::vector<std::string> folders, std::string login)
    : processes_(processes), folders_(std::move(folders)), login_(std::move(login)) {}

void SshConnections::options_for(const NodeName& node, Use use) {
  if (!why_not_.empty()) return use({});
  Known& known = nodes_[node];
  known.waiting.push_back(std::move(use));
  if (known.asked) return tell(node);
  if (known.waiting.size() > 1) return;  // its answer is on the way
  Command ask;
  ask.argv = {"ssh", "-G"};
  if (!login_.empty()) ask.argv.insert(ask.argv.end(), {"-l", login_});
  ask.argv.insert(ask.argv.end(), {"--", node.text});
  ask.environment["LC_ALL"] = "C";
  ask.deadline = kAsk;
  processes_.run(std::move(ask), [this, node](const Result<Outcome>& told) {
    Known& found = nodes_[node];
    found.asked = true;
    // One whose configuration cannot be read is left alone: the command itself will say what is wrong.
    found.theirs = !told || !told->succeeded() || shares_by_itself(told->out);
    tell(node);
  });
}

void SshConnections::tell(const NodeName& node) {
  Known& known = nodes_[node];
  if (!known.theirs && known.socket.empty()) known.socket = new_socket();
  std::vector<std::string> options;
  if (!known.theirs && !known.socket.empty() && why_not_.empty())
    options = {"-o", "ControlMaster=auto",         "-o", "ControlPersist=" + std::string(kIdle),
               "-o", "ControlPath=" + known.socket};
  for (const Use& use : std::exchange(known.waiting, {})) use(options);
}

std::string SshConnections::new_socket() {
  if (!folder_ && why_not_.empty()) {
    auto made = PrivateFolder::make(folders_, kOwnFolder);
    if (!made)
      why_not_ = to_line(made.error());
    else
      folder_.emplace(std::move(*made));
  }
  if (!folder_) return "";
  std::string socket = folder_->ssh_socket(++sockets_);
  if (socket.size() + kAddedBySsh < sizeof(sockaddr_un{}.sun_path)) return socket;
  why_not_ = "the name of a socket below " + folder_->path() +
             " would be too long; set XDG_RUNTIME_DIR or TMPDIR to a folder with a shorter name";
  return "";
}

// ssh ends with these words about our own socket before it has run anything: it logs in, listens, then
// begins.
bool SshConnections::is_at_fault(const std::string& said) {
  if (!why_not_.empty() || !folder_) return false;
  const std::size_t at = std::min(said.find("unix_listener: "), said.find("ControlPath too long"));
  if (at == std::string::npos || said.find(folder_->path(), at) == std::string::npos) return false;
  why_not_ = "ssh cannot keep a connection: " + clean(std::string_view(said).substr(at), 300);
  return true;
}

Command SshConnections::control(const NodeName& node, const std::string& socket, const char* order) const {
  Command command;
  command.argv = {"ssh", "-O", order, "-o", "ControlPath=" + socket, "--", node.text};
  command.environment["LC_ALL"] = "C";
  command.deadline = kClose;
  command.dies_with_us = false;
  return command;
}

void SshConnections::drop(const NodeName& node) {
  auto known = nodes_.find(node);
  if (known == nodes_.end() || known->second.socket.empty()) return;
  const std::string old = std::exchange(known->second.socket, "");
  if (::access(old.c_str(), F_OK) != 0) return;
  processes_.run(control(node, old, "stop"), [](const Result<Outcome>&) {});
}

void SshConnections::close(std::function<void()> closed) {
  auto left = std::make_shared<std::size_t>(1);
  auto one_less = [left, closed = std::move(closed)] {
    if (--*left == 0) closed();
  };
  for (auto& [node, known] : nodes_) {
    const std::string old = std::exchange(known.socket, "");
    if (old.empty() || ::access(old.c_str(), F_OK) != 0) continue;
    ++*left;
    processes_.run(control(node, old, "exit"), [one_less](const Result<Outcome>&) { one_less(); });
  }
  one_less();
}

}  // namespace tessera
