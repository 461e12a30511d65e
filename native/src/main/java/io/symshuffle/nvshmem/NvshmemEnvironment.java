// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.ffi.ProcessEnvironment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Environment variables that the library reads at its start, set only where the user has not. They
 * fit peers on one host linked by NVLink.
 *
 * @param variables names and values
 */
public record NvshmemEnvironment(Map<String, String> variables) {
  private static final long GIB = 1L << 30;

  /** Copies. */
  public NvshmemEnvironment {
    variables = Map.copyOf(variables);
  }

  /**
   * The recommended environment.
   *
   * @param arenaBytes maximum symmetric memory that will be allocated on a PE
   * @param networkInterface over which PEs find each other, for example {@code eth0}; empty for the
   *     library's choice
   * @return the variables
   */
  public static NvshmemEnvironment recommended(long arenaBytes, Optional<String> networkInterface) {
    Map<String, String> v = new LinkedHashMap<>();
    // One host: the default transport warns, and may crash, where there is no InfiniBand.
    v.put("NVSHMEM_REMOTE_TRANSPORT", "none");
    v.put("NVSHMEM_IB_ENABLE_IBGDA", "0");
    // PEs would have to agree on NCCL's version, and our kernels are faster.
    v.put("NVSHMEM_DISABLE_NCCL", "1");
    // Multicast objects are created at start even if they are unused, and a failure is final.
    v.put("NVSHMEM_DISABLE_NVLS", "1");
    // A thread that spins on a core for transports that are not there.
    v.put("NVSHMEM_DISABLE_LOCAL_ONLY_PROXY", "1");
    // Heaps grow by 64 MiB; the default is 512 MiB, of which small heaps would waste most.
    v.put("NVSHMEM_CUMEM_GRANULARITY", Long.toString(64 << 20));
    // Address space per peer; the default, 128 GiB up to 3.4, is less than an H200 has.
    v.put("NVSHMEM_MAX_MEMORY_PER_GPU", Long.toString(arenaBytes + 2 * GIB));
    v.put(BootstrapInterface.FAMILY, "AF_INET");
    // The leading equals sign asks for exactly this name, not for names that start with it.
    networkInterface.ifPresent(name -> v.put(BootstrapInterface.NAMES, "=" + name));
    return new NvshmemEnvironment(v);
  }

  /** Sets what is not set yet; to be called before the first call into the library. */
  void apply() {
    variables.forEach(ProcessEnvironment::setIfUnset);
  }
}
