// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.plugin.usage.UsageReport;
import io.symshuffle.shuffle.fixture.Runtimes;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsageReporterTest {
  private final List<UsageReport> reports = new ArrayList<>();

  @TempDir Path base;
  private HeapFolder folder;
  private ShuffleRuntime runtime;
  private boolean busy;
  private UsageReporter reporter;

  @BeforeEach
  void start() throws IOException {
    folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    runtime = Runtimes.start(folder, 0, 1 << 20);
    reporter = new UsageReporter("7", () -> Optional.of(runtime), () -> busy, "", 0, reports::add);
    seconds(1);
    reports.clear();
  }

  @AfterEach
  void end() {
    reporter.close();
    runtime.close();
    folder.remove();
  }

  /** The driver answers a report with what the executor has missed. */
  @Test
  void reportsEvery30SecondsWhatHasNotChanged() {
    seconds(29);
    assertEquals(0, reports.size());
    seconds(1);
    assertEquals(1, reports.size());
    seconds(29);
    assertEquals(1, reports.size());
    busy = true;
    seconds(1);
    assertEquals(2, reports.size());
  }

  @Test
  void reportsChangesWithinASecondOrWithin5WhileTasksRun() {
    runtime.stats().wrote(3, Tier.HOST, 100);
    seconds(1);
    assertEquals(1, reports.size());
    busy = true;
    runtime.stats().wrote(3, Tier.HOST, 100);
    seconds(4);
    assertEquals(1, reports.size());
    seconds(1);
    assertEquals(2, reports.size());
  }

  private void seconds(int count) {
    for (int second = 0; second < count; second++) {
      reporter.reportIfDue();
    }
  }
}
