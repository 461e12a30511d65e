// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import io.symshuffle.barrier.ElementType;
import io.symshuffle.barrier.GpuSymmetricMemory;
import io.symshuffle.barrier.Reduction;
import io.symshuffle.barrier.SymmetricMemory;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;

/** The calls that symmetric memory of the host and of GPUs have in common. */
interface Collectives extends AutoCloseable {
  int pe();

  int peCount();

  long bytes();

  /** This PE's buffer, for {@link #put} and {@link #get}. */
  MemorySegment local();

  void write(MemorySegment from);

  void read(MemorySegment to);

  void get(int peer, long offset, MemorySegment destination);

  void put(int peer, long offset, MemorySegment source);

  void barrier();

  void allReduce(Reduction reduction, ElementType type, long offset, long count);

  void allGather(long offset, long bytes);

  void allToAll(long from, long to, long bytes);

  void broadcast(int root, long offset, long bytes);

  @Override
  void close();

  /** Returns those of the host. */
  static Collectives of(SymmetricMemory memory) {
    return forwarding(
        memory, from -> memory.local().copyFrom(from), to -> to.copyFrom(memory.local()));
  }

  /** Returns those of GPUs. */
  static Collectives of(GpuSymmetricMemory memory) {
    return forwarding(memory, from -> memory.copyIn(0, from), to -> memory.copyOut(0, to));
  }

  /** The two classes have no interface in common, but the same methods, except these two. */
  private static Collectives forwarding(
      Object memory, Consumer<MemorySegment> write, Consumer<MemorySegment> read) {
    return (Collectives)
        Proxy.newProxyInstance(
            Collectives.class.getClassLoader(),
            new Class<?>[] {Collectives.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "write" -> write.accept((MemorySegment) arguments[0]);
                case "read" -> read.accept((MemorySegment) arguments[0]);
                default -> {
                  try {
                    return memory
                        .getClass()
                        .getMethod(method.getName(), method.getParameterTypes())
                        .invoke(memory, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                }
              }
              return null;
            });
  }
}
