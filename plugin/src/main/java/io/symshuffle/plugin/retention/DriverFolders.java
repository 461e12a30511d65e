// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.retention;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.ffi.NativeFile;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.plugin.membership.HostIdentity;
import io.symshuffle.plugin.membership.Member;
import io.symshuffle.plugin.membership.MembershipListener;
import io.symshuffle.plugin.membership.Message.StartReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application's folders on the driver's machine. The driver holds them while no executor is
 * there, because later executors read what is in them, and another application's sweep would remove
 * a folder that nobody holds. When the application ends, the driver removes them. Thread-safe.
 */
public final class DriverFolders implements MembershipListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DriverFolders.class);

  private final FolderToken token;
  private final HostIdentity driverHost;
  private final Path heapDir;
  private final Set<String> localExecutors = ConcurrentHashMap.newKeySet();
  private final Set<String> bases = ConcurrentHashMap.newKeySet();

  /** Those of {@link #bases} that are held, or cannot be. */
  private final Set<String> tried = ConcurrentHashMap.newKeySet();

  /** Those of {@link #bases} where the driver has seen no folder. */
  @GuardedBy("this")
  private final Set<String> unseen = new HashSet<>();

  @GuardedBy("this")
  private final List<NativeFile> holds = new ArrayList<>();

  @GuardedBy("this")
  private boolean closed;

  /**
   * @param heapDir where heaps should be; an executor that ends while it starts may leave one there
   *     without a report
   */
  public DriverFolders(FolderToken token, HostIdentity driverHost, Path heapDir) {
    this.token = token;
    this.driverHost = driverHost;
    this.heapDir = heapDir;
  }

  @Override
  public void joined(Member member) {
    if (member.host().isSameMachine(driverHost)) {
      localExecutors.add(member.executorId());
    }
  }

  @Override
  public void started(StartReport report) {
    String base = report.heapBase();
    if (!base.isEmpty() && localExecutors.contains(report.executorId())) {
      bases.add(base);
      if (!tried.contains(base)) {
        // In the background, because a sweep may have to end first.
        DaemonThreads.start("symshuffle-hold", () -> hold(base));
      }
    }
  }

  /** Returns the folders on this machine that contain the application's folders. */
  Set<String> bases() {
    return Set.copyOf(bases);
  }

  /**
   * Holds the application's folder under a base, unless it is already held. If there is none, the
   * executor runs in a container of its own or as another user: then the driver creates none, and
   * tries again when the next executor has started there.
   */
  synchronized void hold(String base) {
    if (closed || tried.contains(base)) {
      return;
    }
    try {
      Path path = Path.of(base);
      if (!HeapFolder.exists(path, token)) {
        if (unseen.add(base)) {
          LOG.info(
              "Executors on the driver's machine have a folder under {} that the driver cannot see,"
                  + " for example in another container or of another user: it lasts as long as"
                  + " executors there",
              base);
        }
        return;
      }
      tried.add(base);
      holds.add(HeapFolder.open(path, token, List.of(path)).hold());
    } catch (RuntimeException e) {
      LOG.warn(
          "The driver cannot hold the application's folder under {}: if no executor is left there"
              + " for a minute, another application may remove it",
          base,
          e);
    }
  }

  /** Releases and removes all folders; holds none from now on. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      holds.forEach(NativeFile::close);
      holds.clear();
    }
    if (!localExecutors.isEmpty() && HeapFolder.exists(heapDir, token)) {
      bases.add(heapDir.toString());
    }
    for (String base : bases) {
      try {
        Path path = Path.of(base);
        if (HeapFolder.exists(path, token)) {
          // The heap files name the folders on disk.
          HeapFolder.open(path, token, List.of(path)).remove();
        }
      } catch (RuntimeException e) {
        LOG.warn("Cannot remove the application's folder under {}", base, e);
      }
    }
  }
}
