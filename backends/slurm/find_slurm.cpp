#include "backends/slurm/find_slurm.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <future>

#include "backends/files.hpp"
#include "backends/process.hpp"
#include "backends/slurm/commands.hpp"
#include "backends/slurm/parse/parse_cluster.hpp"

namespace tessera::slurm {
namespace {

constexpr const char* kCannotRead = "cannot read Slurm's configuration";
constexpr const char* kMungeSocket = "/run/munge/munge.socket.2";
constexpr std::size_t kMostConf = 16u << 20;

bool readable(const std::string& file) { return ::access(file.c_str(), R_OK) == 0; }

// "socket=/run/x,ttl=60" → "/run/x"
std::string option(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    std::size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    if (item.starts_with(name) && item.substr(name.size()).starts_with("="))
      return std::string(item.substr(name.size() + 1));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return {};
}

// Whatever else it answers is the cluster's trouble, to be shown as such.
bool scontrol_finds_its_own(Duration patience) {
  std::promise<bool> answer;
  Worker worker;
  Processes processes(worker);
  worker.post([&] {
    processes.run(ping(SlurmClient{"", "", patience}), [&](Result<Outcome> result) {
      constexpr const char* kNone = "Could not establish a configuration source";
      answer.set_value(result && result->err.find(kNone) == std::string::npos);
    });
  });
  bool found = answer.get_future().get();
  worker.stop();
  return found;
}

}  // namespace

Conf read_conf(const std::string& file) {
  Conf conf;
  conf.file = file;
  std::string text;
  if (auto read = read_whole_file(kCannotRead, file, kMostConf); read && *read)
    text = std::move((*read)->text);
  conf.cluster_name = config_value(text, "ClusterName");
  conf.auth_type = config_value(text, "AuthType");
  if (conf.auth_type.empty()) conf.auth_type = "auth/munge";
  conf.munge_socket = option(config_value(text, "AuthInfo"), "socket");
  return conf;
}

std::optional<std::string> find_slurm_conf() {
  if (const char* named = std::getenv("SLURM_CONF"); named && *named) return named;
  for (const char* file :
       {"/etc/slurm/slurm.conf", "/etc/slurm-llnl/slurm.conf", "/run/slurm/conf/slurm.conf"})
    if (readable(file)) return file;
  return std::nullopt;
}

Result<Conf> find_slurm(Duration patience) {
  if (!find_program("scontrol"))
    return Error{"no Slurm here", "scontrol is not on PATH",
                 "install Slurm's client commands, or add their folder to PATH"};
  auto file = find_slurm_conf();
  if (!file && scontrol_finds_its_own(patience)) return read_conf("");
  if (!file)
    return Error{"no Slurm here", "there is no slurm.conf in /etc/slurm, /etc/slurm-llnl or /run/slurm/conf",
                 "name it with --slurm-conf or SLURM_CONF"};
  return read_conf(*file);
}

std::optional<Error> conf_trouble(const std::string& file) {
  struct stat about {};
  if (file.empty()) return std::nullopt;
  const bool there = readable(file) && ::stat(file.c_str(), &about) == 0;
  // The null device is an empty configuration. Slurm's commands wait for the writer of a FIFO for ever.
  if (there && (S_ISREG(about.st_mode) || file == "/dev/null")) return std::nullopt;
  return Error{kCannotRead, file + ": " + (there ? "it is no regular file" : std::strerror(errno)),
               "name another with --slurm-conf or SLURM_CONF"};
}

std::optional<Error> munge_trouble(const Conf& conf) {
  if (conf.file.empty() || conf.auth_type != "auth/munge") return std::nullopt;
  std::string socket = conf.munge_socket.empty() ? kMungeSocket : conf.munge_socket;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return std::nullopt;
  int rc = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  int why = errno;
  ::close(fd);
  // EAGAIN: it listens, but its queue is full.
  if (rc == 0 || why == EAGAIN || why == EINPROGRESS) return std::nullopt;
  return Error{"munged is not running", socket + ": " + std::strerror(why), "systemctl start munge"};
}

}  // namespace tessera::slurm
