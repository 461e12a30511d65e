// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.core;

/**
 * What the shuffle needs to know of the settings; the plugin fills it from Spark's configuration.
 *
 * @param stagingBytes smallest size of a task's staging buffer, in bytes
 * @param checksum whether blocks carry a CRC32C that readers verify
 * @param peerMapping whether blocks of other executors on this host are read from their mapped
 *     heap; if not, they come through Spark's block transfer as from another host
 * @param retainedBytes how much freed memory of the heap stays reserved once the heap rests, in
 *     bytes
 * @param deviceRows whether records of CPU operators go to the device heap where there is one; the
 *     same on all executors of an application
 */
public record ShuffleConfig(
    int stagingBytes,
    boolean checksum,
    boolean peerMapping,
    long retainedBytes,
    boolean deviceRows) {
  /** Smallest staging buffer, in bytes. */
  public static final int MIN_STAGING_BYTES = 64 << 10;

  /** Largest staging buffer, in bytes. */
  public static final int MAX_STAGING_BYTES = 1 << 30;

  /** Settings that leave records in the host heap. */
  public ShuffleConfig(
      int stagingBytes, boolean checksum, boolean peerMapping, long retainedBytes) {
    this(stagingBytes, checksum, peerMapping, retainedBytes, false);
  }

  /** Checks the ranges. */
  public ShuffleConfig {
    if (stagingBytes < MIN_STAGING_BYTES || stagingBytes > MAX_STAGING_BYTES) {
      throw new IllegalArgumentException(
          "staging of %d bytes is outside %d to %d"
              .formatted(stagingBytes, MIN_STAGING_BYTES, MAX_STAGING_BYTES));
    }
  }
}
