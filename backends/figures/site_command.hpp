// A question that a command of the site's answers: its words with a place filled in, its output the answer.
//
// No shell, a deadline, a bound on the output. The command is the site's: it adds logins and certificates,
// and tessera sees none of them. Threads: as Processes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/http_client.hpp"
#include "backends/process.hpp"

namespace tessera::figures {

struct SiteCommand {
  std::vector<std::string> argv;
  std::string_view place;        // "{url}"
  Duration deadline{15000};      // of the whole command
  std::size_t most = 64u << 20;  // bytes of its output
};

// Answers exactly once. A command that succeeded is a response with status 200; else an Error that says how
// it ended, in its own last words. doing: "cannot ask Prometheus".
void ask_by_command(Processes& processes, const SiteCommand& command, const std::string& value,
                    std::string_view doing, std::function<void(Result<HttpResponse>)> answered);

}  // namespace tessera::figures
