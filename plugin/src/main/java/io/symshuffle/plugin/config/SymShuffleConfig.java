// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static java.util.Objects.requireNonNull;

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
 * @param required {@link Settings#REQUIRED}
 * @param heapDir {@link Settings#HEAP_DIR}
 * @param heapSize {@link Settings#HEAP_SIZE}; empty: auto
 * @param heapRetained {@link Settings#HEAP_RETAINED}
 * @param stagingSize {@link Settings#STAGING_SIZE}
 * @param diskDir {@link Settings#DISK_DIR}; empty: Spark's local folder
 * @param checksumEnabled {@link Settings#CHECKSUM_ENABLED}
 * @param peerMapping {@link Settings#READ_PEER_MAPPING}
 * @param peerMemory {@link Settings#READ_PEER_MEMORY}; empty: auto
 * @param transferCompression {@link Settings#TRANSFER_COMPRESSION}
 * @param pinned {@link Settings#TRANSFER_PINNED}
 * @param joinTimeout {@link Settings#JOIN_TIMEOUT}
 * @param device settings about GPUs
 * @param rapidsMode {@link Settings#RAPIDS_MODE}
 */
public record SymShuffleConfig(
    boolean enabled,
    boolean required,
    Path heapDir,
    Optional<ByteSize> heapSize,
    ByteSize heapRetained,
    ByteSize stagingSize,
    Optional<Path> diskDir,
    boolean checksumEnabled,
    boolean peerMapping,
    Optional<ByteSize> peerMemory,
    String transferCompression,
    ByteSize pinned,
    Duration joinTimeout,
    DeviceConfig device,
    String rapidsMode) {

  /** Checks that no value is null. */
  public SymShuffleConfig {
    requireNonNull(heapDir, "heapDir is null");
    requireNonNull(heapSize, "heapSize is null");
    requireNonNull(heapRetained, "heapRetained is null");
    requireNonNull(stagingSize, "stagingSize is null");
    requireNonNull(diskDir, "diskDir is null");
    requireNonNull(peerMemory, "peerMemory is null");
    requireNonNull(transferCompression, "transferCompression is null");
    requireNonNull(pinned, "pinned is null");
    requireNonNull(joinTimeout, "joinTimeout is null");
    requireNonNull(device, "device is null");
    requireNonNull(rapidsMode, "rapidsMode is null");
  }

  /** {@return whether tables go to device heaps, if there are any} */
  public boolean keepsDataOnDevice() {
    return rapidsMode.equals(RapidsStart.DEVICE);
  }

  /** {@return whether the application asks for device heaps, with any setting} */
  public boolean asksForDevice() {
    return device.isExpected() || keepsDataOnDevice();
  }

  /** {@return how much memory an executor may pin, in bytes; 0 if it needs none} */
  public long pinnedBytes() {
    return asksForDevice() ? pinned.bytes() : 0;
  }

  /** {@return whether GPUs pack the tables that they send to other hosts} */
  public boolean packsTables() {
    return transferCompression.equals("auto");
  }

  /** {@return the codec of blocks for other hosts} */
  public Codec compression() {
    return transferCompression.equals("auto")
        ? Codec.LZ4
        : Codec.valueOf(transferCompression.toUpperCase(Locale.ROOT));
  }
}
