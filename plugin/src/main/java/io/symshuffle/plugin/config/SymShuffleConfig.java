// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import io.symshuffle.heap.host.HeapAccess;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.rapids.RapidsStart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * An application's settings, checked. {@link Settings} documents each.
 *
 * @param enabled {@link Settings#ENABLED} at the start
 * @param heapSize {@link Settings#HEAP_SIZE}; empty: auto
 * @param heapFiles {@link Settings#HEAP_FILES}; empty: auto
 * @param diskDir {@link Settings#DISK_DIR}; empty: Spark's local folder
 * @param peerMemory {@link Settings#READ_PEER_MEMORY}; empty: auto
 * @param device settings about GPUs
 */
public record SymShuffleConfig(
    boolean enabled,
    boolean required,
    Path heapDir,
    Optional<ByteSize> heapSize,
    ByteSize heapRetained,
    HeapAccess heapAccess,
    Optional<Integer> heapFiles,
    ByteSize stagingSize,
    Optional<Path> diskDir,
    boolean checksumEnabled,
    boolean peerMapping,
    Optional<ByteSize> peerMemory,
    String transferCompression,
    ByteSize pinned,
    Duration joinTimeout,
    DeviceConfig device,
    String rapidsMode,
    boolean smallStagesFirst) {

  /** Returns whether tables go to device heaps, if there are any. */
  public boolean keepsDataOnDevice() {
    return rapidsMode.equals(RapidsStart.DEVICE);
  }

  /** Returns whether the application asks for device heaps, with any setting. */
  public boolean asksForDevice() {
    return device.isExpected() || keepsDataOnDevice();
  }

  /** Returns how much memory an executor may pin, in bytes; 0 if it needs none. */
  public long pinnedBytes() {
    return asksForDevice() ? pinned.bytes() : 0;
  }

  /** Returns whether GPUs pack the tables that they send to other hosts. */
  public boolean packsTables() {
    return transferCompression.equals("auto");
  }

  /** Returns the codec of blocks for other hosts. */
  public Codec compression() {
    return transferCompression.equals("auto")
        ? Codec.LZ4
        : Codec.valueOf(transferCompression.toUpperCase(Locale.ROOT));
  }
}
