// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Binds the functions of the C library for sockets and descriptors, like {@link Libc}. Java's own
 * Unix sockets cannot pass descriptors.
 */
final class LibcSockets {

  // sys/socket.h: int socket(int domain, int type, int protocol);
  private static final MethodHandle SOCKET =
      Libc.handle("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));

  // sys/socket.h: int bind(int sockfd, const struct sockaddr *addr, socklen_t addrlen);
  private static final MethodHandle BIND =
      Libc.handle("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

  // sys/socket.h: int listen(int sockfd, int backlog);
  private static final MethodHandle LISTEN =
      Libc.handle("listen", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

  // sys/socket.h: int accept4(int sockfd, struct sockaddr *addr, socklen_t *addrlen, int flags);
  private static final MethodHandle ACCEPT4 =
      Libc.handle(
          "accept4", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

  // sys/socket.h: int connect(int sockfd, const struct sockaddr *addr, socklen_t addrlen);
  private static final MethodHandle CONNECT =
      Libc.handle("connect", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

  // sys/socket.h: int setsockopt(int sockfd, int level, int optname, const void *optval,
  //                              socklen_t optlen);
  private static final MethodHandle SETSOCKOPT =
      Libc.handle(
          "setsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

  // sys/socket.h: ssize_t sendmsg(int sockfd, const struct msghdr *msg, int flags);
  private static final MethodHandle SENDMSG =
      Libc.handle("sendmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));

  // sys/socket.h: ssize_t recvmsg(int sockfd, struct msghdr *msg, int flags);
  private static final MethodHandle RECVMSG =
      Libc.handle("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));

  // fcntl.h: int fcntl(int fd, int op, ... /* arg */);
  private static final MethodHandle FCNTL =
      Libc.handle(
          "fcntl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(2));

  private LibcSockets() {}

  static int socket(MemorySegment state, int domain, int type) {
    try {
      return (int) SOCKET.invokeExact(state, domain, type, 0);
    } catch (Throwable t) {
      throw Libc.unexpected(t);
    }
  }

  static int bind(MemorySegment state, int fd, MemorySegment address) {
    try {
      return (int) BIND.invokeExact(state, fd, address, (int) address.byteSize());
    } catch (Throwable t) {
      throw Libc.unexpected(t);
    }
  }

  static int listen(MemorySegment state, int fd, int backlog) {
    try {
      return (int) LISTEN.invokeExact(state, fd, backlog);
    } catch (Throwable t) {
      throw Libc.unexpected(t);
    }
  }

  static int accept4(MemorySegment state, int fd, int flags) {
    try {
      return (int) ACCEPT4.invokeExact(state, fd, 0L, 0L, flags);
    } catch (Throwable t) {
      throw Libc.unexpected(t);
    }
  }

  static int connect(MemorySegment state, int fd, MemorySegment address) {
    try {
      return (int) CONNECT.invokeExact(state, fd, address, (int) address.byteSize());
    } catch (Throwable t) {
      throw Libc.unexpected(t);
    }
  }

  static int setsockopt(MemorySegment state, int fd, int option, MemorySegment value) {
    try {
      return (int)
          SETSOCKOPT.invokeExact(
              state, fd, LinuxAbi.SOL_SOCKET, option, value, (int) value.byteSize());
    } catch (Throwable t) {
      throw Libc.unexpected(t);
    }
  }

  static long sendmsg(MemorySegment state, int fd, MemorySegment message, int flags) {
    try {
      return (long) SENDMSG.invokeExact(state, fd, message, flags);
    } catch (Throwable t) {
      throw Libc.unexpected(t);
    }
  }

  static long recvmsg(MemorySegment state, int fd, MemorySegment message, int flags) {
    try {
      return (long) RECVMSG.invokeExact(state, fd, message, flags);
    } catch (Throwable t) {
      throw Libc.unexpected(t);
    }
  }

  static int fcntl(MemorySegment state, int fd, int operation, int argument) {
    try {
      return (int) FCNTL.invokeExact(state, fd, operation, argument);
    } catch (Throwable t) {
      throw Libc.unexpected(t);
    }
  }
}
