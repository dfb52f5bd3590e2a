// Terms and tables of the guide: what every text may refer to.
//
// Texts mark a term with braces, "an {instance} of its own"; plain() takes the braces away for display.
// Threads: immutable after load.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/embedded.hpp"
#include "engine/error.hpp"

namespace tessera::guide {

struct Term {
  std::string term;
  std::string text;
};

class Glossary {
 public:
  static Result<Glossary> parse(std::string_view text, std::string_view file);
  static Result<Glossary> built_in(std::string_view language = {});
  const std::vector<Term>& terms() const { return terms_; }
  const Term* find(std::string_view term) const;  // case does not matter

 private:
  std::vector<Term> terms_;
};

std::string plain(std::string_view text);
std::vector<std::string> terms_in(std::string_view text);  // as marked, in order, each once

struct Table {
  std::string id;
  std::string title;
  std::vector<std::string> columns;  // the first names the rows
  std::vector<std::vector<std::string>> rows;
};

// The comparison of the four technologies, generations, Kubernetes or Slurm, and the managed variants.
struct Tables {
  std::vector<Table> tables;
  std::vector<Term> advice;  // id and sentence, for the second guide
  const Table* find(std::string_view id) const;

  static Result<Tables> parse(std::string_view text, std::string_view file);
  static Result<Tables> built_in(std::string_view language = {});
};

// A data file of the guide in a language; empty: English. Errors: it is not part of this binary.
Result<embedded::File> built_in_file(std::string_view name, std::string_view language);

}  // namespace tessera::guide
