// A recording for a bug report: the same cluster under other names.
// Threads: pure functions.
#pragma once

#include <string>

#include "engine/model/model.hpp"

namespace tessera::record {

// The same name gives the same digest under one salt; empty stays empty.
std::string hashed(const std::string& name, const std::string& salt);
void hash_names(Node& node, const std::string& salt);
void hash_names(Workload& workload, const std::string& salt);
void hash_names(GpuProcess& process, const std::string& salt);
void hash_names(OwnUse& use, const std::string& salt);

}  // namespace tessera::record
