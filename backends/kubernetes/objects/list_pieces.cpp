#include "backends/kubernetes/objects/list_pieces.hpp"

#include <algorithm>

namespace tessera::kubernetes {

void ListPieces::add(std::string_view bytes) {
  text_ += bytes;
  while (seen_ < text_.size()) in_string_ ? skip_string() : look_at(text_[seen_++]);
}

void ListPieces::skip_string() {
  std::size_t quote = text_.find('"', seen_);
  seen_ = quote == std::string::npos ? text_.size() : quote + 1;
  if (quote == std::string::npos) return;
  std::size_t escapes = 0;
  while (quote > string_ + escapes && text_[quote - escapes - 1] == '\\') ++escapes;
  in_string_ = escapes % 2 == 1;
}

void ListPieces::look_at(char c) {
  const bool in_list = at_ == At::items && depth_ == 2;
  switch (c) {
    case '"':
      in_string_ = true;
      string_ = seen_;
      break;
    case ':':
      if (at_ == At::head && depth_ == 1)
        items_follow_ = std::string_view(text_).substr(string_, seen_ - string_ - 1).starts_with("items\"");
      break;
    case ',':
      if (depth_ == 1) items_follow_ = false;
      break;
    case '{':
    case '[':
      if (++depth_ != 2 || c != '[' || !items_follow_ || at_ != At::head) break;
      at_ = At::items;
      head_ = seen_;
      break;
    case '}':
    case ']':
      --depth_;
      if (at_ == At::items && depth_ == 2) ended_ = seen_;
      if (in_list) at_ = At::behind;
      break;
    default: break;
  }
}

std::string_view ListPieces::piece() {
  if (ended_ == 0 || ended_ - head_ < most_) return {};
  drop_comma();
  piece_.assign(text_, 0, ended_);
  piece_ += "]}";
  text_.erase(head_, ended_ - head_);
  seen_ -= ended_ - head_;
  string_ -= std::min(string_, ended_ - head_);
  ended_ = 0;
  handed_out_ = true;
  return piece_;
}

std::string_view ListPieces::last() {
  drop_comma();
  return text_;
}

// The one between what was handed out and what follows.
void ListPieces::drop_comma() {
  std::size_t next = handed_out_ ? text_.find_first_not_of(" \t\r\n", head_) : std::string::npos;
  if (next != std::string::npos && text_[next] == ',') text_[next] = ' ';
}

}  // namespace tessera::kubernetes
