// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.nvshmem;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaModule;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.nvshmem.NvshmemError;
import io.symshuffle.nvshmem.NvshmemException;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.SymmetricBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Functions of NVSHMEM that the product does not use: puts and gets, signals, teams, collectives
 * and modules with device code. They are called on the runtime's owner thread, in the work of
 * {@link #call} and {@link #run}.
 *
 * <p>Symmetric ranges are in one of this object's buffers; on another PE they refer to the same
 * offset in that PE's buffer. Arguments are checked first, since NVSHMEM ends the process when it
 * is given wrong ones. All PEs (of the team) make collective calls in the same order. Methods with
 * a stream queue work there and return.
 */
public final class NvshmemExtras {
  private final NvshmemRuntime runtime;
  private final NvshmemExtrasApi api;
  private final List<SymmetricBuffer> buffers;

  /** The owner thread while it runs work of this object; null otherwise. */
  private volatile Thread caller;

  /**
   * Binds the functions.
   *
   * @param runtime NVSHMEM
   * @param buffers symmetric memory that copies may use
   * @throws NvshmemException when the library lacks a function
   */
  public NvshmemExtras(NvshmemRuntime runtime, SymmetricBuffer... buffers) {
    this.runtime = requireNonNull(runtime, "runtime is null");
    this.buffers = List.of(buffers);
    NativeInterface<NvshmemExtrasApi> bound =
        NativeInterface.bind(
            NativeLibrary.open(List.of(runtime.library().name())), NvshmemExtrasApi.class);
    if (!bound.missing().isEmpty()) {
      throw new NvshmemException(
          "%s lacks %s"
              .formatted(runtime.library().name(), String.join(", ", bound.missing().keySet())));
    }
    this.api = bound.calls();
  }

  /**
   * Calls NVSHMEM on the owner thread.
   *
   * @param what a description for messages
   * @param limit timeout, which includes waiting for earlier calls
   * @param work the calls to make
   * @return the result of the work
   * @param <T> its type
   */
  public <T> T call(String what, Duration limit, Function<NvshmemExtras, T> work) {
    return runtime.call(
        what,
        limit,
        unused -> {
          caller = Thread.currentThread();
          try {
            return work.apply(this);
          } finally {
            caller = null;
          }
        });
  }

  /**
   * Calls NVSHMEM on the owner thread, without a result.
   *
   * @param what a description for messages
   * @param limit timeout, which includes waiting for earlier calls
   * @param work the calls to make
   */
  public void run(String what, Duration limit, Consumer<NvshmemExtras> work) {
    call(
        what,
        limit,
        extras -> {
          work.accept(extras);
          return null;
        });
  }

  /**
   * Returns the multicast address of a buffer on all PEs of a team.
   *
   * @param buffer the buffer
   * @param team the team
   * @return the range; empty if NVLink multicast is unavailable or disabled
   */
  public Optional<DeviceRange> multicast(SymmetricBuffer buffer, Team team) {
    DeviceRange local = buffer.local();
    long address = api.multicastPointer(team.handle(), local.address());
    return address == 0 ? Optional.empty() : Optional.of(new DeviceRange(address, local.bytes()));
  }

  // ---- one-sided

  /**
   * Copies to another PE; when it returns, the source may be reused.
   *
   * @param destination symmetric; written on the other PE
   * @param source this GPU's memory, of the same length
   * @param pe the other PE
   */
  public void put(DeviceRange destination, DeviceRange source, int pe) {
    if (checkCopy(destination, source, destination, pe)) {
      api.put(destination.address(), source.address(), source.bytes(), pe);
    }
  }

  /**
   * Starts a copy to another PE, which {@link #quiet} completes.
   *
   * @param destination symmetric; written on the other PE
   * @param source this GPU's memory, of the same length
   * @param pe the other PE
   */
  public void putNonBlocking(DeviceRange destination, DeviceRange source, int pe) {
    if (checkCopy(destination, source, destination, pe)) {
      api.putNonBlocking(destination.address(), source.address(), source.bytes(), pe);
    }
  }

  /**
   * Copies from another PE.
   *
   * @param destination this GPU's memory
   * @param source symmetric, of the same length; read on the other PE
   * @param pe the other PE
   */
  public void get(DeviceRange destination, DeviceRange source, int pe) {
    if (checkCopy(destination, source, source, pe)) {
      api.get(destination.address(), source.address(), source.bytes(), pe);
    }
  }

  /**
   * Starts a copy from another PE, which {@link #quiet} completes.
   *
   * @param destination this GPU's memory
   * @param source symmetric, of the same length; read on the other PE
   * @param pe the other PE
   */
  public void getNonBlocking(DeviceRange destination, DeviceRange source, int pe) {
    if (checkCopy(destination, source, source, pe)) {
      api.getNonBlocking(destination.address(), source.address(), source.bytes(), pe);
    }
  }

  /**
   * Queues a copy to another PE.
   *
   * @param destination symmetric; written on the other PE
   * @param source this GPU's memory, of the same length
   * @param pe the other PE
   * @param stream the stream
   */
  public void put(DeviceRange destination, DeviceRange source, int pe, CudaStream stream) {
    if (checkCopy(destination, source, destination, pe)) {
      api.putOnStream(
          destination.address(), source.address(), source.bytes(), pe, stream.address());
    }
  }

  /**
   * Queues the start of a copy to another PE, which {@link #quiet(CudaStream)} completes.
   *
   * @param destination symmetric; written on the other PE
   * @param source this GPU's memory, of the same length
   * @param pe the other PE
   * @param stream the stream
   */
  public void putNonBlocking(
      DeviceRange destination, DeviceRange source, int pe, CudaStream stream) {
    if (checkCopy(destination, source, destination, pe)) {
      api.putNonBlockingOnStream(
          destination.address(), source.address(), source.bytes(), pe, stream.address());
    }
  }

  /**
   * Queues a copy from another PE.
   *
   * @param destination this GPU's memory
   * @param source symmetric, of the same length; read on the other PE
   * @param pe the other PE
   * @param stream the stream
   */
  public void get(DeviceRange destination, DeviceRange source, int pe, CudaStream stream) {
    if (checkCopy(destination, source, source, pe)) {
      api.getOnStream(
          destination.address(), source.address(), source.bytes(), pe, stream.address());
    }
  }

  /**
   * Queues a copy to another PE and, once it is complete, a signal.
   *
   * @param destination symmetric; written on the other PE
   * @param source this GPU's memory, of the same length
   * @param signal symmetric, 8 bytes, 8-byte aligned; changed on the other PE
   * @param value value of the signal
   * @param operation what the signal does with it
   * @param pe the other PE
   * @param stream the stream
   */
  public void putSignal(
      DeviceRange destination,
      DeviceRange source,
      DeviceRange signal,
      long value,
      SignalOperation operation,
      int pe,
      CudaStream stream) {
    checkCopy(destination, source, destination, pe);
    checkSignal(signal);
    api.putSignalOnStream(
        destination.address(),
        source.address(),
        source.bytes(),
        signal.address(),
        value,
        operation.number(),
        pe,
        stream.address());
  }

  /**
   * Queues a signal.
   *
   * @param signal symmetric, 8 bytes, 8-byte aligned; changed on the other PE
   * @param value value of the signal
   * @param operation what the signal does with it
   * @param pe the other PE
   * @param stream the stream
   */
  public void signal(
      DeviceRange signal, long value, SignalOperation operation, int pe, CudaStream stream) {
    checkPe(pe);
    checkSignal(signal);
    api.signalOnStream(signal.address(), value, operation.number(), pe, stream.address());
  }

  /**
   * Makes a stream wait for a signal, without a timeout: if it never arrives, neither the stream
   * nor the process ends. {@link SignalWait} and the wait kernel have a timeout.
   *
   * @param signal symmetric, 8 bytes, 8-byte aligned; this PE's
   * @param comparison how to compare the signal
   * @param value value to compare with
   * @param stream the stream
   */
  public void awaitSignal(
      DeviceRange signal, SignalComparison comparison, long value, CudaStream stream) {
    own();
    checkSignal(signal);
    api.awaitSignalOnStream(signal.address(), comparison.number(), value, stream.address());
  }

  // ---- order and barriers

  /** Orders earlier copies to each PE before later ones. */
  public void fence() {
    own();
    api.fence();
  }

  /** Completes all copies that were started. */
  public void quiet() {
    own();
    api.quiet();
  }

  /**
   * Queues a wait for all copies that were started on the stream.
   *
   * @param stream the stream
   */
  public void quiet(CudaStream stream) {
    own();
    api.quietOnStream(stream.address());
  }

  /**
   * Waits until all PEs of a team have reached the barrier and their copies are done. Collective.
   *
   * @param team the team
   */
  public void barrier(Team team) {
    own();
    NvshmemError.check(api.barrier(team.handle()), "nvshmem_barrier", team);
  }

  /**
   * Queues a barrier, without a timeout on the device. Collective.
   *
   * @param team the team
   * @param stream the stream
   */
  public void barrier(Team team, CudaStream stream) {
    own();
    NvshmemError.check(
        api.barrierOnStream(team.handle(), stream.address()), "nvshmemx_barrier_on_stream", team);
  }

  // ---- collectives

  /**
   * Queues an all-to-all: block i of each PE's source becomes block (this PE) of PE i's
   * destination. Collective.
   *
   * @param team the team
   * @param destination symmetric, one block per PE of the team
   * @param source symmetric, of the same length
   * @param stream the stream
   */
  public void allToAll(Team team, DeviceRange destination, DeviceRange source, CudaStream stream) {
    own();
    checkSymmetric(destination);
    checkSymmetric(source);
    if (destination.bytes() != source.bytes() || source.bytes() % team.size() != 0) {
      throw new IllegalArgumentException(
          "an all-to-all of %s from %s among %d PEs".formatted(destination, source, team.size()));
    }
    NvshmemError.check(
        api.allToAllOnStream(
            team.handle(),
            destination.address(),
            source.address(),
            source.bytes() / team.size(),
            stream.address()),
        "nvshmemx_alltoallmem_on_stream",
        team,
        destination,
        source);
  }

  /**
   * Queues a broadcast. Collective.
   *
   * @param team the team
   * @param destination symmetric; written on every PE of the team
   * @param source symmetric, of the same length; read on the root
   * @param root number of the PE within the team
   * @param stream the stream
   */
  public void broadcast(
      Team team, DeviceRange destination, DeviceRange source, int root, CudaStream stream) {
    own();
    checkSymmetric(destination);
    checkSymmetric(source);
    if (destination.bytes() != source.bytes() || root < 0 || root >= team.size()) {
      throw new IllegalArgumentException(
          "a broadcast of %s to %s from PE %d of %d"
              .formatted(source, destination, root, team.size()));
    }
    NvshmemError.check(
        api.broadcastOnStream(
            team.handle(),
            destination.address(),
            source.address(),
            source.bytes(),
            root,
            stream.address()),
        "nvshmemx_broadcastmem_on_stream",
        team,
        destination,
        source,
        root);
  }

  // ---- teams

  /**
   * Returns a predefined team.
   *
   * @param kind which
   * @return the team
   */
  public Team team(Team.Predefined kind) {
    own();
    return describe(kind.number(), kind.name(), true);
  }

  /**
   * Creates a team from some PEs of a parent team. Collective over the parent.
   *
   * @param parent the parent team
   * @param start first member, a number within {@code parent}
   * @param stride distance between members, 1 or more
   * @param size number of members
   * @return the team; empty on PEs that are not members
   */
  public Optional<Team> splitStrided(Team parent, int start, int stride, int size) {
    own();
    if (start < 0 || stride < 1 || size < 1 || start + (size - 1L) * stride >= parent.size()) {
      throw new IllegalArgumentException(
          "a team of %d PEs from %d by %d out of %d".formatted(size, start, stride, parent.size()));
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment team = arena.allocate(JAVA_INT);
      team.set(JAVA_INT, 0, Team.INVALID);
      NvshmemError.check(
          api.splitStrided(
              parent.handle(), start, stride, size, TeamConfig.defaults(arena), 0, team),
          "nvshmem_team_split_strided",
          parent,
          start,
          stride,
          size);
      int handle = team.get(JAVA_INT, 0);
      return handle == Team.INVALID
          ? Optional.empty()
          : Optional.of(
              describe(handle, "%s[%d:%d:%d]".formatted(parent, start, stride, size), false));
    }
  }

  /**
   * Destroys a team. Collective over the team.
   *
   * @param team a team that was split off
   * @throws IllegalStateException when it is predefined or already destroyed
   */
  public void destroy(Team team) {
    own();
    team.markDestroyed();
    api.destroyTeam(team.handleOfDestroyed());
  }

  int translate(Team team, int pe, Team to) {
    own();
    return api.translatePe(team.handle(), pe, to.handle());
  }

  private Team describe(int handle, String name, boolean predefined) {
    return new Team(this, handle, name, predefined, api.teamMyPe(handle), api.teamPeCount(handle));
  }

  // ---- modules

  /**
   * Initializes NVSHMEM's device state in a module.
   *
   * @param module a loaded module that has the variable nvshmemi_device_lib_version_d
   */
  public void register(CudaModule module) {
    own();
    NvshmemError.check(api.initializeModule(module.address()), "nvshmemx_cumodule_init", module);
  }

  /**
   * Unregisters a module before it is unloaded.
   *
   * @param module a registered module
   */
  public void unregister(CudaModule module) {
    own();
    NvshmemError.check(api.finalizeModule(module.address()), "nvshmemx_cumodule_finalize", module);
  }

  // ---- checks

  private void own() {
    if (!Thread.currentThread().equals(caller)) {
      throw new IllegalStateException(
          "NVSHMEM is called on its owner thread only, not on " + Thread.currentThread().getName());
    }
  }

  private void checkPe(int pe) {
    own();
    if (pe < 0 || pe >= runtime.peCount()) {
      throw new IllegalArgumentException(
          "there is no PE %d of %d".formatted(pe, runtime.peCount()));
    }
  }

  /** Checks the lengths; returns false if there is nothing to copy. */
  private boolean checkCopy(
      DeviceRange destination, DeviceRange source, DeviceRange symmetric, int pe) {
    checkPe(pe);
    if (destination.bytes() != source.bytes()) {
      throw new IllegalArgumentException(
          "cannot copy %d bytes to %d bytes".formatted(source.bytes(), destination.bytes()));
    }
    if (source.bytes() == 0) {
      return false;
    }
    checkSymmetric(symmetric);
    return true;
  }

  private void checkSignal(DeviceRange signal) {
    if (signal.bytes() != Long.BYTES || signal.address() % Long.BYTES != 0) {
      throw new IllegalArgumentException("a signal has 8 aligned bytes, not " + signal);
    }
    checkSymmetric(signal);
  }

  private void checkSymmetric(DeviceRange range) {
    for (SymmetricBuffer buffer : buffers) {
      DeviceRange local = buffer.local();
      if (range.address() >= local.address()
          && range.address() + range.bytes() <= local.address() + local.bytes()) {
        return;
      }
    }
    throw new IllegalArgumentException(
        "%s are not in one of the %d symmetric buffers of PE %d"
            .formatted(range, buffers.size(), runtime.myPe()));
  }
}
