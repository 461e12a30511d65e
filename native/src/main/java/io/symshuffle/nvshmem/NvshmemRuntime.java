// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * NVSHMEM in this process: one PE, on the GPU of one context. All calls that may block or are not
 * thread-safe run on one owner thread, each with a timeout; {@link NvshmemCalls} has these calls.
 *
 * <p>After {@link #open}, all PEs {@link #start} together and {@link #finish} together; they may
 * start again with a new id. After {@link #giveUp}, a timeout or a failed start, all calls are
 * refused: a collective without one of its PEs never returns, and would even keep the process from
 * ending. Mapped memory stays readable by kernels and copies, including a dead PE's (tested on 4
 * H200 with NVSHMEM 3.4.5).
 *
 * <p>Use only one per process, since NVSHMEM's state is global. Thread-safe.
 */
public final class NvshmemRuntime implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NvshmemRuntime.class);

  /** NVSHMEMX_INIT_WITH_UNIQUEID. */
  private static final int WITH_UNIQUE_ID = 8;

  private static final long ALIGNMENT = 64L << 10;

  private final NvshmemLibrary library;
  private final CudaContext context;
  private final OwnerThread owner = new OwnerThread("symshuffle-nvshmem");
  private final NvshmemCalls calls;

  /** Queried before every call, since NVSHMEM ends the process at the first CUDA error it sees. */
  private final CudaStream probe;

  private volatile boolean started;
  private volatile int myPe;
  private volatile int peCount;

  /** Incremented by each start and finish, which invalidate all earlier buffers. */
  private final AtomicInteger generation = new AtomicInteger();

  private NvshmemRuntime(NvshmemLibrary library, CudaContext context) {
    this.library = library;
    this.context = context;
    this.calls = new NvshmemCalls(this, library.api());
    this.probe = context.newStream();
  }

  /**
   * Creates the runtime without starting NVSHMEM.
   *
   * @param context the primary context of this PE's GPU; it must outlive the runtime
   * @param environment variables to set unless they are set
   * @throws NvshmemException when the library is absent
   */
  public static NvshmemRuntime open(
      NvshmemLibrary library, CudaContext context, NvshmemEnvironment environment) {
    library.requireUsable();
    environment.apply();
    return new NvshmemRuntime(library, context);
  }

  /**
   * Creates the token for one start. NVSHMEM opens a socket in this process, which must be alive
   * and reachable until all PEs have started. PE 0 does it.
   */
  public UniqueId newUniqueId(Duration limit) {
    requireInterface();
    return owner.call(
        "creating a unique id",
        limit,
        () -> {
          context.use();
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment id = arena.allocate(UniqueId.BYTES, 8);
            id.set(JAVA_INT, 0, UniqueId.VERSION_WORD);
            NvshmemError.check(api().getUniqueId(id), "nvshmemx_get_uniqueid", id);
            return new UniqueId(id.toArray(JAVA_BYTE));
          }
        });
  }

  /**
   * Starts NVSHMEM together with all other PEs.
   *
   * @param request the PE, the number of PEs and the id
   * @throws NvshmemException when it failed or timed out; the message says what to do, and this
   *     process cannot use NVSHMEM anymore
   * @throws IllegalStateException when it is already started
   * @throws IllegalArgumentException when the id was already used in this process
   */
  public synchronized void start(InitRequest request) {
    if (started) {
      throw new IllegalStateException(
          "PE %d of %d is already started; finish it first".formatted(myPe, peCount));
    }
    requireInterface();
    library.takeOnce(request.id());
    try {
      owner.call(
          "the start of PE %d of %d".formatted(request.pe(), request.peCount()),
          request.limit(),
          () -> {
            startHere(request);
            return null;
          });
    } catch (RuntimeException e) {
      owner.lose("the start failed: " + e.getMessage());
      if (e.getCause() instanceof TimeoutException) {
        throw new NvshmemException(
            e.getMessage()
                + "; start all PEs within that time, each with a different number and all with the"
                + " same new id, on hosts that can reach each other by TCP",
            e);
      }
      throw e;
    }
    myPe = request.pe();
    peCount = request.peCount();
    generation.incrementAndGet();
    started = true;
    LOG.info("NVSHMEM {} started: PE {} of {}", library.version().orElseThrow(), myPe, peCount);
  }

  private void startHere(InitRequest request) {
    context.use();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = InitAttributes.allocate(arena);
      MemorySegment id = request.id().toNative(arena);
      NvshmemError.check(
          api().setUniqueIdArguments(request.pe(), request.peCount(), id, attributes),
          "nvshmemx_set_attr_uniqueid_args",
          request.pe(),
          request.peCount(),
          request.id(),
          attributes);
      int code = api().initialize(WITH_UNIQUE_ID, attributes);
      if (code != 0) {
        throw new NvshmemException(
            ("PE %d of %d did not start: nvshmemx_hostlib_init_attr returned %s. The process that"
                 + " created the unique id may have ended or be unreachable by TCP (firewall, wrong"
                 + " %s), or the PEs have different versions of NVSHMEM; start new processes with a"
                 + " new id")
                .formatted(
                    request.pe(),
                    request.peCount(),
                    NvshmemError.describe(code),
                    BootstrapInterface.NAMES));
      }
    }
    InitStatus status = InitStatus.of(api().initStatus());
    if (status != InitStatus.INITIALIZED) {
      throw new NvshmemException(
          "PE %d of %d did not start, NVSHMEM has status %s: %s"
              .formatted(request.pe(), request.peCount(), status, status.sentence()));
    }
    int pe = api().myPe();
    int count = api().peCount();
    if (pe != request.pe() || count != request.peCount()) {
      throw new NvshmemException(
          "NVSHMEM made this process PE %d of %d instead of PE %d of %d: it was started by"
                  .formatted(pe, count, request.pe(), request.peCount())
              + " other code in this process before, or used another bootstrap method (unset"
              + " NVSHMEM_BOOTSTRAP and NVSHMEM_BOOTSTRAP_PMI)");
    }
  }

  /**
   * Finalizes NVSHMEM together with all other PEs, which frees all buffers. It may be started
   * again.
   */
  public synchronized void finish(Duration limit) {
    run("the end of PE " + myPe, limit, c -> c.finish());
    started = false;
    generation.incrementAndGet();
    LOG.info("NVSHMEM finished: PE {} of {}", myPe, peCount);
  }

  /**
   * Refuses all further calls, because a PE is lost. Mapped memory stays readable.
   *
   * @param reason a sentence without a period
   */
  public void giveUp(String reason) {
    owner.lose(reason);
    LOG.info("NVSHMEM is no longer used in this process: {}", reason);
  }

  /** Returns why it was given up; empty if it was not. */
  public Optional<String> lost() {
    return owner.lost();
  }

  /** Returns the library. */
  public NvshmemLibrary library() {
    return library;
  }

  /** Returns the context whose GPU is this PE's. */
  public CudaContext context() {
    return context;
  }

  /** Returns the number of this PE, once started. */
  public int myPe() {
    requireStarted();
    return myPe;
  }

  /** Returns the number of PEs, once started. */
  public int peCount() {
    requireStarted();
    return peCount;
  }

  /**
   * Calls NVSHMEM on the owner thread.
   *
   * @param what a description for messages
   * @param limit timeout, which includes waiting for earlier calls
   * @param work the calls to make; it must not keep its argument
   * @throws NvshmemException when NVSHMEM was given up, or is given up now because of a timeout
   */
  public <T> T call(String what, Duration limit, Function<NvshmemCalls, T> work) {
    requireStarted();
    return owner.call(
        what,
        limit,
        () -> {
          probe.isDone();
          return work.apply(calls);
        });
  }

  /** As {@link #call}, without a result. */
  public void run(String what, Duration limit, Consumer<NvshmemCalls> work) {
    call(
        what,
        limit,
        c -> {
          work.accept(c);
          return null;
        });
  }

  /**
   * Allocates symmetric memory. Collective.
   *
   * @param bytes length, more than 0, the same on all PEs
   * @return the memory, 64 KiB aligned; its content is undefined
   */
  public SymmetricBuffer allocate(long bytes, Duration limit) {
    return call(
        "allocating " + bytes + " bytes of symmetric memory",
        limit,
        c -> c.allocate(bytes, ALIGNMENT));
  }

  /** Waits until all PEs have reached the barrier. Collective. */
  public void barrier(Duration limit) {
    run("a barrier of all " + peCount + " PEs", limit, NvshmemCalls::barrierAll);
  }

  /** Returns where a PE's part of symmetric memory is mapped here. Never blocks. */
  Optional<DeviceRange> mapped(DeviceRange own, int pe) {
    long address = api().pointer(own.address(), pe);
    return address == 0 ? Optional.empty() : Optional.of(new DeviceRange(address, own.bytes()));
  }

  /** Returns whether it is started and not finished. */
  public boolean isStarted() {
    return started;
  }

  int generation() {
    return generation.get();
  }

  boolean isOwner() {
    return owner.isCurrent();
  }

  private NvshmemApi api() {
    return library.api();
  }

  private static void requireInterface() {
    BootstrapInterface.problem()
        .ifPresent(
            problem -> {
              throw new NvshmemException("NVSHMEM cannot start: " + problem);
            });
  }

  private void requireStarted() {
    if (!started) {
      throw new IllegalStateException("NVSHMEM is not started in this process");
    }
  }

  /**
   * Ends the owner thread without involving other PEs, after {@link #finish} or the loss of a PE.
   * Memory and mappings stay until the process ends.
   */
  @Override
  public void close() {
    owner.close();
    probe.close();
  }
}
