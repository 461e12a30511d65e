// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.cuda.CudaContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** A pool of workspaces, since allocating one takes longer than a launch. Thread-safe. */
final class WorkspacePool implements AutoCloseable {
  private static final long MIN_BYTES = 4096;

  private final CudaContext context;

  @GuardedBy("this")
  private final Map<Long, Deque<Workspace>> idle = new HashMap<>();

  @GuardedBy("this")
  private boolean closed;

  WorkspacePool(CudaContext context) {
    this.context = context;
  }

  /** Returns a workspace of at least this many bytes; its content is undefined. */
  Workspace acquire(long bytes) {
    long size = Math.max(MIN_BYTES, Long.highestOneBit(2 * bytes - 1));
    synchronized (this) {
      Deque<Workspace> free = idle.get(size);
      if (free != null && !free.isEmpty()) {
        return free.pop();
      }
    }
    return new Workspace(context, size);
  }

  /** Returns a workspace to the pool. */
  void release(Workspace workspace) {
    synchronized (this) {
      if (!closed) {
        idle.computeIfAbsent(workspace.device().bytes(), size -> new ArrayDeque<>())
            .push(workspace);
        return;
      }
    }
    workspace.close();
  }

  @Override
  public synchronized void close() {
    closed = true;
    idle.values().forEach(free -> free.forEach(Workspace::close));
    idle.clear();
  }
}
