// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.Gpus;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.nvshmem.PeSetup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/**
 * A test with one process per PE, each with NVSHMEM and a GPU, real or fake. One group of processes
 * serves all tests of the class.
 *
 * @param <S> the steps
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class AbstractDeviceTest<S extends Enum<S>> {
  /** The seed of all steps. */
  protected static final long SEED = Long.getLong("symshuffle.seed", System.nanoTime());

  /** Not a temporary folder of JUnit, since those are deleted after each test. */
  private final Path shared = newTemporaryFolder();

  private DeviceGroup<S> group;
  private int folders;

  private final PeSetup setup;
  private final Class<?> main;

  /**
   * Creates a test.
   *
   * @param setup real libraries, with a PE per GPU, or fakes
   * @param main the main class of a PE
   */
  protected AbstractDeviceTest(PeSetup setup, Class<?> main) {
    this.setup = setup;
    this.main = main;
  }

  /** Returns the number of PEs. */
  protected final int peCount() {
    return switch (setup) {
      case GPU -> CudaDriver.system().deviceCount();
      case FAKE -> 3;
    };
  }

  @BeforeAll
  final void needsItsLibraries() {
    switch (setup) {
      case GPU -> {
        Gpus.assume();
        KernelImage image = KernelImage.find();
        assumeTrue(image.absence().isEmpty(), () -> image.absence().orElseThrow());
      }
      case FAKE ->
          assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    }
  }

  /** Returns the group of all tests. */
  protected final DeviceGroup<S> group() throws Exception {
    if (group == null) {
      group = newGroup();
    }
    return group;
  }

  /** Starts a group for one test. */
  protected final DeviceGroup<S> newGroup() throws Exception {
    Path folder = Files.createDirectory(shared.resolve("device-" + folders++));
    return new DeviceGroup<>(main, setup, peCount(), folder);
  }

  @AfterAll
  final void end() throws IOException {
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
}
