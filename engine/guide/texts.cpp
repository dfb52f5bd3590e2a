#include "engine/guide/texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tessera::guide {
namespace {

Error differs(std::string reason) {
  return Error{"cannot read the guide's translation", std::move(reason),
               "each file of another language has the ids and the order of the English one"};
}

template <class List, class Same>
Status same_lists(std::string_view what, const List& english, const List& other, Same same) {
  for (std::size_t i = 0; i < std::min(english.size(), other.size()); ++i)
    if (!same(english[i], other[i])) return differs(fmt::format("{} {} is another one", what, i + 1));
  if (english.size() == other.size()) return Done{};
  return differs(fmt::format("{} {} are here, {} in English", other.size(), what, english.size()));
}

Status same_charts(const Flowchart& english, const Flowchart& other) {
  if (english.start() != other.start()) return differs("start: it begins with another question");
  Status questions = same_lists(
      "question", english.questions(), other.questions(), [](const Question& a, const Question& b) {
        return std::tie(a.id, a.label, a.yes, a.no) == std::tie(b.id, b.label, b.yes, b.no);
      });
  if (!questions) return questions;
  return same_lists("leaf", english.leaves(), other.leaves(), [](const Leaf& a, const Leaf& b) {
    return a.id == b.id && a.strategy == b.strategy && a.price.empty() == b.price.empty();
  });
}

}  // namespace

Status same_structure(const Texts& english, const Texts& other) {
  if (Status same = same_charts(*english.chart, *other.chart); !same) return same;
  const auto any = [](const Term&, const Term&) { return true; };
  if (Status same = same_lists("term", english.glossary.terms(), other.glossary.terms(), any); !same)
    return same;
  Status same =
      same_lists("table", english.tables.tables, other.tables.tables, [](const Table& a, const Table& b) {
        return a.id == b.id && a.columns.size() == b.columns.size() && a.rows.size() == b.rows.size();
      });
  if (!same) return same;
  return same_lists("advice", english.tables.advice, other.tables.advice,
                    [](const Term& a, const Term& b) { return a.term == b.term; });
}

Result<std::shared_ptr<const Texts>> Texts::built_in() {
  auto chart = Flowchart::built_in();
  if (!chart) return chart.error();
  auto glossary = Glossary::built_in();
  if (!glossary) return glossary.error();
  auto tables = Tables::built_in();
  if (!tables) return tables.error();
  auto platforms = sharing::built_in_platforms();
  if (!platforms) return platforms.error();
  auto handouts = Handouts::built_in();
  if (!handouts) return handouts.error();
  Texts texts{std::make_shared<const Flowchart>(std::move(*chart)),
              std::move(*glossary),
              std::move(*tables),
              std::move(*platforms),
              false,
              std::move(*handouts)};
  return std::shared_ptr<const Texts>(std::make_shared<Texts>(std::move(texts)));
}

Result<std::shared_ptr<const Texts>> Texts::with_flowchart(std::string_view text,
                                                           std::string_view file) const {
  auto own = Flowchart::parse(text, file);
  if (!own) return own.error();
  Texts texts{
      std::make_shared<const Flowchart>(std::move(*own)), glossary, tables, platforms, true, handouts};
  return std::shared_ptr<const Texts>(std::make_shared<Texts>(std::move(texts)));
}

Result<std::shared_ptr<const Texts>> Texts::in_language(std::string_view language) const {
  auto glossary_told = Glossary::built_in(language);
  if (!glossary_told) return glossary_told.error();
  auto tables_told = Tables::built_in(language);
  if (!tables_told) return tables_told.error();
  Texts texts{chart, std::move(*glossary_told), std::move(*tables_told), platforms, own_chart, handouts};
  if (!own_chart) {
    auto chart_told = Flowchart::built_in(language);
    if (!chart_told) return chart_told.error();
    texts.chart = std::make_shared<const Flowchart>(std::move(*chart_told));
  }
  if (Status same = same_structure(*this, texts); !same) return same.error();
  return std::shared_ptr<const Texts>(std::make_shared<Texts>(std::move(texts)));
}

}  // namespace tessera::guide
