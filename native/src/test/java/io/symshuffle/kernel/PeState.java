// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBytes;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.PeSetup;
import io.symshuffle.nvshmem.SymmetricBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;

/** The state of a PE's process in the device tests. */
public final class PeState {
  /** The timeout of each operation. */
  public static final Duration LIMIT = Duration.ofMinutes(10);

  /** Length of the buffer. */
  public static final long BUFFER_BYTES = 16L << 20;

  /** Whether the libraries are real or fake. */
  public final PeSetup setup;

  /** A folder that all PEs share. */
  public final Path folder;

  /** Number of this PE. */
  public final int pe;

  /** Number of PEs. */
  public final int peCount;

  /** NVSHMEM, started. */
  public final NvshmemRuntime runtime;

  /** For copies and kernels. */
  public final CudaStream stream;

  /** The kernels. */
  public final Kernels kernels;

  /** Symmetric memory. */
  public SymmetricBuffer buffer;

  /** The seed of the step, the same on all PEs. */
  public long seed;

  /**
   * Starts NVSHMEM and loads the kernels.
   *
   * @param arguments of the process: setup, folder, PE, number of PEs
   */
  public PeState(String[] arguments) throws Exception {
    this.setup = PeSetup.valueOf(arguments[0]);
    this.folder = Path.of(arguments[1]);
    this.pe = Integer.parseInt(arguments[2]);
    this.peCount = Integer.parseInt(arguments[3]);
    this.runtime = setup.open(folder, pe, 4 * BUFFER_BYTES);
    this.stream = runtime.context().newStream();
    KernelImage image =
        setup == PeSetup.FAKE ? new KernelImage(Optional.of(new byte[16])) : KernelImage.find();
    this.kernels = Kernels.load(runtime.context(), image, pe);
    PeSetup.start(runtime, folder, "1", pe, peCount);
    this.buffer = runtime.allocate(BUFFER_BYTES, LIMIT);
  }

  /** Returns the random numbers of a PE, which all PEs can recompute. */
  public Random random(int pe) {
    return new Random(seed * 7919 + pe);
  }

  /** Returns the bytes that a PE fills its buffer with, which all PEs can recompute. */
  public byte[] content(int pe, int bytes) {
    byte[] content = new byte[bytes];
    random(pe).nextBytes(content);
    return content;
  }

  /** Waits for all PEs. */
  public void barrier() {
    runtime.barrier(LIMIT);
  }

  /** Returns a range of this PE's buffer. */
  public DeviceRange local(long offset, long bytes) {
    return peer(runtime.myPe(), offset, bytes);
  }

  /** Returns a range of a PE's buffer. */
  public DeviceRange peer(int pe, long offset, long bytes) {
    return buffer.peer(pe).orElseThrow().slice(offset, bytes);
  }

  /** Writes device memory. */
  public void write(DeviceRange to, byte[] bytes) throws Exception {
    DeviceBytes.write(stream, to, bytes);
  }

  /** Reads device memory. */
  public byte[] read(DeviceRange from) throws Exception {
    return DeviceBytes.read(stream, from);
  }

  /** Fills device memory. */
  public void fill(DeviceRange range, byte value) throws Exception {
    stream.fill(range, value);
    stream.synchronize(LIMIT);
  }
}
