// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

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
  private final LongAdder bytesStaged = new LongAdder();
  private final LongAdder stagedBytesSent = new LongAdder();
  private final LongAdder blocksNotStaged = new LongAdder();
  private final Map<TransferStep, LongAdder> transferNanos = new EnumMap<>(TransferStep.class);
  private final LongAdder fetchFailures = new LongAdder();
  private final LongAdder shufflesRegistered = new LongAdder();
  private final Map<String, LongAdder> delegated = new ConcurrentHashMap<>();
  private final ShuffleUsage usage = new ShuffleUsage();

  /** All counters are 0. */
  public ShuffleStats() {
    for (TransferStep step : TransferStep.values()) {
      transferNanos.put(step, new LongAdder());
    }
  }

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

  /**
   * Counts tables of the DEVICE tier that the GPU has staged in pinned memory for another host.
   *
   * @param plain their size, in bytes
   * @param sent their size as they travel, in bytes
   */
  public void staged(long plain, long sent) {
    bytesStaged.add(plain);
    stagedBytesSent.add(sent);
  }

  /** Counts a block with tables of the DEVICE tier that could not be staged in pinned memory. */
  public void notStaged() {
    blocksNotStaged.increment();
  }

  /** Counts time of a thread since a point in time, which {@link System#nanoTime} gave. */
  public void spentSince(TransferStep step, long startNanos) {
    spent(step, System.nanoTime() - startNanos);
  }

  /** Counts time of a thread, in nanoseconds. */
  public void spent(TransferStep step, long nanos) {
    transferNanos.get(step).add(nanos);
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

  /** Size of all tables that were staged in pinned memory for other hosts, in bytes. */
  public long bytesStaged() {
    return bytesStaged.sum();
  }

  /** Size of these tables as they travel, packed or not, in bytes. */
  public long stagedBytesSent() {
    return stagedBytesSent.sum();
  }

  /** Blocks with tables of the DEVICE tier that could not be staged. */
  public long blocksNotStaged() {
    return blocksNotStaged.sum();
  }

  /** Time that threads have spent on a step of the transfer between hosts, in nanoseconds. */
  public long transferNanos(TransferStep step) {
    return transferNanos.get(step).sum();
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

  /** The times of all steps of the transfer between hosts on one line, for the log. */
  public String transferSummary() {
    return "%d bytes of tables staged as %d, %d blocks not staged; seconds of threads: %s"
        .formatted(
            bytesStaged(),
            stagedBytesSent(),
            blocksNotStaged(),
            Arrays.stream(TransferStep.values())
                .map(
                    step ->
                        String.format(
                            Locale.ROOT, "%s %.3f", step.metric(), transferNanos(step) / 1e9))
                .collect(Collectors.joining(", ")));
  }
}
