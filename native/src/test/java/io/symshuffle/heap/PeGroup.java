// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.nio.file.Path;
import java.util.List;

/** The processes of a test of heaps. */
final class PeGroup extends PeProcesses<ContractStep> {
  static final long WINDOW_BYTES = 4L << 20;
  private static final long LIMIT_SECONDS = 60;

  PeGroup(Class<? extends HeapMaker> maker, int peCount, Path folder) throws InterruptedException {
    super(
        PeMain.class,
        peCount,
        pe ->
            List.of(
                maker.getName(),
                Integer.toString(pe),
                Integer.toString(peCount),
                folder.toString(),
                Long.toString(WINDOW_BYTES)),
        LIMIT_SECONDS);
  }
}
