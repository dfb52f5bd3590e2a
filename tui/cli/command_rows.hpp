// The commands, a part of the table of command_table.cpp: it alone includes this.
// Threads: constant data.
#pragma once

#include "tui/cli/command_table.hpp"

namespace tessera::cli {

inline constexpr unsigned kNode = 1u << 23;  // node, beside those of Takes

inline constexpr Command kCommands[] = {
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
     "tessera pack --for-history 30d --right-sized  # by what was used\n"
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
     "init check diff plan apply explain set calendar run pause unpause log",
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
     "the calendar. pause keeps every run of FILE from beginning anything and parks the one under way, "
     "unpause ends that. log prints what run skipped or missed, and who paused it. set POOL "
     "KEY=VALUE shows FILE with another layout, sharing, demand, exception, window or budget, --yes writes "
     "it; comments stay. --node looks at some nodes alone. With --at TIME check, diff and explain hold FILE "
     "against the clusters as a recording has them. Without FILE it is the one of --fleet.",
     "tessera fleet init fleet.yaml\n"
     "tessera fleet check fleet.yaml || mail -s drift gpu-admins  # for cron and CI\n"
     "tessera fleet apply fleet.yaml --write --batch 4\n"
     "tessera fleet set training layout=7x1g.10gb fleet.yaml\n"
     "tessera fleet check fleet.yaml --at 'yesterday 03:12'  # from --recording\n"
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
     "moment (below 1 % use; n/a where nothing measures them), and what is held and asked for. With --by "
     "account one row for each account, which on Kubernetes is a namespace. Exit code 3 where a cluster did "
     "not answer completely.",
     "tessera users\n"
     "tessera users --by account\n"
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
     "holds them, the jobs and pods that came and went, and the findings of doctor that appeared or went "
     "away. Without --to the newest round is compared.",
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
     "tessera usage --since 30d --demand -o csv  # peaks of each hour, by profile\n"
     "tessera usage --since 30d --demand --right-sized  # by what was used"},
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

}  // namespace tessera::cli
