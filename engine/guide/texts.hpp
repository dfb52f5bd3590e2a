// The guide's own texts, read once: flowchart, glossary, tables, what to know of each platform, and what
// to hand out.
// Threads: immutable after load; share freely.
#pragma once

#include <memory>
#include <string_view>

#include "engine/guide/flowchart.hpp"
#include "engine/guide/glossary.hpp"
#include "engine/guide/handouts.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::guide {

struct Texts {
  std::shared_ptr<const Flowchart> chart;  // never null
  Glossary glossary;
  Tables tables;
  std::vector<sharing::PlatformFacts> platforms;
  bool own_chart = false;  // a site's, in whatever language the site speaks
  Handouts handouts;       // English: their titles and comments are told by the front ends

  static Result<std::shared_ptr<const Texts>> built_in();
  // The same with a site's own flowchart; errors name `file` and line.
  Result<std::shared_ptr<const Texts>> with_flowchart(std::string_view text, std::string_view file) const;
  // The same in another language ("ja"), for display: walks, plans and JSON stay with these. A site's own
  // flowchart stays as it is. Errors: that language is not here, or says another thing than this one.
  Result<std::shared_ptr<const Texts>> in_language(std::string_view language) const;
};

// The first place where `other` is no translation of `english`: an id, an edge, a strategy, the number of
// rows, columns or terms. Texts themselves may differ.
Status same_structure(const Texts& english, const Texts& other);

}  // namespace tessera::guide
