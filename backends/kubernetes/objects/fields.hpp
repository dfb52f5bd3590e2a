// Labels, annotations and counts by name, kept small: nearly all texts of one node are those of the next.
//
// Fields is a sorted list with a map's face, of just its size. A Text is shared by its copies; TextPool makes
// equal texts one, so that ten thousand nodes keep each word once.
// Threads: plain values; a pool belongs to one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera::kubernetes {

class Text {
 public:
  Text() = default;
  explicit Text(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}
  const std::string& str() const {
    static const std::string kNone;
    return text_ ? *text_ : kNone;
  }
  operator std::string_view() const { return str(); }
  bool empty() const { return str().empty(); }
  bool starts_with(std::string_view head) const { return str().starts_with(head); }
  friend bool operator==(const Text& a, const Text& b) { return a.text_ == b.text_ || a.str() == b.str(); }
  friend bool operator==(const Text& a, std::string_view b) { return a.str() == b; }

 private:
  friend class TextPool;
  std::shared_ptr<const std::string> text_;  // null: empty
};

template <class Value>
class Fields {
 public:
  using Entry = std::pair<Text, Value>;
  using Place = typename std::vector<Entry>::const_iterator;

  Fields() = default;
  Fields(std::initializer_list<std::pair<std::string, Value>> entries) {
    for (const auto& [key, value] : entries) (*this)[key] = value;
  }

  Place begin() const { return entries_.begin(); }
  Place end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  Place lower_bound(std::string_view key) const { return std::lower_bound(begin(), end(), key, is_before); }
  Place find(std::string_view key) const {
    Place place = lower_bound(key);
    return place != end() && place->first == key ? place : end();
  }
  bool contains(std::string_view key) const { return find(key) != end(); }
  Value& operator[](std::string_view key) {
    auto place = std::lower_bound(entries_.begin(), entries_.end(), key, is_before);
    if (place == entries_.end() || !(place->first == key))
      place = entries_.emplace(place, Text(std::string(key)), Value());
    return place->second;
  }
  friend bool operator==(const Fields&, const Fields&) = default;
  template <class Is>
  void erase_if(Is&& is) {
    std::erase_if(entries_, is);
  }
  // Lets `change` put other texts of the same words in the place of these, and keeps no room for more.
  template <class Change>
  void settle(Change&& change) {
    for (Entry& entry : entries_) change(entry);
    entries_.shrink_to_fit();
  }

 private:
  static bool is_before(const Entry& entry, std::string_view key) { return entry.first.str() < key; }
  std::vector<Entry> entries_;
};

using Texts = Fields<Text>;
using Counts = Fields<std::int64_t>;

class TextPool {
 public:
  void share(Text& text);
  void share(Texts& texts) {
    texts.settle([this](auto& entry) { share(entry.first), share(entry.second); });
  }
  void share(Counts& counts) {
    counts.settle([this](auto& entry) { share(entry.first); });
  }
  std::size_t size() const { return known_.size(); }

 private:
  std::unordered_map<std::string_view, Text> known_;
  std::size_t most_ = 1024;  // before those without another user are looked for
};

}  // namespace tessera::kubernetes
