#include "backends/slurm/parse/job_facts.hpp"

#include <algorithm>

#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {

// "LicenseName=matlab Total=3 Used=2 Free=1 Reserved=0 Remote=no", a line each.
void add_licences_free(std::vector<Licence>& licences, std::string_view text) {
  for (const std::string_view line : lines_in(text)) {
    std::string_view name;
    std::optional<std::int64_t> total, free;
    std::int64_t reserved = 0;
    std::string_view rest = line;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const std::string_view word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const auto number = [&](std::string_view key) {
        return whole_number<std::int64_t>(word.substr(key.size()), 1'000'000'000);
      };
      if (word.starts_with("LicenseName=")) name = word.substr(12);
      if (word.starts_with("Total=")) total = number("Total=");
      if (word.starts_with("Free=")) free = number("Free=");
      if (word.starts_with("Reserved=")) reserved = number("Reserved=").value_or(0);
    }
    for (Licence& one : licences)
      if (one.name == name && total && free)  // what is reserved counts as free there
        one.total = total, one.free = std::max<std::int64_t>(0, *free - reserved);
  }
}

}  // namespace tessera::slurm
