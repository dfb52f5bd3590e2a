#include "engine/sharing/read_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/text.hpp"

namespace tessera {

namespace {
const std::vector<Yaml> kNothing;
}

void FieldReader::fail(int line, std::string_view message, std::string hint) {
  if (error_) return;
  Yaml at;
  at.line = std::max(line, 1);
  error_ = yaml_error(what_, file_, at, message);
  error_->hint = std::move(hint);
}

bool FieldReader::map(const Yaml& yaml, std::string_view what,
                      std::initializer_list<std::string_view> known) {
  if (failed()) return false;
  if (yaml.kind != Yaml::Kind::map) {
    fail(yaml.line, fmt::format("{}: a map is expected here", what));
    return false;
  }
  for (const auto& [key, value] : yaml.fields) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    fail(value.key_line, fmt::format("{}: unknown key \"{}\"", what, key),
         fmt::format("known here: {}", fmt::join(known, ", ")));
    return false;
  }
  return true;
}

const std::vector<Yaml>& FieldReader::list(const Yaml& yaml, std::string_view key, std::size_t limit) {
  if (failed()) return kNothing;
  const Yaml* found = yaml.find(key);
  if (found == nullptr) {
    fail(yaml.line, fmt::format("\"{}\" is missing", key));
  } else if (found->kind != Yaml::Kind::list || found->items.empty()) {
    fail(found->line, fmt::format("{}: a list with at least one entry is expected here", key));
  } else if (found->items.size() > limit) {
    fail(found->items[limit].line, fmt::format("{}: more than {} entries", key, limit));
  } else {
    return found->items;
  }
  return kNothing;
}

std::string FieldReader::scalar(const Yaml& value, std::string_view key, std::size_t limit) {
  if (failed()) return {};
  if (value.kind != Yaml::Kind::scalar || value.scalar.empty()) {
    fail(value.line, fmt::format("{}: a text is expected here", key));
  } else if (value.scalar.size() > limit) {
    fail(value.line, fmt::format("{}: longer than {} bytes", key, limit));
  } else if (clean(value.scalar, limit) != value.scalar) {
    fail(value.line, fmt::format("{}: holds control characters", key), "write it on one line");
  } else {
    return value.scalar;
  }
  return {};
}

std::string FieldReader::text(const Yaml& yaml, std::string_view key, std::size_t limit) {
  if (failed()) return {};
  const Yaml* found = yaml.find(key);
  if (found != nullptr) return scalar(*found, key, limit);
  fail(yaml.line, fmt::format("\"{}\" is missing", key));
  return {};
}

std::string FieldReader::optional_text(const Yaml& yaml, std::string_view key, std::size_t limit) {
  const Yaml* found = yaml.find(key);
  return found == nullptr ? std::string() : scalar(*found, key, limit);
}

std::vector<std::string> FieldReader::texts(const Yaml& yaml, std::string_view key, std::size_t limit) {
  std::vector<std::string> words;
  const Yaml* found = yaml.find(key);
  if (failed() || found == nullptr) return words;
  if (found->kind != Yaml::Kind::list || found->items.size() > limit) {
    fail(found->line, fmt::format("{}: a list of at most {} texts is expected here", key, limit));
    return words;
  }
  for (const Yaml& item : found->items) {
    words.push_back(scalar(item, key, 500));
    if (failed()) return {};
  }
  return words;
}

}  // namespace tessera
