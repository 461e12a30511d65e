// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.ffi.NativeCallException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of workspaces, since allocating one takes longer than a launch. A workspace that a kernel
 * may still use is never reused or freed. Thread-safe.
 */
final class WorkspacePool {
  private static final Logger LOG = LoggerFactory.getLogger(WorkspacePool.class);
  private static final long MIN_BYTES = 4096;

  private final CudaContext context;

  @GuardedBy("this")
  private final Map<Long, Deque<Workspace>> idle = new HashMap<>();

  /** Number of workspaces that launches hold. */
  @GuardedBy("this")
  private int inUse;

  @GuardedBy("this")
  private boolean leaked;

  @GuardedBy("this")
  private boolean closed;

  WorkspacePool(CudaContext context) {
    this.context = context;
  }

  /**
   * Returns a workspace of at least this many bytes; its content is undefined.
   *
   * @throws IllegalStateException when the pool is closed
   */
  Workspace acquire(long bytes) {
    long size = Math.max(MIN_BYTES, Long.highestOneBit(2 * bytes - 1));
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("the kernels are closed");
      }
      inUse++;
      Deque<Workspace> free = idle.get(size);
      if (free != null && !free.isEmpty()) {
        return free.pop();
      }
    }
    boolean made = false;
    try {
      Workspace workspace = create(size);
      made = true;
      return workspace;
    } finally {
      if (!made) {
        ended();
      }
    }
  }

  private Workspace create(long size) {
    try {
      return new Workspace(context, size);
    } catch (NativeCallException e) {
      if (e.code() != CudaDriver.OUT_OF_MEMORY) {
        throw e;
      }
      trim();
      return new Workspace(context, size);
    }
  }

  /** Frees the workspaces that no launch holds. */
  void trim() {
    List<Workspace> unused = new ArrayList<>();
    synchronized (this) {
      if (!closed) {
        idle.values().forEach(unused::addAll);
        idle.clear();
      }
    }
    unused.forEach(Workspace::close);
  }

  /** Returns a workspace to the pool; leaks it if queued work may still use it. */
  void release(Workspace workspace) {
    if (!workspace.isIdle()) {
      LOG.warn(
          "Leaking {} bytes of GPU memory: a kernel may still use them",
          workspace.device().bytes());
      synchronized (this) {
        leaked = true;
        ended();
      }
      return;
    }
    synchronized (this) {
      if (!closed) {
        idle.computeIfAbsent(workspace.device().bytes(), size -> new ArrayDeque<>())
            .push(workspace);
        ended();
        return;
      }
    }
    workspace.close();
    ended();
  }

  private synchronized void ended() {
    inUse--;
    notifyAll();
  }

  /**
   * Refuses further launches, waits for those in progress, and frees all workspaces.
   *
   * @return false if kernels may still use some of them; then none was freed
   */
  synchronized boolean close(Duration limit) {
    closed = true;
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      for (long left = limit.toNanos(); inUse > 0; left = deadline - System.nanoTime()) {
        if (left <= 0) {
          return false;
        }
        wait(left / 1_000_000, (int) (left % 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    if (leaked) {
      return false;
    }
    idle.values().forEach(free -> free.forEach(Workspace::close));
    idle.clear();
    return true;
  }
}
