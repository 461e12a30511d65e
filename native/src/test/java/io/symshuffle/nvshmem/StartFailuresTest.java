// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.ffi.ProcessEnvironment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Starts that cannot succeed, with fakes: they end in a message with a remedy and never wait
 * forever.
 */
class StartFailuresTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private CudaContext context;
  private NvshmemRuntime runtime;

  @BeforeEach
  void open() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    CudaDriver driver =
        CudaDriver.open(List.of(FakeLibraries.cuda(folder.resolve("cuda")).toString()));
    context = driver.device(0).openPrimaryContext();
    FakeLibraries.nvshmem(folder.resolve("nvshmem"));
    runtime =
        NvshmemRuntime.open(
            NvshmemLibrary.open(NvshmemSearch.here(Optional.of(folder.resolve("nvshmem")))),
            context,
            NvshmemEnvironment.recommended(1 << 20, Optional.empty()));
  }

  @AfterEach
  void close() {
    if (runtime != null) {
      runtime.close();
      context.close();
    }
  }

  @Test
  void refusedStartNamesLikelyCauses() {
    String message = refused("init_rc=7");
    assertTrue(
        message.startsWith(
            "PE 0 of 1 did not start: nvshmemx_hostlib_init_attr returned NVSHMEMX_ERROR_INTERNAL"
                + " (7)"),
        message);
    assertTrue(message.endsWith("start new processes with a new id"), message);
  }

  @Test
  void refusesAStartThatSucceedsWithoutAHeap() {
    String message = refused("status=1");
    assertTrue(
        message.startsWith("PE 0 of 1 did not start, NVSHMEM has status BOOTSTRAPPED: "), message);
    assertTrue(message.contains("a driver older than the library's CUDA"), message);
  }

  @Test
  void pesThatShareAGpuAreRefused() {
    String message = refused("status=3");
    assertTrue(message.contains("SHARED_GPU"), message);
    assertTrue(message.endsWith("give each executor its own GPU"), message);
  }

  @Test
  void refusesAnUnexpectedNumberOfPes() {
    String message = refused("n_pes=2");
    assertTrue(
        message.startsWith("NVSHMEM made this process PE 0 of 2 instead of PE 0 of 1: "), message);
    assertTrue(message.contains("unset NVSHMEM_BOOTSTRAP"), message);
  }

  @Test
  void hangingStartIsAbandonedAndNothingIsCalledAfterIt() {
    script("init_hang");
    UniqueId id = runtime.newUniqueId(LIMIT);
    String message =
        assertTimeoutPreemptively(
            LIMIT,
            () ->
                assertThrows(
                        NvshmemException.class,
                        () -> runtime.start(new InitRequest(0, 2, id, Duration.ofMillis(300))))
                    .getMessage());
    assertTrue(
        message.startsWith(
            "the start of PE 0 of 2 did not return within 300 ms: a PE is missing or dead"),
        message);
    assertTrue(message.contains("start all PEs within that time"), message);
    assertTrue(runtime.lost().isPresent());
    String refusal =
        assertThrows(NvshmemException.class, () -> runtime.newUniqueId(LIMIT)).getMessage();
    assertTrue(refusal.contains("NVSHMEM is no longer used in this process"), refusal);
  }

  @Test
  void hangingCollectiveIsAbandoned() {
    start();
    script("barrier_hang");
    String message =
        assertThrows(NvshmemException.class, () -> runtime.barrier(Duration.ofMillis(200)))
            .getMessage();
    assertTrue(message.startsWith("a barrier of all 1 PEs did not return within 200 ms"), message);
    assertThrows(NvshmemException.class, () -> runtime.barrier(LIMIT));
  }

  @Test
  void outOfMemoryIsReportedWithTheFreeMemoryOfTheGpu() {
    start();
    script("malloc_null");
    String message =
        assertThrows(NvshmemException.class, () -> runtime.allocate(4096, LIMIT)).getMessage();
    assertTrue(message.startsWith("nvshmem_align(65536, 4096) failed on PE 0, whose GPU"), message);
    assertTrue(message.contains("request less"), message);
  }

  @Test
  void uniqueIdIsAcceptedOnce() {
    UniqueId id = runtime.newUniqueId(LIMIT);
    runtime.start(new InitRequest(0, 1, id, LIMIT));
    assertThrows(
        IllegalStateException.class, () -> runtime.start(new InitRequest(0, 1, id, LIMIT)));
    runtime.finish(LIMIT);
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> runtime.start(new InitRequest(0, 1, id, LIMIT)))
            .getMessage();
    assertTrue(message.endsWith("was already used in this process: each start needs a new one"));
    assertFalse(message.contains("symshuffle-fake"), "the message does not reveal the id");
  }

  @Test
  void missingNetworkInterfaceIsReportedBeforeTheStart() {
    ProcessEnvironment.set(BootstrapInterface.NAMES, "=none7");
    try {
      String message =
          assertThrows(NvshmemException.class, () -> runtime.newUniqueId(LIMIT)).getMessage();
      assertTrue(
          message.startsWith(
              "NVSHMEM cannot start: no network interface of this host matches"
                  + " NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME==none7 (available: "),
          message);
      assertTrue(runtime.lost().isEmpty(), "the library was not called");
    } finally {
      ProcessEnvironment.set(BootstrapInterface.NAMES, "");
    }
    start();
  }

  private void script(String... words) {
    FakeLibraries.script(folder.resolve("nvshmem"), words);
  }

  private void start() {
    runtime.start(new InitRequest(0, 1, runtime.newUniqueId(LIMIT), LIMIT));
  }

  private String refused(String word) {
    script(word);
    String message = assertThrows(NvshmemException.class, this::start).getMessage();
    assertFalse(runtime.isStarted());
    assertTrue(runtime.lost().orElseThrow().startsWith("the start failed: "));
    return message;
  }
}
