#include "engine/slurmconf/diff.hpp"

#include <algorithm>

namespace tessera::slurmconf {
namespace {

using Lines = std::vector<std::string_view>;

constexpr int kContext = 3;
constexpr int kMostChanges = 2000;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// Lines [old_begin, old_end) become [new_begin, new_end).
struct Change {
  int old_begin = 0, old_end = 0, new_begin = 0, new_end = 0;
};

// Myers' greedy search: after `edits` steps, how far down each diagonal one gets. The fronts are kept to walk
// the path back.
class Search {
 public:
  Search(const Lines& before, const Lines& after) : before_(before), after_(after) {}

  std::vector<Change> changes() {
    int n = static_cast<int>(before_.size()), m = static_cast<int>(after_.size());
    for (int edits = 0; edits <= std::min(n + m, kMostChanges); ++edits)
      if (advance(edits, n, m)) return walk_back(edits, n, m);
    return {{0, n, 0, m}};
  }

 private:
  int reached(int edits, int diagonal) const {
    return diagonal < -edits || diagonal > edits
               ? -1
               : fronts_[static_cast<std::size_t>(edits)][static_cast<std::size_t>((diagonal + edits) / 2)];
  }
  // Whether the best way onto a diagonal is an insertion: down from the one above.
  bool inserted(int edits, int diagonal) const {
    return diagonal == -edits ||
           (diagonal != edits && reached(edits - 1, diagonal - 1) < reached(edits - 1, diagonal + 1));
  }

  bool advance(int edits, int n, int m) {
    std::vector<int> front;
    front.reserve(static_cast<std::size_t>(edits) + 1);
    for (int diagonal = -edits; diagonal <= edits; diagonal += 2) {
      int x = 0;
      if (edits > 0)
        x = inserted(edits, diagonal) ? reached(edits - 1, diagonal + 1)
                                      : reached(edits - 1, diagonal - 1) + 1;
      int y = x - diagonal;
      while (x < n && y < m && same(x, y)) ++x, ++y;
      front.push_back(x);
      if (diagonal == n - m && x >= n) {
        front.resize(static_cast<std::size_t>(edits) + 1, -1);
        fronts_.push_back(std::move(front));
        return true;
      }
    }
    fronts_.push_back(std::move(front));
    return false;
  }

  bool same(int x, int y) const {
    return before_[static_cast<std::size_t>(x)] == after_[static_cast<std::size_t>(y)];
  }

  std::vector<Change> walk_back(int edits, int x, int y) const {
    std::vector<Change> changes;
    for (; edits > 0; --edits) {
      int diagonal = x - y;
      bool insert = inserted(edits, diagonal);
      int from = insert ? diagonal + 1 : diagonal - 1;
      x = reached(edits - 1, from);
      y = x - from;
      Change step{x, insert ? x : x + 1, y, insert ? y + 1 : y};
      if (!changes.empty() && changes.back().old_begin == step.old_end &&
          changes.back().new_begin == step.new_end) {
        changes.back().old_begin = step.old_begin;
        changes.back().new_begin = step.new_begin;
      } else {
        changes.push_back(step);
      }
    }
    std::reverse(changes.begin(), changes.end());
    return changes;
  }

  const Lines& before_;
  const Lines& after_;
  std::vector<std::vector<int>> fronts_;
};

// What is alike at both ends needs no search: configurations are long and edits are few.
std::vector<Change> compare(Lines before, Lines after) {
  std::size_t head = 0, tail = 0, most = std::min(before.size(), after.size());
  while (head < most && before[head] == after[head]) ++head;
  while (tail < most - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  auto middle = [&](Lines& lines) {
    lines.resize(lines.size() - tail);
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(head));
  };
  middle(before);
  middle(after);
  std::vector<Change> changes = Search(before, after).changes();
  for (Change& change : changes)
    for (int* place : {&change.old_begin, &change.old_end, &change.new_begin, &change.new_end})
      *place += static_cast<int>(head);
  return changes;
}

// "12,3"; diff(1) names the line before where there are none.
std::string range(int begin, int end) {
  int count = end - begin;
  std::string text = std::to_string(count == 0 ? begin : begin + 1);
  return count == 1 ? text : text + ',' + std::to_string(count);
}

void append(std::string& text, char mark, const Lines& lines, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    std::string_view line = lines[static_cast<std::size_t>(i)];
    text += mark;
    text += line;
    if (!line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  }
}

// Changes [first, last) that share their context.
void append_hunk(std::string& text, const Lines& before, const Lines& after, const Change* first,
                 const Change* last) {
  const Change& end = *(last - 1);
  int lead = std::min(kContext, first->old_begin);
  int rest = std::min(kContext, static_cast<int>(before.size()) - end.old_end);
  text += "@@ -" + range(first->old_begin - lead, end.old_end + rest);
  text += " +" + range(first->new_begin - lead, end.new_end + rest) + " @@\n";
  int at = first->old_begin - lead;
  for (const Change* change = first; change != last; ++change) {
    append(text, ' ', before, at, change->old_begin);
    append(text, '-', before, change->old_begin, change->old_end);
    append(text, '+', after, change->new_begin, change->new_end);
    at = change->old_end;
  }
  append(text, ' ', before, at, at + rest);
}

}  // namespace

std::string unified_diff(const File& before, const File& after) {
  if (before.text == after.text) return "";
  Lines old_lines = lines_of(before.text), new_lines = lines_of(after.text);
  std::vector<Change> changes = compare(old_lines, new_lines);
  std::string text = "--- " + before.path + "\n+++ " + after.path + "\n";
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first + 1;
    while (last < changes.size() && changes[last].old_begin - changes[last - 1].old_end <= 2 * kContext)
      ++last;
    append_hunk(text, old_lines, new_lines, changes.data() + first, changes.data() + last);
    first = last;
  }
  return text;
}

std::string unified_diff(const std::vector<File>& before, const std::vector<File>& after) {
  auto find = [](const std::vector<File>& files, const std::string& path) {
    return std::find_if(files.begin(), files.end(), [&](const File& file) { return file.path == path; });
  };
  const File none{"/dev/null", ""};
  std::string text;
  for (const File& file : before) {
    auto now = find(after, file.path);
    text += unified_diff(file, now == after.end() ? none : *now);
  }
  for (const File& file : after)
    if (find(before, file.path) == before.end()) text += unified_diff(none, file);
  return text;
}

}  // namespace tessera::slurmconf
