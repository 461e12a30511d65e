// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.cuda.CudaStream;
import java.nio.file.Path;
import java.util.List;

/** The processes of a test of device heaps, one per PE; steps are {@link DeviceHeapStep}. */
final class DeviceHeapGroup extends PeProcesses<DeviceHeapStep> {
  private static final long WINDOW_BYTES = 4L << 20;
  private static final long LIMIT_SECONDS = 600;

  DeviceHeapGroup(Class<? extends DeviceHeapMaker> maker, int peCount, Path folder)
      throws InterruptedException {
    super(
        Main.class,
        peCount,
        pe ->
            List.of(
                maker.getName(),
                Integer.toString(pe),
                Integer.toString(peCount),
                folder.toString()),
        LIMIT_SECONDS);
  }

  /** One PE. */
  static final class Main {
    private Main() {}

    /** Arguments: class name of the maker, PE, number of PEs, folder. */
    public static void main(String[] arguments) throws Exception {
      DeviceHeapMaker maker =
          Class.forName(arguments[0])
              .asSubclass(DeviceHeapMaker.class)
              .getDeclaredConstructor()
              .newInstance();
      int peCount = Integer.parseInt(arguments[2]);
      DeviceHeapMaker.Pe pe =
          maker.make(Integer.parseInt(arguments[1]), peCount, Path.of(arguments[3]), WINDOW_BYTES);
      CudaStream stream = pe.context().newStream();
      PeMain.serve(
          (step, seed) ->
              DeviceHeapStep.valueOf(step)
                  .run(new DeviceHeapStep.Context(pe.heap(), stream, peCount, seed)));
    }
  }
}
