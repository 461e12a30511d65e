// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaAttribute;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaFunction;
import io.symshuffle.cuda.CudaModule;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.LaunchShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The module of kernels in a context: its functions, and how they are launched on this GPU. */
final class LoadedKernels implements AutoCloseable {
  private static final int HOPPER = 9;
  static final int LANES = 32;

  private static final List<String> FUNCTIONS =
      List.of(
          "symshuffle_pull",
          "symshuffle_push",
          "symshuffle_crc32c",
          "symshuffle_signal",
          "symshuffle_wait",
          "symshuffle_barrier",
          "symshuffle_reduce",
          "symshuffle_broadcast",
          "symshuffle_row_parse",
          "symshuffle_row_count",
          "symshuffle_row_count_parts",
          "symshuffle_row_count_entries",
          "symshuffle_row_scatter",
          "symshuffle_row_place_parts",
          "symshuffle_row_place_entries",
          "symshuffle_row_move",
          "symshuffle_row_crc32c");

  private static final List<String> HOPPER_FUNCTIONS =
      List.of(
          "symshuffle_pull_tma",
          "symshuffle_multimem_reduce",
          "symshuffle_multimem_broadcast",
          "symshuffle_multimem_barrier");

  private final CudaContext context;
  private final CudaModule module;
  private final KernelLayout layout;
  private final WorkspacePool pool;
  private final int pe;
  private final int multiprocessors;
  private final int computeCapability;
  private final Map<String, CudaFunction> functions;

  /**
   * Loads the kernels.
   *
   * @throws UnsupportedKernelException when the module does not fit this code
   */
  LoadedKernels(CudaContext context, CudaModule module, int pe) {
    this.context = context;
    this.module = module;
    this.layout = readLayout(context, module);
    this.pool = new WorkspacePool(context);
    this.pe = pe;
    this.multiprocessors = context.device().attribute(CudaAttribute.MULTIPROCESSORS);
    this.computeCapability = context.device().attribute(CudaAttribute.COMPUTE_CAPABILITY_MAJOR);
    this.functions = loadFunctions();
  }

  /**
   * Loads all kernels now. CUDA would load each at its first use, which waits until the GPU is
   * idle: for ever, where a kernel that runs waits for what the new one would do.
   */
  private Map<String, CudaFunction> loadFunctions() {
    Map<String, CudaFunction> loaded = new HashMap<>();
    for (String name : FUNCTIONS) {
      loaded.put(name, module.function(name));
    }
    if (isHopperOrNewer()) {
      for (String name : HOPPER_FUNCTIONS) {
        loaded.put(name, module.function(name));
      }
      loaded.get("symshuffle_pull_tma").allowSharedBytes(layout.tmaSharedBytes());
    }
    // An attribute of a function is known only once it is loaded.
    loaded.values().forEach(CudaFunction::registers);
    return Map.copyOf(loaded);
  }

  /** What a module says about its structs; refused when they are not ours. */
  static KernelLayout readLayout(CudaContext context, CudaModule module) {
    DeviceRange variable =
        module
            .variable(KernelLayout.VARIABLE)
            .orElseThrow(
                () ->
                    new UnsupportedKernelException(
                        "the jar's kernels have no variable " + KernelLayout.VARIABLE));
    try (Arena arena = Arena.ofConfined();
        CudaStream stream = context.newStream()) {
      MemorySegment table = arena.allocate(variable.bytes(), Integer.BYTES);
      stream.copyOut(table, variable);
      stream.synchronize();
      KernelLayout layout = KernelLayout.read(table);
      layout
          .mismatch()
          .ifPresent(
              reason -> {
                throw new UnsupportedKernelException(
                    "the jar's kernels and classes do not fit together: " + reason);
              });
      return layout;
    }
  }

  CudaContext context() {
    return context;
  }

  KernelLayout layout() {
    return layout;
  }

  WorkspacePool pool() {
    return pool;
  }

  /** Number of this PE, for messages. */
  int pe() {
    return pe;
  }

  int multiprocessors() {
    return multiprocessors;
  }

  boolean isHopperOrNewer() {
    return computeCapability >= HOPPER;
  }

  void requireHopper(String kernel) {
    if (!isHopperOrNewer()) {
      throw new UnsupportedKernelException(
          "%s needs compute capability 9.0, and %s has %d.x"
              .formatted(kernel, context.device().name(), computeCapability));
    }
  }

  /** So many CTAs of as many threads as most kernels have. */
  LaunchShape ctaShape(int ctas) {
    return new LaunchShape(ctas, layout.ctaThreads(), 0);
  }

  /** One CTA with a thread an item. */
  LaunchShape smallShape(int items) {
    return new LaunchShape(
        1, Math.clamp((items + LANES - 1L) / LANES * LANES, LANES, layout.ctaThreads()), 0);
  }

  /** One CTA for each 64 KiB, two a multiprocessor at most. */
  LaunchShape spreadShape(long bytes) {
    return ctaShape(Math.clamp(bytes / (64 << 10), 1, 2 * multiprocessors));
  }

  CudaFunction function(String name) {
    return functions.get(name);
  }

  /** Fills in u64[ranges]. */
  static void writeAddresses(List<DeviceRange> ranges, MemorySegment to) {
    for (int i = 0; i < ranges.size(); i++) {
      to.setAtIndex(JAVA_LONG, i, ranges.get(i).address());
    }
  }

  @Override
  public void close() {
    pool.close();
    module.close();
  }
}
