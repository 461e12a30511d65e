// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import io.symshuffle.heap.host.HeapAccess;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.output.DiskEncryption;
import java.util.Optional;

/**
 * The settings of the shuffle; the plugin reads them from Spark's configuration.
 *
 * @param stagingBytes smallest size of a task's staging buffer, in bytes
 * @param checksum whether blocks carry a CRC32C that readers verify
 * @param peerMapping whether blocks of other executors on this host are read from their mapped
 *     heaps; if not, they are fetched through Spark's block transfer, as from another host
 * @param heapAccess how heaps are read and written; those of executors with a device heap are
 *     always mapped
 * @param retainedBytes freed memory that an idle heap keeps, in bytes
 * @param mappedPeerBytes how much of other executors' heaps may be in the resident set of this
 *     process while tasks read, approximately; {@link Long#MAX_VALUE} for no limit
 * @param compression the codec of blocks that are sent to other hosts, and of runs on disk
 * @param packsTables whether the GPU packs tables when its device heap fills up, and those of the
 *     DEVICE tier that are sent to other hosts; otherwise they are compressed as other blocks are
 * @param pinnedBytes most pinned memory for copies of GPU tables, in bytes: half of it for sending
 *     to other hosts
 * @param encryption of files, if Spark encrypts its own
 */
public record ShuffleConfig(
    int stagingBytes,
    boolean checksum,
    boolean peerMapping,
    HeapAccess heapAccess,
    long retainedBytes,
    long mappedPeerBytes,
    Codec compression,
    boolean packsTables,
    long pinnedBytes,
    Optional<DiskEncryption> encryption) {
  /** Default limit of pinned memory: 1 GiB. */
  public static final long DEFAULT_PINNED_BYTES = 1L << 30;

  /** Smallest staging buffer, in bytes. */
  public static final int MIN_STAGING_BYTES = 64 << 10;

  /** Largest staging buffer, in bytes. */
  public static final int MAX_STAGING_BYTES = 1 << 30;

  /** Settings without a limit for mapped pages, and with the default codec. */
  public ShuffleConfig(
      int stagingBytes, boolean checksum, boolean peerMapping, long retainedBytes) {
    this(
        stagingBytes,
        checksum,
        peerMapping,
        HeapAccess.AUTO,
        retainedBytes,
        Long.MAX_VALUE,
        Codec.LZ4,
        true,
        DEFAULT_PINNED_BYTES,
        Optional.empty());
  }

  public ShuffleConfig {
    if (pinnedBytes < 0) {
      throw new IllegalArgumentException(
          "%d bytes of pinned memory are less than 0".formatted(pinnedBytes));
    }
    if (stagingBytes < MIN_STAGING_BYTES || stagingBytes > MAX_STAGING_BYTES) {
      throw new IllegalArgumentException(
          "staging buffers of %d bytes are not in the range of %d to %d bytes"
              .formatted(stagingBytes, MIN_STAGING_BYTES, MAX_STAGING_BYTES));
    }
  }

  /**
   * Whether tables of the DEVICE tier are copied to pinned memory before they are sent, packed or
   * not, instead of being compressed as other blocks are.
   */
  public boolean stagesTables() {
    return packsTables || compression == Codec.NONE;
  }
}
