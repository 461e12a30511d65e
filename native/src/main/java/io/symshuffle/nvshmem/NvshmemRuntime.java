// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.util.Objects.requireNonNull;

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
 * NVSHMEM in this process: one PE, on the GPU of one context. All calls that may block or that the
 * library does not guard run on one owner thread, each with a limit; see {@link NvshmemCalls} for
 * what can be called.
 *
 * <p>It is opened, then started by {@link #start} together with all other PEs, then ended by {@link
 * #finish} together with all other PEs, and may be started again with a new id. After {@link
 * #giveUp}, or a call that did not return in time, or a start that failed, nothing is called any
 * more: a collective without one of its PEs never returns, and the process could then not even be
 * ended. What is mapped by then, a dead PE's memory too, stays readable by kernels and copies
 * (measured on 4 H200, NVSHMEM 3.4.5).
 *
 * <p>One a process, since the library has but one state. Threads: any.
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

  /** Asked before every call: the library ends the process at the first CUDA error that it sees. */
  private final CudaStream probe;

  private volatile boolean started;
  private volatile int myPe;
  private volatile int peCount;

  /** Counts starts and ends: objects from before one are invalid after it. */
  private final AtomicInteger generation = new AtomicInteger();

  private NvshmemRuntime(NvshmemLibrary library, CudaContext context) {
    this.library = library;
    this.context = context;
    this.calls = new NvshmemCalls(this, library.api());
    this.probe = context.newStream();
  }

  /**
   * Opens the library; nothing is started.
   *
   * @param library a usable library
   * @param context the primary context of this PE's GPU; it must outlive the runtime
   * @param environment variables to set where they are not set yet
   * @return the runtime, not started
   * @throws NvshmemException when the library is absent
   */
  public static NvshmemRuntime open(
      NvshmemLibrary library, CudaContext context, NvshmemEnvironment environment) {
    requireNonNull(context, "context is null");
    library.requireUsable();
    environment.apply();
    return new NvshmemRuntime(library, context);
  }

  /**
   * Creates the token for one start. The library opens a socket in this process, which must live
   * and be reachable until all PEs have started; PE 0 is the one to do it.
   *
   * @param limit how long it may take
   * @return the token, to be sent to all PEs
   */
  public UniqueId newUniqueId(Duration limit) {
    requireInterface();
    return owner.call(
        "making a unique id",
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
   * Starts together with all other PEs.
   *
   * @param request which PE, of how many, with which id
   * @throws NvshmemException when it failed or took too long; the sentence says what to do, and
   *     nothing can be called in this process anymore
   * @throws IllegalStateException when it is started already
   * @throws IllegalArgumentException when the id was used in this process before
   */
  public synchronized void start(InitRequest request) {
    requireNonNull(request, "request is null");
    if (started) {
      throw new IllegalStateException(
          "PE %d of %d is started already; finish it first".formatted(myPe, peCount));
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
                + "; start all PEs within that time, each number once and all with the same new"
                + " id, and let their hosts reach each other by TCP",
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
            ("PE %d of %d did not start: nvshmemx_hostlib_init_attr gave %s. The maker of the"
                 + " unique id may have ended or may not be reachable by TCP (firewall, wrong %s),"
                 + " or the PEs have different versions of NVSHMEM; start new processes with a new"
                 + " id")
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
          "PE %d of %d did not start, NVSHMEM says %s: %s"
              .formatted(request.pe(), request.peCount(), status, status.sentence()));
    }
    int pe = api().myPe();
    int count = api().peCount();
    if (pe != request.pe() || count != request.peCount()) {
      throw new NvshmemException(
          "NVSHMEM made this process PE %d of %d, and PE %d of %d was asked for: it was started by"
                  .formatted(pe, count, request.pe(), request.peCount())
              + " other code in this process before, or took another way to find its PEs (unset"
              + " NVSHMEM_BOOTSTRAP and NVSHMEM_BOOTSTRAP_PMI)");
    }
  }

  /**
   * Ends together with all other PEs; every buffer and team is gone. It may be started again.
   *
   * @param limit how long it may take
   */
  public synchronized void finish(Duration limit) {
    run("the end of PE " + myPe, limit, c -> c.finish());
    started = false;
    generation.incrementAndGet();
    LOG.info("NVSHMEM ended: PE {} of {}", myPe, peCount);
  }

  /**
   * Stops all calls of the library, because a PE is lost. Mapped memory stays readable.
   *
   * @param reason why, a sentence without its full stop
   */
  public void giveUp(String reason) {
    owner.lose(requireNonNull(reason, "reason is null"));
    LOG.info("NVSHMEM is no longer used in this process: {}", reason);
  }

  /** {@return why it was given up; empty while it was not} */
  public Optional<String> lost() {
    return owner.lost();
  }

  /** {@return the library} */
  public NvshmemLibrary library() {
    return library;
  }

  /** {@return the context whose GPU is this PE's} */
  public CudaContext context() {
    return context;
  }

  /** {@return number of this PE, once it was started} */
  public int myPe() {
    requireStarted();
    return myPe;
  }

  /** {@return number of PEs} */
  public int peCount() {
    requireStarted();
    return peCount;
  }

  /**
   * Calls the library on its owner thread.
   *
   * @param what is done, for messages
   * @param limit how long it may take, waiting for its turn included
   * @param work what to call; it keeps its argument to itself
   * @return what the work returns
   * @param <T> its type
   * @throws NvshmemException when the library was given up, or is now, since time is up
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

  /**
   * Calls the library on its owner thread, for nothing in return.
   *
   * @param what is done, for messages
   * @param limit how long it may take, waiting for its turn included
   * @param work what to call; it keeps its argument to itself
   */
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
   * Allocates symmetric memory together with all other PEs, each the same number of bytes.
   *
   * @param bytes length, more than 0
   * @param limit how long it may take
   * @return the memory, 64 KiB aligned; its content is undefined
   */
  public SymmetricBuffer allocate(long bytes, Duration limit) {
    return call(
        "allocating " + bytes + " symmetric bytes", limit, c -> c.allocate(bytes, ALIGNMENT));
  }

  /**
   * Waits until all PEs have come here.
   *
   * @param limit how long at most
   */
  public void barrier(Duration limit) {
    run("a barrier of all " + peCount + " PEs", limit, NvshmemCalls::barrierAll);
  }

  /** Where a PE's copy of symmetric memory is mapped here. Never blocks. */
  Optional<DeviceRange> mapped(DeviceRange own, int pe) {
    long address = api().pointer(own.address(), pe);
    return address == 0 ? Optional.empty() : Optional.of(new DeviceRange(address, own.bytes()));
  }

  /** {@return whether it was started and has not ended since} */
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
   * Ends the owner thread without a word to the other PEs: the way out after a loss, and after
   * {@link #finish}. Memory and mappings stay until the process ends.
   */
  @Override
  public void close() {
    owner.close();
    probe.close();
  }
}
