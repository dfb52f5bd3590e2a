#include "engine/plan/run/chain.hpp"

#include "engine/digest.hpp"

namespace tessera::plan {
namespace {

constexpr std::string_view kField = ",\"chain\":\"", kEnd = "\"}";
constexpr std::size_t kDigits = 16, kTie = kField.size() + kDigits + kEnd.size();

std::string tie_of(const std::string& before, std::string_view body) {
  return Digest().add(before).add(body).text();
}

}  // namespace

std::string Chain::tie(std::string line) {
  line.pop_back();  // its closing brace
  last_ = tie_of(last_, line);
  tied_ = true;
  return line.append(kField).append(last_).append(kEnd);
}

bool Chain::is_tied(std::string_view line) {
  return line.size() > kTie && line.ends_with(kEnd) &&
         line.substr(line.size() - kTie, kField.size()) == kField;
}

bool Chain::holds(std::string_view line) {
  if (!is_tied(line)) return false;
  const std::string_view body = line.substr(0, line.size() - kTie);
  std::string tie = tie_of(last_, body);
  if (line.substr(body.size() + kField.size(), kDigits) != tie) return false;
  last_ = std::move(tie);
  tied_ = true;
  return true;
}

void Chain::pass(std::string_view line) { last_ = tie_of(last_, line); }

}  // namespace tessera::plan
