// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** NVSHMEM's library: found, whole, of a version that we know, and there once. */
final class NvshmemCheck implements Check {
  static final Ailment MISSING =
      new Ailment(
          "nvshmem-not-found",
          "The log says: NVSHMEM's host library was not found, executors work on the host heap",
          "libnvshmem_host.so.3 is in none of the usual places; wheels have no unversioned name",
          "pip install nvidia-nvshmem-cu13 (or apt install libnvshmem3-cuda-13), or export"
              + " NVSHMEM_HOME=<folder above lib> for the executors"
              + " (spark.executorEnv.NVSHMEM_HOME)");
  static final Ailment INCOMPLETE =
      new Ailment(
          "nvshmem-incomplete",
          "undefined symbol nvshmemi_bootstrap_plugin_init, or a plugin cannot be loaded",
          "the bootstrap plugin nvshmem_bootstrap_uid.so.3 does not lie beside the host library",
          "install the whole of NVSHMEM into one folder; do not copy the host library alone");
  static final Ailment VERSION =
      new Ailment(
          "nvshmem-version",
          "The log says that 3.3.0 or newer of 3.x is needed",
          "the library is older than 3.3 or newer than 3.x, with structs of another layout",
          "pip install 'nvidia-nvshmem-cu13>=3.3,<4'");
  static final Ailment COPIES =
      new Ailment(
          "nvshmem-twice",
          "Host and device library version mismatch, or a plugin that does not fit its library",
          "several copies of NVSHMEM are found, and the dynamic loader may mix their parts",
          "keep one; or set NVSHMEM_HOME to it and take the others out of LD_LIBRARY_PATH");
  static final Ailment DEVICE_LIBRARY =
      new Ailment(
          "nvshmem-device-library",
          "Host and device library version mismatch (lib_version_d) when kernels are loaded",
          "the device library beside the host library belongs to another version, or is missing;"
              + " the layout between the two changed at 3.5.19",
          "pip install --force-reinstall nvidia-nvshmem-cu13, so that both come from one package");

  @Override
  public String title() {
    return "NVSHMEM";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(MISSING, INCOMPLETE, VERSION, COPIES, DEVICE_LIBRARY);
  }

  @Override
  public List<Finding> examine(Host host) {
    NvshmemFacts facts = host.instruments().nvshmem();
    boolean gpus = !host.instruments().gpus().gpus().isEmpty();
    List<Finding> findings = new ArrayList<>();
    if (facts.absence().isPresent()) {
      String absence = facts.absence().get();
      if (!gpus && facts.version().isEmpty()) {
        return List.of(Finding.skip("not installed, and no GPU that would need it"));
      }
      findings.add(Finding.warn(ailment(facts), absence));
    } else {
      findings.add(Finding.ok("NVSHMEM %s in %s".formatted(facts.version(), facts.folder())));
      Path folder = host.path(facts.folder().replaceFirst("^/", ""));
      if (!Files.exists(folder.resolve("libnvshmem_device.bc"))
          && !Files.exists(folder.resolve("libnvshmem_device.a"))) {
        findings.add(Finding.warn(DEVICE_LIBRARY, "no libnvshmem_device in " + facts.folder()));
      }
    }
    if (facts.copies().size() > 1) {
      findings.add(Finding.warn(COPIES, String.join(" and ", facts.copies())));
    }
    return findings;
  }

  private static Ailment ailment(NvshmemFacts facts) {
    if (facts.version().isEmpty()) {
      return MISSING;
    }
    return facts.absence().orElse("").contains("or newer") ? VERSION : INCOMPLETE;
  }
}
