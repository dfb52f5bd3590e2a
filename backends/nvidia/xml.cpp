#include "backends/nvidia/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/text.hpp"

namespace tessera::nvidia {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kLongestName = 64;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == ':';
}

std::string_view stripped(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// "#65", "#x41", "amp"; false: none of XML's.
bool append_entity(std::string_view entity, std::string& into) {
  struct Named {
    std::string_view name;
    char stands_for;
  };
  for (Named named : {Named{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}})
    if (entity == named.name) return into += named.stands_for, true;
  if (!entity.starts_with('#')) return false;
  entity.remove_prefix(1);
  int base = entity.starts_with('x') ? 16 : 10;
  if (base == 16) entity.remove_prefix(1);
  std::uint32_t code = 0;
  auto [end, failed] = std::from_chars(entity.data(), entity.data() + entity.size(), code, base);
  if (failed != std::errc() || end != entity.data() + entity.size()) return false;
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
  append_utf8(into, static_cast<char32_t>(code));
  return true;
}

}  // namespace

int XmlReader::line() const {
  auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
  return 1 + static_cast<int>(std::count(text_.begin(), end, '\n'));
}

Error XmlReader::fail(std::string_view why) const {
  return {"cannot read the XML", fmt::format("line {}: {}", line(), why), ""};
}

bool XmlReader::skip_past(std::string_view end) {
  std::size_t found = text_.find(end, at_);
  if (found == std::string_view::npos) return false;
  at_ = found + end.size();
  return true;
}

void XmlReader::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

std::string_view XmlReader::take_name() {
  std::size_t begin = at_;
  while (at_ < text_.size() && is_name(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

Status XmlReader::decode(std::string_view raw, std::string& into) const {
  while (!raw.empty()) {
    std::size_t amp = std::min(raw.find('&'), raw.size());
    into += raw.substr(0, amp);
    raw.remove_prefix(amp);
    if (raw.empty()) break;
    std::size_t end = raw.substr(0, 12).find(';');
    if (end == std::string_view::npos || !append_entity(raw.substr(1, end - 1), into))
      return fail("an entity that is not known");
    raw.remove_prefix(end + 1);
  }
  return Done{};
}

Result<XmlReader::Kind> XmlReader::next() {
  if (closes_itself_) {
    closes_itself_ = false;
    name_ = path_.back();
    path_.pop_back();
    return Kind::close;
  }
  for (;;) {
    std::size_t begin = at_, tag = std::min(text_.find('<', at_), text_.size());
    std::string_view raw = stripped(text_.substr(begin, tag - begin));
    if (!raw.empty()) {
      if (path_.empty()) return fail("text outside of the elements");
      content_.clear();
      if (Status decoded = decode(raw, content_); !decoded) return decoded.error();
      at_ = tag;
      return Kind::text;
    }
    at_ = tag;
    if (at_ == text_.size()) {
      if (!path_.empty()) return fail(fmt::format("it ends inside <{}>", clean(path_.back(), kLongestName)));
      if (!rooted_) return fail("it holds no element");
      return Kind::end;
    }
    std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<!--")) {
      at_ += 4;
      if (!skip_past("-->")) return fail("a comment does not end");
    } else if (rest.starts_with("<?")) {
      if (!skip_past("?>")) return fail("a declaration does not end");
    } else if (rest.starts_with("<!DOCTYPE")) {
      std::size_t end = rest.find('>');
      if (end == std::string_view::npos || rest.substr(0, end).find('[') != std::string_view::npos)
        return fail("a DOCTYPE that does not end, or declares something");
      at_ += end + 1;
    } else {
      return read_tag();
    }
  }
}

Result<XmlReader::Kind> XmlReader::read_tag() {
  return text_.substr(at_).starts_with("</") ? read_close() : read_open();
}

Result<XmlReader::Kind> XmlReader::read_close() {
  std::size_t begin = at_;
  at_ += 2;
  name_ = take_name();
  skip_blanks();
  if (at_ >= text_.size() || text_[at_] != '>' || path_.empty() || path_.back() != name_) {
    at_ = begin;
    return fail("a closing tag that does not fit");
  }
  ++at_;
  path_.pop_back();
  return Kind::close;
}

Status XmlReader::read_attributes() {
  for (;;) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] == '>' || text_[at_] == '/') return Done{};
    std::string_view attribute = take_name();
    skip_blanks();
    if (attribute.empty() || at_ >= text_.size() || text_[at_] != '=')
      return fail("an attribute is expected");
    ++at_;
    skip_blanks();
    char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'') return fail("a quoted value is expected");
    std::size_t end = text_.find(quote, ++at_);
    if (end == std::string_view::npos) return fail("a value does not end");
    if (attribute == "id") {
      id_.clear();
      if (Status decoded = decode(text_.substr(at_, end - at_), id_); !decoded) return decoded.error();
    }
    at_ = end + 1;
  }
}

Result<XmlReader::Kind> XmlReader::read_open() {
  std::size_t begin = at_++;
  auto stop = [&](std::string_view why) {
    at_ = begin;
    return fail(why);
  };
  name_ = take_name();
  if (name_.empty() || name_.size() > kLongestName) return stop("no tag");
  if (path_.empty() && rooted_) return stop("a second root");
  if (path_.size() >= kDeepest) return stop("it is nested too deeply");
  id_.clear();
  if (Status read = read_attributes(); !read) {
    at_ = begin;
    return read.error();
  }
  bool itself = at_ < text_.size() && text_[at_] == '/';
  if (itself) ++at_;
  if (at_ >= text_.size() || text_[at_] != '>') return stop("a tag does not end");
  ++at_;
  rooted_ = true;
  path_.push_back(name_);
  closes_itself_ = itself;
  return Kind::open;
}

}  // namespace tessera::nvidia
