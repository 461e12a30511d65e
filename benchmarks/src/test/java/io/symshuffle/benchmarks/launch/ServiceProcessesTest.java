// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.CliException;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceProcessesTest {
  private static final Pattern STARTED = Pattern.compile("started");

  @TempDir private Path folder;

  @Test
  void saysWhyAProcessEndedAtItsStart() {
    try (ServiceProcesses processes = new ServiceProcesses(folder, "Celeborn's")) {
      ChildProcess master = start(processes, "master", "echo 'ERROR no such class'; exit 3");
      String message =
          assertThrows(CliException.class, () -> processes.await(master, "master", STARTED))
              .getMessage();
      assertAll(
          message,
          () -> assertTrue(message.startsWith("Celeborn's master ")),
          () -> assertTrue(message.contains("ended with 3) ended at its start. Its log: ")),
          () -> assertTrue(message.contains(folder.resolve("master.log") + "\n  ERROR no such")));
    }
  }

  @Test
  void tellsWhichProcessIsLost() {
    try (ServiceProcesses processes = new ServiceProcesses(folder, "Celeborn's")) {
      String service = "echo started; exec sleep 600";
      ChildProcess master = start(processes, "master", service);
      ChildProcess worker = start(processes, "worker0", service);
      processes.await(master, "master", STARTED);
      processes.await(worker, "worker0", STARTED);
      assertEquals(Optional.empty(), processes.loss());
      worker.handle().destroyForcibly();
      worker.awaitEnd(Duration.ofMinutes(10));
      String loss = processes.loss().orElseThrow();
      assertTrue(loss.startsWith("Celeborn's worker0 "), loss);
      assertTrue(loss.contains("ended with 137) ended while it was needed."), loss);
    }
  }

  private static ChildProcess start(ServiceProcesses processes, String name, String script) {
    return processes.start(name, List.of("sh", "-c", script), Map.of());
  }
}
