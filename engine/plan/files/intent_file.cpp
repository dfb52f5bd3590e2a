#include "engine/plan/files/intent_file.hpp"

#include <set>

#include "engine/hostlist.hpp"
#include "engine/plan/files/node_wish.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::plan {
namespace {

constexpr std::string_view kReadingIntent = "cannot read the intent file";

class IntentReader {
 public:
  explicit IntentReader(std::string_view file) : file_(file) {}

  Result<WishedNodes> read(const Yaml& root) {
    const Yaml* nodes = root.find("nodes");
    if (!nodes || nodes->kind != Yaml::Kind::map || nodes->fields.empty())
      return bad(root, "it needs nodes: a node or list of nodes, and what it is to be");
    for (const Yaml::Field& field : root.fields)
      if (field.first != "nodes")
        return bad(field.second, "'" + clean(field.first, 60) + "' is not known here: only nodes");
    for (const auto& [list, value] : nodes->fields)
      if (Status done = read_nodes(list, value); !done) return done.error();
    return std::move(all_);
  }

 private:
  Error bad(const Yaml& at, std::string_view why) const { return yaml_error(kReadingIntent, file_, at, why); }

  Status read_nodes(const std::string& list, const Yaml& value) {
    auto names = expand_hosts(list);
    if (!names) return bad(value, names.error().reason);
    auto wish =
        read_node_wish(value, [this](const Yaml& at, const std::string& why) { return bad(at, why); });
    if (!wish) return wish.error();
    for (const std::string& name : *names) {
      if (!seen_.insert(name).second) return bad(value, "node " + clean(name, 100) + " is named twice");
      all_.nodes.emplace_back(name);
      if (wish->switches.any()) all_.switches[name] = wish->switches;
      for (BoardWish one : wish->boards) {
        one.node = NodeName(name);
        all_.boards.push_back(std::move(one));
      }
    }
    return Done{};
  }

  std::string_view file_;
  WishedNodes all_;
  std::set<std::string> seen_;
};

}  // namespace

Result<WishedNodes> read_intent_file(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  return IntentReader(file).read(*root);
}

}  // namespace tessera::plan
