#include "backends/slurm/change/try_settings.hpp"

#include <fmt/format.h>

#include <functional>
#include <future>

#include "backends/process.hpp"
#include "backends/runner.hpp"
#include "backends/slurm/change/conf_files.hpp"
#include "backends/slurm/change/host_files.hpp"
#include "backends/slurm/find_slurm.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

// What is asked on a worker's thread, waited for here.
template <class Answer>
Answer waited_for(Worker& worker, const std::function<void(std::function<void(Answer)>)>& ask) {
  std::promise<Answer> answer;
  worker.post([&] { ask([&](Answer came) { answer.set_value(std::move(came)); }); });
  Answer came = answer.get_future().get();
  worker.stop();
  return came;
}

RunnerOptions way(const SlurmOptions& options) {
  RunnerOptions wanted;
  wanted.reach = options.said.reach;
  wanted.custom = options.said.runner;
  return wanted;
}

std::string conf_of(const SlurmOptions& options) {
  return options.conf.empty() ? find_slurm_conf().value_or("") : options.conf;
}

Error not_writable(std::string reason) {
  return {"Slurm's files cannot be written", std::move(reason),
          "run tessera as a user who may, or answer host:NAME or site"};
}

Result<std::string> try_files_here(const std::string& conf) {
  const auto files = read_conf_files(conf);
  if (!files) return files.error();
  if (std::string reason = why_not_writable(*files); !reason.empty()) return not_writable(std::move(reason));
  return fmt::format("this user may write {}", clean(conf, 200));
}

Result<std::string> try_files_there(const SlurmOptions& options, const std::string& conf) {
  Worker worker;
  Processes processes(worker);
  NodeRunner runner(processes, way(options));
  HostFiles host(runner, NodeName(options.said.config_host));
  auto found =
      waited_for<Result<HostFiles::Found>>(worker, [&](std::function<void(Result<HostFiles::Found>)> told) {
        host.read(conf, AllowedDevices::unread, std::move(told));
      });
  if (!found) return found.error();
  if (!found->cannot_write.empty()) return not_writable(clean(found->cannot_write, 200));
  return fmt::format("{} on {} can be written", clean(conf, 200), clean(options.said.config_host, 64));
}

}  // namespace

Result<std::string> try_runner(const SlurmOptions& options, const NodeName& node) {
  const std::string name = clean(node.text, 64);
  if (options.said.reach == slurmconf::Reach::srun)
    return fmt::format("not tried on {}: srun would start a job", name);
  Worker worker;
  Processes processes(worker);
  NodeRunner runner(processes, way(options));
  NodeCommand like;
  like.node = node;
  like.deadline = options.said.look_deadline;
  auto found = waited_for<Result<Preflight>>(
      worker, [&](NodeRunner::Looked looked) { runner.preflight(like, std::move(looked)); });
  if (!found) return found.error();
  if (auto against = objections(*found, node); !against.empty()) return against.front();
  return fmt::format("root on {}, by id -u", name);
}

Result<std::string> try_files(const SlurmOptions& options) {
  if (options.said.writer == slurmconf::Writer::site)
    return std::string("nothing is written: your own automation does that");
  const std::string conf = conf_of(options);
  if (conf.empty())
    return Error{"Slurm's files are not known", "no slurm.conf was found here", "name it with --slurm-conf"};
  return options.said.writer == slurmconf::Writer::host ? try_files_there(options, conf)
                                                        : try_files_here(conf);
}

}  // namespace tessera::slurm
