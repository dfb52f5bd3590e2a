#include "backends/figures/site_command.hpp"

#include <fmt/format.h>

#include <utility>

#include "backends/last_line.hpp"
#include "engine/replaced.hpp"
#include "engine/text.hpp"

namespace tessera::figures {
namespace {

constexpr int kCurlHttpError = 22;  // curl(1): with -f, the server answered 400 or above

Result<HttpResponse> judge(const std::string& shown, std::string_view doing, const SiteCommand& asked,
                           Result<Outcome> ran) {
  const Error error{std::string(doing), "", "run it by hand: " + shown};
  const auto because = [&](std::string reason) {
    Error why = error;
    why.reason = std::move(reason);
    return why;
  };
  if (!ran) return because(ran.error().reason.empty() ? ran.error().what : ran.error().reason);
  if (ran->timed_out)
    return because(
        fmt::format("the site's command gave no answer within {} s", asked.deadline.count() / 1000));
  if (ran->truncated) return because(fmt::format("the answer is larger than {} MiB", asked.most >> 20));
  if (ran->succeeded()) {
    HttpResponse response;
    response.status = 200;
    response.body = std::move(ran->out);
    response.took = ran->took;
    return response;
  }
  std::string said = last_line(ran->err);
  std::string how = ran->signal != 0 ? fmt::format("the site's command was ended by signal {}", ran->signal)
                                     : fmt::format("the site's command ended with {}", ran->exit_code);
  if (said.empty() && ran->exit_code == kCurlHttpError) said = "curl: the server returned an HTTP error";
  return because(how + (said.empty() ? "" : ": " + said));
}

}  // namespace

void ask_by_command(Processes& processes, const SiteCommand& command, const std::string& value,
                    std::string_view doing, std::function<void(Result<HttpResponse>)> answered) {
  Command run;
  for (const std::string& word : command.argv) run.argv.push_back(replaced(word, command.place, value));
  run.deadline = command.deadline;
  run.output_limit = command.most;
  std::string shown = clean(to_shell_text(run), 300);
  processes.run(std::move(run), [command, shown = std::move(shown), doing = std::string(doing),
                                 answered = std::move(answered)](Result<Outcome> ran) {
    answered(judge(shown, doing, command, std::move(ran)));
  });
}

}  // namespace tessera::figures
