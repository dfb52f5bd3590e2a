#include "tui/cli/pack/sizes_text.hpp"

#include <fmt/format.h>

#include "tui/cli/help/help.hpp"

namespace tessera::cli {

std::string sizes_text(const pack::Services& services, const pack::Sizes& sizes, const Options& options) {
  std::string text;
  for (std::size_t i = 0; i < services.size(); ++i) {
    const pack::Service& service = services[i];
    std::string line;
    for (std::size_t size = 0; size < service.gives.size(); ++size)
      if (const int count = sizes.counts[i][size]; count > 0)
        line += fmt::format("{}{} × {}", line.empty() ? "" : ", ", count, service.gives[size].profile.text);
    text += service.name + ": " + line + "\n";
  }
  const std::string proof =
      sizes.gpus == sizes.gpus_at_least
          ? fmt::format("with any other sizes, no fewer than {} GPUs change", sizes.gpus)
          : fmt::format("sizes for {} GPUs; not proven minimal: no sizes need fewer than {}", sizes.gpus,
                        sizes.gpus_at_least);
  return text + tui::told(options.reader, proof) + "\n";
}

void add_sizes(Json& document, const pack::Services& services, const pack::Sizes& sizes) {
  Json& named = document.add("services", Json::map());
  for (std::size_t i = 0; i < services.size(); ++i) {
    const pack::Service& service = services[i];
    Json& one = named.add(service.name, Json::map());
    for (std::size_t size = 0; size < service.gives.size(); ++size)
      one.add(service.gives[size].profile.text, Json::of(std::int64_t{sizes.counts[i][size]}));
  }
  Json& proof = document.add("sizes", Json::map());
  proof.add("gpus", Json::of(std::int64_t{sizes.gpus}));
  proof.add("gpus_at_least", Json::of(std::int64_t{sizes.gpus_at_least}));
  proof.add("proven", Json::of(sizes.gpus == sizes.gpus_at_least));
}

}  // namespace tessera::cli
