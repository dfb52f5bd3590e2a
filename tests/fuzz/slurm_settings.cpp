// Commands and GRES as sites write them.
#include <cstdint>
#include <string>

#include "engine/plan/steps/slurm_config.hpp"
#include "engine/slurmconf/settings.hpp"

int fuzz_slurm_settings(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)tessera::slurmconf::split_command(text);
  (void)tessera::slurmconf::slurm_setup_of({text, text, text, text, text, text, text, text, text, text});
  // What was made plain stays as it is.
  const std::string gres = tessera::plan::slurm::plain_gres(text);
  if (text.size() < 4096 && tessera::plan::slurm::plain_gres(gres) != gres) __builtin_trap();
  return 0;
}
