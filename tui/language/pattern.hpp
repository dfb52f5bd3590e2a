// A text with places in braces, as fmt writes it ("{} waiting jobs can start"), matched against a finished
// text.
//
// Threads: immutable after parse.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tui {

class Pattern {
 public:
  // "{}", "{0}" and "{:.1f}" are places, "{{" is a brace; a brace that is neither stands for itself.
  explicit Pattern(std::string_view text);

  std::size_t places() const { return order_.size(); }
  // Which argument each place takes, in the order of the text.
  const std::vector<std::size_t>& order() const { return order_; }
  // Letters that stand between the places: the more, the surer is a match.
  std::size_t weight() const { return weight_; }
  std::string_view first() const { return literals_.front(); }
  bool ends_open() const { return !order_.empty() && literals_.back().empty(); }  // with a place

  // The finished text's arguments, in the order of fmt's. Each place takes as little as it can, so that it
  // takes one pass over the text. nullopt: it is not made from this pattern.
  std::optional<std::vector<std::string_view>> match(std::string_view text) const;
  // Precondition: as many arguments as order() asks for.
  std::string fill(const std::vector<std::string>& arguments) const;

 private:
  std::vector<std::string> literals_;  // one more than places
  std::vector<std::size_t> order_;
  std::size_t weight_ = 0;
};

}  // namespace tessera::tui
