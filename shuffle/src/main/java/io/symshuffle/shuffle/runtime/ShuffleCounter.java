// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import io.symshuffle.shuffle.layout.Tier;

/**
 * What an executor counts from its start on. Metrics, the log, the page in Spark's UI and the
 * reports of benchmarks derive from this list.
 *
 * <p>Bytes are sizes of blocks in a run, including the 8-byte record headers, unless noted. Times
 * are sums over threads, so that they show what limits a transfer; they are not parts of a whole.
 */
public enum ShuffleCounter {
  HOST_BYTES_WRITTEN("written.host.bytes", "bytes written to the HOST tier"),
  HOST_RUNS_WRITTEN("written.host.runs", "runs written to the HOST tier"),
  DEVICE_BYTES_WRITTEN("written.device.bytes", "bytes written to the DEVICE tier"),
  DEVICE_RUNS_WRITTEN("written.device.runs", "runs written to the DEVICE tier"),
  DISK_BYTES_WRITTEN(
      "written.disk.bytes", "bytes written to the DISK tier because the heap was full"),
  DISK_RUNS_WRITTEN("written.disk.runs", "runs written to the DISK tier"),
  PACKED_BYTES(
      "written.packed.bytes",
      "bytes of tables that the GPU packed because half of the device heap was used"),
  PACKED_BYTES_STORED("written.packed.stored.bytes", "the same tables as they are stored"),
  MAP_OUTPUTS_PUBLISHED("written.map.outputs", "map outputs published"),
  HOST_BYTES_READ("read.host.bytes", "bytes read in place from heaps of this host"),
  DISK_BYTES_READ("read.disk.bytes", "bytes read in place from the DISK tier of this host"),
  DEVICE_BYTES_READ("read.device.bytes", "bytes read from the device heap of this executor's GPU"),
  PULLED_BYTES("read.pulled.bytes", "bytes that kernels read from the device heaps of other GPUs"),
  TRANSFER_BYTES_READ(
      "read.transfer.bytes", "bytes read through Spark's block transfer, mostly from other hosts"),
  BLOCKS_READ("read.blocks", "blocks read in any way"),
  FETCH_FAILURES("read.failures", "blocks that could not be read"),
  FETCHES_DAMAGED(
      "read.failures.damaged", "those whose bytes, index or directory were found damaged"),
  FETCHES_UNREADABLE(
      "read.failures.unreadable",
      "those whose heap or file is gone, was truncated or cannot be read"),
  FETCHES_MISSING(
      "read.failures.missing", "those that the owner's directory or an answer does not have"),
  FETCHES_OWNER_LOST(
      "read.failures.owner.lost", "those of a lost executor that no living one can read"),
  FETCHES_TRANSFER("read.failures.transfer", "those whose transfer from another executor failed"),
  BYTES_SERVED(
      "served.bytes",
      "bytes sent to other executors through Spark's block transfer, as they travel"),
  BYTES_COMPRESSED(
      "served.compressed.bytes", "bytes compressed for other hosts, before compression"),
  COMPRESSION_NANOS("served.compressed.nanos", "time that threads spent on compression"),
  BYTES_STAGED(
      "served.staged.bytes",
      "bytes of tables that the GPU copied to pinned memory for other hosts"),
  STAGED_BYTES_SENT(
      "served.staged.sent.bytes",
      "the same tables as they travel: packed, if that makes them smaller"),
  BLOCKS_NOT_STAGED(
      "served.staged.failures",
      "blocks with tables in GPU memory that found no pinned memory, or whose copy failed,"
          + " and were sent another way"),
  SEND_QUEUE_NANOS(
      "transfer.send.queue.nanos",
      "time, summed over threads: blocks wait for a thread that stages them"),
  SEND_MEMORY_NANOS(
      "transfer.send.memory.nanos",
      "time, summed over threads: threads that stage blocks wait for pinned memory"),
  SEND_PACK_NANOS(
      "transfer.send.pack.nanos", "time, summed over threads: the GPU packs tables to be sent"),
  SEND_COPY_NANOS(
      "transfer.send.copy.nanos",
      "time, summed over threads: the GPU copies them to pinned memory"),
  SEND_WAIT_NANOS(
      "transfer.send.wait.nanos",
      "time, summed over threads: threads of Spark's block transfer wait for a block to be staged"
          + " or compressed"),
  RECEIVE_NETWORK_NANOS(
      "transfer.receive.network.nanos",
      "time, summed over threads: tasks wait for tables from other hosts"),
  RECEIVE_COPY_NANOS(
      "transfer.receive.copy.nanos",
      "time, summed over threads: tasks copy what has arrived to pinned memory and check it"),
  RECEIVE_GPU_NANOS(
      "transfer.receive.gpu.nanos",
      "time, summed over threads: tasks with a batch wait until they may use the GPU"),
  RECEIVE_UNPACK_NANOS(
      "transfer.receive.unpack.nanos",
      "time, summed over threads: the GPU copies, unpacks and checks tables");

  private final String metric;
  private final String documentation;

  ShuffleCounter(String metric, String documentation) {
    this.metric = metric;
    this.documentation = documentation;
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
