#include "engine/pack/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/flat_json.hpp"
#include "engine/json.hpp"
#include "engine/pack/whole.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::pack {
namespace {

constexpr std::string_view kWhat = "cannot read the GPUs and the demand";
constexpr std::string_view kHint = "docs/planning.md has an example";
constexpr std::size_t kMostServices = 200;
constexpr double kMostRate = 1e9;

bool is_map(const Yaml& value) { return value.kind == Yaml::Kind::map; }
bool is_list(const Yaml& value) { return value.kind == Yaml::Kind::list; }
std::optional<std::int64_t> integer(const Yaml& value) { return value.as_int(); }
std::optional<double> rational(const Yaml& value) { return value.as_number(); }
std::optional<bool> boolean(const Yaml& value) { return value.as_bool(); }
std::optional<std::string_view> words(const Yaml& value) {
  return value.kind == Yaml::Kind::scalar ? std::optional<std::string_view>(value.scalar) : std::nullopt;
}

// Json and FlatJson.
template <class Tree>
bool is_map(const Tree& value) {
  return value.kind == Json::Kind::map;
}
template <class Tree>
bool is_list(const Tree& value) {
  return value.kind == Json::Kind::list;
}
template <class Tree>
std::optional<std::int64_t> integer(const Tree& value) {
  return value.kind == Json::Kind::integer ? std::optional(value.integer) : std::nullopt;
}
std::optional<double> rational(const Json& value) {
  if (value.kind == Json::Kind::integer) return static_cast<double>(value.integer);
  return value.kind == Json::Kind::real ? std::optional(value.real) : std::nullopt;
}
std::optional<double> rational(const FlatJson& value) {
  return value.kind == Json::Kind::integer ? std::optional(static_cast<double>(value.integer)) : std::nullopt;
}
template <class Tree>
std::optional<bool> boolean(const Tree& value) {
  return value.kind == Json::Kind::boolean ? std::optional(value.boolean) : std::nullopt;
}
template <class Tree>
std::optional<std::string_view> words(const Tree& value) {
  return value.kind == Json::Kind::text ? std::optional<std::string_view>(value.text) : std::nullopt;
}

// What a list or a map holds, one after the other; the key of what a list holds is empty.
template <class Tree, class Take>
void each_of(const Tree& all, Take take) {
  for (const auto& field : all.fields) take(std::string_view(field.first), field.second);
  for (const Tree& item : all.items) take(std::string_view(), item);
}
template <class Take>
void each_of(const FlatJson& all, Take take) {
  for (const FlatJson* one = all.first(); one != all.end(); one = one->end()) take(one->key, *one);
}
template <class Tree>
std::size_t count_of(const Tree& all) {
  std::size_t count = 0;
  each_of(all, [&](std::string_view, const Tree&) { ++count; });
  return count;
}

// A place in JSON, which has no lines: "boards[3].instances[0]". Put into words only for an error.
struct Where {
  const Where* within = nullptr;
  std::string_view name;
  std::optional<std::size_t> index;

  std::string text() const {
    std::string text = within ? within->text() : "";
    if (!text.empty() && !name.empty()) text += '.';
    text += clean(name, 80);
    if (index) text += fmt::format("[{}]", *index);
    return text;
  }
};

// GPUs of a node that were listed. Nearly always they are counted from 0.
class SeenGpus {
 public:
  // false: it was listed before.
  bool add(int gpu) {
    if (gpu < counted_ || others_.contains(gpu)) return false;
    if (gpu == counted_)
      ++counted_;
    else
      others_.insert(gpu);
    return true;
  }

 private:
  int counted_ = 0;  // GPU 0 to the one before
  std::unordered_set<int> others_;
};

// "gpu: the number is missing" at "boards[2].gpu": the place names it already, where a line would not.
std::string_view behind_its_name(std::string_view why, std::string_view where) {
  const std::string_view name = where.substr(where.rfind('.') + 1);  // npos + 1 is 0
  const bool is_named = !name.empty() && why.starts_with(name) && why.substr(name.size()).starts_with(": ");
  return is_named ? why.substr(name.size() + 2) : why;
}

// Reads a tree of either kind; keeps the first error.
template <class Tree>
class Reader {
 public:
  Reader(std::string_view file, const mig::Catalogue& catalogue) : file_(file), catalogue_(catalogue) {}

  Result<FileProblem> run(const Tree& root) {
    if (!is_map(root)) return fail(root, {}, "not a map with demand and GPUs"), *error_;
    only(root, {}, {"mode", "evict", "demand", "services", "boards"});
    read_mode(root);
    if (const Tree* evict = root.find("evict")) problem_.evict = flag(*evict, "evict");
    const Tree* boards = root.find("boards");
    if (!boards || !is_list(*boards))
      fail(boards ? *boards : root, at("boards"), "boards: a list of GPUs is missing");
    if (!error_)
      each(*boards, at("boards"), [&](const Tree& board, const Where& where) { read_boards(board, where); });
    const Tree *demand = root.find("demand"), *services = root.find("services");
    if (demand ? !is_map(*demand) : !services)
      fail(demand ? *demand : root, at("demand"), "demand: a map of profiles is missing");
    if (demand && !error_) read_demand(*demand);
    if (services && !error_) read_services(*services);
    if (error_) return *error_;
    return FileProblem{std::move(problem_), std::move(services_)};
  }

 private:
  static Where at(std::string_view name, const Where* within = nullptr) { return {within, name, {}}; }
  void fail(const Tree& at, const Where& where, const std::string& why) {
    if (error_) return;
    if constexpr (std::is_same_v<Tree, Yaml>) {
      error_ = yaml_error(kWhat, file_, at, why);
      error_->hint = kHint;
    } else {
      const std::string text = where.text();
      error_ = Error{
          std::string(kWhat),
          fmt::format("{}: {}: {}", file_, text.empty() ? "the document" : text, behind_its_name(why, text)),
          std::string(kHint)};
    }
  }

  template <class Take>
  void each(const Tree& list, const Where& where, Take take) {
    std::size_t i = 0;
    each_of(list, [&](std::string_view, const Tree& item) {
      if (!error_) take(item, Where{where.within, where.name, i});
      ++i;
    });
  }

  void only(const Tree& map, const Where& where, std::initializer_list<std::string_view> known) {
    each_of(map, [&](std::string_view key, const Tree& value) {
      if (std::find(known.begin(), known.end(), key) == known.end())
        fail(value, where,
             fmt::format("unknown key \"{}\"; known are {}", clean(key, 80), fmt::join(known, ", ")));
    });
  }

  int number(const Tree& value, const Where& where, std::string_view name, std::int64_t least,
             std::int64_t most) {
    auto read = integer(value);
    if (read && *read >= least && *read <= most) return static_cast<int>(*read);
    fail(value, where, fmt::format("{}: a whole number from {} to {} is needed", name, least, most));
    return 0;
  }
  bool flag(const Tree& value, std::string_view name) {
    auto read = boolean(value);
    if (!read) fail(value, at(name), fmt::format("{}: true or false is needed", name));
    return read.value_or(false);
  }
  static bool is_clean(std::string_view text) {
    const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
    return ascii || clean(text, 253) == text;
  }
  // Of the tree. A name of at most 253 bytes without control characters.
  std::string_view name(const Tree& map, const Where& where, std::string_view key) {
    const Tree* value = map.find(key);
    const std::optional<std::string_view> text = value ? words(*value) : std::nullopt;
    if (!text || text->empty() || text->size() > 253 || !is_clean(*text)) {
      fail(value ? *value : map, where,
           text && !text->empty() ? fmt::format("{} is too long, or holds control characters", key)
                                  : fmt::format("{}: a name is needed", key));
      return {};
    }
    return *text;
  }

  void read_mode(const Tree& root) {
    const Tree* mode = root.find("mode");
    if (!mode) return;
    const std::optional<std::string_view> text = words(*mode);
    if (text && *text == word(Mode::whole_node))
      problem_.mode = Mode::whole_node;
    else if (!text || *text != word(Mode::in_place))
      fail(*mode, at("mode"), "mode: in-place or whole-node is needed");
  }

  std::optional<std::size_t> product(const Tree& at, const Where& where, std::string_view called) {
    if (last_product_ && called == last_name_) return last_product_;
    const mig::Product* found = catalogue_.by_any(called);
    if (!found || !found->mig_capable || !found->placements_known) {
      fail(at, where,
           !found ? fmt::format("unknown product \"{}\"", clean(called, 100))
                  : fmt::format("{} has no known MIG placements", found->key.text));
      return std::nullopt;
    }
    auto listed = std::find(problem_.products.begin(), problem_.products.end(), found);
    last_name_ = called;
    last_product_ = static_cast<std::size_t>(listed - problem_.products.begin());
    if (listed == problem_.products.end()) problem_.products.push_back(found);
    return last_product_;
  }

  void read_boards(const Tree& value, const Where& where) {
    if (!is_map(value)) return fail(value, where, "not a map with node, gpu and product");
    only(value, where, {"node", "gpu", "product", "count", "whole", "held", "instances"});
    Board board;
    board.node = NodeName(std::string(name(value, where, "node")));
    const Tree* gpu = value.find("gpu");
    if (!gpu) return fail(value, where, "gpu: the number of the GPU on its node is missing");
    board.gpu = GpuIndex{number(*gpu, where, "gpu", 0, 1'000'000)};
    auto of = product(value, where, name(value, where, "product"));
    if (!of || error_) return;
    board.product = *of;
    if (const Tree* instances = value.find("instances")) read_instances(*instances, where, board);
    if (const Tree* whole = value.find("whole")) board.whole = flag(*whole, "whole");
    if (board.whole && !board.instances.empty())
      return fail(value, where, "whole: a GPU with instances is cut");
    board.may_be_whole = !board.whole;
    if (const Tree* held = value.find("held")) {
      if (!board.whole) return fail(*held, where, "held: stands beside whole: true, or with an instance");
      board.whole_held = flag(*held, "held"), board.whole = !board.whole_held;
    }
    int count = 1;
    if (const Tree* many = value.find("count")) count = number(*many, where, "count", 1, kMostBoards);
    add(value, where, std::move(board), count);
  }

  void add(const Tree& value, const Where& where, Board board, int count) {
    for (int i = 0; i < count && !error_; ++i) {
      if (problem_.boards.size() >= kMostBoards)
        return fail(value, where, fmt::format("more than {} GPUs", kMostBoards));
      if (!is_new(board))
        return fail(value, where,
                    fmt::format("GPU {} of {} is listed twice", board.gpu.value, board.node.text));
      if (i + 1 == count) return void(problem_.boards.push_back(std::move(board)));
      problem_.boards.push_back(board);
      ++board.gpu.value;
    }
  }

  bool is_new(const Board& board) {
    // GPUs of a node nearly always stand together.
    if (!of_last_ || last_node_ != board.node.text) {
      last_node_ = board.node.text;
      of_last_ = &seen_[last_node_];
    }
    return of_last_->add(board.gpu.value);
  }

  void read_instances(const Tree& list, const Where& where, Board& board) {
    if (!is_list(list)) return fail(list, where, "instances: a list is needed");
    const mig::Product& of = *problem_.products[board.product];
    board.instances.reserve(count_of(list));
    each(list, at("instances", &where), [&](const Tree& value, const Where& at) {
      if (!is_map(value)) return fail(value, at, "not a map with profile and start");
      only(value, at, {"profile", "start", "held"});
      const std::string_view called = name(value, at, "profile");
      auto profile = error_ ? std::nullopt : profile_of(board.product, called);
      if (!profile)
        return fail(value, at, fmt::format("{} has no profile \"{}\"", of.key.text, clean(called, 80)));
      const Tree* start = value.find("start");
      if (!start) return fail(value, at, "start: the placement is missing");
      Instance instance{{*profile, number(*start, at, "start", 0, mig::kMaxUnits)}, false};
      if (const Tree* held = value.find("held")) instance.held = flag(*held, "held");
      board.instances.push_back(instance);
    });
    if (error_) return;
    layout_.clear();
    for (const Instance& instance : board.instances) layout_.push_back(instance.placed);
    std::sort(layout_.begin(), layout_.end());
    if (mig::is_legal(of, layout_)) return;
    if (auto why = mig::why_illegal(of, layout_)) fail(list, where, "instances: " + *why);
  }

  // A file names few profiles, and each many times.
  std::optional<int> profile_of(std::size_t product, std::string_view called) {
    constexpr std::size_t kMost = 64;
    if (product >= profiles_.size()) profiles_.resize(product + 1);
    auto& known = profiles_[product];
    for (const auto& [name, profile] : known)
      if (name == called) return profile;
    const std::optional<int> profile = problem_.products[product]->index_of(called);
    if (profile && known.size() < kMost) known.emplace_back(called, *profile);
    return profile;
  }

  void read_demand(const Tree& demand) {
    each_of(demand, [&](std::string_view name, const Tree& value) {
      if (error_) return;
      const Where top = at("demand"), where = at(name, &top);
      if (!is_map(value)) return read_wanted(name, value, where, std::nullopt);
      const auto of = product(value, where, name);
      if (!of) return;
      each_of(value, [&](std::string_view profile, const Tree& wanted) {
        read_wanted(profile, wanted, at(profile, &where), of);
      });
    });
  }

  void read_services(const Tree& services) {
    const Where top = at("services");
    if (!is_map(services) || count_of(services) == 0)
      return fail(services, top, "services: a map of names is needed");
    if (count_of(services) > kMostServices)
      return fail(services, top, fmt::format("more than {} services", kMostServices));
    each_of(services, [&](std::string_view called, const Tree& value) {
      if (error_) return;
      const Where where = at(called, &top);
      if (called.empty() || called.size() > 253 || !is_clean(called))
        return fail(value, where, "a name of at most 253 printable characters is needed");
      if (!is_map(value)) return fail(value, where, "not a map with rate and gives");
      only(value, where, {"rate", "gives"});
      Service service{std::string(called), rate(value, where, "rate"), {}};
      const Tree* gives = value.find("gives");
      if (!gives || !is_map(*gives) || count_of(*gives) == 0)
        return fail(gives ? *gives : value, where,
                    "gives: the rate of one instance of each profile is missing");
      each_of(*gives, [&](std::string_view profile, const Tree& each) {
        read_gives(profile, *gives, each, where, service);
      });
      if (!error_) services_.push_back(std::move(service));
    });
  }

  void read_gives(std::string_view called, const Tree& gives, const Tree& value, const Where& where,
                  Service& service) {
    auto profile = mig::canonical_profile(called);
    if (!profile)
      return fail(value, where, fmt::format("\"{}\" is not the name of a MIG profile", clean(called, 80)));
    const auto listed = [&](const auto& one) { return one.profile == *profile; };
    if (std::any_of(service.gives.begin(), service.gives.end(), listed))
      return fail(value, where, fmt::format("{} is listed twice", profile->text));
    for (const Demand& wanted : problem_.demand)
      if (wanted.profile == *profile && wanted.product)
        return fail(value, where,
                    fmt::format("{} is asked for by product: leave the product out", profile->text));
    service.gives.push_back({*profile, rate(gives, where, called)});
    if (!error_ && service.rate / service.gives.back().rate > kMostWanted)
      fail(value, where, fmt::format("{}: more than {} instances would be needed", called, kMostWanted));
  }

  double rate(const Tree& map, const Where& where, std::string_view key) {
    const Tree* value = map.find(key);
    const auto read = value ? rational(*value) : std::nullopt;
    if (read && *read > 0 && *read <= kMostRate) return *read;
    fail(value ? *value : map, where,
         fmt::format("{}: a number above 0 and up to {} is needed", key, kMostRate));
    return 1;
  }

  void read_wanted(std::string_view called, const Tree& value, const Where& where,
                   std::optional<std::size_t> of) {
    auto profile = wanted_name(called);
    if (!profile)
      return fail(value, where, fmt::format("\"{}\": {}", clean(called, 80), why_not_wanted(called)));
    if (of && !is_whole(*profile) && !problem_.products[*of]->find(profile->text))
      return fail(value, where,
                  fmt::format("{} has no profile \"{}\"", problem_.products[*of]->key.text, profile->text));
    Demand wanted{*profile, of, number(value, where, called, 0, kMostWanted)};
    for (const Demand& other : problem_.demand)
      if (other.profile == wanted.profile && (!of || !other.product || other.product == of))
        return fail(value, where, fmt::format("{} is listed twice", profile->text));
    problem_.demand.push_back(std::move(wanted));
  }

  std::string_view file_;
  const mig::Catalogue& catalogue_;
  Problem problem_;
  Services services_;
  std::optional<Error> error_;
  std::unordered_map<std::string, SeenGpus> seen_;  // by node
  SeenGpus* of_last_ = nullptr;
  std::string last_node_;
  std::string last_name_;
  std::optional<std::size_t> last_product_;
  std::vector<std::vector<std::pair<std::string, int>>> profiles_;  // by product: as the file spells them
  mig::Layout layout_;                                              // of one GPU after the other
};

}  // namespace

Result<FileProblem> read_boards(std::string_view text, std::string_view file,
                                const mig::Catalogue& catalogue) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    // A YAML map may begin like that, too: it is the reader of JSON that is quick.
    if (const auto flat = read_flat_json(text)) return Reader<FlatJson>(file, catalogue).run(flat->front());
    Result<Json> json = parse_json(text, file);
    if (json) return Reader<Json>(file, catalogue).run(*json);
  }
  Result<Yaml> yaml = parse_yaml(text, file);
  if (!yaml)
    return Error{std::string(kWhat), yaml.error().reason,
                 yaml.error().hint.empty() ? std::string(kHint) : yaml.error().hint};
  return Reader<Yaml>(file, catalogue).run(*yaml);
}

}  // namespace tessera::pack
