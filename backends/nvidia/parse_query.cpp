#include "backends/nvidia/parse_query.hpp"

#include <fmt/format.h>

#include "backends/nvidia/words.hpp"
#include "backends/nvidia/xml.hpp"
#include "engine/text.hpp"

namespace tessera::nvidia {
namespace {

constexpr std::string_view kCommand = "nvidia-smi -q -x";
// Of the whole node.
constexpr std::size_t kMostClients = 16384;
constexpr std::size_t kMostGpus = 8192;

// "81559 MiB", "34 C", "70.12 W", "5 %"; nullopt: N/A and the other words for nothing.
std::optional<double> amount(std::string_view text, std::string_view unit) {
  Words words = words_of(text);
  if (words.size() != 2 || words[1] != unit) return std::nullopt;
  return decimal(words[0]);
}
std::optional<Mib> mib(std::string_view text) {
  std::optional<double> value = amount(text, "MiB");
  if (!value) return std::nullopt;
  return Mib{static_cast<std::int64_t>(*value)};
}
template <class Unit>
std::optional<Unit> reading(std::string_view text, std::string_view unit) {
  std::optional<double> value = amount(text, unit);
  if (!value) return std::nullopt;
  return Unit{static_cast<float>(*value)};
}

// Collects one document; `where` is the path below <gpu>, joined with '/'.
class Collector {
 public:
  Status open(const XmlReader& at) {
    const auto& path = at.path();
    if (path.size() == 1 && path[0] != "nvidia_smi_log") return wrong(at, "this is no answer of nvidia-smi");
    if (path.size() == 2 && path[1] == "gpu") {
      if (query_.gpus.size() >= kMostGpus) return wrong(at, "too many GPUs");
      query_.gpus.emplace_back().pci = clean(at.id(), 32);
    } else if (where(path) == "mig_devices/mig_device") {
      if (++devices_ > kMostGpus) return wrong(at, "too many MIG devices");
      gpu().devices.emplace_back();
      has_index_ = has_instance_ = has_compute_ = false;
    } else if (where(path) == "processes/process_info") {
      if (++clients_ > kMostClients) return wrong(at, "too many processes");
      gpu().clients.emplace_back();
    }
    return Done{};
  }

  Status close(const XmlReader& at) {
    if (at.name() == "mig_device" && where(at.path()) == "mig_devices" &&
        !(has_index_ && has_instance_ && has_compute_))
      return wrong(at, "a MIG device without its ids");
    return Done{};
  }

  Status text(const XmlReader& at) {
    if (at.path().size() == 2 && at.path()[1] == "driver_version") query_.driver = clean(at.text(), 32);
    if (at.path().size() < 3 || at.path()[1] != "gpu") return Done{};
    std::string place = where(at.path());
    constexpr std::string_view kDevice = "mig_devices/mig_device/", kClient = "processes/process_info/";
    if (place.starts_with(kDevice)) return device(place.substr(kDevice.size()), at);
    if (place.starts_with(kClient)) return client(place.substr(kClient.size()), at);
    return board(place, at);
  }

  Result<Query> finish() {
    for (const QueriedGpu& one : query_.gpus)
      if (one.uuid.empty())
        return Error{std::string("cannot read what ") + std::string(kCommand) + " printed",
                     "GPU " + one.pci + " has no uuid", ""};
    return std::move(query_);
  }

 private:
  static Error wrong(const XmlReader& at, std::string_view why) {
    return unreadable(kCommand, at.line(), why, at.path().empty() ? "" : at.path().back());
  }
  static std::string where(const std::vector<std::string_view>& path) {
    std::string joined;
    if (path.size() < 2 || path[1] != "gpu") return joined;
    for (std::size_t i = 2; i < path.size(); ++i) joined.append(i > 2 ? "/" : "").append(path[i]);
    return joined;
  }
  QueriedGpu& gpu() { return query_.gpus.back(); }

  static Status take_id(int& into, bool& seen, const XmlReader& at) {
    std::optional<int> id = number(at.text(), 4095);
    if (!id) return wrong(at, "a number is expected");
    into = *id;
    seen = true;
    return Done{};
  }

  Status device(std::string_view place, const XmlReader& at) {
    QueriedDevice& one = gpu().devices.back();
    if (place == "index") return take_id(one.index, has_index_, at);
    if (place == "gpu_instance_id") return take_id(one.instance, has_instance_, at);
    if (place == "compute_instance_id") return take_id(one.compute, has_compute_, at);
    if (place == "device_attributes/shared/multiprocessor_count") one.sm = number(at.text());
    if (place == "fb_memory_usage/total") one.memory = mib(at.text());
    if (place == "fb_memory_usage/used") one.used = mib(at.text());
    return Done{};
  }

  Status client(std::string_view place, const XmlReader& at) {
    Client& one = gpu().clients.back();
    if (place == "gpu_instance_id") one.instance = number(at.text(), 4095);
    if (place == "compute_instance_id") one.compute = number(at.text(), 4095);
    if (place == "pid") one.pid = number(at.text(), 1 << 30).value_or(0);
    if (place == "type") one.type = clean(at.text(), 16);
    if (place == "process_name") one.name = clean(at.text(), 256);
    if (place == "used_memory") one.used = mib(at.text());
    return Done{};
  }

  static Status take_mode(std::optional<bool>& mode, const XmlReader& at) {
    if (at.text() == "Enabled" || at.text() == "Disabled")
      mode = at.text() == "Enabled";
    else if (at.text() != "N/A" && at.text() != "[N/A]")
      return wrong(at, "no MIG mode: " + clean(at.text(), 40));
    return Done{};
  }

  static std::optional<bool> yes_or_no(const XmlReader& at) {
    if (at.text() == "Yes" || at.text() == "No") return at.text() == "Yes";
    return std::nullopt;
  }

  // Pages that are to be retired are the older GPUs' rows to be remapped.
  void after_reset(std::string_view place, const XmlReader& at) {
    QueriedGpu& one = gpu();
    if (place == "remapped_rows/remapped_row_pending" || place == "retired_pages/pending_retirement" ||
        place == "retired_pages/pending_blacklist")
      if (const auto told = yes_or_no(at)) one.remap_pending = one.remap_pending.value_or(false) || *told;
    if (place == "remapped_rows/remapped_row_failure") one.remap_failed = yes_or_no(at);
    if (place == "gpu_reset_status/reset_required") one.reset_required = yes_or_no(at);
    if (place == "gpu_recovery_action") one.recovery = clean(at.text(), 64);
  }

  Status board(std::string_view place, const XmlReader& at) {
    QueriedGpu& one = gpu();
    after_reset(place, at);
    if (place == "mig_mode/current_mig") return take_mode(one.mig_now, at);
    if (place == "mig_mode/pending_mig") return take_mode(one.mig_pending, at);
    if (place == "product_name") one.name = clean(at.text(), 128);
    if (place == "uuid") one.uuid = clean(at.text(), 96);
    if (place == "minor_number") one.minor = number(at.text(), 255);
    if (place == "persistence_mode") one.persistence = at.text() == "Enabled";
    if (place == "compute_mode") one.compute_mode = clean(at.text(), 32);
    if (place == "fb_memory_usage/total") one.memory = mib(at.text());
    if (place == "fb_memory_usage/used") one.used = one.telemetry.memory_used = mib(at.text());
    if (place == "utilization/gpu_util") one.telemetry.use = reading<Percent>(at.text(), "%");
    if (place == "temperature/gpu_temp") one.telemetry.temperature = reading<Celsius>(at.text(), "C");
    // Renamed twice: power_readings (to 530), gpu_power_readings, and its draw instant since 550.
    if (place == "power_readings/power_draw" || place == "gpu_power_readings/power_draw" ||
        place == "gpu_power_readings/instant_power_draw")
      one.telemetry.power = reading<Watts>(at.text(), "W");
    return Done{};
  }

  Query query_;
  std::size_t devices_ = 0, clients_ = 0;
  bool has_index_ = false, has_instance_ = false, has_compute_ = false;
};

}  // namespace

Result<Query> parse_query(std::string_view xml) {
  if (auto error = no_answer(kCommand, xml)) return *error;
  std::string_view start = trimmed(xml.substr(0, xml.find('\n')));
  if (!start.starts_with('<')) return refused(kCommand, start);
  Collector collector;
  for (XmlReader reader(xml);;) {
    Result<XmlReader::Kind> event = reader.next();
    if (!event) return Error{fmt::format("cannot read what {} printed", kCommand), event.error().reason, ""};
    Status taken = Done{};
    if (*event == XmlReader::Kind::end) return collector.finish();
    if (*event == XmlReader::Kind::open) taken = collector.open(reader);
    if (*event == XmlReader::Kind::text) taken = collector.text(reader);
    if (*event == XmlReader::Kind::close) taken = collector.close(reader);
    if (!taken) return taken.error();
  }
}

}  // namespace tessera::nvidia
