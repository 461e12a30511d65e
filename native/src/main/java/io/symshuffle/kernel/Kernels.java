// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

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

/**
 * The kernels, loaded into a context. Each method prepares a launch of one kernel; everything is
 * checked here, so that a kernel has little left to refuse. Threads: any.
 */
public final class Kernels implements AutoCloseable {
  private static final int HOPPER = 9;
  private static final int LANES = 32;

  /** 16 KiB: small enough that the last tiles end together. */
  private static final int MOST_TILE_UNITS = 8;

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

  /** Most units of one list: 4 TiB. */
  private static final long MOST_UNITS = 1L << 31;

  static final long PULL_DESCRIPTOR_BYTES =
      KernelStruct.layout(KernelStruct.PullDescriptor.class).byteSize();
  private static final long CRC_DESCRIPTOR_BYTES =
      KernelStruct.layout(KernelStruct.CrcDescriptor.class).byteSize();
  private static final long SIGNAL_DESCRIPTOR_BYTES =
      KernelStruct.layout(KernelStruct.SignalDescriptor.class).byteSize();

  private final CudaContext context;
  private final CudaModule module;
  private final KernelLayout layout;
  private final WorkspacePool pool;
  private final int pe;
  private final int multiprocessors;
  private final int computeCapability;
  private final Map<String, CudaFunction> functions;

  private Kernels(CudaContext context, CudaModule module, KernelLayout layout, int pe) {
    this.context = context;
    this.module = module;
    this.layout = layout;
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

  /**
   * Loads the kernels.
   *
   * @param context where to
   * @param image the fatbin of this jar
   * @param pe number of this PE, for messages
   * @return the kernels; to be closed when none runs any more
   * @throws UnsupportedKernelException when the image is absent or does not fit this code
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_NO_BINARY_FOR_GPU (209) when it has
   *     nothing for this GPU
   */
  public static Kernels load(CudaContext context, KernelImage image, int pe) {
    requireNonNull(context, "context is null");
    byte[] bytes =
        image
            .bytes()
            .orElseThrow(() -> new UnsupportedKernelException(image.absence().orElseThrow()));
    CudaModule module = context.load(bytes);
    try {
      return new Kernels(context, module, readLayout(context, module), pe);
    } catch (RuntimeException e) {
      module.close();
      throw e;
    }
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

  /** {@return the context that they are loaded in} */
  public CudaContext context() {
    return context;
  }

  /** {@return multiprocessors of this GPU} */
  public int multiprocessors() {
    return multiprocessors;
  }

  /** {@return whether this GPU has the instructions of pull_tma and multimem (Hopper or newer)} */
  public boolean isHopperOrNewer() {
    return computeCapability >= HOPPER;
  }

  /** Number of other PEs in a list. */
  int peers(List<Piece> pieces) {
    return (int)
        pieces.stream().mapToInt(Piece::pe).filter(other -> other != pe).distinct().count();
  }

  /**
   * A plan for a list of pieces that suits this GPU.
   *
   * <p>One CTA a multiprocessor for one peer, half as many for several, fewer for little work;
   * tiles of at most 16 KiB. Measured on H200 (132 multiprocessors), 256 MiB sent by each PE, its
   * own block included, GB/s off each GPU: with one peer 16 CTAs read 187, 64 read 327, 132 read
   * 329, 264 read 328; with three peers 16 read 262, 64 read 327, 132 read 301, 264 read 302. What
   * is in flight beyond the 0.5 MiB that fill NVLink only queues up where several PEs read from the
   * same one. From 1 to 16 MiB 64 CTAs are the best for three peers, too; at 32 and 64 MiB, where
   * caches play in, 132 were better by 6 and 10 %, which one run is too little to build on.
   *
   * @param pieces the list
   * @param spans see {@link LaunchPlan#spans}
   * @return the plan
   */
  public LaunchPlan planFor(List<Piece> pieces, int spans) {
    long bytes = pieces.stream().mapToLong(Piece::bytes).sum();
    long units = Math.max(1, bytes / KernelLayout.UNIT_BYTES + pieces.size());
    int warps = layout.ctaThreads() / LANES;
    int most = peers(pieces) > 1 ? Math.max(1, multiprocessors / 2) : multiprocessors;
    int ctas = Math.clamp((units + warps - 1) / warps, 1, most);
    int tileUnits = Math.clamp(units / ((long) ctas * warps), 1, MOST_TILE_UNITS);
    return new LaunchPlan(ctas, tileUnits, spans);
  }

  /**
   * Prepares a pull: copies pieces, mostly from other PEs' memory, into this PE's.
   *
   * @param pieces what to copy; destinations do not overlap
   * @param plan how to spread it
   * @return the launch
   */
  public KernelLaunch pull(List<Piece> pieces, LaunchPlan plan) {
    return copy("symshuffle_pull", pieces, plan, true, ctaShape(plan.ctas()));
  }

  /**
   * Prepares a push: copies pieces from this PE's memory to where they belong, mostly other PEs'.
   *
   * @param pieces what to copy; destinations do not overlap
   * @param plan how to spread it
   * @return the launch
   */
  public KernelLaunch push(List<Piece> pieces, LaunchPlan plan) {
    return copy("symshuffle_push", pieces, plan, false, ctaShape(plan.ctas()));
  }

  /**
   * Prepares a pull by bulk copies.
   *
   * @param pieces what to copy: addresses and lengths are multiples of 16 bytes
   * @param plan how to spread it
   * @return the launch
   * @throws UnsupportedKernelException before Hopper, and for pieces that are not aligned
   */
  public KernelLaunch pullTma(List<Piece> pieces, LaunchPlan plan) {
    requireHopper("pull_tma");
    for (Piece piece : pieces) {
      if (((piece.source().address() | piece.destination().address() | piece.bytes()) & 15) != 0) {
        throw new UnsupportedKernelException(
            "bulk copies need multiples of 16 bytes, unlike %s to %s"
                .formatted(piece.source(), piece.destination()));
      }
    }
    LaunchPlan fitting =
        new LaunchPlan(
            plan.ctas(), Math.min(plan.tileUnits(), layout.tmaTileUnits()), plan.spans());
    return copy(
        "symshuffle_pull_tma",
        pieces,
        fitting,
        true,
        new LaunchShape(plan.ctas(), layout.tmaCtaThreads(), layout.tmaSharedBytes()));
  }

  private KernelLaunch copy(
      String kernel, List<Piece> pieces, LaunchPlan plan, boolean pull, LaunchShape shape) {
    long[] firstUnits = firstUnits(pieces, pull);
    long unitCount = firstUnits[pieces.size()];
    return new KernelLaunch(
        pool,
        function(kernel),
        shape,
        PULL_DESCRIPTOR_BYTES * pieces.size(),
        to -> writePieces(pieces, firstUnits, to),
        place ->
            new KernelStruct.PullArguments(
                place.tables(),
                place.status(),
                pieces.size(),
                (int) unitCount,
                plan.tileUnits(),
                plan.spans(),
                pe,
                0));
  }

  /** long[pieces + 1]: number of the first unit of each piece, and of all units at the end. */
  static long[] firstUnits(List<Piece> pieces, boolean pull) {
    long[] firstUnits = new long[pieces.size() + 1];
    for (int i = 0; i < pieces.size(); i++) {
      firstUnits[i + 1] = firstUnits[i] + units(pieces.get(i), pull);
    }
    checkUnits(firstUnits[pieces.size()]);
    return firstUnits;
  }

  private static long units(Piece piece, boolean pull) {
    return pull
        ? UnitGeometry.unitsByRemoteSource(
            piece.source().address(), piece.destination().address(), piece.bytes())
        : UnitGeometry.unitsByRemoteDestination(piece.destination().address(), piece.bytes());
  }

  private static long checkUnits(long units) {
    if (units > MOST_UNITS) {
      throw new IllegalArgumentException(
          "a list of %d units of %d bytes is longer than %d: cut it"
              .formatted(units, KernelLayout.UNIT_BYTES, MOST_UNITS));
    }
    return units;
  }

  /** Fills in PullDescriptor[pieces]. */
  static void writePieces(List<Piece> pieces, long[] firstUnits, MemorySegment to) {
    long at = 0;
    for (int i = 0; i < pieces.size(); i++, at += PULL_DESCRIPTOR_BYTES) {
      Piece piece = pieces.get(i);
      to.set(JAVA_LONG, at, piece.source().address());
      to.set(JAVA_LONG, at + 8, piece.destination().address());
      to.set(JAVA_LONG, at + 16, piece.bytes());
      to.set(JAVA_INT, at + 24, (int) firstUnits[i]);
      to.set(JAVA_INT, at + 28, piece.pe());
    }
  }

  /**
   * Prepares checksums.
   *
   * @param pieces what to check, at most 16 GiB each
   * @return the launch
   */
  public CrcLaunch crc32c(List<DeviceRange> pieces) {
    long[] firstUnits = new long[pieces.size() + 1];
    for (int i = 0; i < pieces.size(); i++) {
      DeviceRange piece = pieces.get(i);
      if (piece.bytes() > Piece.MOST_BYTES) {
        throw new IllegalArgumentException(
            "%s are more than %d: cut them".formatted(piece, Piece.MOST_BYTES));
      }
      firstUnits[i + 1] =
          firstUnits[i]
              + UnitGeometry.unitsByRemoteSource(piece.address(), piece.address(), piece.bytes());
    }
    long unitCount = checkUnits(firstUnits[pieces.size()]);
    long resultsOffset = CRC_DESCRIPTOR_BYTES * pieces.size();
    int warps = layout.ctaThreads() / LANES;
    int ctas = Math.clamp((unitCount + warps - 1) / warps, 1, 2 * multiprocessors);
    int tileUnits = Math.clamp(unitCount / ((long) ctas * warps), 1, 16);
    return new CrcLaunch(
        pool,
        function("symshuffle_crc32c"),
        ctaShape(ctas),
        resultsOffset + (long) Integer.BYTES * pieces.size(),
        to -> {
          for (int i = 0; i < pieces.size(); i++) {
            long at = CRC_DESCRIPTOR_BYTES * i;
            to.set(JAVA_LONG, at, pieces.get(i).address());
            to.set(JAVA_LONG, at + 8, pieces.get(i).bytes());
            to.set(JAVA_INT, at + 16, (int) firstUnits[i]);
            to.set(JAVA_INT, at + 20, pe);
          }
        },
        place ->
            new KernelStruct.CrcArguments(
                place.tables(),
                place.tables() + resultsOffset,
                place.status(),
                pieces.size(),
                (int) unitCount,
                tileUnits,
                pe),
        resultsOffset,
        pieces.size());
  }

  /**
   * A number to set or to wait for.
   *
   * @param address an 8-byte aligned u64 that this GPU reaches
   * @param value the number, without a sign
   * @param pe the other PE
   */
  public record Signal(long address, long value, int pe) {

    /** Checks. */
    public Signal {
      if (address == 0 || address % Long.BYTES != 0) {
        throw new IllegalArgumentException("a signal at the address " + address);
      }
    }
  }

  /**
   * Prepares signals: sets numbers, and whoever sees one sees all that this stream wrote before.
   *
   * @param signals what to set
   * @return the launch
   */
  public KernelLaunch signal(List<Signal> signals) {
    return new KernelLaunch(
        pool,
        function("symshuffle_signal"),
        smallShape(signals.size()),
        SIGNAL_DESCRIPTOR_BYTES * signals.size(),
        to -> writeSignals(signals, to),
        place ->
            new KernelStruct.SignalArguments(place.tables(), place.status(), signals.size(), pe));
  }

  /**
   * Prepares a wait for numbers to be large enough, with a limit.
   *
   * @param signals what to wait for
   * @param limit how long at most, by the GPU's clock
   * @return the launch; {@link KernelLaunch#await} names the PEs that did not come
   */
  public KernelLaunch await(List<Signal> signals, Duration limit) {
    return new KernelLaunch(
        pool,
        function("symshuffle_wait"),
        smallShape(signals.size()),
        SIGNAL_DESCRIPTOR_BYTES * signals.size(),
        to -> writeSignals(signals, to),
        place ->
            new KernelStruct.WaitArguments(
                place.tables(), place.status(), 0, limit.toNanos(), signals.size(), pe));
  }

  private static void writeSignals(List<Signal> signals, MemorySegment to) {
    long at = 0;
    for (Signal signal : signals) {
      to.set(JAVA_LONG, at, signal.address());
      to.set(JAVA_LONG, at + 8, signal.value());
      to.set(JAVA_INT, at + 16, signal.pe());
      at += SIGNAL_DESCRIPTOR_BYTES;
    }
  }

  /**
   * Prepares a barrier of all PEs on streams.
   *
   * @param arrivals for each PE its array of arrivals as this GPU reaches it: u64[PEs], zeroed once
   *     before any PE's first round
   * @param limit how long a round waits at most, by the GPU's clock
   * @return the launch
   */
  public BarrierLaunch barrier(List<DeviceRange> arrivals, Duration limit) {
    for (DeviceRange array : arrivals) {
      if (array.bytes() != (long) Long.BYTES * arrivals.size() || array.address() % 8 != 0) {
        throw new IllegalArgumentException(
            "a barrier of %d PEs needs arrays of %d bytes, not %s"
                .formatted(arrivals.size(), Long.BYTES * arrivals.size(), array));
      }
    }
    if (pe >= arrivals.size()) {
      throw new IllegalArgumentException(
          "PE %d takes part in a barrier of %d PEs".formatted(pe, arrivals.size()));
    }
    return new BarrierLaunch(
        pool,
        function("symshuffle_barrier"),
        smallShape(arrivals.size()),
        (long) Long.BYTES * arrivals.size(),
        to -> writeAddresses(arrivals, to),
        place ->
            new KernelStruct.BarrierArguments(
                place.tables(), place.status(), 0, limit.toNanos(), 0, arrivals.size(), pe),
        KernelStruct.offset(KernelStruct.BarrierArguments.class, "round"),
        1);
  }

  /**
   * Prepares a reduction: every element of the inputs, in their order, into every output. A barrier
   * goes before and after where other PEs' memory is involved.
   *
   * @param type type of the elements
   * @param operation what to do with them
   * @param inputs one range a PE, of the same length, in the same order on all PEs
   * @param outputs ranges of the same length
   * @param firstElement the first element to work on
   * @param elementCount how many
   * @return the launch
   */
  public KernelLaunch reduce(
      ElementType type,
      ReduceOperation operation,
      List<DeviceRange> inputs,
      List<DeviceRange> outputs,
      long firstElement,
      long elementCount) {
    if (inputs.isEmpty() || outputs.isEmpty()) {
      throw new IllegalArgumentException("a reduction without inputs or without outputs");
    }
    for (List<DeviceRange> ranges : List.of(inputs, outputs)) {
      ranges.forEach(range -> checkElements(type, range, firstElement, elementCount));
    }
    long outputsOffset = (long) Long.BYTES * inputs.size();
    return new KernelLaunch(
        pool,
        function("symshuffle_reduce"),
        spreadShape(elementCount * type.bytes()),
        outputsOffset + (long) Long.BYTES * outputs.size(),
        to -> {
          writeAddresses(inputs, to);
          writeAddresses(outputs, to.asSlice(outputsOffset));
        },
        place ->
            new KernelStruct.ReduceArguments(
                place.tables(),
                place.tables() + outputsOffset,
                place.status(),
                firstElement,
                elementCount,
                inputs.size(),
                outputs.size(),
                type.number(),
                operation.number(),
                pe,
                0));
  }

  /**
   * Prepares a broadcast: one range into all others.
   *
   * @param source where from, at most 16 GiB; any alignment
   * @param destinations where to, of the same length
   * @return the launch
   */
  public KernelLaunch broadcast(DeviceRange source, List<DeviceRange> destinations) {
    destinations.forEach(destination -> new Piece(source, destination, pe));
    return new KernelLaunch(
        pool,
        function("symshuffle_broadcast"),
        spreadShape(source.bytes() * Math.max(1, destinations.size())),
        (long) Long.BYTES * destinations.size(),
        to -> writeAddresses(destinations, to),
        place ->
            new KernelStruct.BroadcastArguments(
                source.address(),
                place.tables(),
                place.status(),
                source.bytes(),
                destinations.size(),
                pe));
  }

  /**
   * Prepares a reduction by the switch: reads a multicast address, which combines all PEs'
   * elements.
   *
   * @param type type of the elements
   * @param operation what to do with them: for floating point a sum only
   * @param input a multicast range, 16-byte aligned
   * @param output a multicast range, which writes to all PEs, or one of this PE's
   * @param outputIsMulticast which of the two
   * @param firstElement the first element to work on
   * @param elementCount how many
   * @return the launch
   * @throws UnsupportedKernelException before Hopper, and for min and max of floating point
   */
  public KernelLaunch multimemReduce(
      ElementType type,
      ReduceOperation operation,
      DeviceRange input,
      DeviceRange output,
      boolean outputIsMulticast,
      long firstElement,
      long elementCount) {
    requireHopper("multimem_reduce");
    if (type.isFloating() && operation != ReduceOperation.SUM) {
      throw new UnsupportedKernelException(
          "the switch sums %s but knows no %s of them: use the reduction over peer loads"
              .formatted(type, operation));
    }
    checkElements(type, input, firstElement, elementCount);
    checkElements(type, output, firstElement, elementCount);
    requireAligned(input);
    requireAligned(output);
    return new KernelLaunch(
        pool,
        function("symshuffle_multimem_reduce"),
        spreadShape(elementCount * type.bytes()),
        0,
        to -> {},
        place ->
            new KernelStruct.MultimemReduceArguments(
                input.address(),
                output.address(),
                place.status(),
                firstElement,
                elementCount,
                outputIsMulticast ? 1 : 0,
                type.number(),
                operation.number(),
                pe));
  }

  /**
   * Prepares a broadcast by the switch.
   *
   * @param source where from, 16-byte aligned
   * @param destination a multicast range, 16-byte aligned, of the same length, a multiple of 4
   * @return the launch
   * @throws UnsupportedKernelException before Hopper
   */
  public KernelLaunch multimemBroadcast(DeviceRange source, DeviceRange destination) {
    requireHopper("multimem_broadcast");
    requireAligned(source);
    requireAligned(destination);
    if (source.bytes() != destination.bytes() || source.bytes() % Integer.BYTES != 0) {
      throw new IllegalArgumentException("a multicast of %s to %s".formatted(source, destination));
    }
    return new KernelLaunch(
        pool,
        function("symshuffle_multimem_broadcast"),
        spreadShape(source.bytes()),
        0,
        to -> {},
        place ->
            new KernelStruct.MultimemBroadcastArguments(
                source.address(), destination.address(), place.status(), source.bytes(), pe, 0));
  }

  /**
   * Prepares a barrier by the switch.
   *
   * @param multicastCounter a multicast range of 8 bytes, zeroed once before any PE's first round
   * @param counter the same 8 bytes of this PE
   * @param peCount number of PEs
   * @param limit how long a round waits at most, by the GPU's clock
   * @return the launch
   * @throws UnsupportedKernelException before Hopper
   */
  public BarrierLaunch multimemBarrier(
      DeviceRange multicastCounter, DeviceRange counter, int peCount, Duration limit) {
    requireHopper("multimem_barrier");
    if (multicastCounter.bytes() != Long.BYTES || counter.bytes() != Long.BYTES) {
      throw new IllegalArgumentException(
          "a barrier counts in 8 bytes, not in %s and %s".formatted(multicastCounter, counter));
    }
    return new BarrierLaunch(
        pool,
        function("symshuffle_multimem_barrier"),
        new LaunchShape(1, LANES, 0),
        0,
        to -> {},
        place ->
            new KernelStruct.MultimemBarrierArguments(
                multicastCounter.address(),
                counter.address(),
                place.status(),
                0,
                limit.toNanos(),
                0,
                pe,
                0),
        KernelStruct.offset(KernelStruct.MultimemBarrierArguments.class, "expected"),
        peCount);
  }

  /**
   * Prepares the sort of a staging buffer of records into a run.
   *
   * @param plan of {@link RowPartitionPlan#of}, for the multiprocessors of this GPU
   * @param memory what it works on
   * @param checksums whether the blocks' checksums are wanted
   * @return the launches
   * @throws IllegalArgumentException when the memory does not fit the plan
   */
  public RowPartition rowPartition(
      RowPartitionPlan plan, RowPartition.Memory memory, boolean checksums) {
    return new RowPartition(pool, this::function, layout.ctaThreads(), pe, plan, memory, checksums);
  }

  private static void writeAddresses(List<DeviceRange> ranges, MemorySegment to) {
    for (int i = 0; i < ranges.size(); i++) {
      to.setAtIndex(JAVA_LONG, i, ranges.get(i).address());
    }
  }

  private static void checkElements(
      ElementType type, DeviceRange range, long firstElement, long elementCount) {
    range.slice(
        Math.multiplyExact(firstElement, type.bytes()),
        Math.multiplyExact(elementCount, type.bytes()));
    if (range.address() % type.bytes() != 0) {
      throw new IllegalArgumentException("%s are not aligned for %s".formatted(range, type));
    }
  }

  private static void requireAligned(DeviceRange range) {
    if (range.address() % 16 != 0) {
      throw new IllegalArgumentException("%s are not 16-byte aligned".formatted(range));
    }
  }

  private void requireHopper(String kernel) {
    if (!isHopperOrNewer()) {
      throw new UnsupportedKernelException(
          "%s needs compute capability 9.0, and %s has %d.x"
              .formatted(kernel, context.device().name(), computeCapability));
    }
  }

  private LaunchShape ctaShape(int ctas) {
    return new LaunchShape(ctas, layout.ctaThreads(), 0);
  }

  private LaunchShape smallShape(int items) {
    return new LaunchShape(
        1, Math.clamp((items + LANES - 1L) / LANES * LANES, LANES, layout.ctaThreads()), 0);
  }

  /** One CTA for each 64 KiB, two a multiprocessor at most. */
  private LaunchShape spreadShape(long bytes) {
    return ctaShape(Math.clamp(bytes / (64 << 10), 1, 2 * multiprocessors));
  }

  private CudaFunction function(String name) {
    return functions.get(name);
  }

  @Override
  public void close() {
    pool.close();
    module.close();
  }
}
