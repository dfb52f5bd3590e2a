#include "tests/tui/language/extract.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "engine/yaml.hpp"
#include "tests/support/paths.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

struct Token {
  enum class Kind : unsigned char { text, name, sign } kind;
  std::string text;
};
using Tokens = std::vector<Token>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Behind the closing quote.
std::size_t quoted_end(std::string_view s, std::size_t at) {
  const char quote = s[at];
  for (++at; at < s.size() && s[at] != quote; ++at)
    if (s[at] == '\\') ++at;
  return std::min(at + 1, s.size());
}

std::string unescaped(std::string_view inside) {
  std::string out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      out += inside[i];
      continue;
    }
    const char c = inside[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'x' || c == '0' ? '\x1f' : c;
  }
  return out;
}

Tokens tokens_of(std::string_view s) {
  Tokens out;
  for (std::size_t i = 0; i < s.size();) {
    if (s[i] == ' ' || s[i] == '\n') {
      ++i;
    } else if (s.substr(i, 2) == "//" || (s[i] == '#' && (i == 0 || s[i - 1] == '\n'))) {
      i = std::min(s.find('\n', i), s.size());
    } else if (s.substr(i, 2) == "/*") {
      i = std::min(s.find("*/", i), s.size() - 2) + 2;
    } else if (s.substr(i, 2) == "R\"") {
      const std::size_t open = s.find('(', i);
      const std::string close = ")" + std::string(s.substr(i + 2, open - i - 2)) + "\"";
      const std::size_t end = s.find(close, open);
      out.push_back({Token::Kind::text, std::string(s.substr(open + 1, end - open - 1))});
      i = end + close.size();
    } else if (s[i] == '"') {
      const std::size_t end = quoted_end(s, i);
      out.push_back({Token::Kind::text, unescaped(s.substr(i + 1, end - i - 2))});
      i = end;
    } else if (s[i] == '\'') {
      i = quoted_end(s, i);
      out.push_back({Token::Kind::name, "''"});
    } else if (is_word(s[i])) {
      std::size_t end = i;
      while (end < s.size() && (is_word(s[end]) || (s[end] == '\'' && std::isdigit(s[end - 1]) != 0))) ++end;
      out.push_back({Token::Kind::name, std::string(s.substr(i, end - i))});
      i = end;
    } else {
      out.push_back({Token::Kind::sign, std::string(1, s[i])});
      ++i;
    }
  }
  return out;
}

bool is_sign(const Tokens& t, std::size_t i, char c) {
  return i < t.size() && t[i].kind == Token::Kind::sign && t[i].text[0] == c;
}

// Behind what is added: up to the next sign that ends it, outside of brackets.
std::size_t operand_end(const Tokens& t, std::size_t i) {
  int depth = 0;
  for (; i < t.size(); ++i) {
    if (t[i].kind != Token::Kind::sign) continue;
    const char c = t[i].text[0];
    const bool scope = c == ':' && (is_sign(t, i + 1, ':') || is_sign(t, i - 1, ':'));
    if (std::string_view("([{").find(c) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(c) != std::string_view::npos && depth-- == 0) return i;
    if (depth == 0 && !scope && std::string_view("+,;?:").find(c) != std::string_view::npos) return i;
  }
  return i;
}

void collect(const Tokens& t, std::vector<std::string>& out) {
  for (std::size_t i = 0; i < t.size();) {
    if (t[i].kind != Token::Kind::text) {
      ++i;
      continue;
    }
    std::string text = i > 0 && is_sign(t, i - 1, '+') ? "{}" : "";
    while (i < t.size() && t[i].kind == Token::Kind::text) text += t[i++].text;
    while (is_sign(t, i, '+') && !is_sign(t, i + 1, '=')) {
      if (++i < t.size() && t[i].kind == Token::Kind::text) {
        while (i < t.size() && t[i].kind == Token::Kind::text) text += t[i++].text;
        continue;
      }
      const std::size_t end = operand_end(t, i);
      text += "{}";
      collect(
          Tokens(t.begin() + static_cast<std::ptrdiff_t>(i), t.begin() + static_cast<std::ptrdiff_t>(end)),
          out);
      i = end;
    }
    out.push_back(std::move(text));
  }
}

// Without what joins it to the texts around it.
std::string trimmed(std::string text) {
  static const std::regex kEnds(R"(^(?:[,;:.]? +|\n+)+|(?:[,;:] +| +|\n+|[,;:])+$)");
  text = std::regex_replace(text, kEnds, "");
  const bool bracketed =
      text.starts_with('(') && text.ends_with(')') && text.find('(', 1) == std::string::npos;
  return bracketed ? text.substr(1, text.size() - 2) : text;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A text of several lines is to be typed: only its comments explain. Places of such texts are {{name}}.
void add_scalar(const std::string& scalar, std::vector<std::string>& out) {
  static const std::regex kPlace(R"(\{\{[^{}]*\}\})");
  const std::string text = std::regex_replace(scalar, kPlace, "{}");
  if (text.find('\n') == std::string::npos) return out.push_back(text);
  std::string sentence;
  std::istringstream lines(text + "\n\n");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find_first_not_of(' ');
    if (mark != std::string::npos && line.compare(mark, 2, "# ") == 0) {
      sentence += (sentence.empty() ? "" : " ") + line.substr(mark + 2);
      continue;
    }
    if (!sentence.empty()) out.push_back(std::move(sentence));
    sentence.clear();
    if (const std::size_t behind = line.find("  # "); behind != std::string::npos)
      out.push_back(line.substr(behind + 4));
  }
}

void add_scalars(const Yaml& yaml, std::vector<std::string>& out) {
  if (yaml.kind == Yaml::Kind::scalar) add_scalar(yaml.scalar, out);
  for (const Yaml& item : yaml.items) add_scalars(item, out);
  for (const auto& [key, value] : yaml.fields) add_scalars(value, out);
}

// Headings and words that are asked for by N_ or told alone. Each is looked for by how it begins: a regular
// expression that is tried at every letter of the sources takes half a minute under sanitizers.
void add_marked(const std::string& source, std::set<std::string>& out) {
  static const std::regex kText(R"re((?:state_?, ?)?"([^"]+)"[,)])re");
  constexpr std::string_view kTold = "told(";
  for (const std::string_view mark : {std::string_view("N_("), kTold, std::string_view("heading("),
                                      std::string_view("section("), std::string_view("page.fact(")})
    for (std::size_t at = source.find(mark); at != std::string::npos; at = source.find(mark, at + 1)) {
      const auto begin = source.begin() + static_cast<std::ptrdiff_t>(at + mark.size());
      std::smatch text;
      const bool found =
          std::regex_search(begin, source.end(), text, kText, std::regex_constants::match_continuous);
      if (found && (mark == kTold || *begin == '"')) out.insert(unescaped(text[1].str()));
    }
}

std::vector<fs::path> files_of_tree() {
  const fs::path root = source_dir();
  const auto skip = lines_of("POTFILES.skip");
  std::vector<fs::path> files;
  auto take = [&](const fs::path& path) {
    const std::string name = fs::relative(path, root).string();
    const std::string kind = path.extension().string();
    const bool wanted = kind == ".cpp" || kind == ".hpp" || kind == ".yaml";
    if (wanted && std::find(skip.begin(), skip.end(), name) == skip.end()) files.push_back(path);
  };
  for (const std::string& line : lines_of("POTFILES")) {
    if (!fs::is_directory(root / line)) {
      take(root / line);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root / line))
      if (entry.is_regular_file()) take(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::set<std::string> figures_of(const std::string& text) {
  static const std::regex kPlace(R"(\{[^{}]*\})"), kFigure(R"([0-9][0-9,.]*[0-9])");
  const std::string plain = std::regex_replace(text, kPlace, " ");
  std::set<std::string> all;
  for (std::sregex_iterator at(plain.begin(), plain.end(), kFigure), end; at != end; ++at) {
    std::string figure = at->str();
    std::erase(figure, ',');
    all.insert(std::move(figure));
  }
  return all;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream stream(source_dir() + "/po/" + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty() && !line.starts_with('#')) lines.push_back(line);
  return lines;
}

std::vector<std::string> texts_of(std::string_view source) {
  std::vector<std::string> raw, out;
  collect(tokens_of(source), raw);
  for (std::string& text : raw) out.push_back(trimmed(std::move(text)));
  return out;
}

bool is_prose(std::string_view text) {
  static const std::regex kPlaces(R"(\{[^{}]*\})"), kWord(R"([A-Za-z][A-Za-z'-]+)"), kSmall("[a-z]{2,}"),
      kOneWord(R"(\{[^{}]*\} [a-z]{3,}|[a-z]{3,} \{)"),
      kCommand(
          R"(^(#|nvidia-smi|kubectl|scontrol|systemctl|sbatch|srun|ssh|tee|export|--|\$|sudo|echo|mkdir|rm |cat |if |set |import|[A-Z][A-Za-z]+= ).*)");
  // "kubectl has no kubeconfig" begins as a command does and is none; comments behind a command are not
  // reported.
  static const std::regex kSaysSomething(
      R"( (is|are|was|must|cannot|does|has|exclude|belongs?|needs|shows?|reports|lists|prints|printed|ended|says|finds|names|means|knows|fails|the|which|whether|not|no|one|it|and|or)( |$|[,;:]))");
  const std::string whole(text), bare = std::regex_replace(whole, kPlaces, "");
  const bool lines = text.find('\n') != std::string_view::npos || text.find('\x1f') != std::string_view::npos;
  if (lines || text.find(' ') == std::string_view::npos || !std::regex_search(bare, kSmall)) return false;
  const auto words =
      std::distance(std::sregex_iterator(bare.begin(), bare.end(), kWord), std::sregex_iterator());
  if (words == 0 || (words == 1 && !std::regex_search(whole, kOneWord))) return false;
  if (!std::regex_match(whole, kCommand)) return true;
  return whole.find("  # ") == std::string::npos && std::regex_search(bare, kSaysSomething);
}

std::map<std::string, std::set<std::string>> texts_of_tree() {
  const fs::path root = source_dir();
  const auto stays = lines_of("untranslated.txt");
  const std::set<std::string> untranslated(stays.begin(), stays.end());
  std::map<std::string, std::set<std::string>> found;
  for (const fs::path& path : files_of_tree()) {
    const std::string source = read(path), name = fs::relative(path, root).string();
    std::vector<std::string> texts;
    if (path.extension() == ".yaml") {
      if (auto yaml = parse_yaml(source, name)) add_scalars(*yaml, texts);
    } else {
      texts = texts_of(source);
    }
    std::set<std::string> marked;
    add_marked(source, marked);
    for (const std::string& text : texts)
      if (is_prose(text)) marked.insert(text);
    for (const std::string& text : marked)
      if (!untranslated.contains(text)) found[text].insert(name);
  }
  return found;
}

std::string as_template(const std::map<std::string, std::set<std::string>>& texts) {
  std::string out =
      "# The texts of tessera that explain. Made from the sources: TESSERA_UPDATE_GOLDEN=1 writes it\n"
      "# (docs/japanese.md).\n"
      "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n";
  for (const auto& [text, files] : texts) {
    out += '\n';
    for (const std::string& file : files) out += "#: " + file + "\n";
    out += "msgid \"" + escaped(text) + "\"\nmsgstr \"\"\n";
  }
  return out;
}

}  // namespace tessera::test
