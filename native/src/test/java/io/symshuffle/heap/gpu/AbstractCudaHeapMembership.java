// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.heap.DeviceHeapMaker;
import io.symshuffle.heap.PeMain;
import io.symshuffle.heap.PeProcess;
import io.symshuffle.heap.SharedMemory;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.nvshmem.PeSetup;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PEs of a CUDA heap that start late, are killed and leave, one process each. */
abstract class AbstractCudaHeapMembership {
  private static final long SEED = Long.getLong("symshuffle.seed", System.nanoTime() >>> 16);
  private static final long WINDOW_BYTES = 64L << 20;
  private static final long LIMIT_SECONDS = 600;

  @TempDir(factory = SharedMemory.class)
  Path folder;

  private final Map<Integer, PeProcess> processes = new TreeMap<>();
  private boolean inPods;

  abstract PeSetup setup();

  /** Returns the number of GPUs, which processes share if there are more. */
  abstract int gpus();

  @AfterEach
  void endProcesses() {
    processes.values().forEach(PeProcess::close);
  }

  @Test
  void latePeReadsWhatADeadOneWroteFromAnyPeThatIsLeft() throws Exception {
    start(0);
    start(1);
    run(0, CudaHeapStep.WRITE, SEED);
    run(1, CudaHeapStep.READ, 0);
    kill(0);
    for (int late = 2; late < 5; late++) {
      start(late);
      run(late, CudaHeapStep.READ, 0);
      kill(late - 1);
      run(late, CudaHeapStep.READ, 0);
    }
  }

  @Test
  void eachSuccessorHasAHeapAndReadsWhatAllDeadPesWrote() throws Exception {
    start(0);
    run(0, CudaHeapStep.WRITE, SEED);
    for (int next = 1; next <= 10; next++) {
      start(next);
      run(next, CudaHeapStep.WRITE, SEED + next);
      for (int pe = 0; pe <= next; pe++) {
        run(next, CudaHeapStep.READ, pe);
      }
      run(next - 1, CudaHeapStep.READ, next);
      kill(next - 1);
    }
    HeapFolder heaps = HeapFolder.open(folder, CudaHeapMaker.TOKEN, List.of(folder));
    for (int dead = 0; dead < 10; dead++) {
      Files.delete(heaps.heapFile(dead));
    }
    for (int dead = 0; dead < 10; dead++) {
      run(10, CudaHeapStep.AWAIT_FORGOTTEN, dead);
    }
    assertFilesOf(10);
  }

  /** Nothing is left of other PEs. */
  private void assertFilesOf(int pe) throws IOException {
    HeapFolder heaps = HeapFolder.open(folder, CudaHeapMaker.TOKEN, List.of(folder));
    try (Stream<Path> files = Files.list(heaps.path())) {
      assertEquals(
          List.of("pe-" + pe + ".gpu", "pe-" + pe + ".sock"),
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".gpu") || name.endsWith(".sock"))
              .sorted()
              .toList());
    }
  }

  @Test
  void peThatLeavesHandsOverWhatItWrote() throws Exception {
    start(0);
    start(1);
    run(0, CudaHeapStep.WRITE, SEED);
    run(0, CudaHeapStep.LEAVE, 0);
    kill(0);
    run(1, CudaHeapStep.READ, 0);
    start(2);
    run(2, CudaHeapStep.READ, 0);
  }

  @Test
  void strayWriteEndsTheOffenderAndChangesNothing() throws Exception {
    start(0);
    start(1);
    run(0, CudaHeapStep.WRITE, SEED);
    run(1, CudaHeapStep.READ, 0);
    String answer = say(1, CudaHeapStep.WRITE_ASTRAY, 0);
    assertTrue(!answer.startsWith(PeMain.DONE), answer);
    run(0, CudaHeapStep.READ, 0);
  }

  @Test
  void podsThatShareOnlyAFolderReadEachOther(@TempDir Path volume) throws Exception {
    assumeTrue(
        ChildProcess.of("true").through(pod(0)).run(Duration.ofMinutes(10)).status() == 0,
        "needs the right to create namespaces");
    folder = volume;
    inPods = true;
    start(0);
    start(1);
    run(0, CudaHeapStep.WRITE, SEED);
    run(1, CudaHeapStep.READ, 0);
    kill(0);
    start(2);
    run(2, CudaHeapStep.READ, 0);
    run(2, CudaHeapStep.WRITE, SEED + 1);
    run(1, CudaHeapStep.READ, 2);
  }

  /**
   * Runs a command like a container of a pod: with its own network, IPC, PID and mount namespaces
   * and its own {@code /dev/shm}, and with one visible GPU.
   */
  private List<String> pod(int pe) {
    return List.of(
        "unshare",
        "--net",
        "--ipc",
        "--pid",
        "--uts",
        "--mount",
        "--fork",
        "--mount-proc",
        "--kill-child",
        "sh",
        "-c",
        "mount -t tmpfs own /dev/shm && CUDA_VISIBLE_DEVICES=%d exec \"$@\"".formatted(pe % gpus()),
        "pod");
  }

  private void start(int pe) throws Exception {
    PeProcess process =
        new PeProcess(
            pe,
            Main.class,
            List.of(setup().name(), Integer.toString(pe), folder.toString()),
            inPods ? pod(pe) : List.of());
    processes.put(pe, process);
    assertEquals(PeMain.DONE + "START", process.answer(deadline()), process::output);
  }

  private void run(int pe, CudaHeapStep step, long number) throws Exception {
    assertEquals(
        PeMain.DONE + step,
        say(pe, step, number),
        () -> step + " " + number + ", seed " + SEED + ":\n" + output());
  }

  private String say(int pe, CudaHeapStep step, long number) throws Exception {
    processes.get(pe).send(step + " " + number);
    return processes.get(pe).answer(deadline());
  }

  private void kill(int pe) {
    processes.get(pe).kill();
  }

  private String output() {
    List<String> all = new ArrayList<>();
    processes.values().forEach(process -> all.add(process.output()));
    return String.join("", all);
  }

  private static long deadline() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
  }

  /** One PE. */
  static final class Main {
    private Main() {}

    /** Arguments: setup, PE, folder. */
    public static void main(String[] arguments) throws Exception {
      Path folder = Path.of(arguments[2]);
      DeviceHeapMaker.Pe pe =
          CudaHeapMaker.open(
              PeSetup.valueOf(arguments[0]), Integer.parseInt(arguments[1]), folder, WINDOW_BYTES);
      CudaHeapStep.Context context =
          new CudaHeapStep.Context(pe.heap(), pe.context().newStream(), folder);
      PeMain.serve((step, number) -> CudaHeapStep.valueOf(step).run(context, number));
    }
  }
}
