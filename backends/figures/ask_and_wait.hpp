// Questions to Prometheus that are waited for, by a command of the site's: for commands that look back once.
// Threads: blocks the calling thread, which is one at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/figures/past_rounds.hpp"
#include "backends/figures/site_command.hpp"
#include "backends/http_client.hpp"

namespace tessera::figures {

// For a path below the server's root; an answer with any status is a response.
using AskAndWait = std::function<Result<HttpResponse>(const std::string& path)>;

// A day of many GPUs takes the server longer than the figures of now.
inline constexpr Duration kPastAnswer{60'000};

// url: the server's root. stopped: once it says so the command is ended, and the answer is an error; empty:
// never.
AskAndWait ask_by_command_and_wait(SiteCommand command, std::string url, std::function<bool()> stopped = {});

// What a Prometheus behind such a command keeps of a Slurm cluster.
std::unique_ptr<usage::KeptUse> past_by_command(SiteCommand command, std::string url, PastOf of);

}  // namespace tessera::figures
