// Slurm's configuration: any bytes come back as they were, and an edit changes one node or is refused.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "engine/slurmconf/check.hpp"
#include "engine/slurmconf/devices.hpp"
#include "engine/slurmconf/diff.hpp"
#include "engine/slurmconf/edit.hpp"
#include "engine/slurmconf/minors.hpp"

int fuzz_slurm_conf(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::slurmconf;
  if (size > 4096) return 0;  // lists may name very many nodes, each of which is edited
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (write(parse({"slurm.conf", text})) != text) std::abort();
  (void)Minors::parse(text);
  SlurmSetup site;
  site.files = {{"/e/slurm.conf", text}, {"/e/gres.conf", text}, {"/e/n", text}};
  (void)check(site, nullptr);
  auto before = effective(site.files);
  if (before.empty() || before.size() > 1000) return 0;
  const std::string node = before.rbegin()->first;
  auto after = set_gres(site.files, node, "gpu:fuzz:3");
  if (after) {
    (void)unified_diff(site.files, *after);
    before[node] = "gpu:fuzz:3";
    if (effective(*after) != before) std::abort();
  }
  (void)set_gres_lines(site.files, node, {"Name=gpu File=/dev/nvidia0"});
  const auto devices = devices_of_gres({text.substr(0, text.find('\n'))});
  const Files allowed =
      allow_devices({{"/e/slurm.conf", ""}, {"/e/cgroup_allowed_devices_file.conf", text}}, devices);
  // What was added counts, whatever stood there; and one pass is enough.
  if (allow_devices(allowed, devices)[1].text != allowed[1].text) std::abort();
  return 0;
}
