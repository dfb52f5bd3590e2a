#include "engine/slurmconf/rewrite.hpp"

#include <algorithm>

namespace tessera::slurmconf {
namespace {

std::string line_end(const Document& document) {
  for (const Line& line : document.lines)
    if (line.raw.ends_with('\n')) return line.raw.ends_with("\r\n") ? "\r\n" : "\n";
  return "\n";
}

// Whole lines one after the other: what is appended must not run into what stands there.
class Joiner {
 public:
  explicit Joiner(std::string end) : end_(std::move(end)) {}

  void add(const std::string& raw) {
    if (raw.empty()) return;
    close();
    text_ += raw;
    last_ = raw;
  }
  std::string take() { return std::move(text_); }

 private:
  void close() {
    if (last_.empty()) return;
    if (!last_.ends_with('\n')) text_ += end_;
    // A `\` at the end of the file would join whatever follows.
    if (last_.find('\\') != std::string::npos && parse_line(std::move(last_)).open) text_ += end_;
    last_.clear();
  }

  std::string end_;
  std::string text_;
  std::string last_;  // not yet followed by anything
};

}  // namespace

std::string Rewrite::text_of(std::size_t document) const {
  const Document& old = config_.documents[document];
  const std::string end = line_end(old);
  Joiner joiner(end);
  auto add_all = [&](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) joiner.add(text + end);
  };
  for (std::size_t i = 0; i < old.lines.size(); ++i) {
    auto change = changes_.find({document, i});
    if (change == changes_.end()) {
      joiner.add(old.lines[i].raw);
      continue;
    }
    add_all(change->second.before);
    joiner.add(change->second.now.value_or(old.lines[i].raw));
    add_all(change->second.after);
  }
  if (auto ends = ends_.find(document); ends != ends_.end()) add_all(ends->second);
  return joiner.take();
}

Files Rewrite::apply(Files files) const {
  std::vector<bool> touched(files.size());
  for (const auto& [place, change] : changes_) touched[place.document] = true;
  for (const auto& [document, texts] : ends_) touched[document] = true;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (touched[i]) files[i].text = text_of(i);
  return files;
}

std::string with_values(const Line& line, NewValues values) {
  std::sort(values.begin(), values.end(),
            [](const auto& left, const auto& right) { return left.first->begin > right.first->begin; });
  std::string raw = line.raw;
  for (const auto& [pair, value] : values)
    raw.replace(pair->value_begin, pair->end - pair->value_begin, written(value, pair->quoted));
  return raw;
}

std::string with_pair(const Line& line, std::string_view key, std::string_view value) {
  std::string raw = line.raw;
  return raw.insert(line.pairs.back().end, ' ' + std::string(key) + '=' + written(value));
}

std::string without_pair(const Line& line, const Pair& pair) {
  std::size_t begin = pair.begin;
  while (begin > 0 && (line.raw[begin - 1] == ' ' || line.raw[begin - 1] == '\t')) --begin;
  std::string raw = line.raw;
  return raw.erase(begin, pair.end - begin);
}

std::string bare(std::string raw) {
  if (raw.ends_with('\n')) raw.pop_back();
  if (raw.ends_with('\r')) raw.pop_back();
  return raw;
}

}  // namespace tessera::slurmconf
