// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.cuda.CudaAttribute;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaFunction;
import io.symshuffle.cuda.CudaModule;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.LaunchShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fatbin loaded into a context: its functions, their launch shapes on this GPU, and a pool of
 * memory for their arguments. Thread-safe.
 */
final class KernelModule implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KernelModule.class);

  /** Launches take milliseconds. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  /** Threads of a warp. */
  static final int LANES = 32;

  /**
   * What a fatbin contains.
   *
   * @param structs the structs that it shares with the host, in the order of its layout table
   * @param functions names of the kernels
   */
  record Contents(List<Class<? extends Record>> structs, List<String> functions) {}

  private final CudaContext context;
  private final CudaModule module;
  private final KernelLayout layout;
  private final WorkspacePool pool;
  private final int pe;
  private final int multiprocessors;
  private final Map<String, CudaFunction> functions;

  private KernelModule(CudaContext context, CudaModule module, int pe, Contents contents) {
    this.context = context;
    this.module = module;
    this.layout = readLayout(context, module, contents.structs());
    this.pool = new WorkspacePool(context);
    this.pe = pe;
    this.multiprocessors = context.device().attribute(CudaAttribute.MULTIPROCESSORS);
    this.functions = loadFunctions(contents);
  }

  /**
   * Loads a fatbin.
   *
   * @param pe number of this PE, for messages
   * @return the module; the caller closes it
   * @throws UnsupportedKernelException when the image is absent or does not match {@code contents}
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_NO_BINARY_FOR_GPU (209) when it has no
   *     code for this GPU
   */
  static KernelModule load(CudaContext context, KernelImage image, int pe, Contents contents) {
    byte[] bytes =
        image
            .bytes()
            .orElseThrow(() -> new UnsupportedKernelException(image.absence().orElseThrow()));
    CudaModule module = context.load(bytes);
    try {
      return new KernelModule(context, module, pe, contents);
    } catch (RuntimeException e) {
      module.close();
      throw e;
    }
  }

  /**
   * Loads all kernels eagerly. By default CUDA loads a kernel at its first launch, which waits
   * until the GPU is idle: forever, if a running kernel waits for the new one.
   */
  private Map<String, CudaFunction> loadFunctions(Contents contents) {
    Map<String, CudaFunction> loaded = new HashMap<>();
    for (String name : contents.functions()) {
      loaded.put(name, module.function(name));
    }
    // Reading an attribute loads the function.
    loaded.values().forEach(CudaFunction::registers);
    return Map.copyOf(loaded);
  }

  private static KernelLayout readLayout(
      CudaContext context, CudaModule module, List<Class<? extends Record>> structs) {
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
          .mismatch(structs)
          .ifPresent(
              reason -> {
                throw new UnsupportedKernelException(
                    "the jar's kernels and classes do not match: " + reason);
              });
      return layout;
    }
  }

  /** Returns the context. */
  CudaContext context() {
    return context;
  }

  /** Returns the CUDA module. */
  CudaModule module() {
    return module;
  }

  WorkspacePool pool() {
    return pool;
  }

  /** Returns the number of this PE, for messages. */
  int pe() {
    return pe;
  }

  /** Returns the multiprocessors of this GPU. */
  int multiprocessors() {
    return multiprocessors;
  }

  /** Returns threads per CTA, unless a kernel specifies its own. */
  int ctaThreads() {
    return layout.ctaThreads();
  }

  /** Returns the shape of a launch of CTAs with {@link #ctaThreads} threads. */
  LaunchShape ctaShape(int ctas) {
    return new LaunchShape(ctas, layout.ctaThreads(), 0);
  }

  /**
   * Returns a function.
   *
   * @param name a name of {@link Contents}
   */
  CudaFunction function(String name) {
    return functions.get(name);
  }

  /** Closes it like {@link #close(Duration)}, within 10 seconds. */
  @Override
  public void close() {
    close(CLOSE_LIMIT);
  }

  /**
   * Refuses further launches, waits for those in progress, and unloads the kernels.
   *
   * @return false if a kernel may still be running after the limit; then everything is leaked
   */
  boolean close(Duration limit) {
    boolean idle = pool.close(limit);
    if (idle) {
      module.close();
    } else {
      LOG.warn(
          "Leaking the kernels and their memory on {}, because one may still be running",
          context.device());
    }
    return idle;
  }
}
