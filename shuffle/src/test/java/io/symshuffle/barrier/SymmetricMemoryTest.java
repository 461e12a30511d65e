// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.shuffle.fixture.Runtimes;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.spark.TaskContext$;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PE 0 opens symmetric memory with PE 1, whose heap is in the same folder but cannot be mapped. */
class SymmetricMemoryTest {
  private static final long BYTES = 4096;

  @TempDir Path base;
  private HeapFolder folder;
  private ShuffleRuntime runtime;

  @BeforeEach
  void start() throws IOException {
    folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    runtime = Runtimes.start(folder, 0, 1 << 20);
  }

  @AfterEach
  void end() {
    runtime.close();
    folder.remove();
  }

  @Test
  void opensNoMemoryWithPeOfTheHostWhoseHeapIsDamaged() throws IOException {
    writeHeapFile("no heap");
    assertOpeningFails(
        folder.heapFile(1) + " is not a valid heap file: it has 7 bytes, too few for a header");
  }

  @Test
  void opensNoMemoryWithPeOfTheHostWhoseHeapIsGone() throws IOException {
    writeHeapFile("");
    assertOpeningFails("its heap file is gone");
  }

  private void writeHeapFile(String content) throws IOException {
    Files.writeString(folder.heapFile(1), content);
    Files.setPosixFilePermissions(folder.heapFile(1), PosixFilePermissions.fromString("rw-------"));
  }

  private void assertOpeningFails(String cause) {
    Opening opening =
        Opening.allocate(
            MemoryServer.of(runtime),
            TaskContext$.MODULE$.empty(),
            BYTES,
            Duration.ofSeconds(1),
            Optional.empty());
    SymmetricMemory memory = opening.memory();
    String[] addresses = {
      new Address(0, 0, 0, BYTES, memory.generation(), "10", "this", 1).encode(),
      new Address(1, 1, 0, BYTES, 1, "11", "other", 1).encode()
    };
    assertEquals(
        "PE 0 cannot map the memory of PE 1 (executor 11 on other): " + cause,
        assertThrows(SymmetricMemoryException.class, () -> opening.meet(addresses)).getMessage());
    memory.close();
  }
}
