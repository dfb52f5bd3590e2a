// The decision tree as data: questions with two ways on, and leaves that name a way of sharing.
//
// Read strictly: every question can be reached, every edge leads somewhere, there is no cycle, and every leaf
// is a known strategy. Texts may mark terms with braces: see glossary.hpp.
// Threads: immutable after load; share freely.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/guide/chart/picture.hpp"
#include "engine/model/values.hpp"

namespace tessera::guide {

struct Question {
  std::string id;     // "isolation"
  std::string label;  // "Q2"
  std::string short_text;
  std::string ask;
  std::string why;
  std::string yes;  // id of a question or a leaf
  std::string no;
  int line = 0;
};

struct Leaf {
  std::string id;
  Strategy strategy = Strategy::unknown;
  std::string title;
  std::string summary;
  std::string meaning;
  std::string fits;
  std::string memory, errors, latency;  // what must be accepted
  std::string price;
  int line = 0;
};

class Flowchart {
 public:
  // Errors name file and line.
  static Result<Flowchart> parse(std::string_view text, std::string_view file);
  // language: "ja"; empty: English, which every other has the structure of.
  static Result<Flowchart> built_in(std::string_view language = {});

  const std::string& title() const { return title_; }
  const std::string& start() const { return start_; }
  const std::vector<Question>& questions() const { return questions_; }
  const std::vector<Leaf>& leaves() const { return leaves_; }

  const Question* question(std::string_view id) const;
  // By id or label, case does not matter: "Q2", "isolation".
  const Question* find_question(std::string_view text) const;
  const Leaf* leaf(std::string_view id) const;
  // How it is drawn; nullopt: as a list.
  const std::optional<Picture>& picture() const { return picture_; }

 private:
  std::string title_;
  std::string start_;
  std::vector<Question> questions_;
  std::vector<Leaf> leaves_;
  std::optional<Picture> picture_;
};

// "Q2 Isolation required?", as it stands in a box.
std::string text_of(const Question& question);

// What a leaf asks the admin to accept, as sentences: memory isolation, error containment, latency, price.
std::vector<std::string> tradeoffs(const Leaf& leaf);

}  // namespace tessera::guide
