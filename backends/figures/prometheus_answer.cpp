#include "backends/figures/prometheus_answer.hpp"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "engine/text.hpp"

namespace tessera::figures {
namespace {

constexpr std::size_t kMostLabels = 64;
constexpr std::size_t kLongestLabel = 512;
constexpr std::size_t kMostSamples = 20'000;  // of one series; Prometheus itself refuses more than 11,000
constexpr double kLatest = 4e9;               // seconds; a time beyond is none
constexpr std::string_view kReading = "cannot read Prometheus's answer";

struct Said {
  std::string status, type, error, result;
  bool data = false;
};

std::optional<PrometheusSample> sample_of(JsonValue& pair) {
  std::optional<double> seconds, value;
  std::size_t place = 0;
  pair.items([&](JsonValue item) {
    if (place == 0) seconds = item.number();
    if (place == 1)
      if (auto text = item.text()) value = read_metric_value(*text);
    ++place;
  });
  if (place != 2 || !seconds || !value || !(*seconds >= 0 && *seconds < kLatest)) return std::nullopt;
  return PrometheusSample{TimePoint(Duration(static_cast<Duration::rep>(std::floor(*seconds * 1000)))),
                          *value};
}

// One series; nullptr: well, else what is wrong.
class Series {
 public:
  const char* read(JsonValue& json) {
    if (!json.fields([this](std::string_view key, JsonValue value) { field(key, value); }))
      return "it is no series";
    if (wrong_) return wrong_;
    return samples_.empty() ? "it has no sample" : nullptr;
  }
  const MetricLine& line() const { return line_; }
  std::span<const PrometheusSample> samples() const { return samples_; }

 private:
  void field(std::string_view key, JsonValue& value) {
    if (key == "metric")
      value.fields([this](std::string_view name, JsonValue text) { label(name, text); });
    else if (key == "value")
      sample(value);
    else if (key == "values")
      value.items([this](JsonValue item) { sample(item); });
  }
  void label(std::string_view name, JsonValue& value) {
    const auto text = value.text();
    if (!text) return wrong("a label has no text");
    if (name == "__name__") {
      line_.name = *text;
      return;
    }
    if (line_.labels.size() == kMostLabels) return wrong("it has too many labels");
    line_.labels.emplace_back(name, clean(*text, kLongestLabel));
  }
  void sample(JsonValue& pair) {
    const auto one = sample_of(pair);
    if (!one) return wrong("a sample has no time or no number");
    if (samples_.size() == kMostSamples) return wrong("it has too many samples");
    if (!samples_.empty() && one->at <= samples_.back().at) return wrong("its samples are not in order");
    samples_.push_back(*one);
  }
  void wrong(const char* why) {
    if (!wrong_) wrong_ = why;
  }

  MetricLine line_;
  std::vector<PrometheusSample> samples_;
  const char* wrong_ = nullptr;
};

void read_result(JsonValue& result, const SeriesTold& told, MetricsRead& read) {
  result.items([&](JsonValue item) {
    Series series;
    const char* wrong = series.read(item);
    if (!wrong) {
      ++read.told;
      told(series.line(), series.samples());
    } else if (read.skipped++ == 0) {
      read.problem = "series " + std::to_string(read.told + read.skipped) + ": " + wrong;
    }
  });
}

std::string text_of(JsonValue& value) {
  constexpr std::size_t kLongest = 300;
  const auto text = value.text();
  return text ? clean(*text, kLongest) : std::string();
}

std::string complaint_of(const Said& said) {
  return said.type.empty() || said.error.empty() ? said.type + said.error : said.type + ": " + said.error;
}

Status read_all(JsonDocument& document, std::string_view text, const SeriesTold& told, Said& said,
                MetricsRead& read) {
  return document.read(text, [&](JsonValue& root) {
    root.fields([&](std::string_view key, JsonValue value) {
      if (key == "status") said.status = text_of(value);
      if (key == "errorType") said.type = text_of(value);
      if (key == "error") said.error = text_of(value);
      if (key != "data") return;
      said.data = value.fields([&](std::string_view name, JsonValue part) {
        if (name == "resultType") said.result = text_of(part);
        // The type stands before the result: of another type nothing is taken.
        if (name == "result" && (said.result == "vector" || said.result == "matrix"))
          read_result(part, told, read);
      });
    });
  });
}

}  // namespace

Result<MetricsRead> read_prometheus(JsonDocument& document, std::string_view text, const SeriesTold& told) {
  Said said;
  MetricsRead read;
  if (Status whole = read_all(document, text, told, said, read); !whole) {
    Error error = whole.error();
    return Error{std::string(kReading), error.what + ": " + error.reason, error.hint};
  }
  if (said.status == "error")
    return Error{"Prometheus refuses the query", complaint_of(said),
                 "look at the same query in its web page"};
  if (said.status != "success" || !said.data)
    return Error{std::string(kReading), "it has no status or no data",
                 "something else answers there: name the server's root, whose API is at /api/v1"};
  if (said.result != "vector" && said.result != "matrix")
    return Error{std::string(kReading), "a result of type \"" + said.result + "\" instead of series",
                 "something else answers there than Prometheus"};
  return read;
}

std::string prometheus_complaint(JsonDocument& document, std::string_view text) {
  Said said;
  MetricsRead read;
  const Status whole = read_all(
      document, text, [](const auto&, auto) {}, said, read);
  return whole && said.status == "error" ? complaint_of(said) : std::string();
}

}  // namespace tessera::figures
