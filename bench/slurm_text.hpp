// The text of a large Slurm cluster, as scontrol prints it: for benches and for baselines by wc and awk.
#pragma once

#include <fmt/format.h>

#include <string>

namespace tessera::bench {

// GPUs 0 to held-1 of each node are in use.
inline std::string slurm_nodes(int nodes) {
  std::string text;
  for (int i = 1; i <= nodes; ++i) {
    int held = i % 9;
    std::string used =
        held == 0 ? "gpu:h100:0(IDX:N/A)" : fmt::format("gpu:h100:{}(IDX:0-{})", held, held - 1);
    fmt::format_to(
        std::back_inserter(text),
        "NodeName=big{0:04} Arch=x86_64 CoresPerSocket=32  CPUAlloc={1} CPUEfctv=64 CPUTot=64 CPULoad=0.48 "
        "AvailableFeatures=h100,big ActiveFeatures=h100,big Gres=gpu:h100:8(S:0-1) GresDrain=N/A "
        "GresUsed={2},mps:0,shard:0 "
        "NodeAddr=10.0.{3}.{4} NodeHostName=big{0:04} Port=6818 Version=22.05.8 OS=Linux 6.1.0-28-amd64 #1 "
        "SMP "
        "PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22)  RealMemory=1000000 AllocMem={5} FreeMem=22543 "
        "Sockets=2 Boards=1 "
        "State={6} ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=main,big  "
        "BootTime=2026-11-{7:02}T02:14:{8:02} SlurmdStartTime=2026-11-21T02:36:19 "
        "LastBusyTime=2026-11-21T02:36:19 "
        "CfgTRES=cpu=64,mem=1000000M,billing=64 AllocTRES=cpu={1},mem={5}M CapWatts=n/a CurrentWatts=0 "
        "AveWatts=0 "
        "ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s{9}\n",
        i, held * 4, used, i / 250, i % 250, held * 8192,
        i % 100 == 0 ? "IDLE+DRAIN"
        : held == 8  ? "ALLOCATED"
        : held > 0   ? "MIXED"
                     : "IDLE",
        i % 28 + 1, i % 60,
        i % 100 == 0 ? " Reason=fan failure, ticket #123 [root@2026-11-21T02:36:31]" : "");
  }
  return text;
}

// One running job of up to eight GPUs on each node.
inline std::string slurm_jobs(int jobs) {
  std::string text;
  for (int i = 1; i <= jobs; ++i) {
    int gpus = i % 8 + 1;
    fmt::format_to(
        std::back_inserter(text),
        "JobId={0} JobName=train-{0} UserId=user{1}({2}) GroupId=users(100) MCS_label=N/A "
        "Priority=4294901759 Nice=0 Account=proj{1} "
        "QOS=(null) JobState=RUNNING Reason=None Dependency=(null) Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 "
        "ExitCode=0:0 "
        "DerivedExitCode=0:0 RunTime=00:00:10 TimeLimit=1-00:00:00 TimeMin=N/A "
        "SubmitTime=2026-11-21T02:36:19 "
        "EligibleTime=2026-11-21T02:36:19 AccrueTime=2026-11-21T02:36:19 StartTime=2026-11-21T02:36:21 "
        "EndTime=2026-11-22T02:36:21 Deadline=N/A SuspendTime=None SecsPreSuspend=0 "
        "LastSchedEval=2026-11-21T02:36:21 "
        "Scheduler=Backfill Partition=main AllocNode:Sid=login1:9672 ReqNodeList=(null) ExcNodeList=(null) "
        "NodeList=big{3:04} "
        "BatchHost=big{3:04} NumNodes=1 NumCPUs=8 NumTasks=1 CPUs/Task=8 ReqB:S:C:T=0:0:*:* "
        "TRES=cpu=8,mem=64G,node=1,billing=8 "
        "Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=* JOB_GRES=gpu:h100:{4}   Nodes=big{3:04} "
        "CPU_IDs=0-7 Mem=65536 "
        "GRES=gpu:h100:{4}(IDX:0-{5}) MinCPUsNode=8 MinMemoryNode=64G MinTmpDiskNode=0 Features=(null) "
        "DelayBoot=00:00:00 "
        "OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null) Command=/home/user{1}/run.sh "
        "WorkDir=/home/user{1} "
        "Comment=weekly run = ok  StdErr=/dev/null StdIn=/dev/null StdOut=/dev/null Power= "
        "TresPerNode=gres:gpu:h100:{4} \n",
        i, i % 97, 1000 + i % 97, i % 5000 + 1, gpus, gpus - 1);
  }
  return text;
}

}  // namespace tessera::bench
