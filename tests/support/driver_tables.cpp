#include "tests/support/driver_tables.hpp"

#include <regex>
#include <sstream>

namespace tessera::test {
namespace {

std::vector<std::smatch> all(const std::string& text, const std::regex& row) {
  return {std::sregex_iterator(text.begin(), text.end(), row), std::sregex_iterator()};
}

int number(const std::smatch& row, std::size_t at) { return std::stoi(row[at].str()); }

}  // namespace

std::vector<ProfileRow> profile_rows(const std::string& text) {
  static const std::regex kRow(
      R"(\|\s+\d+\s+MIG (\S+)\s+(\d+)\s+\d+/(\d+)\s+([\d.]+)\s+(?:Yes|No)\s+(\d+)\s+(\d+)\s+(\d+)\s+\|\n)"
      R"(\|\s+(\d+)\s+(\d+)\s+(\d+)\s+\|)");
  std::vector<ProfileRow> rows;
  for (const std::smatch& row : all(text, kRow))
    rows.push_back({row[1].str(), number(row, 2), number(row, 3), std::stod(row[4].str()), number(row, 5),
                    number(row, 6), number(row, 7), number(row, 8), number(row, 9), number(row, 10)});
  return rows;
}

std::vector<PlacementRow> placement_rows(const std::string& text) {
  static const std::regex kRow(R"(GPU\s+\d+ Profile ID\s+(\d+) Placements?\s*: \{([\d,]+)\}:(\d+)\n)");
  std::vector<PlacementRow> rows;
  for (const std::smatch& row : all(text, kRow)) {
    PlacementRow one{number(row, 1), {}, number(row, 3)};
    std::istringstream starts(row[2].str());
    for (std::string start; std::getline(starts, start, ',');) one.starts.push_back(std::stoi(start));
    rows.push_back(std::move(one));
  }
  return rows;
}

Minors minors_of(const std::string& text) {
  static const std::regex kRow(R"(gpu(\d+)/gi(\d+)(?:/ci(\d+))?/access (\d+)\n)");
  Minors minors;
  for (const std::smatch& row : all(text, kRow)) {
    const std::optional<int> compute = row[3].matched ? std::optional(number(row, 3)) : std::nullopt;
    minors[{number(row, 1), number(row, 2), compute}] = number(row, 4);
  }
  return minors;
}

}  // namespace tessera::test
