// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The processes that this one started. None outlives it: when the JVM ends, by Ctrl-C too, those
 * that are left are ended with all that they started.
 */
final class ChildProcesses {
  private static final Duration TIME_TO_END = Duration.ofSeconds(10);
  private static final Duration TIME_TO_DIE = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();
  private static volatile boolean ending;

  static {
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(ChildProcesses::endAll));
  }

  private ChildProcesses() {}

  static void add(Process process) {
    ALIVE.add(process);
    if (ending) {
      end(process);
    }
  }

  /** Whether this JVM is about to end, so that children that die are no news. */
  static boolean isEnding() {
    return ending;
  }

  /** Ends a process and all that it started: asks first, then kills. */
  static void end(Process process) {
    end(List.of(process));
  }

  private static void endAll() {
    ending = true;
    end(List.copyOf(ALIVE));
  }

  private static void end(List<Process> processes) {
    // Collected again and again while the parents live: a local cluster that ends starts executors
    // anew, and what is left of a family has no parent to be found by.
    Set<ProcessHandle> family = new HashSet<>();
    processes.forEach(process -> process.descendants().forEach(family::add));
    processes.forEach(Process::destroy);
    long deadline = System.nanoTime() + TIME_TO_END.toNanos();
    boolean alive = true;
    while (alive && System.nanoTime() < deadline && pause()) {
      processes.forEach(process -> process.descendants().forEach(family::add));
      alive = processes.stream().anyMatch(Process::isAlive);
    }
    processes.forEach(process -> family.add(process.toHandle()));
    family.forEach(ProcessHandle::destroyForcibly);
    while (family.stream().anyMatch(ProcessHandle::isAlive)
        && System.nanoTime() < deadline + TIME_TO_DIE.toNanos()
        && pause()) {
      // Killed ones are gone in no time, and so is this loop.
    }
    processes.forEach(ALIVE::remove);
  }

  /** False if the thread is to end. */
  private static boolean pause() {
    try {
      Thread.sleep(PAUSE);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
