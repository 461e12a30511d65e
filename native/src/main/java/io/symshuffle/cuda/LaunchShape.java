// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

/**
 * The grid and CTA dimensions of a launch.
 *
 * @param ctas CTAs, 1 or more
 * @param threads threads per CTA, 1 to 1024
 * @param sharedBytes bytes of dynamic shared memory per CTA
 */
public record LaunchShape(int ctas, int threads, int sharedBytes) {

  public LaunchShape {
    if (ctas < 1 || threads < 1 || threads > 1024 || sharedBytes < 0) {
      throw new IllegalArgumentException(
          "a launch of %d CTAs of %d threads with %d bytes of shared memory"
              .formatted(ctas, threads, sharedBytes));
    }
  }
}
