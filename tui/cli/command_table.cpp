#include "tui/cli/command_table.hpp"

#include "tui/cli/usage_flags.hpp"

namespace tessera::cli {
namespace {

constexpr unsigned kNode = 1u << 23;  // node, beside those of Takes

constexpr Command kCommands[] = {
    {"", kConsole, "", 0, Completes::nothing, "", "open the console",
     "Opens the console on what is found here: the Slurm of this machine, the Kubernetes cluster of the "
     "kubeconfig, or both; a simulated cluster with --sim. Press ? for the keys of each screen.",
     "tessera  # the clusters that are found here\n"
     "tessera --context prod,lab  # two Kubernetes clusters\n"
     "tessera --sim  # a living simulated cluster"},
    {"nodes", kLists, "", 0, Completes::nothing, "", "list nodes and what is held on them",
     "One row for each node that has GPUs, with its state in the scheduler's own words.",
     "tessera nodes --filter 'state:drain'  # nodes closed to new workloads\n"
     "tessera nodes -o json  # for scripts"},
    {"gpus", kLists, "", 0, Completes::nothing, "", "list GPUs, how they are shared and what still fits",
     "One row for each GPU. What the scheduler does not report is shown as ? or n/a, never as 0.",
     "tessera gpus -o wide --sort=-use  # the busiest first\n"
     "tessera gpus -o csv > gpus.csv"},
    {"slices", kLists, "", 0, Completes::nothing, "", "list slices with their holders",
     "One row for each slice: a MIG instance, a share of MPS, time-slicing or sharding, or a whole GPU.",
     "tessera slices --filter 'user=alice'  # what alice holds\n"
     "tessera slices --filter 'state=free' -o json"},
    {"workloads", kLists, "", 0, Completes::nothing, "",
     "list running and waiting jobs and pods, and why they wait",
     "One row for each job or pod that has or asks for GPUs.",
     "tessera workloads --filter 'state=pending' --sort=since\n"
     "tessera workloads --watch  # again whenever something changes"},
    {"why", kWhy, "JOB|POD", 1, Completes::nothing, "", "say why a job or pod waits, and what would help",
     "Prints the scheduler's reason in plain words, the first condition that fails on each node, and what "
     "would help, the cheapest first: when it starts by itself, a re-cut that disturbs no job or pod, a "
     "smaller slice or another partition that is free now, and commands for an admin to copy. Each "
     "statement is marked certain, likely or not known, with its source. A pod is called NAMESPACE/POD. "
     "Nothing is changed.",
     "tessera why 88123\n"
     "tessera why ml/train-0 -o json | jq '.help[].command'"},
    {"layouts", kLayouts, "[PRODUCT]", 1, Completes::product, "",
     "list the MIG layouts of a product, or check one",
     "Lists the MIG layouts of a product. PRODUCT is any name that the catalogue knows: its key, the name "
     "that nvidia-smi prints, the label of GPU feature discovery or a PCI id. Without PRODUCT the products "
     "are listed. With --check one layout is judged: exit code 0 when it is legal, 1 when it is not.",
     "tessera layouts H100-80GB-SXM5  # the layouts worth choosing from\n"
     "tessera layouts H100-80GB-SXM5 --check '3g.40gb@4,2g.20gb@2,1g.10gb@0'\n"
     "tessera layouts A30 --all -o json"},
    {"pack", kPack, "[PROFILE=COUNT...]", 64, Completes::nothing, "",
     "find the fewest GPUs to change for a demand of slices or GPUs",
     "Computes which GPUs get which layout, so that the demand is met with the fewest changes: running "
     "instances stay, and what else stays keeps its start. Prints the GPUs to change, and what is proven of "
     "that. The demand counts instances that are free afterwards, by profile, and whole GPUs (whole=4); "
     "PRODUCT:PROFILE=COUNT asks for a product. With --for-queue it is what waits for room, with --for-"
     "history what the most that was needed at one time leaves wanting beside what is held. It is for the "
     "cluster that is found here, or for its nodes that --node or --partition name; with --boards demand "
     "and GPUs stand in a file (docs/planning.md), and no cluster is asked. With --ends-within what ends by "
     "its time limit within that time counts as gone, and the plan waits for it. With --way requeue running "
     "instances may be moved where nothing else serves. Nothing is changed without --apply: --plan shows "
     "the steps, and -o json has the layouts as an intent file for tessera apply. Exit code 1 when part of "
     "the demand cannot be met: it is named with the reason, and the rest is planned.",
     "tessera pack 3g.40gb=10 1g.10gb=40 whole=2\n"
     "tessera pack --for-queue --partition short --plan  # serve what waits\n"
     "tessera pack --for-queue --apply --write  # all nodes, one journal, one undo\n"
     "tessera pack --for-history 30d --plan  # for the peaks of a recorded month\n"
     "tessera pack 7g.80gb=2 -n 'n[1-4]' -o json | jq -r .intent > intent.yaml\n"
     "tessera apply --intent intent.yaml --write\n"
     "tessera pack --boards - -o json < gpus.json | jq .seconds"},
    {"advise", kAdvise, "", 0, Completes::nothing, "",
     "say which nodes to re-cut for what waits, and what that costs",
     "Tries plans of tessera pack for the slices and whole GPUs that waiting jobs and pods ask for, on free "
     "nodes, on few and on all, and plays the next hours with each. Prints those that none beats in every "
     "figure: which work starts sooner, the nodes and their new layouts, whom the change waits for and until "
     "when, and the command that prints the plan. What was needed in the past counts, too (--source). No "
     "running work is ever ended. Nothing is changed. Exit code 1 when work waits for these and no re-cut "
     "helps: the reason is printed (docs/planning.md).",
     "tessera advise\n"
     "tessera advise --partition short -o json | jq -r '.answers[].command'"},
    {"fleet", kFleet, "VERB [NODE] [FILE]", 12, Completes::words,
     "init check diff plan apply explain set calendar run pause unpause",
     "hold the clusters against a file of wanted layouts",
     "FILE says, by pools of nodes, which layout or way of sharing their GPUs are to have (docs/fleet.md). "
     "init writes such a file from what stands now. check lists the nodes that differ: exit code 1 when one "
     "does, 3 when none does but not everything could be read. diff shows each GPU: what is wanted, what is "
     "made on the hardware, what the scheduler offers, what is held, and which run changed the node last. "
     "plan previews one change of all nodes that differ, apply makes it: armed, in batches after a canary, "
     "with a journal and tessera undo, as tessera apply does. explain NODE says which pool and which line "
     "of FILE rule that node. calendar lists what the windows of FILE bring in the next days, and asks no "
     "cluster. run does what is due and ends, for a timer (tessera config fleet-unit prints one): it "
     "carries its parked runs on, then changes pool by pool within their budgets; --dry-run shows it and "
     "the calendar. pause keeps every run of FILE from beginning anything, unpause ends that. set POOL "
     "KEY=VALUE shows FILE with another layout, sharing, demand, exception, window or budget, --yes writes "
     "it; comments stay. --node looks at some nodes alone. Without FILE it is the one of --fleet.",
     "tessera fleet init fleet.yaml\n"
     "tessera fleet check fleet.yaml || mail -s drift gpu-admins  # for cron and CI\n"
     "tessera fleet apply fleet.yaml --write --batch 4\n"
     "tessera fleet set training layout=7x1g.10gb fleet.yaml\n"
     "tessera fleet run fleet.yaml --dry-run"},
    {"plan", kPlan, "", 0, Completes::nothing, "",
     "preview a change of layout: steps, and which jobs it disturbs",
     "Computes the way from the current layout to the requested one, and prints it: what stays, is "
     "destroyed and is created, which jobs or pods it disturbs, what the node offers before and after, the "
     "rules that break, and each step with its command. Nothing is changed. With -o json the plan is a file "
     "for tessera apply. Exit code 1 when the request cannot be met or breaks a rule.",
     "tessera plan --node n0031 --preset all-balanced\n"
     "tessera plan -n 'n[01-04]' --layout 3g.40gb@4,2x1g.10gb -o json > plan.json\n"
     "tessera plan -n n0031 --gpu 2 --strategy shard --replicas 4 --messages"},
    {"whatif", kWhatif, "", 0, Completes::nothing, "",
     "say what a change would do to the jobs and pods that wait",
     "Makes the plan of the same flags as tessera plan, and plays the next hours with it and without it: "
     "which waiting jobs or pods start sooner, later or not, how many GPU-hours are gained or lost, and "
     "what would never start any more. The model of the scheduler and its error are in docs/whatif.md. "
     "Nothing is changed.",
     "tessera whatif --node n0031 --gpu 2 --layout 3g.40gb,3g.40gb\n"
     "tessera whatif -n 'n[01-04]' --preset all-balanced --hours 48 -o json"},
    {"apply", kApply, "[FILE|-]", 1, Completes::file, "", "make a change: the plan in FILE, or one made now",
     "Applies a plan that tessera plan printed as JSON, or makes one by the same flags. What the plan "
     "relies on is read again; when it has changed, the plan is refused. It needs --write, and the name of "
     "the node (or the number of nodes) typed on a terminal, or --yes. The run is kept in a journal; Ctrl-c "
     "parks it in a safe state.",
     "tessera apply plan.json --write\n"
     "tessera apply --node n0031 --preset all-balanced --dry-run\n"
     "tessera apply -n n0031 --layout 7g.80gb --when-empty --write --yes"},
    {"node", kNode, "VERB NODES [WORD...]", 100, Completes::words,
     "drain resume cordon uncordon reboot reset-gpu restart-plugin",
     "close and open nodes, reboot them, reset GPUs, restart a plugin",
     "drain NODES REASON (Slurm) and cordon NODES REASON (Kubernetes) close nodes to new jobs or pods until "
     "they are opened; what runs there goes on. resume NODES and uncordon NODES open them. NODES are names, "
     "ranges as n[01-04], or a filter such as 'state:drain'. What was not closed from here is not opened: "
     "its reason is printed, and over-others behind NODES opens it knowingly. reboot NODES REASON (Slurm) "
     "keeps new jobs away, waits until the last one has ended, and has slurmd run the site's RebootProgram. "
     "reset-gpu NODES GPU (Slurm) drains them, waits until no job has these GPUs (0,2-3), resets them, and "
     "opens the node. restart-plugin NODES (Kubernetes) deletes the pod of the device plugin, whose "
     "DaemonSet starts another; pods keep their GPUs. Armed like apply, by --write; tessera undo undoes it.",
     "tessera node drain n0031 'fans are loud' --write\n"
     "tessera node cordon 'gpu-[1-4]' firmware --dry-run\n"
     "tessera node resume n0031 --write\n"
     "tessera node resume n0032 over-others --write  # what another user has drained\n"
     "tessera node reboot n0031 'GPU 3 fell off the bus' --write\n"
     "tessera node reset-gpu n0031 3 --write  # its row remapping is pending\n"
     "tessera node restart-plugin gpu-2 --write"},
    {"undo", kUndo, "RUN", 1, Completes::run, "", "undo a run: go back to the layout that it found",
     "Plans the way back to the layout that a finished run found, from the current layout, shows it and "
     "applies it, armed like apply. It waits for running jobs and never ends one. Jobs that ended are not "
     "started again.",
     "tessera undo 20261121-1403-n0031 --dry-run\n"
     "tessera undo 20261121-1403-n0031 --write"},
    {"resume", kResume, "[RUN]", 1, Completes::run, "", "resume a parked or interrupted run",
     "Carries on from the step where the run stopped; with --replan plans again from the current layout, "
     "with --back goes back to the layout that was found. With --due every parked run is resumed whose time "
     "has come or whose nodes are empty: for a timer.",
     "tessera resume 20261121-1403-n0031 --write\n"
     "tessera resume 20261121-1403-n0031 --back --write\n"
     "tessera resume --due --write --yes"},
    {"journal", kJournal, "[RUN]", 1, Completes::run, "", "list runs, or show what one of them did",
     "Lists every run: those whose journals are here, and those that are known only by the mark that they "
     "left on a cluster. With RUN its events are listed one by one.",
     "tessera journal\n"
     "tessera journal 20261121-1403-n0031 -o json\n"
     "tessera journal 20261121-1403-n0031 --messages  # texts for those who were hit"},
    {kSimulator, kSim, "VERB [WORD...]", 100, Completes::words,
     "advance drain open reboot end fault faults check scenarios nvidia-smi nvidia-mig-parted serve",
     "act on a saved simulated world",
     "Acts on the world that --sim-state keeps, while others look at it or run changes on it. advance TIME "
     "lets time pass; drain NODE [REASON], open NODE, reboot NODE and end WORKLOAD are what happens on any "
     "day; fault arms one that strikes at a later action, faults lists what is armed or, when nothing is, "
     "what there is; check reports what breaks its rules (exit code 1); scenarios lists the shipped ones. "
     "nvidia-smi and nvidia-mig-parted --state FILE stand in for the tools of those names on a node "
     "(docs/nvidia.md). serve --kubernetes plays an API server on this machine until it is interrupted, for "
     "kubectl and for tessera itself (docs/simulator.md).",
     "tessera-sim advance 10m --sim-state /tmp/world\n"
     "tessera-sim fault 'create-stops node=h100-03' --sim-state /tmp/world\n"
     "tessera-sim check --sim-state /tmp/world\n"
     "tessera-sim serve --kubernetes --listen 8001 --kubeconfig-out /tmp/kubeconfig"},
    {"guide", kGuide, "", 0, Completes::nothing, "", "choose between MIG, vGPU, MPS and time-slicing",
     "Walks the flowchart to one of the four ways of sharing, answers what is known from the cluster or the "
     "catalogue, and says what must be accepted, which limits hold, which layouts would serve the queue, "
     "and what to hand out. Nodes of several kinds are split into groups, each with a walk of its own. Exit "
     "code 1: an answer is missing; it says which, and how to give it with --answer.",
     "tessera guide --product H100-80GB-SXM5 --answer Q2=yes  # no cluster needed\n"
     "tessera guide --node n0007 --gpu 1  # with what is known of this GPU\n"
     "tessera guide --compare  # the four side by side\n"
     "tessera guide --scheduler  # Kubernetes or Slurm\n"
     "tessera guide --terms  # what the words mean"},
    {"doctor", kDoctor, "", 0, Completes::nothing, "", "list what is wrong, each with its remedy",
     "Lists what needs attention in every cluster: sources that fail, nodes that are down, drained or stuck "
     "in a change of layout, labels, counts and pods that do not agree. Exit code 1 when one of them is a "
     "warning or worse. With --rbac it prints, instead, the Kubernetes role that tessera needs; with --self "
     "it checks the terminal, the locale, the programs in PATH, the configuration, the folder of the "
     "journals and the clock of this machine, and asks no cluster.",
     "tessera doctor\n"
     "tessera doctor -o json | jq '.findings[]'\n"
     "tessera doctor --rbac | kubectl apply -f -  # what looking needs\n"
     "tessera doctor --rbac --write  # ... and what changing needs\n"
     "tessera doctor --self  # this machine, when tessera itself misbehaves"},
    {"users", kUsers, "", 0, Completes::nothing, "", "list who holds and waits for how much",
     "One row for each user of each cluster: the GPUs that the user's workloads hold, where a slice counts "
     "as its part of the GPU, how many workloads run and wait, how many of the held slices are idle at this "
     "moment (below 1 % use; n/a where nothing measures them), and what is held and asked for. Exit code 3 "
     "where a cluster did not answer completely.",
     "tessera users\n"
     "tessera users -o csv --cluster prod"},
    {"record", kRecord, "[list]", 1, Completes::words, "list", "write what a cluster does into a folder",
     "Writes what changed every minute: one file a day for each cluster, JSON lines in zstd (docs/time.md); "
     "config record-unit prints a unit for systemd. Exit code 3 when the last round was not written whole. "
     "list shows files and gaps: exit code 1 if one is damaged or ahead of the clock, or the last not ended.",
     "tessera record list --folder /var/lib/tessera/recording\n"
     "tessera record --folder F --keep 90d --thin 7d=10m --max-size 2GiB\n"
     "zstdcat F/*/2026-11-24.jsonl.zst | jq -c 'select(.kind==\"workload\")'"},
    {"replay", kReplay, "[FILE|FOLDER]", 1, Completes::file, "", "open the console on a recording",
     "Opens the console on a moment of a recording: every screen, filter and explanation works on what was "
     "then, and nothing can be changed. The keys { and } go one recorded round back and on, :at TIME jumps, "
     "and ; plays. Without --at it begins at the newest round.",
     "tessera replay /var/lib/tessera/recording --at 'yesterday 03:12'\n"
     "tessera replay F --at 2026-11-24T03:00Z --speed 60  # a minute a second"},
    {"diff", kDiff, "", 0, Completes::nothing, "", "compare two recorded moments",
     "Lists what is otherwise at --to than at --from: nodes and their health, drivers, layouts of GPUs, who "
     "holds them, and the jobs and pods that came and went. Without --to the newest round is compared.",
     "tessera diff --from 'yesterday 18:00' --to 08:00\n"
     "tessera diff --from -2h -o json"},
    {"usage", kUsed, "", 0, Completes::nothing, "", "sum up who held how much and used it, from a recording",
     "Sums up a recording by user, account, group (partition or namespace), profile, node or workload: "
     "GPU-hours and slice-hours held, the share of them for which use was measured, mean and 95th "
     "percentile of use, peak memory, idle hours and hours of waiting. With --demand the most that was "
     "needed of each profile at the same time, held and waited for; CSV and JSON have each hour. Without "
     "a recording it asks Prometheus, where one is set, for what its series name pods and jobs for; with "
     "--accounting it asks slurmdbd by sacct, a day at a time, for what was held and waited for. "
     "docs/time.md defines each of them.",
     "tessera usage --since 7d --by user\n"
     "tessera usage --since 30d --accounting --by account  # from slurmdbd\n"
     "tessera usage --since 30d --demand -o csv  # peaks of each hour, by profile"},
    {"waste", kWaste, "", 0, Completes::nothing, "",
     "list what was held without use, or too large, from a recording",
     "Lists, in slice-hours: idle (held, unused for --idle-after), parked (idle, with memory kept), "
     "too-big (use and memory would have fitted a smaller profile with 20 % to spare), stranded (memory "
     "slices that no further instance can use), unasked (free for --unasked-after, and asked for by no "
     "waiting job or pod) and rogue (used, and held by no job or pod). Nothing is ever cancelled. What "
     "--waste-except names is left out, and a line says how much that is. Exit code 1 when more than "
     "--more-than slice-hours were wasted. With --accounting idle and too-big are told of the jobs of which "
     "jobstats keeps figures.",
     "tessera waste --since 7d\n"
     "tessera waste --since 30d --accounting  # from slurmdbd\n"
     "tessera waste --since 1d --more-than 100 -o json\n"
     "tessera waste --waste-except 'user=ci | partition=interactive'\n"
     "tessera waste --messages  # a text for each owner\n"
     "tessera waste --messages --send  # each handed to owner-command"},
    {"init", kInit, "", 0, Completes::nothing, "",
     "ask for the settings of this site, try them, and write them",
     "Looks at the clusters that are found here, asks what they do not report (how nodes are reached, who "
     "writes Slurm's files, which commands restart daemons, the platform), tries the answers by looking at "
     "the clusters with them, and writes a commented config.yaml: for all users when root calls it, else for "
     "this user. Nothing of a cluster is changed, and a file that is there already is never written over.",
     "tessera init\n"
     "tessera init --print  # on standard output instead\n"
     "tessera init --answers site.yaml --print  # without a person"},
    {"about", kAbout, "", 0, Completes::nothing, "",
     "show what this tessera is and what it finds here, for bug reports",
     "Prints version, commit, compiler, the terminal, the locale, which configuration files are read and "
     "which settings are set (not their values), and where kubectl and Slurm's commands are. No cluster is "
     "asked, and nothing secret is printed.",
     "tessera about\n"
     "tessera about -o json > about.json  # to attach to a report"},
    {"completion", kShell, "bash|zsh|fish", 1, Completes::words, "bash zsh fish",
     "print the completion script of a shell",
     "Prints a script that teaches a shell the commands, flags and values of tessera.",
     "source <(tessera completion bash)\n"
     "tessera completion zsh > ~/.zfunc/_tessera\n"
     "tessera completion fish > ~/.config/fish/completions/tessera.fish"},
    {"config", kConfig, "path|print|example|man [PAGE]|...", 2, Completes::words,
     "path print example man pages keys keymap mps-prolog mps-task-prolog mps-epilog mps-job record-unit "
     "fleet-unit",
     "show the files and settings in use, the manual, the keys",
     "path lists the files that are read, in order. print shows every setting and where it comes from. "
     "example prints a configuration file with every setting, explained and commented out. man prints the "
     "manual for man(1), or one PAGE of it; pages lists them. keys prints the table of keys, keymap a "
     "keymap file to start from. mps-prolog, mps-task-prolog and mps-epilog print what a Slurm site needs "
     "to run an MPS daemon for jobs with gres/mps, mps-job what a job does that has whole GPUs: to be "
     "looked at first. record-unit prints a unit for systemd that runs tessera record, fleet-unit a "
     "service and a timer that run tessera fleet run.",
     "tessera config print\n"
     "tessera config example > ~/.config/tessera/config.yaml\n"
     "tessera config mps-prolog > /etc/slurm/prolog.d/mps.sh\n"
     "tessera config man tessera-plan.1 | man -l -"},
};

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
     "the site's Prometheus: NAMESPACE/SERVICE:PORT on Kubernetes, its URL on Slurm", false, true},
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
    {"ends-within", 0, "TIME", false, "", Section::pack, kPack, "", false, "", Completes::nothing, "",
     "work that ends within so long a time (12h), by its time limit, counts as gone: the plan waits"},
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
    {"gpu", 'g', "I[,I...]", false, "gpus", Section::change, kNaming, "", false, "", Completes::nothing, "",
     "only these GPUs of each node, counted from 0: 0,2-3"},
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
    {"way", 0, "WAY", false, "", Section::change, kPatient, "", false, "wait", Completes::words,
     "wait requeue cancel",
     "what to do with jobs or pods in the way: wait for their end, requeue or cancel them (wait)"},
    {"when-empty", 0, "", false, "", Section::change, kPatient, "", false, "", Completes::nothing, "",
     "close the node, park, and act when it is empty: tessera resume --due"},
    {"at", 0, "TIME", false, "", Section::change, kPatient | kLooking | kSummed | kReplay, "", false, "",
     Completes::nothing, "",
     "plan, apply: close the node, park, and act not before: 2026-11-21T22:00Z, +2h; without Z in local "
     "time. usage, waste: until then. Others, and whatif for a time that is over: as it was then, from "
     "--recording: 03:12, 'yesterday 03:12', -2h"},
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
