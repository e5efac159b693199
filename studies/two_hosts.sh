#!/usr/bin/env bash
# A fit by processes on two hosts, which are two network namespaces of this machine with a limited
# link between them. Prints CPU seconds, bytes that crossed the link, and whether all models are equal.
#
#   studies/two_hosts.sh CONFLUX RATE PROCESSES_PER_HOST INPUT... -- OPTION...
#   studies/two_hosts.sh build/release/apps/conflux/conflux 200mbit 1 five/g?.npy -- --method nb -j 1
#
# Needs root, iproute2 and Open MPI. The namespaces are gone when it ends, and no message leaves them.
set -euo pipefail
conflux=$(realpath "$1")
rate=$2
per_host=$3
shift 3
inputs=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  inputs+=("$(realpath "$1")")
  shift
done
shift
work=$(mktemp -d)
finish() {
  ip netns del conflux_a 2>/dev/null || true
  ip netns del conflux_b 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

ip netns add conflux_a
ip netns add conflux_b
ip link add link_a netns conflux_a type veth peer name link_b netns conflux_b
for side in a b; do
  number=$([ $side = a ] && echo 1 || echo 2)
  ip -n conflux_$side address add "10.77.0.$number/24" dev link_$side
  ip -n conflux_$side link set lo up
  ip -n conflux_$side link set link_$side up
  tc -n conflux_$side qdisc add dev link_$side root tbf rate "$rate" burst 256kb latency 400ms
done

# What mpirun calls instead of ssh: the first word is the host, and only the other one is ever asked.
cat >"$work/agent" <<'AGENT'
#!/bin/sh
shift
exec ip netns exec conflux_b sh -c "$*"
AGENT
chmod +x "$work/agent"

crossed() {
  ip netns exec conflux_a cat /sys/class/net/link_a/statistics/{tx,rx}_bytes | awk '{ sum += $1 } END { print sum }'
}

cd "$work"
"$conflux" fit "${inputs[@]}" "$@" -q -o one.conflux
before=$(crossed)
TIMEFORMAT='%U user seconds, %S of the system, %R of wall clock'
time ip netns exec conflux_a mpirun --allow-run-as-root --oversubscribe --bind-to none \
  --mca plm_rsh_agent "$work/agent" --mca btl self,tcp --mca btl_tcp_if_include 10.77.0.0/24 \
  --mca oob_tcp_if_include 10.77.0.0/24 \
  --host "10.77.0.1:$per_host,10.77.0.2:$per_host" -n $((2 * per_host)) \
  "$conflux" fit "${inputs[@]}" "$@" -q -o many.conflux
echo "$(($(crossed) - before)) bytes crossed the link of $rate"
cmp one.conflux many.conflux && echo "the model has the bytes of one process"
