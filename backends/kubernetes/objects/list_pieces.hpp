// A list of the API, cut into small lists while it comes: a list of all pods may have hundreds of megabytes.
//
// Each piece is a text of its own, the list's head around some of its items; the last one has what stood
// behind them, too. Only the nesting is looked at: whether a piece is JSON, its parser says. A text that is
// no list comes as one piece.
// Threads: plain value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::kubernetes {

class ListPieces {
 public:
  explicit ListPieces(std::size_t most = 256u << 10) : most_(most) {}

  void add(std::string_view bytes);
  // The items that have ended, once they have `most` bytes; empty: not yet. Valid until the next call.
  std::string_view piece();
  // Whatever is left when all of it has come.
  std::string_view last();

  std::size_t waiting() const { return text_.size(); }  // bytes that are not handed out yet

 private:
  void skip_string();
  void look_at(char c);
  void drop_comma();

  enum class At { head, items, behind } at_ = At::head;
  std::size_t most_;
  std::string text_;        // the head, and what was not handed out yet
  std::string piece_;       // what was handed out last
  std::size_t seen_ = 0;    // bytes of text_ that were looked at
  std::size_t head_ = 0;    // ... before its first item
  std::size_t ended_ = 0;   // ... before the end of its last whole item; 0: none has ended
  std::size_t string_ = 0;  // where the last string began
  int depth_ = 0;
  bool in_string_ = false;
  bool items_follow_ = false;  // the list's "items" was just named
  bool handed_out_ = false;    // something of it
};

}  // namespace tessera::kubernetes
