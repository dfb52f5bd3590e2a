// The file of allowed devices (cgroup.conf(5) AllowedDevicesFile=), one glob pattern a line: what every job
// may open before GRES are given or refused.
//
// Slurm reads it up to 21.08, where task/cgroup has ConstrainDevices=yes; since 18.08 it need not be there,
// and 22.05 has dropped it (NEWS of 18.08.0 and 22.05.0rc1). It is no file of settings: a `#` begins no
// comment, and the last line loses its last letter where no line end follows. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/slurmconf/config.hpp"

namespace tessera::slurmconf {

// Whether that Slurm reads such a file. Not known which it is: no.
bool reads_allowed_devices(const SlurmSetup& site);

// Where it is looked for: as cgroup.conf says, else beside slurm.conf. "/dev/null" is a way to say none.
std::string allowed_devices_path(const Files& files);

// The file's text; null: it is not among them.
const std::string* allowed_devices_text(const Files& files);

// What File= and MultipleFiles= name.
std::vector<std::string> devices_of(const Line& gres_line);
// The devices that gres.conf's lines name, and those of NVIDIA's driver that every job on a GPU opens
// (/dev/nvidiactl and others), each once.
std::vector<std::string> devices_of_gres(const std::vector<std::string>& gres_lines);

// Those that no line of the file lets through.
std::vector<std::string> not_allowed(std::string_view text, const std::vector<std::string>& devices);

// The files with a line more for each that was missing; nothing is taken away, since other nodes may read the
// same file. As they were where there is no such file.
Files allow_devices(Files files, const std::vector<std::string>& devices);

}  // namespace tessera::slurmconf
