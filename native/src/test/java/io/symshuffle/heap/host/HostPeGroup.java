// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import io.symshuffle.heap.PeMain;
import io.symshuffle.heap.PeProcesses;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import java.nio.file.Path;
import java.util.List;

/** The processes of a test of the host heap, one per PE; steps are {@link HostHeapStep}. */
final class HostPeGroup extends PeProcesses<HostHeapStep> {
  static final long WINDOW_BYTES = 4L << 20;
  static final FolderToken TOKEN = new FolderToken("5eed".repeat(8));
  private static final long LIMIT_SECONDS = 600;

  HostPeGroup(int peCount, Path folder) throws InterruptedException {
    super(
        Main.class,
        peCount,
        pe -> List.of(Integer.toString(pe), Integer.toString(peCount), folder.toString()),
        LIMIT_SECONDS);
  }

  /** One PE. */
  static final class Main {
    private Main() {}

    /** Arguments: PE, number of PEs, folder. */
    public static void main(String[] arguments) throws Exception {
      int pe = Integer.parseInt(arguments[0]);
      int peCount = Integer.parseInt(arguments[1]);
      Path folder = Path.of(arguments[2]);
      HostHeap heap =
          HostHeap.create(HeapFolder.open(folder, TOKEN, List.of(folder)), pe, WINDOW_BYTES);
      PeMain.serve(
          (step, seed) ->
              HostHeapStep.valueOf(step).run(new HostHeapStep.Context(heap, peCount, seed)));
    }
  }
}
