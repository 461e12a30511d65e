// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SymShuffleConfig;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/** Whose memory a device heap is. */
public enum DeviceBackend {
  /** Started by all executors of a machine together, with all memory. */
  NVSHMEM,

  /** CUDA's virtual memory: opened by each executor alone, with memory on demand. */
  CUDA;

  /**
   * A backend and why it was chosen.
   *
   * @param reason why, a sentence without its full stop
   */
  public record Choice(DeviceBackend backend, String reason) {

    @Override
    public String toString() {
      return "heap of %s: %s".formatted(backend, reason);
    }
  }

  /**
   * Chooses the backend; see {@link Settings#DEVICE_BACKEND} for the rule.
   *
   * @param memoryProblem why NVSHMEM must not take all of its memory at its start, empty if it may;
   *     asked only if it matters
   * @param nvshmemProblem why NVSHMEM cannot be used, empty if it can; asked only if it matters
   */
  public static Choice choose(
      SymShuffleConfig config,
      Supplier<Optional<String>> memoryProblem,
      Supplier<Optional<String>> nvshmemProblem) {
    String setting = config.device().backend();
    if (!setting.equals("auto")) {
      return new Choice(
          valueOf(setting.toUpperCase(Locale.ROOT)),
          "%s is %s".formatted(Settings.DEVICE_BACKEND.key(), setting));
    }
    if (!config.device().peerAccess()) {
      return new Choice(CUDA, Settings.DEVICE_PEER_ACCESS.key() + " is false");
    }
    Optional<String> memory = memoryProblem.get();
    if (memory.isPresent()) {
      return new Choice(
          CUDA, "NVSHMEM would take its memory for the whole application, and " + memory.get());
    }
    if (!config.asksForDevice()) {
      return new Choice(NVSHMEM, "no setting asks for a device heap of CUDA");
    }
    return nvshmemProblem
        .get()
        .map(problem -> new Choice(CUDA, "NVSHMEM cannot be used (" + problem + ")"))
        .orElseGet(
            () -> new Choice(NVSHMEM, "it is installed, and the number of executors is fixed"));
  }
}
