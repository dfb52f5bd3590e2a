// Any bytes as GPUs and demand: an error with a place, or a problem whose answer passes its check.
#include <cstdint>
#include <cstdlib>

#include "engine/pack/pack.hpp"
#include "engine/pack/read.hpp"
#include "engine/pack/sizing.hpp"
#include "engine/text.hpp"

int fuzz_pack_file(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  static const mig::Catalogue catalogue = *mig::Catalogue::built_in();
  if (size > 16384) return 0;
  auto read = pack::read_boards({reinterpret_cast<const char*>(data), size}, "fuzz", catalogue);
  if (!read) {
    const std::string line = to_line(read.error());
    if (read.error().reason.empty() || clean(line, line.size()) != line) std::abort();
    return 0;
  }
  pack::Problem problem = std::move(read->problem);
  if (problem.boards.size() > 200 || read->services.size() > 4) return 0;  // large ones are for the bench
  if (!read->services.empty()) {
    const auto sizes = pack::choose_sizes(problem, read->services);
    if (!sizes) return 0;
    problem = pack::with_sizes(std::move(problem), read->services, *sizes);
  }
  auto answer = pack::pack(problem);
  if (!answer && answer.error().what.find("cannot plan for") == std::string::npos) std::abort();
  return 0;
}
