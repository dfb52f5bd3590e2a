#include "engine/query/filter_text.hpp"

#include <fmt/core.h>
#include <regex.h>

#include <charconv>
#include <memory>

#include "engine/text.hpp"

namespace tessera::query {

struct Pattern::State {
  regex_t compiled{};
  bool ready = false;
};

Pattern::Pattern() : state_(std::make_unique<State>()) {}
Pattern::~Pattern() {
  if (state_->ready) regfree(&state_->compiled);
}

Result<std::shared_ptr<const Pattern>> Pattern::compile(const std::string& text) {
  // Repetition counts such as (a{255}){255} make glibc's compiler use gigabytes; they are not needed here.
  if (text.size() > 200 || text.find('{') != std::string::npos)
    return Error{"cannot use the regular expression", "it is too long or counts repetitions with {}",
                 "keep it under 200 bytes and use * or + instead"};
  std::shared_ptr<Pattern> pattern(new Pattern());
  int code = regcomp(&pattern->state_->compiled, text.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB);
  if (code != 0) {
    char why[128];
    regerror(code, &pattern->state_->compiled, why, sizeof why);
    return Error{"cannot use the regular expression", why, "quote special characters with a backslash"};
  }
  pattern->state_->ready = true;
  return std::shared_ptr<const Pattern>(std::move(pattern));
}

bool Pattern::matches(const std::string& text) const {
  return regexec(&state_->compiled, text.c_str(), 0, nullptr, 0) == 0;
}

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_key_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Result<std::vector<std::vector<RawTerm>>> run() {
    std::vector<std::vector<RawTerm>> any(1);
    for (;;) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      if (text_[at_] == '|') {
        if (any.back().empty()) return fail("there is nothing before |");
        any.emplace_back();
        ++at_;
        continue;
      }
      Result<RawTerm> term = read_term();
      if (!term) return term.error();
      any.back().push_back(std::move(*term));
    }
    if (any.back().empty() && any.size() > 1) return fail("there is nothing after |");
    if (any.back().empty()) any.clear();
    return any;
  }

 private:
  Error fail(std::string_view why) const {
    return {"cannot read the filter", fmt::format("at character {}: {}", at_ + 1, why),
            "examples: alice   user=alice state=running   since>2h   !drained"};
  }

  Result<RawTerm> read_term() {
    RawTerm term;
    term.at = at_;
    if (text_[at_] == '!' && at_ + 1 < text_.size() && text_[at_ + 1] != '=') {
      term.negated = true;
      ++at_;
    }
    std::size_t key_end = at_;
    while (key_end < text_.size() && is_key_char(text_[key_end])) ++key_end;
    std::string_view key = text_.substr(at_, key_end - at_);
    if (!key.empty()) {
      if (std::optional<Op> op = read_operator(key_end)) {
        term.key = std::string(key);
        term.op = *op;
      }
    }
    // A regular expression may hold bars: it ends at a blank.
    Result<std::string> text = read_word(term.op == Op::matches);
    if (!text) return text.error();
    term.text = std::move(*text);
    if (term.text.empty()) return fail("a value is missing");
    return term;
  }

  // Moves past key and operator when there is one.
  std::optional<Op> read_operator(std::size_t from) {
    struct Sign {
      std::string_view text;
      Op op;
    };
    constexpr Sign signs[] = {{"!=", Op::differs}, {"<=", Op::less_equal}, {">=", Op::greater_equal},
                              {"==", Op::equals},  {"=", Op::equals},      {"<", Op::less},
                              {">", Op::greater},  {":", Op::contains},    {"~", Op::matches}};
    for (const Sign& sign : signs)
      if (text_.substr(from).starts_with(sign.text)) {
        at_ = from + sign.text.size();
        return sign.op;
      }
    return std::nullopt;
  }

  Result<std::string> read_word(bool with_bars) {
    std::string word;
    while (at_ < text_.size() && !is_blank(text_[at_]) && (with_bars || text_[at_] != '|')) {
      if (text_[at_] != '"') {
        word += text_[at_++];
        continue;
      }
      std::size_t end = text_.find('"', at_ + 1);
      if (end == std::string_view::npos) return fail("the quote is not closed");
      word += text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    }
    return word;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Unit {
  std::string_view name;
  double factor;
};

std::optional<double> unit_factor(std::string_view unit, Format format) {
  constexpr Unit durations[] = {{"", 1},     {"s", 1},     {"m", 60},    {"min", 60},
                                {"h", 3600}, {"d", 86400}, {"w", 604800}};
  constexpr Unit sizes[] = {{"", 1024}, {"g", 1024}, {"gb", 1024},   {"gib", 1024},   {"m", 1},
                            {"mb", 1},  {"mib", 1},  {"t", 1048576}, {"tb", 1048576}, {"tib", 1048576}};
  constexpr Unit plain[] = {{"", 1}, {"%", 1}, {"c", 1}, {"w", 1}, {"k", 1000}};
  auto find = [&](auto& units) -> std::optional<double> {
    for (const Unit& one : units)
      if (one.name == unit) return one.factor;
    return std::nullopt;
  };
  if (format == Format::duration) return find(durations);
  if (format == Format::mib) return find(sizes);
  return find(plain);
}

}  // namespace

Result<std::vector<std::vector<RawTerm>>> split_filter(std::string_view text) {
  if (text.size() > 1000)
    return Error{"cannot read the filter", "it is longer than 1,000 bytes", "use a shorter one"};
  return Splitter(text).run();
}

std::optional<double> parse_quantity(std::string_view text, Format format) {
  double number = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{}) return std::nullopt;
  std::string unit = lower(text.substr(static_cast<std::size_t>(end - text.data())));
  std::optional<double> factor = unit_factor(unit, format);
  if (!factor) return std::nullopt;
  return number * *factor;
}

}  // namespace tessera::query
