// A small strict reader of XML, for `nvidia-smi -q -x`: elements, their text and the attribute `id`.
//
// Tags must pair, nesting ends at 32, entities are the five of XML and character numbers. A DOCTYPE is passed
// over; one with declarations of its own is refused, and so is CDATA: nvidia-smi writes neither.
// Threads: one reader for one thread; the text must outlive it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::nvidia {

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  enum class Kind { open, text, close, end };
  // The next event. Text comes without the blanks around it, and never empty. After end or an error: the same
  // again.
  Result<Kind> next();
  std::string_view name() const { return name_; }       // open, close
  const std::string& text() const { return content_; }  // text
  const std::string& id() const { return id_; }         // open: the attribute `id`; empty: it has none
  // Names of the open elements, outermost first; at close the closing one is out already.
  const std::vector<std::string_view>& path() const { return path_; }
  int line() const;

 private:
  Error fail(std::string_view why) const;
  bool skip_past(std::string_view end);
  Result<Kind> read_tag();
  Result<Kind> read_open();
  Result<Kind> read_close();
  Status read_attributes();
  Status decode(std::string_view raw, std::string& into) const;
  std::string_view take_name();
  void skip_blanks();

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string_view> path_;
  std::string_view name_;
  std::string content_, id_;
  bool closes_itself_ = false;  // <x/>: its close comes next
  bool rooted_ = false;
};

}  // namespace tessera::nvidia
