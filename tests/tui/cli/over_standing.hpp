// A command over one cluster that stands there as a test gives it. Threads: one test.
#pragma once

#include <memory>
#include <ostream>

#include "tests/support/catalogue.hpp"
#include "tests/tui/cli/fake_runs.hpp"

namespace tessera::test {

// make: the backend, whenever the command opens the clusters. A second goes by from one look at the clock to
// the next.
template <class Make>
int over_standing(int (*command)(const cli::Options&, const mig::Catalogue&, const cli::Joins&,
                                 const cli::Streams&),
                  const cli::Options& options, Make make, std::ostream& out, std::ostream& err) {
  Box box;
  auto open = [&](const cli::Options&, const mig::Catalogue&) {
    cli::Opening opening;
    opening.backends.push_back(make());
    return opening;
  };
  int asked = 0;
  cli::Joins joins{box, box, open, {}, [&] { return at(++asked); }, {}, false};
  return command(options, catalogue(), joins, cli::Streams{out, err});
}

}  // namespace tessera::test
