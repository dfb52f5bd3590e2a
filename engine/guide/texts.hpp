// The guide's own texts, read once: flowchart, glossary, tables, and what to know of each platform.
// Threads: immutable after load; share freely.
#pragma once

#include <memory>
#include <string_view>

#include "engine/guide/flowchart.hpp"
#include "engine/guide/glossary.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::guide {

struct Texts {
  std::shared_ptr<const Flowchart> chart;  // never null
  Glossary glossary;
  Tables tables;
  std::vector<sharing::PlatformFacts> platforms;

  static Result<std::shared_ptr<const Texts>> built_in();
  // The same with a site's own flowchart; errors name `file` and line.
  Result<std::shared_ptr<const Texts>> with_flowchart(std::string_view text, std::string_view file) const;
};

}  // namespace tessera::guide
