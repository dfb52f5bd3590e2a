// nvidia-smi -q -x, --query-gpu and pmon.
#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/smi/print.hpp"

namespace tessera::sim {
namespace {

constexpr std::string_view kClient = "/usr/bin/python3";
constexpr int kClientsUse = 87;  // of a GPU that is not cut, in percent

const char* word(bool on) { return on ? "Enabled" : "Disabled"; }

struct Modes {
  std::string now, pending;
};
Modes modes_of(const Card& card, std::string_view none) {
  if (!card.product->mig_capable) return {std::string(none), std::string(none)};
  MigMode mode = card.board.mode;
  bool pending = mode == MigMode::enabled || mode == MigMode::enable_pending;
  return {word(card.board.cut()), word(pending)};
}

// Half of it, and a little for the driver: a client that only sits there.
std::int64_t used(std::int64_t memory, bool held) { return held ? memory / 2 : 1; }

std::int64_t used_of(const Card& card) {
  std::int64_t sum = 0;
  for (const Instance& one : card.board.instances) sum += used(memory_of(card, one), one.hidden);
  return card.board.cut() ? sum : used(memory_of(card), card.board.hidden);
}

// Precondition: it is not cut. Of one that is, the driver has no use.
int use_of(const Card& card) { return card.board.hidden ? kClientsUse : 0; }

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

class Xml {
 public:
  void open(std::string_view name) { line(fmt::format("<{}>", name)), names_.emplace_back(name); }
  void close() {
    std::string name = names_.back();
    names_.pop_back();
    line(fmt::format("</{}>", name.substr(0, name.find(' '))));
  }
  void value(std::string_view name, std::string_view text) {
    line(fmt::format("<{0}>{1}</{0}>", name, escaped(text)));
  }
  void line(std::string_view text) { text_ += std::string(names_.size(), '\t') + std::string(text) + "\n"; }
  void memory(std::int64_t total, std::int64_t taken) {
    open("fb_memory_usage");
    value("total", fmt::format("{} MiB", total));
    value("reserved", "0 MiB");
    value("used", fmt::format("{} MiB", taken));
    value("free", fmt::format("{} MiB", total - taken));
    close();
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::vector<std::string> names_;
};

void print_devices(Xml& xml, const Card& card) {
  xml.open("mig_devices");
  int index = 0;
  for (const SmiDevice& device : devices_of(card)) {
    const mig::Profile& profile = card.product->profiles[static_cast<std::size_t>(device.instance->profile)];
    std::int64_t memory = memory_of(card, *device.instance);
    xml.open("mig_device");
    xml.value("index", std::to_string(index++));
    xml.value("gpu_instance_id", std::to_string(device.instance->id));
    xml.value("compute_instance_id", std::to_string(device.compute->id));
    xml.open("device_attributes");
    xml.open("shared");
    xml.value("multiprocessor_count", std::to_string(profile.sm.value_or(0)));
    xml.value("copy_engine_count", std::to_string(profile.engines.copy.value_or(0)));
    xml.value("encoder_count", std::to_string(profile.engines.encoder.value_or(0)));
    xml.value("decoder_count", std::to_string(profile.engines.decoder.value_or(0)));
    xml.value("ofa_count", std::to_string(profile.engines.ofa.value_or(0)));
    xml.value("jpg_count", std::to_string(profile.engines.jpeg.value_or(0)));
    xml.close();
    xml.close();
    xml.memory(memory, used(memory, device.instance->hidden));
    xml.close();
  }
  if (index == 0) xml.line("None");
  xml.close();
}

// A process that computes on a GPU, or on one of its instances.
struct Client {
  int pid = 0;
  const Instance* instance = nullptr;  // null: on the GPU as a whole
};

std::vector<Client> clients_of(const Card& card, int gpu) {
  std::vector<Client> all;
  int pid = 4000 + gpu * 100;
  if (card.board.hidden) all.push_back({pid, nullptr});
  for (const Instance& one : card.board.instances) {
    ++pid;
    if (one.hidden && !one.compute.empty()) all.push_back({pid, &one});
  }
  return all;
}

void print_clients(Xml& xml, const Card& card, int gpu) {
  xml.open("processes");
  for (const Client& one : clients_of(card, gpu)) {
    const Instance* at = one.instance;
    xml.open("process_info");
    xml.value("gpu_instance_id", at ? std::to_string(at->id) : "N/A");
    xml.value("compute_instance_id", at ? std::to_string(at->compute.front().id) : "N/A");
    xml.value("pid", std::to_string(one.pid));
    xml.value("type", "C");
    xml.value("process_name", kClient);
    xml.value("used_memory", fmt::format("{} MiB", (at ? memory_of(card, *at) : memory_of(card)) / 2));
    xml.close();
  }
  xml.close();
}

void print_card(Xml& xml, const Machine& machine, int gpu) {
  const Card& card = machine.cards[static_cast<std::size_t>(gpu)];
  xml.open(fmt::format("gpu id=\"{}\"", card.pci));
  xml.value("product_name", card.name);
  xml.value("persistence_mode", word(card.persistence));
  Modes modes = modes_of(card, "N/A");
  xml.open("mig_mode");
  xml.value("current_mig", modes.now);
  xml.value("pending_mig", modes.pending);
  xml.close();
  print_devices(xml, card);
  xml.value("uuid", card.uuid);
  xml.value("minor_number", std::to_string(gpu));
  xml.memory(memory_of(card), used_of(card));
  xml.value("compute_mode", card.compute_mode);
  xml.open("utilization");
  xml.value("gpu_util", card.board.cut() ? "N/A" : fmt::format("{} %", use_of(card)));
  xml.close();
  xml.open("temperature");
  xml.value("gpu_temp", "34 C");
  xml.close();
  xml.open("gpu_power_readings");
  xml.value(is_new(machine) ? "instant_power_draw" : "power_draw", "70.12 W");
  xml.close();
  print_clients(xml, card, gpu);
  xml.close();
}

struct Field {
  std::string heading;
  std::string value, unit;
};

std::optional<Field> field_of(const Machine& machine, int gpu, std::string_view name) {
  const Card& card = machine.cards[static_cast<std::size_t>(gpu)];
  Modes modes = modes_of(card, "[N/A]");
  std::string heading(name);
  auto plain = [&](std::string value) { return Field{heading, std::move(value), ""}; };
  auto amount = [&](std::string value, const char* unit) {
    return Field{fmt::format("{} [{}]", heading, unit), std::move(value), unit};
  };
  if (name == "index") return plain(std::to_string(gpu));
  if (name == "count") return plain(std::to_string(machine.cards.size()));
  if (name == "name" || name == "gpu_name") return heading = "name", plain(card.name);
  if (name == "uuid" || name == "gpu_uuid") return heading = "uuid", plain(card.uuid);
  if (name == "pci.bus_id" || name == "gpu_bus_id") return heading = "pci.bus_id", plain(card.pci);
  if (name == "driver_version") return plain(version_of(machine));
  if (name == "mig.mode.current") return plain(modes.now);
  if (name == "mig.mode.pending") return plain(modes.pending);
  if (name == "persistence_mode") return plain(word(card.persistence));
  if (name == "compute_mode") return plain(card.compute_mode);
  if (name == "memory.total") return amount(std::to_string(memory_of(card)), "MiB");
  if (name == "memory.used") return amount(std::to_string(used_of(card)), "MiB");
  if (name == "memory.free") return amount(std::to_string(memory_of(card) - used_of(card)), "MiB");
  if (name == "temperature.gpu") return plain("34");
  if (name == "power.draw") return amount("70.12", "W");
  if (name == "utilization.gpu") {
    if (card.board.cut()) return Field{"utilization.gpu [%]", "[N/A]", ""};
    return amount(std::to_string(use_of(card)), "%");
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string line;
  for (const std::string& part : parts) line += (line.empty() ? "" : ", ") + part;
  return line + "\n";
}

// A row of pmon; "-": the driver has none.
std::string pmon_row(int gpu, std::string_view pid, std::string_view type, std::string_view use,
                     std::string_view memory, std::string_view name) {
  return fmt::format("{:>5} {:>10} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}    {:<15}\n", gpu, pid, type,
                     use, memory, "-", "-", "-", "-", name);
}

}  // namespace

// Under MIG the processes stand there without figures (NVML: nvmlDeviceGetProcessUtilization does not work
// there). A program's name is cut after 15 characters, and has no folder.
std::string print_pmon(const Machine& machine, CardNumbers cards, int samples) {
  std::string text =
      "# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command \n"
      "# Idx           #    C/G      %      %      %      %      %      %    name \n";
  const std::string_view name = kClient.substr(kClient.rfind('/') + 1);
  for (int sample = 0; sample < samples; ++sample)
    for (int gpu : cards) {
      const Card& card = machine.cards[static_cast<std::size_t>(gpu)];
      const std::vector<Client> clients = clients_of(card, gpu);
      for (const Client& one : clients) {
        const std::string use = one.instance ? "-" : std::to_string(use_of(card));
        text +=
            pmon_row(gpu, std::to_string(one.pid), "C", use, one.instance ? "-" : "15", name.substr(0, 15));
      }
      if (clients.empty()) text += pmon_row(gpu, "-", "-", "-", "-", "-");
    }
  return text;
}

std::string print_xml(const Machine& machine, CardNumbers cards) {
  Xml xml;
  xml.line("<?xml version=\"1.0\" ?>");
  xml.line(
      fmt::format("<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v{}.dtd\">", is_latest(machine) ? 13 : 12));
  xml.open("nvidia_smi_log");
  xml.value("timestamp", "Sat Nov 21 12:00:00 2026");
  xml.value("driver_version", version_of(machine));
  xml.value("cuda_version", is_latest(machine) ? "13.0" : is_new(machine) ? "12.8" : "12.2");
  xml.value("attached_gpus", std::to_string(machine.cards.size()));
  for (int gpu : cards) print_card(xml, machine, gpu);
  xml.close();
  return xml.take();
}

std::optional<std::string> print_csv(const Machine& machine, CardNumbers cards, std::string_view fields,
                                     bool heading, bool units, std::string& unknown) {
  std::vector<std::string> names, head;
  while (!fields.empty()) {
    std::size_t comma = std::min(fields.find(','), fields.size());
    names.emplace_back(fields.substr(0, comma));
    fields.remove_prefix(std::min(fields.size(), comma + 1));
  }
  std::string rows;
  for (int gpu : cards) {
    std::vector<std::string> row;
    head.clear();
    for (const std::string& name : names) {
      std::optional<Field> field = field_of(machine, gpu, name);
      if (!field) return unknown = name, std::nullopt;
      head.push_back(units ? field->heading : field->heading.substr(0, field->heading.find(' ')));
      row.push_back(units && !field->unit.empty() ? field->value + " " + field->unit : field->value);
    }
    rows += joined(row);
  }
  return heading ? joined(head) + rows : rows;
}

}  // namespace tessera::sim
