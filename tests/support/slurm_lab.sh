#!/bin/bash
# A throw-away Slurm cluster with simulated GPUs on loopback, as long as somebody holds our stdin open.
#
#   slurm_lab.sh DIR
#
# Prints "ready" once every node is idle, or "failed: why"; "failed: MariaDB cannot run here: why" where it ends by itself.
# Then each line "NUMBER NAME" on stdin starts a daemon that has been killed ("munged", "slurmctld", "slurmdbd",
# "mariadbd"), answered by "NUMBER started NAME" or "NUMBER failed: why". At the end of stdin everything is killed,
# whichever way the caller ended. Process numbers are in DIR/run/NAME.pid.
# LAB_EXTRA holds more lines for slurm.conf. With LAB_CONFIGLESS slurmd has no files of its own: each gets them from
# slurmctld, and sees a /run of its own, in which it keeps them as on a node of its own. With LAB_ACCOUNTING there is a
# slurmdbd, with a MariaDB that only root can reach at DIR/sql/socket. Needs root, DIR of at most 60 characters, and
# Debian's slurmctld, slurmd, slurm-client and munge; slurmdbd and mariadb-server-core.
set -u
PATH=$PATH:/usr/sbin:/sbin
umask 022
trap '' HUP INT TERM PIPE
fail() { echo "failed: $*"; exit 1; }
SYSTEM_TABLES=/usr/share/mysql/mysql_system_tables.sql
[ $# = 1 ] || fail "usage: slurm_lab.sh DIR"
mkdir -p "$1" && cd "$1" && DIR=$(pwd -P) || fail "cannot make $1"
[ ${#DIR} -le 60 ] || fail "$DIR is too long for the path of a socket"
[ "$(id -u)" = 0 ] || fail "only root may run daemons for several users"
for program in munged slurmctld slurmd scontrol; do
  command -v $program > /dev/null || fail "$program is not installed"
done
[ -z "${LAB_ACCOUNTING:-}" ] || { command -v slurmdbd && command -v mariadbd && [ -r $SYSTEM_TABLES ]; } > /dev/null ||
  fail "slurmdbd or mariadb-server-core is not installed"
export SLURM_CONF=$DIR/etc/slurm.conf
HOST=$(hostname -s)
NODES="gpu01 gpu02 mig01 mix01 mps01 shard01 cpu01"

# Every process of this lab, jobs included: by its environment, or (slurmstepd overwrites that) by a file of
# DIR that it has open.
ours() {
  local p
  for p in $(grep -lszxF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ) $(grep -lsx slurmstepd /proc/[0-9]*/comm); do
    p=${p#/proc/} p=${p%%/*}
    [ "$p" != $$ ] && [ "$p" != "$BASHPID" ] && [ "$p" != "$PPID" ] || continue
    grep -qszxF "SLURM_CONF=$SLURM_CONF" "/proc/$p/environ" ||
      readlink "/proc/$p/cwd" "/proc/$p"/fd/* 2> /dev/null | grep -qF "$DIR/" || continue
    echo "$p"
  done
}
clean_up() {
  local round pids
  for round in 1 2 3 4 5; do
    pids=$(ours)
    [ -n "$pids" ] || break
    # shellcheck disable=SC2086
    kill -KILL $pids 2> /dev/null
  done
}
trap clean_up EXIT

# So many free ports in a row, below those that clients get.
free_ports() {
  local used base port
  used=$(awk '$4 == "0A" { split($2, a, ":"); print a[2] }' /proc/net/tcp /proc/net/tcp6 2> /dev/null)
  for _ in $(seq 100); do
    base=$((10000 + RANDOM % 20000))
    for ((port = base; port < base + $1; ++port)); do
      grep -qix "$(printf %04x $port)" <<< "$used" && continue 2
    done
    echo $base
    return
  done
}

# Slurm heeds a limit that was changed at its next round, up to a minute later: where there are limits, a second.
configure() {
  local port=$1 i
  mkdir -p etc run log state spool dev tmp munge
  chmod 700 munge
  head -c 1024 /dev/urandom > munge/key
  chmod 600 munge/key
  # Links to /dev/null pass for devices, and jobs get CUDA_VISIBLE_DEVICES.
  for i in $(seq 0 15); do ln -s /dev/null "dev/nvidia$i"; done
  : > etc/plugstack.conf
  # Without this word 24.11 wants a cgroup of its own; up to 22.05 does not know it.
  case $(slurmctld -V) in *" 2[01]."* | *" 22."*) echo CgroupAutomount=no ;; *) echo CgroupPlugin=disabled ;; esac > etc/cgroup.conf
  cat > etc/slurm.conf << END
ClusterName=lab
SlurmctldHost=$HOST(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$DIR/run/munge.socket
StateSaveLocation=$DIR/state
SlurmdSpoolDir=$DIR/spool/%n
SlurmctldPidFile=$DIR/run/slurmctld.pid
SlurmdPidFile=$DIR/run/slurmd-%n.pid
SlurmctldLogFile=$DIR/log/slurmctld.log
SlurmdLogFile=$DIR/log/slurmd-%n.log
PlugStackConfig=$DIR/etc/plugstack.conf
TmpFS=$DIR/tmp
ProctrackType=proctrack/linuxproc
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_interval=1,sched_min_interval=10000,batch_sched_delay=0${LAB_ACCOUNTING:+,sched_interval=1}
SlurmdParameters=config_overrides
MessageTimeout=10
KillWait=1
DefMemPerCPU=100
GresTypes=gpu,mps,shard
${LAB_EXTRA:-}
${LAB_CONFIGLESS:+SlurmctldParameters=enable_configless}
NodeName=DEFAULT Sockets=2 CoresPerSocket=32 RealMemory=1000000
NodeName=gpu01 NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((port + 1)) Gres=gpu:h100:8 Feature=h100,nvl
NodeName=gpu02 NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((port + 2)) Gres=gpu:h100:8 Feature=h100,nvl
NodeName=mig01 NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((port + 3)) Gres=gpu:1g.10gb:7,gpu:3g.40gb:2 Feature=h100,mig
NodeName=mix01 NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((port + 4)) Gres=gpu:h100:2,gpu:1g.10gb:3 Feature=h100,mig
NodeName=mps01 NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((port + 5)) Gres=gpu:h100:2,mps:200 Feature=h100,mps
NodeName=shard01 NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((port + 6)) Gres=gpu:h100:4,shard:16 Feature=h100,shard
NodeName=cpu01 NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((port + 7)) Feature=cpu
PartitionName=main Nodes=gpu0[1-2],mig01,mix01,mps01,shard01,cpu01 Default=YES MaxTime=INFINITE
PartitionName=whole Nodes=gpu0[1-2] MaxTime=1-00:00:00
PartitionName=secret Nodes=mix01 Hidden=YES MaxTime=04:00:00
PartitionName=shared Nodes=mps01,shard01 MaxTime=04:00:00 OverSubscribe=YES
END
  cat > etc/gres.conf << END
NodeName=gpu0[1-2] Name=gpu Type=h100 File=$DIR/dev/nvidia[0-3] Cores=0-31
NodeName=gpu0[1-2] Name=gpu Type=h100 File=$DIR/dev/nvidia[4-7] Cores=32-63
NodeName=mig01 Name=gpu Type=1g.10gb File=$DIR/dev/nvidia[0-6]
NodeName=mig01 Name=gpu Type=3g.40gb File=$DIR/dev/nvidia[7-8]
NodeName=mix01 Name=gpu Type=1g.10gb File=$DIR/dev/nvidia[4-6]
NodeName=mix01 Name=gpu Type=h100 File=$DIR/dev/nvidia[0-1]
NodeName=mps01 Name=gpu Type=h100 File=$DIR/dev/nvidia[0-1]
NodeName=mps01 Name=mps Count=200
NodeName=shard01 Name=gpu Type=h100 File=$DIR/dev/nvidia[0-3]
NodeName=shard01 Name=shard Count=16
END
  [ -z "${LAB_ACCOUNTING:-}" ] || configure_accounting $((port + 8))
}

# slurmdbd's file must be root's alone. As on many a site not every type of GPU is counted: 1g.10gb is not.
configure_accounting() {
  cat >> etc/slurm.conf << END
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$1
AccountingStoragePass=$DIR/run/munge.socket
AccountingStorageTRES=gres/gpu,gres/gpu:h100,gres/gpu:3g.40gb,gres/mps,gres/shard
AccountingStoreFlags=job_comment
END
  (umask 077 && cat > etc/slurmdbd.conf) << END
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$1
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$DIR/run/munge.socket
LogFile=$DIR/log/slurmdbd.log
PidFile=$DIR/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm_acct_db
END
}

# DIR/restart slurmctld | slurmd-NODE: as a site's own "systemctl restart" would do it.
restarter() {
  cat > restart << END
#!/bin/bash
export SLURM_CONF=$DIR/etc/slurm.conf PATH=\$PATH:/usr/sbin:/sbin
exec 8> "$DIR/run/restart-\$1.lock"
flock 8  # one after the other, as systemd has it
pid=\$(cat "$DIR/run/\$1.pid") && kill "\$pid" 2> /dev/null
# One that has ended may wait for seconds until somebody reaps it.
while grep -qs '^State:.[^ZX]' "/proc/\$pid/status"; do read -r -t 0.02 _ <> <(:); done
case \$1 in
  slurmctld) slurmctld -f "\$SLURM_CONF" ;;
  slurmd-*) $DIR/slurmd "\${1#slurmd-}" ;;
  *) echo "no such daemon: \$1" >&2; exit 2 ;;
esac < /dev/null > /dev/null 2>> "$DIR/log/restart.err" 8>&-
END
  chmod +x restart
}

# DIR/slurmd NODE: starts it.
slurmd_starter() {
  cat > slurmd << END
#!/bin/bash
export SLURM_CONF=$DIR/etc/slurm.conf PATH=\$PATH:/usr/sbin:/sbin
if [ -n "${LAB_CONFIGLESS:-}" ]; then
  exec unshare -m --propagation private bash -c 'mount -t tmpfs tmpfs /run && mkdir /run/munge &&
    ln -s $DIR/run/munge.socket /run/munge/munge.socket.2 && exec slurmd -N "\$0" --conf-server 127.0.0.1:$1' "\$1"
fi
exec slurmd -f "\$SLURM_CONF" -N "\$1"
END
  chmod +x slurmd
}

# No daemon may hold our stdin, stdout or lock open.
quietly() { "$@" < /dev/null > /dev/null 2>> log/start.err 9>&-; }
start_munged() {
  rm -f run/munge.socket*
  quietly munged --force --socket="$DIR/run/munge.socket" --key-file="$DIR/munge/key" --num-threads=2 \
    --log-file="$DIR/munge/log" --pid-file="$DIR/run/munged.pid" --seed-file="$DIR/munge/seed"
}
# A MariaDB for one: small, without network and users, and quick rather than safe from a crash of the machine. Its
# files are written as any program writes them: kernels and limits differ in what else they allow. One that starts
# removes the temporary tables of all others in its tmpdir.
mariadb() {
  mariadbd --no-defaults --user=root --datadir="$DIR/sql/data" --tmpdir="$DIR/sql/tmp" --socket="$DIR/sql/socket" --skip-networking \
    --skip-grant-tables --skip-log-bin --performance-schema=OFF --pid-file="$DIR/run/mariadbd.pid" \
    --innodb-data-file-path=ibdata1:4M:autoextend --innodb-autoextend-increment=1 --innodb-log-file-size=4M \
    --innodb-buffer-pool-size=16M --innodb-doublewrite=0 --innodb-flush-log-at-trx-commit=0 --innodb-use-native-aio=0 \
    --innodb-lock-wait-timeout=900 --key-buffer-size=1M --aria-pagecache-buffer-size=1M "$@" 9>&-
}
make_database() {
  mkdir -p sql/data/mysql sql/tmp && chmod 700 sql && { echo "use mysql;"; cat $SYSTEM_TABLES; } 2> /dev/null |
    mariadb --bootstrap > log/bootstrap 2>&1
}
# Asks again until it is so, for so many twentieths of a second at least.
until_true() {
  local tries=$1
  shift
  for ((; tries > 0; --tries)); do
    "$@" < /dev/null > /dev/null 2>&1 9>&- && return
    read -r -t 0.05 _ <> <(:)
  done
  return 1
}
LONG=2400  # a daemon on a machine with other work
MARIADBD=  # its process
serves() { grep -q "ready for connections" log/mariadbd.log; }
serves_or_ended() { serves || ! kill -0 "$MARIADBD"; }
start_mariadbd() {
  rm -f sql/socket log/mariadbd.log  # what an earlier one wrote is no answer
  mariadb < /dev/null > log/mariadbd.log 2>&1 &
  MARIADBD=$!
  until_true $LONG serves_or_ended && serves || { tail -n 2 log/mariadbd.log >> log/start.err; return 1; }
}
start_slurmdbd() {
  MYSQL_UNIX_PORT=$DIR/sql/socket quietly slurmdbd &&
    until_true $LONG timeout 20 sacctmgr -n list cluster ||
    { tail -n 2 log/slurmdbd.log >> log/start.err; return 1; }
}
start_slurmctld() { quietly slurmctld -f "$SLURM_CONF"; }
why() { tail -n 2 log/start.err | tr '\n' ' '; }

if [ -n "${LAB_ACCOUNTING:-}" ]; then
  mkdir -p log run
  [ -d sql/data ] || make_database || {
    # What it was told to do went wrong, and not the machine.
    grep -q '^ERROR' log/bootstrap && fail "mariadbd: $(grep -m 2 '^ERROR' log/bootstrap | tr '\n' ' ')"
    fail "MariaDB cannot run here: $(tail -n 2 log/bootstrap | tr '\n' ' ')"
  }
  start_mariadbd ||
    { kill -0 "$MARIADBD" && fail "mariadbd: $(why)"; fail "MariaDB cannot run here: $(why)"; } 2> /dev/null
fi
# Two labs that start together must not pick the same ports.
exec 9> /tmp/tessera-slurm-lab.lock
flock 9
[ -e etc/slurm.conf ] || configure "$(free_ports 9)"
restarter
slurmd_starter "$(sed -n 's/^SlurmctldPort=//p' etc/slurm.conf)"
start_munged || fail "munged: $(why)"
if [ -n "${LAB_ACCOUNTING:-}" ]; then
  start_slurmdbd || fail "slurmdbd: $(why)"
  quietly sacctmgr -i add cluster lab || fail "sacctmgr: $(why)"
fi
start_slurmctld || fail "slurmctld: $(why)"
for node in $NODES; do
  mkdir -p "spool/$node"
  quietly "$DIR/slurmd" "$node" || fail "slurmd $node: $(why)"
done
exec 9>&-
for try in $(seq $LONG); do
  states=$(timeout 3 sinfo -h -N -o %T 2> /dev/null)
  [ -n "$states" ] && ! grep -qv '^idle$' <<< "$states" && break
  [ "$try" = $LONG ] && fail "the nodes did not become idle: $(tail -n 3 log/slurmctld.log | tr '\n' ' ')"
  read -r -t 0.05 _ <> <(:)
done
echo ready
while read -r number daemon; do
  case $daemon in
    munged | slurmctld | slurmdbd | mariadbd)
      "start_$daemon" && echo "$number started $daemon" || echo "$number failed: $(why)" ;;
    *) echo "$number failed: no such daemon: $daemon" ;;
  esac
done
exit 0
