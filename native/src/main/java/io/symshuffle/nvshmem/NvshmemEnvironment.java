// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.ffi.ProcessEnvironment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Environment variables that NVSHMEM reads when it starts, for PEs on one host linked by NVLink.
 * Variables that the user has set are kept.
 */
public record NvshmemEnvironment(Map<String, String> variables) {
  private static final long GIB = 1L << 30;

  public NvshmemEnvironment {
    variables = Map.copyOf(variables);
  }

  /**
   * Returns the recommended environment.
   *
   * @param arenaBytes maximum symmetric memory that a PE will allocate
   * @param networkInterface interface over which PEs find each other, for example {@code eth0};
   *     empty for NVSHMEM's choice
   */
  public static NvshmemEnvironment recommended(long arenaBytes, Optional<String> networkInterface) {
    Map<String, String> v = new LinkedHashMap<>();
    // One host: the default transport warns, and may crash, without InfiniBand.
    v.put("NVSHMEM_REMOTE_TRANSPORT", "none");
    v.put("NVSHMEM_IB_ENABLE_IBGDA", "0");
    // All PEs would need the same NCCL version.
    v.put("NVSHMEM_DISABLE_NCCL", "1");
    // Multicast objects are created at startup even if they are unused, and a failure is fatal.
    v.put("NVSHMEM_DISABLE_NVLS", "1");
    // The proxy is a thread that spins on a core, for transports that are disabled here.
    v.put("NVSHMEM_DISABLE_LOCAL_ONLY_PROXY", "1");
    // Heaps grow by 64 MiB instead of 512 MiB, most of which small heaps would waste.
    v.put("NVSHMEM_CUMEM_GRANULARITY", Long.toString(64 << 20));
    // Address space per PE; the default, 128 GiB up to 3.4, is less than the memory of an H200.
    v.put("NVSHMEM_MAX_MEMORY_PER_GPU", Long.toString(arenaBytes + 2 * GIB));
    v.put(BootstrapInterface.FAMILY, "AF_INET");
    // The leading equals sign means exactly this name, instead of names that start with it.
    networkInterface.ifPresent(name -> v.put(BootstrapInterface.NAMES, "=" + name));
    return new NvshmemEnvironment(v);
  }

  /** Sets the variables that are unset. Must be called before the first call into NVSHMEM. */
  void apply() {
    variables.forEach(ProcessEnvironment::setIfUnset);
  }
}
