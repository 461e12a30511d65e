// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

import io.symshuffle.benchmarks.linker.DeviceLinker;
import io.symshuffle.benchmarks.nvshmem.NvshmemExtras;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.KernelModule;
import io.symshuffle.kernel.KernelStatus;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.kernel.LaunchPlan;
import io.symshuffle.kernel.Piece;
import io.symshuffle.kernel.PieceTable;
import io.symshuffle.kernel.UnsupportedKernelException;
import io.symshuffle.nvshmem.NvshmemRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A pull that also reads from PEs whose memory is not mapped here: the kernel is linked at run time
 * with the user's NVSHMEM, so that host and device code have the same version. Pieces of mapped PEs
 * are copied like {@link Kernels#pull}; for the others the kernel calls NVSHMEM, whose transports
 * wait without a timeout: poll the stream, and never synchronize after the loss of a PE.
 *
 * <p>It is valid until NVSHMEM finishes. Thread-safe.
 */
public final class DevicePull implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

  private static final String FUNCTION = "symshuffle_device_pull";

  private final NvshmemRuntime runtime;
  private final NvshmemExtras extras;
  private final KernelModule module;

  private DevicePull(NvshmemRuntime runtime, KernelModule module) {
    this.runtime = runtime;
    this.extras = new NvshmemExtras(runtime);
    this.module = module;
  }

  /**
   * Links, loads and registers the kernel with any available linker.
   *
   * @param runtime NVSHMEM, started
   * @param limit timeout of its registration
   * @return the kernel; close it when it is not running anymore, before NVSHMEM finishes
   * @throws UnsupportedKernelException when it cannot be linked; the message says why
   */
  public static DevicePull load(NvshmemRuntime runtime, Duration limit) {
    return load(runtime, DeviceLinker.all(), limit);
  }

  /** Does the same with the first of these linkers that works. */
  static DevicePull load(NvshmemRuntime runtime, List<DeviceLinker> linkers, Duration limit) {
    requireNonNull(limit, "limit is null");
    CudaContext context = runtime.context();
    DevicePullCode code = DevicePullCode.link(context, runtime.library(), linkers);
    KernelModule module = code.load(context, runtime.myPe());
    try {
      DevicePull pull = new DevicePull(runtime, module);
      pull.extras.run("registering device_pull", limit, calls -> calls.register(module.module()));
      return pull;
    } catch (RuntimeException e) {
      module.close();
      throw e;
    }
  }

  /**
   * Prepares a pull.
   *
   * @param own this PE's part of a symmetric buffer or its heap's window; 128-byte aligned
   * @param peers one entry per PE: where that PE's part is mapped here; empty if the kernel should
   *     call NVSHMEM
   * @param pieces what to copy. Each source is a range of {@code own}, for the same offset in the
   *     memory of its PE. Destinations do not overlap; those that NVSHMEM's transports write are
   *     symmetric memory
   * @param plan how to distribute it; a tile is the unit of transfer through NVSHMEM
   * @return the launch
   */
  public KernelLaunch pull(
      DeviceRange own, List<Optional<DeviceRange>> peers, List<Piece> pieces, LaunchPlan plan) {
    check(own, peers, pieces);
    PieceTable table = PieceTable.of(pieces, PieceTable.Remote.SOURCE);
    long peersOffset = table.bytes();
    return new KernelLaunch(
        module,
        FUNCTION,
        module.ctaShape(plan.ctas()),
        peersOffset + (long) Long.BYTES * peers.size(),
        to -> {
          table.write(to);
          for (int i = 0; i < peers.size(); i++) {
            to.set(
                JAVA_LONG,
                peersOffset + (long) Long.BYTES * i,
                peers.get(i).map(DeviceRange::address).orElse(0L));
          }
        },
        place ->
            new BenchmarkStruct.DevicePullArguments(
                place.tables(),
                place.status(),
                pieces.size(),
                table.units(),
                plan.tileUnits(),
                plan.spans(),
                module.pe(),
                0,
                place.tables() + peersOffset,
                own.address())) {
      @Override
      protected Optional<String> problem(KernelStatus status) {
        return status.code() == KernelStatus.Code.UNSUPPORTED
            ? Optional.of(
                "%s needs version %d of NVSHMEM's device state but found %d: its module is not registered with NVSHMEM, or this NVSHMEM is not supported"
                    .formatted(FUNCTION, status.expected(), status.seen()))
            : super.problem(status);
      }
    };
  }

  private void check(DeviceRange own, List<Optional<DeviceRange>> peers, List<Piece> pieces) {
    if (peers.size() != runtime.peCount()) {
      throw new IllegalArgumentException(
          "a table of %d PEs instead of %d".formatted(peers.size(), runtime.peCount()));
    }
    for (DeviceRange base : peers.stream().flatMap(Optional::stream).toList()) {
      checkBase(base);
    }
    checkBase(own);
    for (Piece piece : pieces) {
      DeviceRange source = piece.source();
      if (piece.pe() < 0 || piece.pe() >= peers.size()) {
        throw new IllegalArgumentException(
            "there is no PE %d of %d".formatted(piece.pe(), peers.size()));
      }
      if (source.bytes() > 0
          && (source.address() < own.address()
              || source.address() + source.bytes() > own.address() + own.bytes())) {
        throw new IllegalArgumentException("%s are not in %s".formatted(source, own));
      }
    }
  }

  /**
   * A piece must have the same alignment to 128-byte lines in its owner's memory as in this PE's.
   */
  private static void checkBase(DeviceRange base) {
    if (base.address() % 128 != 0) {
      throw new IllegalArgumentException("%s are not 128-byte aligned".formatted(base));
    }
  }

  /** Unregisters the kernel, unless NVSHMEM was given up or has finished, and unloads it. */
  @Override
  public void close() {
    if (runtime.lost().isEmpty() && runtime.isStarted()) {
      extras.run(
          "unregistering device_pull", CLOSE_LIMIT, calls -> calls.unregister(module.module()));
    }
    module.close();
  }
}
