// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.heap.FolderHold;
import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapFolder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the application's folders on the driver's machine while no executor is left there: the next
 * executors read what lies in them, and the sweep of another application takes a folder that nobody
 * holds for a dead one's. Thread-safe.
 */
final class FolderHolds implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FolderHolds.class);

  private final FolderToken token;

  @GuardedBy("this")
  private final Map<String, FolderHold> holds = new HashMap<>();

  @GuardedBy("this")
  private boolean closed;

  FolderHolds(FolderToken token) {
    this.token = requireNonNull(token, "token is null");
  }

  /** Holds the folder under a base without delaying the caller: a sweep may have to end first. */
  void keepSoon(String base) {
    Thread.ofPlatform().daemon().name("symshuffle-hold").start(() -> keep(base));
  }

  /** Holds the folder under a base; does nothing if it is held already. */
  synchronized void keep(String base) {
    if (closed || holds.containsKey(base)) {
      return;
    }
    try {
      Path path = Path.of(base);
      holds.put(base, HeapFolder.open(path, token, path).hold());
    } catch (RuntimeException e) {
      LOG.warn(
          "The driver cannot hold the application's folder under {}: if all executors there are"
              + " lost for a minute, another application's start may remove it",
          base,
          e);
    }
  }

  /** Lets all go and holds none from now on. */
  @Override
  public synchronized void close() {
    closed = true;
    holds.values().forEach(FolderHold::close);
    holds.clear();
  }
}
