#include "tui/screens/pages/own_use.hpp"

#include <fmt/core.h>

#include "engine/insight/own_use.hpp"
#include "engine/query/value.hpp"

namespace tessera::tui {
namespace {

std::string text_of(const insight::OwnFigures& own) {
  if (!own.memory) return fmt::format("own use {:.0f}%", own.use->value);
  const std::string memory = query::memory_text(own.memory->value);
  return own.use ? fmt::format("own use {:.0f}%, own memory {}", own.use->value, memory)
                 : fmt::format("own memory {}", memory);
}

}  // namespace

bool add_own(DocLine& line, const FactPage& page, const UiContext& ui, const query::SliceRow& row,
             const WorkloadId& holder) {
  const auto own =
      row.gpu ? insight::own_figures(*row.cluster, *row.node, *row.gpu, *row.slice, holder) : std::nullopt;
  if (!own) return false;
  line.spans.push_back({"  " + page.told(text_of(*own)), Role::text});
  line.spans.push_back({"  (" + page.told(origin_text(*row.cluster, own->origin, ui.wall)) + ")", Role::dim});
  return true;
}

}  // namespace tessera::tui
