// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.GpuShare;
import io.symshuffle.plugin.config.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Divides the memory of each GPU among applications that run at once. By default all of them get
 * the same amount; one with a device heap has a smaller pool of RAPIDS in return.
 *
 * @param freeBytes what is free for an executor of each application, on the GPU with the least
 * @param pool RAPIDS' memory pool of each application; empty to choose it
 * @param heap the device heap of each application that has one; empty to choose it
 */
record GpuMemory(long freeBytes, Optional<ByteSize> pool, Optional<GpuShare> heap) {
  private static final long GIB = 1L << 30;
  private static final long MIB = 1L << 20;

  /** CUDA's context, kernels, and the 640 MiB that RAPIDS keeps free. */
  private static final long CONTEXT_BYTES = 2 * GIB;

  /** Below this RAPIDS has no room for the batches of concurrent tasks. */
  private static final long MIN_POOL_BYTES = 4 * GIB;

  private record Share(ManagerChoice choice, long pool, long heap) {
    long bytes() {
      return choice.needsRapids() ? pool + heap + CONTEXT_BYTES : 0;
    }
  }

  /**
   * Divides the memory.
   *
   * @param choices one per application
   * @return the settings of each, in the same order
   * @throws CliException if the applications do not fit, with the arithmetic
   */
  List<Map<String, String>> settings(List<ManagerChoice> choices) {
    List<Share> shares = choices.stream().map(choice -> share(choice, choices)).toList();
    long sum = shares.stream().mapToLong(Share::bytes).sum();
    boolean starved =
        shares.stream().anyMatch(s -> s.choice().needsRapids() && s.pool() < MIN_POOL_BYTES);
    if (sum > freeBytes || starved) {
      throw CliException.wrongUsage(refusal(shares, sum));
    }
    List<Map<String, String>> settings = new ArrayList<>();
    for (Share share : shares) {
      Map<String, String> own = new LinkedHashMap<>();
      if (share.choice().needsRapids()) {
        own.put("spark.rapids.memory.gpu.allocSize", mib(share.pool()));
      }
      if (share.choice().hasDeviceHeap()) {
        own.put(Settings.DEVICE_HEAP_SIZE.key(), mib(share.heap()));
      }
      settings.add(own);
    }
    return settings;
  }

  private Share share(ManagerChoice choice, List<ManagerChoice> all) {
    long users = all.stream().filter(ManagerChoice::needsRapids).count();
    long each = users == 0 ? 0 : freeBytes / users - CONTEXT_BYTES;
    GpuShare wanted = heap.orElse(Settings.DEVICE_HEAP_SIZE.defaultValue());
    // A fraction is one of this application's part of the GPU.
    long ofHeap = choice.hasDeviceHeap() ? Math.max(0, wanted.of(each)) : 0;
    long ofPool = choice.needsRapids() ? pool.map(ByteSize::bytes).orElse(each - ofHeap) : 0;
    return new Share(choice, ofPool, ofHeap);
  }

  private String refusal(List<Share> shares, long sum) {
    StringBuilder text = new StringBuilder();
    text.append(
        "The applications of this comparison run at once and do not fit in the memory of a GPU, of which %s are free:"
            .formatted(gib(freeBytes)));
    for (Share share : shares) {
      if (share.choice().needsRapids()) {
        text.append(
            "%n  %s: pool %s + device heap %s + %s for CUDA = %s"
                .formatted(
                    share.choice().label(),
                    gib(share.pool()),
                    gib(share.heap()),
                    gib(CONTEXT_BYTES),
                    gib(share.bytes())));
      }
    }
    return text.append(
            "%n  sum: %s; a pool needs at least %s%nCompare fewer managers at a time (--managers), or choose a smaller --gpu-pool or --conf %s=SIZE."
                .formatted(gib(sum), gib(MIN_POOL_BYTES), Settings.DEVICE_HEAP_SIZE.key()))
        .toString();
  }

  private static String gib(long bytes) {
    return String.format(Locale.ROOT, "%.1f GiB", (double) bytes / GIB);
  }

  private static String mib(long bytes) {
    return bytes / MIB + "m";
  }
}
