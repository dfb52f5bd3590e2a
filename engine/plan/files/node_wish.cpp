#include "engine/plan/files/node_wish.hpp"

#include <algorithm>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

constexpr std::size_t kMostWishedGpus = 64;
constexpr int kMostRead = 1'000'000;  // what is too many, the planner says
constexpr std::string_view kKeysOfAWish[] = {"layout", "strategy", "replicas", "vgpu"};

bool is_key_of_a_wish(std::string_view key) {
  return std::find(std::begin(kKeysOfAWish), std::end(kKeysOfAWish), key) != std::end(kKeysOfAWish);
}

class NodeWishReader {
 public:
  explicit NodeWishReader(const WishError& bad) : bad_(bad) {}

  Result<NodeWish> read(Yaml& value) const {
    auto switches = take_switches(value);
    if (!switches) return switches.error();
    auto wishes = read_wishes(value);
    if (!wishes) return wishes.error();
    return NodeWish{std::move(*wishes), *switches};
  }

 private:
  Error bad(const Yaml& at, const std::string& why) const { return bad_(at, why); }

  // They stand beside the wish, or beside the numbers of its GPUs.
  Result<WishedSwitches> take_switches(Yaml& value) const {
    WishedSwitches switches;
    for (auto [name, into] : {std::pair("rename_shared", &switches.rename_shared),
                              std::pair("refuse_several", &switches.refuse_several)}) {
      const Yaml* told = value.find(name);
      if (!told) continue;
      *into = told->as_bool();
      if (!*into) return bad(*told, std::string(name) + " is true or false");
      std::erase_if(value.fields, [&, key = std::string_view(name)](const Yaml::Field& field) {
        return field.first == key;
      });
    }
    return switches;
  }

  // One wish for the node, or one for each of its GPUs.
  Result<std::vector<BoardWish>> read_wishes(const Yaml& value) const {
    const bool by_gpu = value.kind == Yaml::Kind::map && !value.fields.empty() &&
                        !is_key_of_a_wish(value.fields.front().first);
    std::vector<BoardWish> wishes;
    if (!by_gpu) {
      auto wish = read_wish(value);
      if (!wish) return wish.error();
      return std::vector<BoardWish>{{std::nullopt, std::move(*wish)}};
    }
    std::set<int> gpus;
    for (const auto& [list, one] : value.fields) {
      auto numbers = expand_numbers(list, kMostWishedGpus);
      if (!numbers)
        return bad(one, "'" + clean(list, 60) +
                            "' is neither a GPU (0, 1-3) nor layout, strategy, replicas or vgpu");
      auto wish = read_wish(one);
      if (!wish) return wish.error();
      for (int gpu : *numbers) {
        if (!gpus.insert(gpu).second) return bad(one, "GPU " + std::to_string(gpu) + " is named twice");
        wishes.push_back({GpuIndex{gpu}, *wish});
      }
    }
    return wishes;
  }

  Result<Wish> read_wish(const Yaml& value) const {
    if (value.kind == Yaml::Kind::scalar) return read_layout(value);
    if (value.kind != Yaml::Kind::map || value.fields.empty())
      return bad(value, "a layout is missing: 3g.40gb@4,2x1g.10gb, or none");
    for (const auto& [key, one] : value.fields) {
      if (!is_key_of_a_wish(key))
        return bad(one, "'" + clean(key, 60) + "' is not layout, strategy, replicas or vgpu");
      if (one.kind != Yaml::Kind::scalar) return bad(one, key + " needs one value");
    }
    const Yaml *layout = value.find("layout"), *strategy = value.find("strategy"), *vgpu = value.find("vgpu");
    if (!layout == !strategy) return bad(value, "give either layout or strategy");
    auto wish = layout ? read_layout(*layout) : read_sharing(*strategy);
    if (!wish) return wish;
    if ((wish->strategy == Strategy::vgpu) != (vgpu != nullptr))
      return bad(value, "vgpu: TYPE and strategy: vgpu belong together");
    if (vgpu) wish->vgpu = ProfileName(vgpu->scalar);
    return with_replicas(std::move(*wish), value);
  }

  Result<Wish> read_layout(const Yaml& value) const {
    auto wish = parse_layout_wish(value.scalar);
    if (!wish) return bad(value, wish.error().reason);
    return wish;
  }
  Result<Wish> read_sharing(const Yaml& value) const {
    auto strategy = parse_sharing(value.scalar);
    if (!strategy) return bad(value, "strategy is mps, time-slicing, shard, vgpu or none");
    Wish wish;
    wish.strategy = *strategy;
    return wish;
  }
  // MPS may do without, where the scheduler hands it out in percent (Slurm) or GiB (ACK).
  Result<Wish> with_replicas(Wish wish, const Yaml& value) const {
    const Yaml* replicas = value.find("replicas");
    const bool needed = wish.strategy == Strategy::time_slicing || wish.strategy == Strategy::shard;
    if (!replicas && needed) return bad(value, "replicas is missing: among how many each GPU is shared");
    if (!replicas) return wish;
    const auto number = replicas->as_int();
    if (!number || *number < 2 || *number > kMostRead)
      return bad(*replicas, "replicas is a number, 2 or more");
    if (wish.strategy == Strategy::whole || wish.strategy == Strategy::vgpu)
      return bad(*replicas, "replicas does not apply to " + to_text(wish));
    wish.replicas = static_cast<int>(*number);
    return wish;
  }

  const WishError& bad_;
};

std::string instances_in_file(const Wish& wish) {
  return wish.instances.empty() ? "empty" : instances_text(wish, ",", "x");
}

}  // namespace

Result<NodeWish> read_node_wish(Yaml value, const WishError& bad) { return NodeWishReader(bad).read(value); }

std::string file_text(const Wish& wish) {
  const std::string shared = wish.replicas > 1 ? ", replicas: " + std::to_string(wish.replicas) : "";
  switch (wish.strategy) {
    case Strategy::whole:
    case Strategy::unknown: return "none";
    case Strategy::vgpu: return "{strategy: vgpu, vgpu: \"" + wish.vgpu.text + "\"}";
    case Strategy::mig:
      if (shared.empty()) return instances_in_file(wish);
      return "{layout: \"" + instances_in_file(wish) + "\"" + shared + "}";
    default: break;
  }
  return "{strategy: " + std::string(word(wish.strategy)) + shared + "}";
}

}  // namespace tessera::plan
