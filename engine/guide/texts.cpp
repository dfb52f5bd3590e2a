#include "engine/guide/texts.hpp"

namespace tessera::guide {

Result<std::shared_ptr<const Texts>> Texts::built_in() {
  auto chart = Flowchart::built_in();
  if (!chart) return chart.error();
  auto glossary = Glossary::built_in();
  if (!glossary) return glossary.error();
  auto tables = Tables::built_in();
  if (!tables) return tables.error();
  auto platforms = sharing::built_in_platforms();
  if (!platforms) return platforms.error();
  Texts texts{std::make_shared<const Flowchart>(std::move(*chart)), std::move(*glossary), std::move(*tables),
              std::move(*platforms)};
  return std::shared_ptr<const Texts>(std::make_shared<Texts>(std::move(texts)));
}

Result<std::shared_ptr<const Texts>> Texts::with_flowchart(std::string_view text,
                                                           std::string_view file) const {
  auto own = Flowchart::parse(text, file);
  if (!own) return own.error();
  Texts texts{std::make_shared<const Flowchart>(std::move(*own)), glossary, tables, platforms};
  return std::shared_ptr<const Texts>(std::make_shared<Texts>(std::move(texts)));
}

}  // namespace tessera::guide
