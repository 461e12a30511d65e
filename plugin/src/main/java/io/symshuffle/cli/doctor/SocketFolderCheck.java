// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The folder of the sockets through which NVSHMEM's PEs hand each other their memory. */
final class SocketFolderCheck implements Check {
  static final Ailment UNWRITABLE =
      new Ailment(
          "socket-folder",
          "IPC failure: Binding socket failed, and the executor ends",
          "NVSHMEM makes its sockets in /tmp, whatever TMPDIR says, and may not write there",
          "chmod 1777 /tmp, or mount one that is writable; a read-only root needs an emptyDir"
              + " there");
  static final Ailment STALE =
      new Ailment(
          "stale-sockets",
          "IPC failure: Sending data over socket failed, now and then",
          "sockets of processes that were killed still lie in /tmp; a new process with the same"
              + " number cannot make its own",
          "rm /tmp/nvshmem-socket-* while no GPU job runs on the host");

  @Override
  public String title() {
    return "socket folder";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(UNWRITABLE, STALE);
  }

  @Override
  public List<Finding> examine(Host host) {
    Path folder = host.path("tmp");
    boolean gpus = !host.instruments().gpus().gpus().isEmpty();
    List<Finding> findings = new ArrayList<>();
    if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
      findings.add(
          gpus
              ? Finding.fail(UNWRITABLE, "/tmp is missing or not writable")
              : Finding.warn(UNWRITABLE, "/tmp is missing or not writable"));
    }
    long stale =
        Host.list(folder, "nvshmem-socket-*").stream()
            .filter(socket -> owners(socket).stream().noneMatch(pid -> alive(host, pid)))
            .count();
    if (stale > 0) {
      findings.add(Finding.warn(STALE, stale + " sockets of processes that are gone"));
    }
    return findings.isEmpty()
        ? List.of(Finding.ok("/tmp is writable, no stale sockets"))
        : findings;
  }

  private static List<String> owners(Path socket) {
    String name = String.valueOf(socket.getFileName()).substring("nvshmem-socket-".length());
    return List.of(name.split("-", -1));
  }

  private static boolean alive(Host host, String pid) {
    return pid.matches("\\d{1,9}") && Files.exists(host.path("proc/" + pid));
  }
}
