// Faults of the simulated API server, armed by whoever tests a client: POST /tessera/faults, one a line.
//
//   busy [after=SECONDS]   429 with Retry-After
//   error                  500
//   status code=NNN        that HTTP status, with a Status that says so
//   half                   the answer breaks off in the middle of its text
//   garbage                a page of HTML with status 200, as a login portal sends it
//   drop                   the connection closes without a word
//   slow [after=SECONDS]   the answer comes so much later (wall clock)
//   half-line              a watch breaks off in the middle of its next line
// each with path=PREFIX method=METHOD nth=N times=N|always (1). Threads: plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::sim::kube {

enum class FaultKind : std::uint8_t { busy, error, drop, slow, half_line, status, half, garbage };

struct ServerFault {
  FaultKind kind = FaultKind::busy;
  std::string path;             // the beginning of the target; empty: any
  std::string method;           // empty: any
  int nth = 1;                  // the first matching request that it strikes
  std::optional<int> times{1};  // nullopt: always
  int after = 1;                // seconds
  int code = 500;               // of status
  int seen = 0;
};

Result<ServerFault> parse_fault(std::string_view line);
std::string to_text(const ServerFault& fault);

class ServerFaults {
 public:
  void arm(ServerFault fault) { armed_.push_back(std::move(fault)); }
  void clear() { armed_.clear(); }
  // What strikes this request; counts it. Those that are used up are forgotten.
  std::optional<ServerFault> strike(std::string_view method, std::string_view target);
  const std::vector<ServerFault>& armed() const { return armed_; }

 private:
  std::vector<ServerFault> armed_;
};

}  // namespace tessera::sim::kube
