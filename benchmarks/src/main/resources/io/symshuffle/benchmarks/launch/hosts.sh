#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
#
# Hosts on one machine: network namespaces, each with a link to a common bridge, and its own /dev/shm, /tmp and host
# name. Needs root and iproute2.
#
#   hosts.sh up PREFIX NETWORK N [RATE]              hosts PREFIX0, PREFIX1... at NETWORK.10, NETWORK.11...; this
#                                                    machine is NETWORK.1
#   hosts.sh shape PREFIX N RATE                     changes the links: RATE such as 300mbit, or none
#   hosts.sh on PREFIX HOST COMMAND...               runs a command on a host
#   hosts.sh link PREFIX HOST up|down                connects a host or disconnects it
#   hosts.sh signal PREFIX HOST SIGNAL               sends a signal to all processes on a host
#   hosts.sh bytes PREFIX N                          prints how many bytes all hosts have sent
#   hosts.sh down PREFIX N                           removes the hosts and ends what still runs on them
#
# Environment:
#   SYMSHUFFLE_IPROUTE   folder with bin/ip, bin/tc and their shared libraries in lib; default: those of the system
#   SYMSHUFFLE_SHM       size of each host's /dev/shm, such as 8192m; default 2g
set -euo pipefail

action=$1
prefix=$2
shift 2
state=/run/symshuffle-hosts/$prefix
# Where there is space: files of /tmp can be large, and /run is often in memory.
files=$(cd -- "$(dirname -- "$0")" && pwd)/tmp-$prefix

if [ -n "${SYMSHUFFLE_IPROUTE:-}" ]; then
  # Other programs must not get these libraries.
  ip() { LD_LIBRARY_PATH=$SYMSHUFFLE_IPROUTE/lib "$SYMSHUFFLE_IPROUTE/bin/ip" "$@"; }
  tc() { LD_LIBRARY_PATH=$SYMSHUFFLE_IPROUTE/lib "$SYMSHUFFLE_IPROUTE/bin/tc" "$@"; }
fi

# burst RATE: prints what may pass at once, in bytes: as much as in 1 ms, which is shorter than a timer of the kernel may
# be late.
burst() {
  local number=${1%?bit} bits
  case $1 in
  *kbit) bits=$((number * 1000)) ;;
  *mbit) bits=$((number * 1000000)) ;;
  *gbit) bits=$((number * 1000000000)) ;;
  *) bits=0 ;;
  esac
  local bytes=$((bits / 8000))
  echo $((bytes > 524288 ? bytes : 524288))
}

shape() { # shape HOST RATE
  local host=$1 rate=$2
  tc qdisc del dev "${prefix}v$host" root 2>/dev/null || true
  tc -n "$prefix$host" qdisc del dev eth0 root 2>/dev/null || true
  if [ "$rate" != none ]; then
    # Both directions: what the host sends, and what it receives.
    tc -n "$prefix$host" qdisc add dev eth0 root tbf rate "$rate" burst "$(burst "$rate")" latency 50ms
    tc qdisc add dev "${prefix}v$host" root tbf rate "$rate" burst "$(burst "$rate")" latency 50ms
  fi
}

add() { # add HOST ADDRESS NAMES
  ip netns add "$prefix$1"
  ip link add "${prefix}v$1" type veth peer name eth0 netns "$prefix$1"
  ip link set "${prefix}v$1" master "${prefix}br" up
  ip -n "$prefix$1" link set lo up
  ip -n "$prefix$1" link set eth0 up
  ip -n "$prefix$1" addr add "$2/24" dev eth0
  mkdir -p "$state/$1" "$files/$1"
  chmod 1777 "$files/$1"
  printf '127.0.0.1 localhost\n%b' "$3" >"$state/$1/hosts"
  # This process keeps the mount and UTS namespaces; "on" enters them.
  nsenter --net="/run/netns/$prefix$1" unshare --mount --uts --propagation private bash -ec "
    hostname $prefix$1 2>/dev/null || echo $prefix$1 >/proc/sys/kernel/hostname
    mount -t tmpfs -o size=${SYMSHUFFLE_SHM:-2g} shm /dev/shm
    mount --bind $state/$1/hosts /etc/hosts
    mount --bind '$files/$1' /tmp
    echo \$\$ >$state/$1/pid
    exec sleep infinity" </dev/null >"$state/$1/log" 2>&1 &
  for ((i = 0; i < 200; i++)); do
    [ -s "$state/$1/pid" ] && return 0
    sleep 0.05
  done
  echo "host $prefix$1 did not start: $(cat "$state/$1/log")" >&2
  return 1
}

case $action in
up)
  network=$1 count=$2
  shift 2
  mkdir -p "$state"
  ip link add "${prefix}br" type bridge
  ip addr add "$network.1/24" dev "${prefix}br"
  ip link set "${prefix}br" up
  names=''
  for ((h = 0; h < count; h++)); do names+="$network.$((10 + h)) $prefix$h\n"; done
  for ((h = 0; h < count; h++)); do
    add "$h" "$network.$((10 + h))" "$names"
    [ $# -eq 0 ] || shape "$h" "$1"
  done
  ;;
shape)
  count=$1
  shift
  for ((h = 0; h < count; h++)); do shape "$h" "$1"; done
  ;;
on)
  host=$1
  shift
  exec nsenter -t "$(cat "$state/$host/pid")" --net --mount --uts -- "$@"
  ;;
link)
  ip link set "${prefix}v$1" "$2"
  ;;
signal)
  for pid in $(ip netns pids "$prefix$1"); do kill -s "$2" "$pid" 2>/dev/null || true; done
  ;;
bytes)
  sum=0
  for ((h = 0; h < $1; h++)); do
    while read -r name _ _ _ _ _ _ _ _ sent _; do
      [ "$name" != eth0: ] || sum=$((sum + sent))
    done < <(nsenter --net="/run/netns/$prefix$h" cat /proc/net/dev)
  done
  echo "$sum"
  ;;
down)
  for ((h = 0; h < $1; h++)); do
    [ -e "/run/netns/$prefix$h" ] || continue
    for signal in TERM KILL; do
      for pid in $(ip netns pids "$prefix$h" 2>/dev/null); do kill -s $signal "$pid" 2>/dev/null || true; done
      [ $signal = KILL ] || sleep 0.2
    done
    ip netns del "$prefix$h" 2>/dev/null || true
    ip link del "${prefix}v$h" 2>/dev/null || true
  done
  ip link del "${prefix}br" 2>/dev/null || true
  rm -rf "$state" "$files"
  ;;
*)
  echo "unknown action $action" >&2
  exit 2
  ;;
esac
