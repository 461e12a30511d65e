// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.heap.SharedMemory;
import io.symshuffle.nvshmem.PeSetup;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chunks of GPU memory leave descriptors for Spark's connections and files. */
class ChunkDescriptorsTest {
  private static final int LIMIT = 700;

  /** Fewer than what the heap leaves, for what the JVM opens meanwhile. */
  private static final int SPARKS = 200;

  private static final long WINDOW = 1L << 30;

  @TempDir(factory = SharedMemory.class)
  Path folder;

  @Test
  void leavesDescriptorsWhenChunksAreMany() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    ChildProcess.Result result =
        ChildProcess.of(
                "sh",
                "-c",
                "ulimit -n " + LIMIT + "; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                FillWindow.class.getName(),
                folder.toString())
            .run(Duration.ofMinutes(10));
    assertEquals(0, result.status(), result.output());
    assertTrue(result.output().contains("opened " + SPARKS + " files"), result.output());
  }

  /** Fills the window and opens files. */
  static final class FillWindow {
    private FillWindow() {}

    public static void main(String[] arguments) throws IOException {
      Path folder = Path.of(arguments[0]);
      var pe = CudaHeapMaker.open(PeSetup.FAKE, 0, folder, WINDOW);
      int slabs = 0;
      while (pe.heap().slabs().allocate(CudaHeapMaker.CHUNK_BYTES).isPresent()) {
        slabs++;
      }
      System.out.println("allocated " + slabs + " slabs");
      List<InputStream> files = new ArrayList<>();
      for (int i = 0; i < SPARKS; i++) {
        files.add(Files.newInputStream(Path.of("/proc/self/limits")));
      }
      System.out.println("opened " + files.size() + " files");
      for (InputStream each : files) {
        each.close();
      }
      if (slabs == 0 || slabs >= WINDOW / CudaHeapMaker.CHUNK_BYTES - 1) {
        throw new IllegalStateException(slabs + " slabs: the descriptors were not the limit");
      }
      Runtime.getRuntime().halt(0);
    }
  }
}
