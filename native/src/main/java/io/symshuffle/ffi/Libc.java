// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Optional;

/**
 * Binds the functions of the C library that SymShuffle calls, and does nothing else: one handle per
 * function, below its C prototype, with results as C returns them; {@link LibcSockets} has those of
 * sockets. The first argument of most is the location of errno (see {@link SystemCall}). Addresses
 * of mappings are passed as numbers.
 *
 * <p>Prototypes as in glibc 2.36 on Linux; musl has the same. Constants are in {@link LinuxAbi}.
 */
final class Libc {
  private static final NativeLibrary LIBRARY = NativeLibrary.ofProcess();

  /** Layout of the captured state that contains errno. */
  static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();

  /** Offset of errno in {@link #CALL_STATE}. */
  static final long ERRNO = CALL_STATE.byteOffset(PathElement.groupElement("errno"));

  // fcntl.h: int open(const char *pathname, int flags, ... /* mode_t mode */);
  private static final MethodHandle OPEN =
      handle(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(2));

  static int open(MemorySegment state, MemorySegment path, int flags, int mode) {
    try {
      return (int) OPEN.invokeExact(state, path, flags, mode);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // unistd.h: int close(int fd);
  private static final MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  static int close(MemorySegment state, int fd) {
    try {
      return (int) CLOSE.invokeExact(state, fd);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // unistd.h: ssize_t pread(int fd, void *buf, size_t count, off_t offset);
  private static final MethodHandle PREAD =
      handle("pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));

  static long pread(MemorySegment state, int fd, MemorySegment to, long count, long offset) {
    try {
      return (long) PREAD.invokeExact(state, fd, to, count, offset);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // unistd.h: int ftruncate(int fd, off_t length);
  private static final MethodHandle FTRUNCATE =
      handle("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));

  static int ftruncate(MemorySegment state, int fd, long length) {
    try {
      return (int) FTRUNCATE.invokeExact(state, fd, length);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // fcntl.h: int fallocate(int fd, int mode, off_t offset, off_t len);
  private static final MethodHandle FALLOCATE =
      handle(
          "fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));

  static int fallocate(MemorySegment state, int fd, int mode, long offset, long length) {
    try {
      return (int) FALLOCATE.invokeExact(state, fd, mode, offset, length);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // sys/file.h: int flock(int fd, int operation);
  private static final MethodHandle FLOCK =
      handle("flock", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

  static int flock(MemorySegment state, int fd, int operation) {
    try {
      return (int) FLOCK.invokeExact(state, fd, operation);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // sys/stat.h: int statx(int dirfd, const char *pathname, int flags, unsigned int mask,
  //                       struct statx *statxbuf);
  // Instead of stat and fstat, since its struct is the same on every architecture.
  private static final MethodHandle STATX =
      handle(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));

  static int statx(
      MemorySegment state, int dirfd, MemorySegment path, int flags, int mask, MemorySegment to) {
    try {
      return (int) STATX.invokeExact(state, dirfd, path, flags, mask, to);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // sys/mman.h: void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
  private static final MethodHandle MMAP =
      handle(
          "mmap",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));

  static long mmap(
      MemorySegment state, long address, long length, int prot, int flags, int fd, long offset) {
    try {
      return (long) MMAP.invokeExact(state, address, length, prot, flags, fd, offset);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // sys/ioctl.h: int ioctl(int fd, unsigned long request, ...);
  private static final MethodHandle IOCTL =
      handle(
          "ioctl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
          Linker.Option.firstVariadicArg(2));

  static int ioctl(MemorySegment state, int fd, long request, MemorySegment argument) {
    try {
      return (int) IOCTL.invokeExact(state, fd, request, argument);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // sys/mman.h: int munmap(void *addr, size_t length);
  private static final MethodHandle MUNMAP =
      handle("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

  static int munmap(MemorySegment state, long address, long length) {
    try {
      return (int) MUNMAP.invokeExact(state, address, length);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // sys/mman.h: int madvise(void *addr, size_t length, int advice);
  private static final MethodHandle MADVISE =
      handle("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

  static int madvise(MemorySegment state, long address, long length, int advice) {
    try {
      return (int) MADVISE.invokeExact(state, address, length, advice);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // unistd.h: uid_t geteuid(void); never fails
  private static final MethodHandle GETEUID =
      LIBRARY.function("geteuid", FunctionDescriptor.of(JAVA_INT)).handle();

  static int geteuid() {
    try {
      return (int) GETEUID.invokeExact();
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // dlfcn.h: void *dlopen(const char *filename, int flags);
  private static final MethodHandle DLOPEN =
      LIBRARY.function("dlopen", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_INT)).handle();

  // dlfcn.h: char *dlerror(void);
  private static final MethodHandle DLERROR =
      LIBRARY.function("dlerror", FunctionDescriptor.of(ADDRESS)).handle();

  private Libc() {}

  /**
   * Returns the dynamic loader's reason why a library cannot be loaded; empty when it gives none.
   */
  @SuppressWarnings("restricted")
  static Optional<String> loaderError(String library) {
    try (Arena arena = Arena.ofConfined()) {
      long loaded =
          (long) DLOPEN.invokeExact(Segments.allocateString(arena, library), LinuxAbi.RTLD_LAZY);
      if (loaded != 0) {
        return Optional.empty();
      }
      MemorySegment text = (MemorySegment) DLERROR.invokeExact();
      return text.address() == 0
          ? Optional.empty()
          : Optional.of(Segments.getString(text.reinterpret(Long.MAX_VALUE), 0));
    } catch (UnsatisfiedLinkError e) {
      return Optional.empty();
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Returns the handle of a function that sets errno. */
  static MethodHandle handle(String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
    all[options.length] = Linker.Option.captureCallState("errno");
    return LIBRARY.function(name, descriptor, all).handle();
  }

  /** Handles of C functions throw only when linking failed. */
  static RuntimeException unexpected(Throwable t) {
    if (t instanceof RuntimeException e) {
      return e;
    }
    if (t instanceof Error e) {
      throw e;
    }
    return new IllegalStateException("a call of the C library threw", t);
  }
}
