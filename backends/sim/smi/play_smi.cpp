// `tessera-sim nvidia-smi`: what a person or a test does to the simulated GPUs beside calling the tool.
#include <fmt/format.h>

#include "backends/sim/saved/state_file.hpp"
#include "backends/sim/smi/smi.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

constexpr const char* kUse =
    "tessera-sim nvidia-smi --state FILE [--new PRODUCT:COUNT,…] [--driver 535|570|580] [--devices DIR]\n"
    "                       [--hold GPU [INSTANCE]] [--release GPU [INSTANCE]] [--fault 'KIND [verb=-cgi] "
    "…']\n"
    "                       [--no-faults] [--reboot] [-- WORDS…]\n";

struct Wish {
  enum class Kind { hold, release, fault, no_faults, reboot };
  Kind kind;
  int gpu = 0;
  std::optional<int> instance;
  ArmedFault fault{};
};

struct Order {
  std::string file, make, devices;
  std::optional<int> driver;
  std::vector<Wish> wishes;  // in their order
  std::optional<std::vector<std::string>> call;
};

Error wrong(std::string reason) { return {"cannot play with the simulated GPUs", std::move(reason), kUse}; }

class PlayReader {
 public:
  explicit PlayReader(const std::vector<std::string>& words) : words_(words) {}

  Result<Order> read() {
    while (at_ < words_.size()) {
      std::string word = words_[at_++];
      if (word == "--") {
        order_.call.emplace(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
        break;
      }
      if (std::string why = take(word); !why.empty()) return wrong(why);
    }
    if (order_.file.empty()) return wrong("--state FILE is missing");
    return std::move(order_);
  }

 private:
  bool has_next() const { return at_ < words_.size(); }

  // Empty: fine.
  std::string take(const std::string& word) {
    if (word == "--reboot" || word == "--no-faults") {
      order_.wishes.push_back({word == "--reboot" ? Wish::Kind::reboot : Wish::Kind::no_faults, 0, {}, {}});
      return "";
    }
    if (word != "--state" && word != "--new" && word != "--devices" && word != "--driver" &&
        word != "--hold" && word != "--release" && word != "--fault")
      return "'" + clean(word, 80) + "' is not known here";
    if (!has_next()) return word + " needs a value";
    const std::string& value = words_[at_++];
    if (word == "--state") order_.file = value;
    if (word == "--new") order_.make = value;
    if (word == "--devices") order_.devices = value;
    if (word == "--driver") {
      order_.driver = whole_number(value);
      if (order_.driver != 535 && order_.driver != 570 && order_.driver != 580)
        return "--driver: 535, 570 or 580 is expected";
    }
    if (word == "--hold" || word == "--release") return take_hold(word == "--hold", value);
    if (word == "--fault") {
      auto fault = parse_smi_fault(value);
      if (!fault) return fault.error().reason + " (" + fault.error().hint + ")";
      order_.wishes.push_back({Wish::Kind::fault, 0, {}, *fault});
    }
    return "";
  }

  std::string take_hold(bool hold, const std::string& value) {
    std::optional<int> gpu = whole_number(value), instance;
    if (!gpu) return "the number of a GPU is expected";
    if (has_next() && (instance = whole_number(words_[at_]))) ++at_;
    order_.wishes.push_back({hold ? Wish::Kind::hold : Wish::Kind::release, *gpu, instance, {}});
    return "";
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  Order order_;
};

// Empty: done.
std::string fulfil(Machine& machine, const Wish& wish) {
  switch (wish.kind) {
    case Wish::Kind::fault: machine.faults.push_back(wish.fault); return "";
    case Wish::Kind::no_faults: machine.faults.clear(); return "";
    case Wish::Kind::reboot:
      for (Card& card : machine.cards) reboot(card.board, card.product);
      return "";
    case Wish::Kind::hold:
    case Wish::Kind::release: break;
  }
  if (wish.gpu >= static_cast<int>(machine.cards.size())) return fmt::format("there is no GPU {}", wish.gpu);
  Board& board = machine.cards[static_cast<std::size_t>(wish.gpu)].board;
  bool held = wish.kind == Wish::Kind::hold;
  if (!wish.instance) {
    board.hidden = held;
  } else if (Instance* instance = board.find(*wish.instance)) {
    instance->hidden = held;
  } else {
    return fmt::format("GPU {} has no instance {}", wish.gpu, *wish.instance);
  }
  return "";
}

Result<Machine> load(const Order& order, const std::optional<SavedText>& saved,
                     const mig::Catalogue& catalogue) {
  if (order.make.empty()) {
    if (saved) return parse_machine(saved->text, order.file, catalogue);
    return wrong(order.file + " does not exist: make it with --new");
  }
  if (saved) return wrong(order.file + " exists already");
  return make_machine(order.make, order.driver.value_or(580), catalogue, order.file);
}

Status play(const Order& order, const mig::Catalogue& catalogue) {
  auto lock = StateFile::open(order.file);
  if (!lock) return lock.error();
  auto saved = read_state(order.file);
  if (!saved) return saved.error();
  Result<Machine> machine = load(order, *saved, catalogue);
  if (!machine) return machine.error();
  if (!order.devices.empty()) machine->devices = order.devices;
  if (order.driver) machine->driver = *order.driver;
  for (const Wish& wish : order.wishes)
    if (std::string why = fulfil(*machine, wish); !why.empty()) return wrong(why);
  if (auto written = lock->write(to_text(*machine)); !written) return written.error();
  return show_devices(*machine);
}

}  // namespace

SmiAnswer play_smi(const std::vector<std::string>& words, const mig::Catalogue& catalogue) {
  auto refuse = [](const Error& error) {
    return SmiAnswer{2, "", "tessera: " + to_line(error) + "\n", false};
  };
  Result<Order> order = PlayReader(words).read();
  if (!order) return refuse(order.error());
  bool played = !order->make.empty() || !order->devices.empty() || order->driver || !order->wishes.empty();
  if (played || !order->call)
    if (Status done = play(*order, catalogue); !done) return refuse(done.error());
  if (!order->call) return {};
  return answer_from(order->file, *order->call);
}

}  // namespace tessera::sim
