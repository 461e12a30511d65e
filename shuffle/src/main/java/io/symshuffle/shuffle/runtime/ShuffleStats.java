// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of one process since its start. They are thread-safe and only increase.
 *
 * <p>Bytes are sizes of blocks in a run, including the 8-byte record headers.
 */
public final class ShuffleStats {
  private final LongAdder hostBytesWritten = new LongAdder();
  private final LongAdder hostRunsWritten = new LongAdder();
  private final LongAdder deviceBytesWritten = new LongAdder();
  private final LongAdder deviceRunsWritten = new LongAdder();
  private final LongAdder diskBytesWritten = new LongAdder();
  private final LongAdder diskRunsWritten = new LongAdder();
  private final LongAdder mapOutputsPublished = new LongAdder();
  private final LongAdder hostBytesRead = new LongAdder();
  private final LongAdder diskBytesRead = new LongAdder();
  private final LongAdder deviceBytesRead = new LongAdder();
  private final Map<Integer, LongAdder> pulled = new ConcurrentHashMap<>();
  private final LongAdder transferBytesRead = new LongAdder();
  private final LongAdder blocksRead = new LongAdder();
  private final LongAdder bytesServed = new LongAdder();
  private final LongAdder bytesCompressed = new LongAdder();
  private final LongAdder compressionNanos = new LongAdder();
  private final LongAdder fetchFailures = new LongAdder();
  private final LongAdder shufflesRegistered = new LongAdder();
  private final Map<String, LongAdder> delegated = new ConcurrentHashMap<>();
  private final ShuffleUsage usage = new ShuffleUsage();

  /** Counts a run that was written to the HOST tier. */
  public void wroteHostRun(long bytes) {
    hostRunsWritten.increment();
    hostBytesWritten.add(bytes);
  }

  /** Counts a run that was written to the DEVICE tier. */
  public void wroteDeviceRun(long bytes) {
    deviceRunsWritten.increment();
    deviceBytesWritten.add(bytes);
  }

  /** Counts a run that was written to the DISK tier. */
  public void wroteDiskRun(long bytes) {
    diskRunsWritten.increment();
    diskBytesWritten.add(bytes);
  }

  /** Counts a published map output. */
  public void published() {
    mapOutputsPublished.increment();
  }

  /** Counts blocks that were read in place from a mapped heap. */
  public void readHost(long blocks, long bytes) {
    blocksRead.add(blocks);
    hostBytesRead.add(bytes);
  }

  /** Counts blocks that were read from a spilled run on this host. */
  public void readDisk(long blocks, long bytes) {
    blocksRead.add(blocks);
    diskBytesRead.add(bytes);
  }

  /** Counts blocks that were read from this PE's window of the device heap. */
  public void readDevice(long blocks, long bytes) {
    blocksRead.add(blocks);
    deviceBytesRead.add(bytes);
  }

  /** Counts blocks that a kernel pulled from the device heap of another PE. */
  public void pulled(int pe, long blocks, long bytes) {
    blocksRead.add(blocks);
    pulled.computeIfAbsent(pe, p -> new LongAdder()).add(bytes);
  }

  /** Counts blocks that were fetched through Spark's block transfer. */
  public void readTransfer(long blocks, long bytes) {
    blocksRead.add(blocks);
    transferBytesRead.add(bytes);
  }

  /** Counts bytes that this process sent to another one through Spark's block transfer. */
  public void served(long bytes) {
    bytesServed.add(bytes);
  }

  /**
   * Counts a block that was compressed for another host.
   *
   * @param bytes its size before, in bytes
   */
  public void compressed(long bytes, long nanos) {
    bytesCompressed.add(bytes);
    compressionNanos.add(nanos);
  }

  /** Counts a block that could not be read. */
  public void fetchFailed() {
    fetchFailures.increment();
  }

  /** Counts a shuffle that uses the symmetric heap. */
  public void registered() {
    shufflesRegistered.increment();
  }

  /** Counts a shuffle that uses Spark's sort shuffle, by reason. */
  public void delegated(String reason) {
    delegated.computeIfAbsent(reason, r -> new LongAdder()).increment();
  }

  /** Counters per shuffle. */
  public ShuffleUsage usage() {
    return usage;
  }

  /** Bytes written to the HOST tier. */
  public long hostBytesWritten() {
    return hostBytesWritten.sum();
  }

  /** Runs written to the HOST tier. */
  public long hostRunsWritten() {
    return hostRunsWritten.sum();
  }

  /** Bytes written to the DEVICE tier. */
  public long deviceBytesWritten() {
    return deviceBytesWritten.sum();
  }

  /** Runs written to the DEVICE tier. */
  public long deviceRunsWritten() {
    return deviceRunsWritten.sum();
  }

  /** Bytes written to the DISK tier. */
  public long diskBytesWritten() {
    return diskBytesWritten.sum();
  }

  /** Runs written to the DISK tier. */
  public long diskRunsWritten() {
    return diskRunsWritten.sum();
  }

  /** Map outputs published. */
  public long mapOutputsPublished() {
    return mapOutputsPublished.sum();
  }

  /** Bytes read in place from mapped heaps. */
  public long hostBytesRead() {
    return hostBytesRead.sum();
  }

  /** Bytes read from spilled runs on this host. */
  public long diskBytesRead() {
    return diskBytesRead.sum();
  }

  /** Bytes read from this PE's window of the device heap. */
  public long deviceBytesRead() {
    return deviceBytesRead.sum();
  }

  /** Bytes that kernels pulled from the device heaps of other PEs, by PE. */
  public Map<Integer, Long> pulledByPe() {
    Map<Integer, Long> bytes = new TreeMap<>();
    pulled.forEach((pe, sum) -> bytes.put(pe, sum.sum()));
    return bytes;
  }

  /** Bytes that kernels pulled from the device heaps of other PEs. */
  public long pulledBytes() {
    return pulled.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** Bytes fetched through Spark's block transfer. */
  public long transferBytesRead() {
    return transferBytesRead.sum();
  }

  /** Blocks read from all tiers and by transfer. */
  public long blocksRead() {
    return blocksRead.sum();
  }

  /** Bytes sent to other processes through Spark's block transfer. */
  public long bytesServed() {
    return bytesServed.sum();
  }

  /** Size before compression of all blocks that were compressed for other hosts, in bytes. */
  public long bytesCompressed() {
    return bytesCompressed.sum();
  }

  /** Time that threads spent on compression, in nanoseconds. */
  public long compressionNanos() {
    return compressionNanos.sum();
  }

  /** Blocks that could not be read. */
  public long fetchFailures() {
    return fetchFailures.sum();
  }

  /** Shuffles that use the symmetric heap (counted on the driver). */
  public long shufflesRegistered() {
    return shufflesRegistered.sum();
  }

  /** Shuffles that use Spark's sort shuffle, by reason (counted on the driver). */
  public Map<String, Long> delegatedByReason() {
    Map<String, Long> counts = new TreeMap<>();
    delegated.forEach((reason, count) -> counts.put(reason, count.sum()));
    return counts;
  }

  /** All byte counters on one line, for the log. */
  public String summary() {
    return "written DEVICE %d, HOST %d, DISK %d bytes; read DEVICE %d, HOST %d, DISK %d, by transfer %d bytes; pulled by PE %s"
        .formatted(
            deviceBytesWritten(),
            hostBytesWritten(),
            diskBytesWritten(),
            deviceBytesRead(),
            hostBytesRead(),
            diskBytesRead(),
            transferBytesRead(),
            pulledByPe());
  }
}
