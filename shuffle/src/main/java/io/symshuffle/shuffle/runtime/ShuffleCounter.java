// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.Tier;

/**
 * What an executor counts from its start on. Metrics, the log, the page in Spark's UI and the
 * reports of benchmarks derive from this list.
 *
 * <p>Bytes are sizes of blocks in a run, including the 8-byte record headers, unless noted. Times
 * are sums over threads, so that they show what limits a transfer; they are not parts of a whole.
 */
public enum ShuffleCounter {
  /** Bytes of runs in the HOST tier. */
  HOST_BYTES_WRITTEN("written.host.bytes", "bytes written to the HOST tier"),
  /** Runs in the HOST tier. */
  HOST_RUNS_WRITTEN("written.host.runs", "runs written to the HOST tier"),
  /** Bytes of tables in the DEVICE tier. */
  DEVICE_BYTES_WRITTEN("written.device.bytes", "bytes written to the DEVICE tier"),
  /** Batches of tables in the DEVICE tier. */
  DEVICE_RUNS_WRITTEN("written.device.runs", "runs written to the DEVICE tier"),
  /** Bytes of runs in the DISK tier. */
  DISK_BYTES_WRITTEN(
      "written.disk.bytes", "bytes written to the DISK tier because the heap was full"),
  /** Runs in the DISK tier. */
  DISK_RUNS_WRITTEN("written.disk.runs", "runs written to the DISK tier"),
  /** Map outputs published. */
  MAP_OUTPUTS_PUBLISHED("written.map.outputs", "map outputs published"),
  /** Bytes read in place from mapped heaps. */
  HOST_BYTES_READ("read.host.bytes", "bytes read in place from heaps of this host"),
  /** Bytes read from runs on disks of this host. */
  DISK_BYTES_READ("read.disk.bytes", "bytes read in place from the DISK tier of this host"),
  /** Bytes read from this PE's window of the device heap. */
  DEVICE_BYTES_READ("read.device.bytes", "bytes read from the device heap of this executor's GPU"),
  /** Bytes that kernels pulled from the device heaps of other PEs. */
  PULLED_BYTES("read.pulled.bytes", "bytes that kernels read from the device heaps of other GPUs"),
  /** Bytes fetched through Spark's block transfer. */
  TRANSFER_BYTES_READ(
      "read.transfer.bytes", "bytes read through Spark's block transfer, mostly from other hosts"),
  /** Blocks read from all tiers and by transfer. */
  BLOCKS_READ("read.blocks", "blocks read in any way"),
  /** Blocks that could not be read. */
  FETCH_FAILURES("read.failures", "blocks that could not be read"),
  /** Bytes sent to other processes through Spark's block transfer. */
  BYTES_SERVED(
      "served.bytes",
      "bytes sent to other executors through Spark's block transfer, as they travel"),
  /** Size before compression of all blocks that were compressed for other hosts. */
  BYTES_COMPRESSED(
      "served.compressed.bytes", "bytes compressed for other hosts, before compression"),
  /** Time that threads spent on compression. */
  COMPRESSION_NANOS("served.compressed.nanos", "time that threads spent on compression"),
  /** Size of all tables that were staged in pinned memory for other hosts. */
  BYTES_STAGED(
      "served.staged.bytes",
      "bytes of tables that the GPU copied to pinned memory for other hosts"),
  /** Size of these tables as they travel. */
  STAGED_BYTES_SENT(
      "served.staged.sent.bytes",
      "the same tables as they travel: packed, if that makes them smaller"),
  /** Blocks with tables of the DEVICE tier that could not be staged. */
  BLOCKS_NOT_STAGED(
      "served.staged.failures",
      "blocks with tables in GPU memory that found no pinned memory, or whose copy failed,"
          + " and were sent another way"),
  /** Owner: a block waits for a thread that stages it. */
  SEND_QUEUE_NANOS(
      "transfer.send.queue.nanos",
      "time, summed over threads: blocks wait for a thread that stages them"),
  /** Owner: such a thread waits for pinned memory. */
  SEND_MEMORY_NANOS(
      "transfer.send.memory.nanos",
      "time, summed over threads: threads that stage blocks wait for pinned memory"),
  /** Owner: the GPU packs tables. */
  SEND_PACK_NANOS(
      "transfer.send.pack.nanos", "time, summed over threads: the GPU packs tables to be sent"),
  /** Owner: the GPU copies them to pinned memory. */
  SEND_COPY_NANOS(
      "transfer.send.copy.nanos",
      "time, summed over threads: the GPU copies them to pinned memory"),
  /** Owner: a thread of Spark's block transfer waits for a block. */
  SEND_WAIT_NANOS(
      "transfer.send.wait.nanos",
      "time, summed over threads: threads of Spark's block transfer wait for a block to be staged"
          + " or compressed"),
  /** Reader: a task waits for Spark's fetcher. */
  RECEIVE_NETWORK_NANOS(
      "transfer.receive.network.nanos",
      "time, summed over threads: tasks wait for tables from other hosts"),
  /** Reader: a task copies what has arrived to pinned memory and checks it. */
  RECEIVE_COPY_NANOS(
      "transfer.receive.copy.nanos",
      "time, summed over threads: tasks copy what has arrived to pinned memory and check it"),
  /** Reader: a task with a gathered batch waits until it may use the GPU. */
  RECEIVE_GPU_NANOS(
      "transfer.receive.gpu.nanos",
      "time, summed over threads: tasks with a batch wait until they may use the GPU"),
  /** Reader: the GPU copies, unpacks and checks the tables of a batch. */
  RECEIVE_UNPACK_NANOS(
      "transfer.receive.unpack.nanos",
      "time, summed over threads: the GPU copies, unpacks and checks tables"),
  /** Ways to other executors whose rate was measured. */
  PATHS_MEASURED("paths.measured", "ways to other executors whose rate was measured"),
  /** Those that are far slower than usual. */
  PATHS_SLOW("paths.slow", "those that are far slower than usual, which the log names");

  private final String metric;
  private final String documentation;

  ShuffleCounter(String metric, String documentation) {
    this.metric = requireNonNull(metric, "metric is null");
    this.documentation = requireNonNull(documentation, "documentation is null");
  }

  /** Its name in metrics, words separated by dots, the unit last, such as {@code served.bytes}. */
  public String metric() {
    return metric;
  }

  /** What it counts, a phrase in Markdown. */
  public String documentation() {
    return documentation;
  }

  static ShuffleCounter bytesWritten(Tier tier) {
    return switch (tier) {
      case HOST -> HOST_BYTES_WRITTEN;
      case DEVICE -> DEVICE_BYTES_WRITTEN;
      case DISK -> DISK_BYTES_WRITTEN;
    };
  }

  static ShuffleCounter runsWritten(Tier tier) {
    return switch (tier) {
      case HOST -> HOST_RUNS_WRITTEN;
      case DEVICE -> DEVICE_RUNS_WRITTEN;
      case DISK -> DISK_RUNS_WRITTEN;
    };
  }

  static ShuffleCounter bytesRead(Tier tier) {
    return switch (tier) {
      case HOST -> HOST_BYTES_READ;
      case DEVICE -> DEVICE_BYTES_READ;
      case DISK -> DISK_BYTES_READ;
    };
  }
}
