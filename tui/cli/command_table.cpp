#include "tui/cli/command_table.hpp"

#include "tui/cli/command_rows.hpp"
#include "tui/cli/usage_flags.hpp"

namespace tessera::cli {
namespace {

constexpr unsigned kChanging = kApply | kUndo | kResume | kNode;
constexpr unsigned kRuns = kChanging | kJournal;
constexpr unsigned kAsking = kLists | kPlan | kRuns | kGuide | kDoctor | kUsers | kWhy | kRecord | kPack |
                             kWhatif | kFleet | kAdvise;  // commands that ask a cluster
constexpr unsigned kLooking =
    kLists | kUsers | kDoctor | kWhy | kAdvise | kGuide;  // that can look at a recording instead
constexpr unsigned kSummed = kUsed | kWaste;              // over a time that ends then
constexpr unsigned kReports = kDiff | kSummed, kPast = kReports | kRecord | kReplay | kLooking;
constexpr unsigned kShowing = kConsole | kAsking | kInit;
constexpr unsigned kWishing = kPlan | kApply | kWhatif;
constexpr unsigned kPlanning = kConsole | kPlan | kPack | kAdvise | kWhatif | kFleet | kChanging;
constexpr unsigned kNodes = kPlanning | kDoctor;  // commands that look at nodes themselves
constexpr unsigned kNaming = kWishing | kGuide | kPack;
constexpr unsigned kPatient = kWishing | kFleet | kPack, kInBatches = kPatient | kNode | kUndo;

constexpr Flag kFlags[] = {
    {"cluster", 'c', "NAME", false, "", Section::data, kShowing | kSim | kReports | kReplay,
     "TESSERA_CLUSTER", false, "", Completes::nothing, "", "only this cluster"},
    {"sim", 0, "SCENARIO", true, "", Section::data, kShowing | kSim, "TESSERA_SIM", false, "",
     Completes::scenario, "",
     "a simulated cluster; SCENARIO is a shipped name or a YAML file, demo when left out"},
    {"sim-seed", 0, "N", false, "", Section::data, kShowing | kSim, "", false, "", Completes::nothing, "",
     "seed of the simulation; the same seed gives the same world"},
    {"sim-speed", 0, "FACTOR", false, "", Section::data, kShowing | kSim, "", false, "", Completes::nothing,
     "", "how much faster than the clock simulated time passes; 0: it stands still"},
    {"sim-state", 0, "FILE", false, "", Section::data, kShowing | kSim, "TESSERA_SIM_STATE", false, "",
     Completes::file, "",
     "keep the simulated world in FILE, so that a sequence of commands acts on one world"},
    {"kubernetes", 0, "", false, "", Section::data, kSim, "", false, "", Completes::nothing, "",
     "sim serve: speak Kubernetes"},
    {"listen", 0, "PORT|SOCKET", false, "", Section::data, kSim, "", false, "", Completes::file, "",
     "sim serve: a port of 127.0.0.1 or the path of a Unix socket; any free port when left out"},
    {"kubeconfig-out", 0, "FILE", false, "", Section::data, kSim, "", false, "", Completes::file, "",
     "sim serve: write a kubeconfig for it to FILE"},
    {"user-port", 0, "NAME=PORT:RULES", false, "", Section::data, kSim, "", false, "", Completes::nothing, "",
     "sim serve: one more port, for a user who may do less: viewer=8002:view, ops=8003:get,list:nodes", true},
    {"slurm-conf", 0, "FILE", false, "", Section::data, kShowing | kUsed | kWaste, "SLURM_CONF", true, "",
     Completes::file, "", "the slurm.conf that Slurm's commands are to use"},
    {"kubeconfig", 0, "FILE", false, "", Section::data, kShowing | kUsed | kWaste, "", true, "",
     Completes::file, "",
     "the kubeconfig that names Kubernetes clusters; else KUBECONFIG, else ~/.kube/config"},
    {"context", 0, "NAME[,NAME]", false, "contexts", Section::data, kShowing | kUsed | kWaste,
     "TESSERA_CONTEXT", true, "", Completes::nothing, "",
     "the contexts of the kubeconfig to open, each as a cluster; else its current one"},
    {"slurm-runner", 0, "HOW", false, "", Section::data, kNodes, "TESSERA_SLURM_RUNNER", true, "",
     Completes::words, "ssh srun",
     "how commands reach a Slurm node: ssh, srun, or a command with {node} in it"},
    {"slurm-mig-tool", 0, "TOOL", false, "", Section::data, kNodes, "", true, "", Completes::words,
     "nvidia-smi nvidia-mig-parted",
     "what applies a MIG layout on a Slurm node: nvidia-smi, or nvidia-mig-parted, which leaves placements "
     "to the driver (nvidia-smi)"},
    {"slurm-files", 0, "WHO", false, "", Section::data, kNodes, "TESSERA_SLURM_FILES", true, "",
     Completes::words, "here site",
     "who writes Slurm's files: here, host:NAME, or site (prints a patch and waits until it is applied) "
     "(here)"},
    {"slurm-restart-controller", 0, "CMD", false, "", Section::data, kPlanning, "", true, "",
     Completes::nothing, "", "restarts slurmctld: needed before Slurm 23.11, and never guessed"},
    {"slurm-restart-node", 0, "CMD", false, "", Section::data, kPlanning, "", true, "", Completes::nothing,
     "", "restarts a node's slurmd; {node} in it is the node"},
    {"slurm-stop-clients", 0, "CMD;...", false, "", Section::data, kPlanning, "", true, "",
     Completes::nothing, "",
     "run on the node before its MIG layout changes: stops the site's own GPU clients"},
    {"slurm-start-clients", 0, "CMD;...", false, "", Section::data, kPlanning, "", true, "",
     Completes::nothing, "", "run on the node afterwards: starts them again"},
    {"slurm-look-deadline", 0, "TIME", false, "", Section::data, kNodes, "", true, "", Completes::nothing, "",
     "how long a node may take to answer one question, from 1s to 10m; what changes it has minutes (30s)"},
    {"slurm-boot-file", 0, "PATH", false, "", Section::data, kNodes, "", true, "", Completes::nothing, "",
     "where the node keeps the layout for its next boot, for nvidia-mig-parted"},
    {"slurm-boot-unit", 0, "NAME", false, "", Section::data, kNodes, "", true, "", Completes::nothing, "",
     "the systemd unit there that applies it before slurmd: each run that changes MIG verifies that it is "
     "enabled"},
    {"slurm-devices", 0, "HOW", false, "", Section::data, kPlanning, "", true, "", Completes::nothing, "",
     "device files in gres.conf: nvml, or gpu=PATH,instance=PATH with {node} {gpu} {gi} {index}"},
    {"prometheus", 0, "PLACE", false, "", Section::data, kShowing | kUsed | kWaste, "TESSERA_PROMETHEUS",
     true, "", Completes::nothing, "",
     "the site's Prometheus: NAMESPACE/SERVICE:PORT on Kubernetes, its URL on Slurm", true, true},
    {"prometheus-command", 0, "CMD", false, "", Section::data, kShowing | kUsed | kWaste, "", true, "",
     Completes::nothing, "", "asks for a URL of that Prometheus: curl -sSf --max-time 10 {url}", false, true},
    {"slurm-exporter", 0, "CMD", false, "", Section::data, kShowing, "", true, "", Completes::nothing, "",
     "asks a Slurm node's DCGM exporter: curl -sSf --max-time 5 http://{node}:9400/metrics", false, true},
    {"interval", 'i', "TIME", false, "delay", Section::data, kShowing, "TESSERA_INTERVAL", true, "",
     Completes::nothing, "",
     "time between two looks at the cluster: 10, 30s, 2m; slower when the cluster is slow"},
    {"readonly", 0, "", false, "read-only", Section::data, kShowing, "TESSERA_READONLY", true, "",
     Completes::nothing, "", "never change a cluster: the default; wins over --write"},
    {"write", 0, "", false, "", Section::data, kShowing, "", false, "", Completes::nothing, "",
     "allow changes: without it every cluster is only looked at"},
    {"runs", 0, "DIR", false, "", Section::data, kConsole | kPlan | kFleet | kPack | kRuns, "TESSERA_RUNS",
     true, "", Completes::file, "",
     "the folder of the journals, where a site shares one; else $XDG_STATE_HOME/tessera/runs"},

    {"output", 'o', "FORMAT", false, "", Section::output, kAsking | kLayouts | kAbout | kPack | kReports,
     "TESSERA_OUTPUT", false, "table", Completes::words, "table wide json yaml csv",
     "how to print: table, json or yaml; lists also wide or csv"},
    {"filter", 'f', "EXPR", false, "selector l", Section::output, kLists, "", false, "", Completes::filter,
     "", "only rows that pass: words, column=value, column>=number, !not, a | b; as / in the console"},
    {"sort", 's', "KEY[,-KEY]", false, "", Section::output, kLists, "", false, "", Completes::columns, "",
     "sort by these columns; prefix one with - to sort it descending (--sort=-KEY)"},
    {"columns", 0, "KEY,...", false, "", Section::output, kLists, "", false, "", Completes::columns, "",
     "exactly these columns, in this order (table, wide, csv)"},
    {"no-headers", 0, "", false, "", Section::output,
     kLists | kLayouts | kJournal | kUsers | kReports | kFleet, "", false, "", Completes::nothing, "",
     "omit the line of headings"},
    {"watch", 'w', "", false, "", Section::output, kLists, "", false, "", Completes::nothing, "",
     "print again whenever something changes; JSON and YAML as one document each time"},
    {"timeout", 0, "TIME", false, "", Section::output, kAsking, "TESSERA_TIMEOUT", true, "30s",
     Completes::nothing, "", "how long to wait for the first complete answer (30s)"},

    {"rbac", 0, "", false, "", Section::output, kDoctor, "", false, "", Completes::nothing, "",
     "print the Kubernetes role that tessera needs, and ask no cluster; with --write also what it changes"},
    {"self", 0, "", false, "", Section::output, kDoctor, "", false, "", Completes::nothing, "",
     "check this machine for what tessera needs, and ask no cluster"},
    {"answers", 0, "FILE", false, "", Section::output, kInit, "", false, "", Completes::file, "",
     "a YAML file with setting: answer, instead of questions"},
    {"print", 0, "", false, "", Section::output, kInit, "", false, "", Completes::nothing, "",
     "print the configuration instead of writing it"},
    {"operator-namespace", 0, "NAME", false, "", Section::output, kDoctor, "", false, "gpu-operator",
     Completes::nothing, "",
     "with --rbac: the GPU operator's namespace (gpu-operator; on OpenShift nvidia-gpu-operator)"},
    {"group", 0, "NAME", false, "", Section::output, kDoctor, "", false, "gpu-admins", Completes::nothing, "",
     "with --rbac: the group that gets the role (gpu-admins)"},

    {"theme", 0, "NAME", false, "", Section::console, kConsole | kReplay, "TESSERA_THEME", true, "dark",
     Completes::theme, "", "colours: a shipped name or a YAML file"},
    {"keys", 0, "NAME", false, "", Section::console, kConsole | kReplay, "TESSERA_KEYS", true, "default",
     Completes::keymap, "", "keymap: a shipped name or a YAML file"},
    {"no-color", 'C', "", false, "no-colour", Section::console, kShowing | kReplay, "", true, "",
     Completes::nothing, "", "no colours; so does a NO_COLOR that is not empty"},
    {"ascii", 'U', "", false, "no-unicode", Section::console, kShowing | kLayouts | kReplay, "TESSERA_ASCII",
     true, "", Completes::nothing, "", "draw with ASCII characters only"},
    {"language", 0, "en|ja", false, "", Section::general, kEvery, "TESSERA_LANGUAGE", true, "",
     Completes::words, "en ja", "the language of explanations; else from LC_ALL, LC_MESSAGES or LANG"},
    {"mouse", 0, "", false, "", Section::console, kConsole | kReplay, "TESSERA_MOUSE", true, "",
     Completes::nothing, "", "use the mouse; the terminal's own selection then needs Shift"},

    {"all", 0, "", false, "", Section::layouts, kLayouts, "", false, "", Completes::nothing, "",
     "every legal layout, the empty one included"},
    {"maximal", 0, "", false, "", Section::layouts, kLayouts, "", false, "", Completes::nothing, "",
     "layouts to which nothing can be added"},
    {"undominated", 0, "", false, "", Section::layouts, kLayouts, "", false, "", Completes::nothing, "",
     "maximal layouts that no other layout improves on (the default)"},
    {"profiles", 'p', "NAME,...", false, "", Section::layouts, kLayouts, "", false, "", Completes::nothing,
     "", "use these profiles only; without it the base profiles and the double-memory 1g"},
    {"check", 0, "LAYOUT", false, "", Section::layouts, kLayouts, "", false, "", Completes::nothing, "",
     "judge one layout: '3g.40gb@4,1g.10gb@0'; without @ a legal start is looked for"},

    {"boards", 0, "FILE|-", false, "", Section::pack, kPack, "", false, "", Completes::file, "",
     "a YAML or JSON file with GPUs and demand; - reads standard input"},
    {"for-queue", 0, "", false, "", Section::pack, kPack, "", false, "", Completes::nothing, "",
     "the demand is what waits for room: the MIG slices for which waiting jobs and pods ask"},
    {"for-history", 0, "TIME", false, "", Section::pack, kPack, "", false, "", Completes::nothing, "",
     "the demand is the peak of each profile within so long a time (30d), as --source says"},
    {"partition", 0, "NAME", false, "", Section::pack, kPack | kAdvise, "", false, "", Completes::nothing, "",
     "only nodes of this partition; with --for-queue and --for-history only its jobs, on Kubernetes those "
     "of this namespace"},
    {"ends-within", 0, "TIME", false, "ends-by", Section::pack, kPack, "", false, "", Completes::nothing, "",
     "work that ends within so long a time (12h) or until then (2026-11-23T08:00), by its time limit, counts "
     "as gone: the plan waits"},
    {"plan", 0, "", false, "", Section::pack, kPack, "", false, "", Completes::nothing, "",
     "print the plan of these GPUs, as tessera plan does"},
    {"apply", 0, "", false, "", Section::pack, kPack, "", false, "", Completes::nothing, "",
     "make the change, armed as tessera apply is"},

    {"fleet", 0, "FILE", false, "", Section::fleet, kFleet, "TESSERA_FLEET", true, "", Completes::file, "",
     "the fleet file, where the command names none"},
    {"days", 0, "N", false, "", Section::fleet, kFleet, "", false, "", Completes::nothing, "",
     "calendar: how many days ahead (7)"},

    {"node", 'n', "N[,N...]", false, "nodes", Section::change, kNaming | kFleet | kAdvise, "", false, "",
     Completes::nodes, "", "the nodes: names, ranges as n[01-04], or a filter such as 'state:drain'"},
    {"gpu", 'g', "I[,I...]", false, "gpus", Section::change, kWishing | kGuide, "", false, "",
     Completes::nothing, "", "only these GPUs of each node, counted from 0: 0,2-3"},
    {"intent", 0, "FILE", false, "", Section::change, kWishing, "", false, "", Completes::file, "",
     "a YAML file with what each node and GPU is to be, instead of these flags (docs/apply.md)"},
    {"layout", 0, "SPEC", false, "", Section::change, kWishing, "", false, "", Completes::nothing, "",
     "give them this layout: 3g.40gb@4,2x1g.10gb; none: the whole GPU; empty: MIG on, no instances"},
    {"preset", 0, "NAME", false, "", Section::change, kWishing, "", false, "", Completes::preset, "",
     "give them a layout by name: all-balanced, all-1g.10gb, all-disabled"},
    {"strategy", 0, "WAY", false, "", Section::change, kWishing, "", false, "", Completes::words,
     "mps time-slicing shard vgpu none", "share them without MIG: mps, time-slicing, shard, vgpu or none"},
    {"replicas", 0, "R", false, "", Section::change, kWishing, "", false, "", Completes::nothing, "",
     "how many clients share one GPU; with --layout one instance. Not for MPS by Slurm (percent) and ACK "
     "(GiB)"},
    {"vgpu", 0, "TYPE", false, "", Section::change, kWishing, "", false, "", Completes::nothing, "",
     "the type of vGPU: A10-4Q"},
    {"way", 0, "WAY", false, "evict", Section::change, kPatient, "", false, "wait", Completes::words,
     "wait requeue cancel",
     "what to do with jobs or pods in the way: wait for their end, requeue or cancel them (wait)"},
    {"when-empty", 0, "", false, "", Section::change, kPatient, "", false, "", Completes::nothing, "",
     "close the node, park, and act when it is empty: tessera resume --due"},
    {"at", 0, "TIME", false, "", Section::change, kPatient | kLooking | kSummed | kReplay, "", false, "",
     Completes::nothing, "",
     "plan, apply, pack: close the node, park, and act not before: 2026-11-21T22:00Z, +2h; without Z in "
     "local time. usage, waste: until then. Others, fleet check, diff and explain, and whatif for a time "
     "that is over: as it was then, from --recording: now, 03:12, 'yesterday 03:12', -2h"},
    {"wait", 0, "TIME", false, "", Section::change, kPatient, "", false, "", Completes::nothing, "",
     "how long to wait for jobs or pods to end, 2h or 3d; without it as long as it takes"},
    {"on-failure", 0, "WHAT", false, "", Section::change, kPatient, "", false, "park", Completes::words,
     "park undo", "when a step fails for good: park there, or undo (park)"},
    {"canary", 0, "N", false, "", Section::change, kInBatches, "", false, "1", Completes::nothing, "",
     "how many nodes are changed alone first (1)"},
    {"batch", 0, "N", false, "", Section::change, kInBatches, "", false, "8", Completes::nothing, "",
     "how many nodes at a time after that (8)"},
    {"break-lock", 0, "", false, "", Section::change, kPatient | kResume | kNode, "", false, "",
     Completes::nothing, "", "take over a node that another run has marked"},

    {"yes", 'y', "", false, "", Section::run, kChanging | kFleet | kPack, "", false, "", Completes::nothing,
     "", "arm the change without typing the node's name on a terminal"},
    {"dry-run", 0, "", false, "", Section::run, kApply | kUndo | kNode | kFleet | kPack, "", false, "",
     Completes::nothing, "", "show what would be done and change nothing"},
    {"replan", 0, "", false, "anew", Section::run, kResume, "", false, "", Completes::nothing, "",
     "plan again from the current layout, towards the requested one"},
    {"back", 0, "", false, "", Section::run, kResume, "", false, "", Completes::nothing, "",
     "plan again from the current layout, towards the one that was found"},
    {"accept-harm", 0, "", false, "", Section::run, kResume, "", false, "", Completes::nothing, "",
     "accept that the new plan disturbs jobs that the run never named"},
    {"go-on", 0, "", false, "", Section::run, kResume, "", false, "", Completes::nothing, "",
     "continue on a node that another admin has closed; it stays closed afterwards"},
    {"due", 0, "", false, "", Section::run, kResume, "", false, "", Completes::nothing, "",
     "every parked run whose time has come or whose nodes are empty"},
    {"hours", 0, "N", false, "", Section::run, kWhatif | kAdvise, "", false, "24", Completes::nothing, "",
     "how many hours ahead are played (24)"},
    {"messages", 0, "", false, "", Section::run, kPlan | kFleet | kPack | kJournal | kWaste, "", false, "",
     Completes::nothing, "",
     "one text for each owner of a disturbed job or pod, or of what is wasted, to send on"},
    {"patch", 0, "", false, "", Section::run, kPlan | kFleet | kPack, "", false, "", Completes::nothing, "",
     "what the plan adds to ConfigMaps and the ClusterPolicy, as a patch for the repository that they come "
     "from"},

    {"product", 0, "PRODUCT", false, "", Section::guide, kGuide, "", false, "", Completes::product, "",
     "a product that need not be in any cluster"},
    {"answer", 0, "Q=yes|no", false, "", Section::guide, kGuide, "", false, "", Completes::nothing, "",
     "answer a question of the flowchart; may be given several times, and overrules what is known", true},
    {"platform", 0, "NAME", false, "", Section::guide, kPlanning | kGuide | kDoctor | kLayouts,
     "TESSERA_PLATFORM", true, "", Completes::words,
     "operator fpt ack gke aks eks hyperpod-eks hyperpod-slurm parallel-cluster slurm",
     "the platform of the cluster; without it, as its labels show"},
    {"licence", 0, "yes|no", false, "license", Section::guide, kConsole | kGuide, "TESSERA_LICENCE", true, "",
     Completes::words, "yes no", "whether this site has a vGPU licence; without it, that is asked"},
    {"isolation", 0, "yes|no", false, "", Section::guide, kConsole | kGuide, "TESSERA_ISOLATION", true, "",
     Completes::words, "yes no", "whether users of this site must be kept apart; without it, that is asked"},
    {"plugin-strategy", 0, "NAME", false, "", Section::change, kPlanning | kGuide, "", true, "",
     Completes::words, "none single mixed",
     "MIG strategy of the device plugin; without it, the one that fits the layout"},
    {"rename-shared", 0, "", false, "", Section::change, kPlanning | kGuide, "", true, "", Completes::nothing,
     "",
     "the device plugin offers shared GPUs as nvidia.com/gpu.shared; =no: by their own name; without it, as "
     "the node has it"},
    {"fail-requests-greater-than-one", 0, "", false, "", Section::change, kPlanning | kGuide, "", true, "",
     Completes::nothing, "",
     "the device plugin refuses pods that ask for several shares; =no: it takes them; without it, as the "
     "node has it"},
    {"quota", 0, "NAME=N,...", false, "", Section::change, kPlanning, "", true, "", Completes::nothing, "",
     "GPUs that accounts or namespaces may hold: plans say where slices would count as GPUs"},
    {"default-cpus-per-gpu", 0, "N", false, "", Section::change, kPlanning, "", true, "", Completes::nothing,
     "", "DefCpuPerGPU of Slurm: plans say where more slices ask for more cores than a node has"},
    {"billed-by-gpu", 0, "", false, "", Section::change, kPlanning, "", true, "", Completes::nothing, "",
     "usage is billed by gres/gpu: plans say that a slice then counts as a GPU"},
    {"compare", 0, "", false, "", Section::guide, kGuide, "", false, "", Completes::nothing, "",
     "show MIG, vGPU, MPS and time-slicing side by side"},
    {"scheduler", 0, "", false, "", Section::guide, kGuide, "", false, "", Completes::nothing, "",
     "the second guide: Kubernetes or Slurm, containers, and the managed variants"},
    {"terms", 0, "", false, "", Section::guide, kGuide, "", false, "", Completes::nothing, "",
     "explain the terms: ways of sharing, the GPU operator's parts, Slurm's daemons and commands"},

    {"recording", 0, "FOLDER", false, "folder", Section::past, kConsole | kPast | kPack | kWhatif | kFleet,
     "TESSERA_RECORDING", true, "", Completes::file, "", "the folder that tessera record writes to"},
    {"keep", 0, "TIME", false, "", Section::past, kRecord, "", true, "30d", Completes::nothing, "",
     "remove days of the recording that are older (30d)"},
    {"thin", 0, "AGE=TIME", false, "", Section::past, kRecord, "", true, "", Completes::nothing, "",
     "keep use of older days at this pace, and all that happened as it is: 7d=10m"},
    {"max-size", 0, "SIZE", false, "", Section::past, kRecord, "", true, "", Completes::nothing, "",
     "remove the oldest days when a cluster's recording is larger: 2GiB; without it there is no bound"},
    {"every", 0, "TIME", false, "", Section::past, kRecord, "", true, "60s", Completes::nothing, "",
     "how often what changed is written (60s)"},
    {"rounds", 0, "N", false, "", Section::past, kRecord, "", false, "", Completes::nothing, "",
     "end after N rounds"},
    {"hash-names", 0, "SALT", false, "", Section::past, kRecord, "", false, "", Completes::nothing, "",
     "write digests instead of names, and no texts of people: for a bug report"},
    {"speed", 0, "N", false, "", Section::past, kReplay, "", false, "", Completes::nothing, "",
     "seconds of the recording that pass in one second; without it, it stands still"},
    {"from", 0, "TIME", false, "", Section::past, kDiff, "", false, "", Completes::nothing, "",
     "the earlier moment"},
    {"to", 0, "TIME", false, "", Section::past, kDiff, "", false, "", Completes::nothing, "",
     "the later moment; without it the newest round"},
    {"help", 'h', "", false, "", Section::general, kEvery, "", false, "", Completes::nothing, "",
     "show help for tessera or for one command"},
    {"version", 'V', "", false, "", Section::general, kEvery, "", false, "", Completes::nothing, "",
     "show the version"},
};

constexpr auto kAllFlags = joined(kFlags, kUsageFlags);

}  // namespace

std::span<const Command> commands() { return kCommands; }

std::span<const Flag> flags() { return kAllFlags; }

bool makes_plans(std::string_view command) {
  const Command* known = find_command(command);
  return known && (known->takes & (kPatient | kChanging | kAdvise)) != 0;
}

bool sums_up(std::string_view command) {
  const Command* known = find_command(command);
  return known && (known->takes & kSummed) != 0;
}

bool can_look_back(std::string_view command) {
  const Command* known = find_command(command);
  return known && (known->takes & (kLooking | kReplay)) != 0;
}

}  // namespace tessera::cli
