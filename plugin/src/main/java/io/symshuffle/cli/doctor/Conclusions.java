// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SparkSettingsCheck;
import io.symshuffle.plugin.rapids.RapidsChoice;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What will work on this machine with the given settings, in sentences. */
final class Conclusions {
  private final Host host;
  private final List<Report.Result> results;

  Conclusions(Host host, List<Report.Result> results) {
    this.host = host;
    this.results = List.copyOf(results);
  }

  List<String> sentences() {
    return List.of(
        "Applications with SymShuffle start: " + start(),
        "Executors on this host read each other's map outputs in place: " + inPlace(),
        "Shuffles through GPU memory: " + gpuMemory());
  }

  private String start() {
    if (results.stream().anyMatch(result -> result.finding().state() == Finding.State.FAIL)) {
      return "no, not until the FAIL items are fixed.";
    }
    return unused()
        .map(reason -> "yes, but with Spark's sort shuffle: " + reason + ".")
        .orElse("yes.");
  }

  private String inPlace() {
    if (unused().isPresent()) {
      return "no. Spark's sort shuffle uses files.";
    }
    if (is(Settings.READ_PEER_MAPPING.key(), "false")) {
      return "no. %s is false.".formatted(Settings.READ_PEER_MAPPING.key());
    }
    return fault(MemoryChecks.HOST_HEAP)
        .map(found -> (isUncertain(MemoryChecks.HOST_HEAP) ? "unknown. " : "no. ") + found + ".")
        .orElse(
            host.setting("spark.master", "").startsWith("k8s")
                ? "yes, within a pod, and between pods that share %s."
                    .formatted(Settings.HEAP_DIR.key())
                : "yes.");
  }

  private String gpuMemory() {
    String backend = host.setting(Settings.DEVICE_BACKEND.key(), "auto");
    boolean nvshmem =
        !backend.equals("cuda")
            && (backend.equals("nvshmem") || fault(NvshmemChecks.DEVICE_HEAP).isEmpty());
    Optional<String> fault =
        fault(nvshmem ? NvshmemChecks.DEVICE_HEAP : CudaHeapChecks.DEVICE_HEAP);
    if (fault.isPresent()) {
      return "no. " + fault.get() + ".";
    }
    String memory = nvshmem ? "memory of NVSHMEM" : "CUDA memory";
    Optional<String> reason = unused().or(this::refusedByDevice);
    if (reason.isPresent()) {
      return "no. The GPUs are ready, but %s.".formatted(reason.get());
    }
    return refusedByRapids()
        .map("no. The GPUs are ready, but %s."::formatted)
        .orElse("yes, tables of the RAPIDS Accelerator, in %s.".formatted(memory));
  }

  /** Returns why the application does not use SymShuffle at all; empty if it does. */
  private Optional<String> unused() {
    if (!host.settings().isEmpty() && !host.plugins().contains(SparkChecks.PLUGIN)) {
      return Optional.of("spark.plugins does not name " + SparkChecks.PLUGIN);
    }
    return Stream.of(
            Stream.of(Settings.ENABLED.key()).filter(key -> is(key, "false")),
            Stream.of(SparkSettingsCheck.MANAGER_KEY).filter(this::namesOtherManager))
        .flatMap(keys -> keys)
        .map(key -> "%s is %s".formatted(key, host.setting(key, "")))
        .findFirst();
  }

  private boolean namesOtherManager(String key) {
    String manager = host.setting(key, SparkChecks.MANAGER);
    return !manager.equals(SparkChecks.MANAGER) && !SparkSettingsCheck.isSort(manager);
  }

  private Optional<String> refusedByDevice() {
    String key = Settings.DEVICE_ENABLED.key();
    return is(key, "false") ? Optional.of(key + " is false") : Optional.empty();
  }

  /** Returns why tables of RAPIDS go through the host; empty if they stay on the GPUs. */
  private Optional<String> refusedByRapids() {
    String mode = Settings.RAPIDS_MODE.key();
    if (!host.plugins().contains(SparkChecks.RAPIDS_PLUGIN)) {
      return Optional.of(
          "nothing uses them with these settings: spark.plugins does not name "
              + SparkChecks.RAPIDS_PLUGIN);
    }
    String chosen = host.setting(mode, Settings.RAPIDS_MODE.defaultText());
    if (chosen.equals("host")) {
      return Optional.of(
          "with %s=host tables go through the host; auto keeps them on the GPUs".formatted(mode));
    }
    return RapidsChoice.MUST_BE_FALSE.stream()
        .filter(host::isTrue)
        .map(key -> "with %s=true tables go through the host".formatted(key))
        .findFirst();
  }

  /** Returns what a check found if it did not pass; empty if it did. */
  private boolean isUncertain(Check check) {
    return results.stream()
        .filter(result -> result.check().equals(check.title()))
        .anyMatch(result -> result.finding().state() == Finding.State.WARN);
  }

  private Optional<String> fault(Check check) {
    Optional<Finding> worst =
        results.stream()
            .filter(result -> result.check().equals(check.title()))
            .map(Report.Result::finding)
            .max((a, b) -> a.state().compareTo(b.state()));
    return worst.isPresent() && worst.get().state() == Finding.State.OK
        ? Optional.empty()
        : Optional.of(worst.map(Finding::found).orElse("Not tried"));
  }

  private boolean is(String key, String value) {
    return host.setting(key, "").toLowerCase(Locale.ROOT).equals(value);
  }
}
