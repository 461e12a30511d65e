// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import java.util.Comparator;

/**
 * A version of NVSHMEM.
 *
 * @param major 3 for 3.4.5
 * @param minor 4 for 3.4.5
 * @param patch 5 for 3.4.5
 */
public record NvshmemVersion(int major, int minor, int patch)
    implements Comparable<NvshmemVersion> {

  /** The oldest version that has all bound functions. */
  public static final NvshmemVersion OLDEST = new NvshmemVersion(3, 3, 0);

  /** The first version whose struct layouts are unknown. */
  public static final NvshmemVersion TOO_NEW = new NvshmemVersion(4, 0, 0);

  /** Returns whether the bound functions and struct layouts are valid for it. */
  public boolean isSupported() {
    return compareTo(OLDEST) >= 0 && compareTo(TOO_NEW) < 0;
  }

  @Override
  public int compareTo(NvshmemVersion other) {
    return Comparator.comparingInt(NvshmemVersion::major)
        .thenComparingInt(NvshmemVersion::minor)
        .thenComparingInt(NvshmemVersion::patch)
        .compare(this, other);
  }

  @Override
  public String toString() {
    return major + "." + minor + "." + patch;
  }
}
