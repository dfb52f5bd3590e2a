#include "backends/slurm/change/node_answers.hpp"

#include <fmt/format.h>

#include "backends/last_line.hpp"

namespace tessera::slurm {

std::optional<Error> plain_refusal(const NodeAnswer& answer, const std::string& what) {
  if (answer.exit_code == 0) return std::nullopt;
  std::string words = last_line(answer.err.empty() ? answer.out : answer.err);
  return Error{what, words.empty() ? fmt::format("it ended with status {}", answer.exit_code) : words, ""};
}

std::optional<Error> why_not_ended(const NodeAnswer& found, const std::string& what) {
  if (found.exit_code == 0)
    return Error{what, "an earlier change still runs there: process " + last_line(found.out),
                 "wait for its end, or end it on the node and look at the GPUs"};
  if (found.exit_code == 1) return std::nullopt;
  return Error{what,
               "an earlier change had no answer, and whether it still runs there is not known: " +
                   last_line(found.err.empty() ? found.out : found.err),
               "pgrep (procps) must run there: then resume the run"};
}

}  // namespace tessera::slurm
