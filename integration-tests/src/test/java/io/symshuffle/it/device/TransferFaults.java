// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.failure.StartedAction;
import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.it.wait.Await;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Breaks executors or hosts whose tables travel to other hosts. Used by one thread. */
final class TransferFaults {

  private final SparkCluster cluster;
  private final Hosts hosts;

  /** What happens to a host. */
  enum Fault {
    /** Its executor is killed; Spark starts another one. */
    EXECUTOR_KILLED,
    /** Its worker and executor are killed; the worker starts again after a while. */
    WORKER_KILLED,
    /** It is disconnected until Spark has given up its executor. */
    DISCONNECTED,
    /** Its processes are stopped, for less time than Spark waits. */
    STALLED
  }

  TransferFaults(SparkCluster cluster) {
    this.cluster = cluster;
    this.hosts = cluster.hosts();
  }

  /** Breaks a host while reduce tasks run; all rows must arrive nevertheless. */
  void inMidTransfer(Fault fault, int host) throws Exception {
    NumberedTables tables = NumberedTables.of(cluster.context());
    assertEquals(NumberedRows.EXPECTED, tables.sums());
    StartedAction<NumberedRows.Sums> job = StartedAction.start(cluster.context(), tables::sums);
    job.awaitTasks(2);
    finish(fault, host, job);
  }

  /** Breaks a host after some tasks of a stage have ended, of packed tables or of others. */
  void atRandom(Fault fault, int host, Random random) throws Exception {
    int longs = random.nextBoolean() ? 1 : 4;
    NumberedTables tables = NumberedTables.of(cluster.context(), longs, false);
    if (random.nextBoolean()) {
      assertEquals(NumberedRows.EXPECTED, tables.sums());
    }
    StartedAction<NumberedRows.Sums> job = StartedAction.start(cluster.context(), tables::sums);
    job.awaitTasks(1 + random.nextInt(NumberedTables.MAPS / 2));
    finish(fault, host, job);
  }

  private void finish(Fault fault, int host, StartedAction<NumberedRows.Sums> job)
      throws Exception {
    List<String> there = executorsOn(host);
    strike(fault, host);
    if (fault == Fault.STALLED) {
      TimeUnit.SECONDS.sleep(5); // how long the host stops
      hosts.signal(host, "CONT");
    }
    NumberedRows.Sums sums = job.result().get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
    switch (fault) {
      case DISCONNECTED -> {
        Await.until("the executor is given up", () -> executorsOn(host).isEmpty());
        cluster.standalone().killWorker(host);
        hosts.connect(host, true);
        cluster.standalone().restartWorker(host);
      }
      case WORKER_KILLED -> cluster.standalone().restartWorker(host);
      default -> {}
    }
    assertEquals(NumberedRows.EXPECTED, sums, fault + " of host " + host + " with " + there);
    cluster.awaitExecutors();
  }

  private void strike(Fault fault, int host) {
    switch (fault) {
      case EXECUTOR_KILLED -> {
        List<String> there = executorsOn(host);
        cluster.executors().stream()
            .filter(each -> there.contains(each.executorId()))
            .forEach(ExecutorProcess::kill);
      }
      case WORKER_KILLED -> cluster.standalone().killWorker(host);
      case DISCONNECTED -> hosts.connect(host, false);
      case STALLED -> hosts.signal(host, "STOP");
    }
  }

  /** The executors on a host of which Spark knows. */
  private List<String> executorsOn(int host) {
    return Arrays.stream(cluster.context().env().blockManager().master().getStorageStatus())
        .map(status -> status.blockManagerId())
        .filter(id -> id.host().equals(hosts.address(host)))
        .map(id -> id.executorId())
        .toList();
  }
}
