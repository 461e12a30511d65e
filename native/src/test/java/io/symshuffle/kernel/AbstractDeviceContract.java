// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.nvshmem.PeSetup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** NVSHMEM's safe layer and our kernels, tried by one process a PE. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AbstractDeviceContract {
  private static final long SEED = Long.getLong("symshuffle.seed", System.nanoTime());

  /** Not a folder that JUnit gives, since those last for one test. */
  private final Path shared = newTemporaryFolder();

  private DeviceGroup group;
  private int folders;

  /** Real or fake. */
  abstract PeSetup setup();

  /** Number of PEs. */
  abstract int peCount();

  /** Skips where it cannot run. */
  abstract void assumePossible();

  @BeforeAll
  void needsItsLibraries() {
    assumePossible();
  }

  private DeviceGroup group() throws Exception {
    if (group == null) {
      group = new DeviceGroup(setup(), peCount(), newFolder());
    }
    return group;
  }

  @AfterAll
  void end() throws IOException {
    if (group != null) {
      group.close();
    }
    try (Stream<Path> files = Files.walk(shared)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static Path newTemporaryFolder() {
    try {
      return Files.createTempDirectory("symshuffle-device");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path newFolder() throws IOException {
    return Files.createDirectory(shared.resolve("device-" + folders++));
  }

  @ParameterizedTest
  @EnumSource(
      value = DeviceStep.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FILL", "READ_ON", "END", "RESTART"})
  void everyPeDoes(DeviceStep step) throws Exception {
    group().run(step, SEED);
  }

  @Test
  void nvshmemEndsAndStartsAgain() throws Exception {
    for (int round = 0; round < 2; round++) {
      group().run(DeviceStep.RESTART, SEED + round);
      group().run(DeviceStep.RING, SEED);
      group().run(DeviceStep.PULL, SEED);
    }
  }

  @Test
  void afterAPeIsKilledTheOthersReadOnAndEnd() throws Exception {
    assumeTrue(peCount() > 1, "needs another PE");
    try (DeviceGroup doomed = new DeviceGroup(setup(), peCount(), newFolder())) {
      doomed.run(DeviceStep.FILL, SEED);
      int[] others = IntStream.range(0, peCount() - 1).toArray();
      doomed.kill(peCount() - 1);
      doomed.run(DeviceStep.READ_ON, SEED, others);
      doomed.end(5, others);
    }
  }
}
