#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
#
# Hosts on one machine: network namespaces, each with a link to a common bridge, and its own /dev/shm, /tmp and host
# name. Needs root and iproute2.
#
#   hosts.sh up PREFIX NETWORK N [RATE [NETEM...]]   hosts PREFIX0, PREFIX1... at NETWORK.10, NETWORK.11...; this
#                                                    machine is NETWORK.1
#   hosts.sh shape PREFIX N RATE [NETEM...]          changes the links: RATE such as 300mbit, or none; NETEM such as
#                                                    "delay 50ms" or "loss 2%"
#   hosts.sh on PREFIX HOST COMMAND...               runs a command on a host
#   hosts.sh link PREFIX HOST up|down                connects a host or disconnects it
#   hosts.sh signal PREFIX HOST SIGNAL               sends a signal to all processes on a host
#   hosts.sh bytes PREFIX N                          prints how many bytes all hosts have sent
#   hosts.sh down PREFIX N                           removes the hosts and ends what still runs on them
set -euo pipefail

action=$1
prefix=$2
shift 2
state=/run/symshuffle-hosts/$prefix

shape() { # shape HOST RATE [NETEM...]
  local host=$1 rate=$2
  shift 2
  tc qdisc del dev "${prefix}v$host" root 2>/dev/null || true
  ip netns exec "$prefix$host" tc qdisc del dev eth0 root 2>/dev/null || true
  local parent=root
  if [ $# -gt 0 ]; then
    ip netns exec "$prefix$host" tc qdisc add dev eth0 root handle 1: netem "$@" limit 100000
    parent='parent 1: handle 2:'
  fi
  if [ "$rate" != none ]; then
    # Both directions: what the host sends, and what it receives.
    # shellcheck disable=SC2086 # several words
    ip netns exec "$prefix$host" tc qdisc add dev eth0 $parent tbf rate "$rate" burst 512kb latency 50ms
    tc qdisc add dev "${prefix}v$host" root tbf rate "$rate" burst 512kb latency 50ms
  fi
}

add() { # add HOST ADDRESS NAMES
  ip netns add "$prefix$1"
  ip link add "${prefix}v$1" type veth peer name eth0 netns "$prefix$1"
  ip link set "${prefix}v$1" master "${prefix}br" up
  ip -n "$prefix$1" link set lo up
  ip -n "$prefix$1" link set eth0 up
  ip -n "$prefix$1" addr add "$2/24" dev eth0
  mkdir -p "$state/$1/tmp"
  printf '127.0.0.1 localhost\n%b' "$3" >"$state/$1/hosts"
  # This process keeps the mount and UTS namespaces; "on" enters them.
  ip netns exec "$prefix$1" unshare --mount --uts --propagation private bash -c "
    hostname $prefix$1
    mount -t tmpfs -o size=2g shm /dev/shm
    mount --bind $state/$1/hosts /etc/hosts
    mount --bind $state/$1/tmp /tmp
    echo \$\$ >$state/$1/pid
    exec sleep infinity" </dev/null >/dev/null 2>&1 &
  for ((i = 0; i < 200; i++)); do
    [ -s "$state/$1/pid" ] && return 0
    sleep 0.05
  done
  echo "host $prefix$1 did not start" >&2
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
    [ $# -eq 0 ] || shape "$h" "$@"
  done
  ;;
shape)
  count=$1
  shift
  for ((h = 0; h < count; h++)); do shape "$h" "$@"; done
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
    sent=$(ip netns exec "$prefix$h" awk '$1 == "eth0:" { print $10 }' /proc/net/dev)
    sum=$((sum + sent))
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
  rm -rf "$state"
  ;;
*)
  echo "unknown action $action" >&2
  exit 2
  ;;
esac
