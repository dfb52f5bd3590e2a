// Who wrote which labels and annotations of an object last, and when: metadata.managedFields, as a server
// keeps it of clients that update and patch (the API: of nodes alone). Of other fields, and of what an object
// is created with, nothing is noted. Threads: pure functions of values.
#pragma once

#include <string>
#include <string_view>

#include "backends/sim/apiserver/value.hpp"

namespace tessera::sim::kube {

// What a server calls a client: the name that it gave itself (fieldManager), else the beginning of its user
// agent: "kubectl/v1.20.2 (linux/amd64)" is "kubectl".
std::string manager_of(std::string_view field_manager, std::string_view user_agent);

// The entry of a manager, made where there is none, with that time: all fields that it wrote last.
Json& entry_of(Json& object, std::string_view manager, TimePoint now);

// Notes what `fresh` says otherwise than `old`: a field is that of its last writer alone. A client that
// writes the entries themselves has its way; one that leaves them out keeps them.
void note_write(const Json& old, Json& fresh, std::string_view manager, TimePoint now);

}  // namespace tessera::sim::kube
