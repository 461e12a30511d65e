// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A Unix socket whose messages can carry a file descriptor, which Java's own sockets cannot. It
 * keeps the boundaries of messages (SOCK_SEQPACKET): a message arrives as a whole or not at all.
 * Every call has a time limit.
 *
 * <p>Used by one thread at a time.
 */
public final class UnixSocket implements AutoCloseable {
  /** The longest path of a socket in bytes; sockaddr_un has 108 bytes and needs a final zero. */
  public static final int MAX_PATH_BYTES = 107;

  private static final int FAMILY_BYTES = 2;

  // struct msghdr { void *msg_name; socklen_t msg_namelen; struct iovec *msg_iov;
  //   size_t msg_iovlen; void *msg_control; size_t msg_controllen; int msg_flags; };
  private static final long MSGHDR_BYTES = 56;
  private static final long IOV = 16;
  private static final long IOVLEN = 24;
  private static final long CONTROL = 32;
  private static final long CONTROLLEN = 40;
  private static final long FLAGS = 48;

  // struct iovec { void *iov_base; size_t iov_len; };
  private static final long IOVEC_BYTES = 16;

  // struct cmsghdr { size_t cmsg_len; int cmsg_level; int cmsg_type; }; then the descriptors
  private static final long CMSG_LEVEL = 8;
  private static final long CMSG_TYPE = 12;
  private static final long CMSG_HEADER_BYTES = 16;

  /** CMSG_SPACE(sizeof(int)). */
  private static final long CMSG_BYTES = 24;

  private final Descriptor descriptor;
  private final String name;

  private UnixSocket(Descriptor descriptor, String name) {
    this.descriptor = descriptor;
    this.name = name;
  }

  /**
   * A message.
   *
   * @param bytes its content
   * @param descriptor the descriptor that came with it; the receiver owns it
   */
  public record Message(byte[] bytes, Optional<Descriptor> descriptor) {}

  /**
   * Listens on a path, where no file exists yet.
   *
   * @param path at most {@value #MAX_PATH_BYTES} bytes in UTF-8
   * @param limit how long {@link #accept} waits
   * @throws NativeCallException EADDRINUSE when the file exists, and every other error of bind(2)
   */
  public static UnixSocket listen(Path path, Duration limit) {
    UnixSocket socket = open(path, limit);
    boolean listening = false;
    try (SystemCall call = new SystemCall()) {
      MemorySegment address = address(call.arena(), path);
      if (Libc.C.bind(call.state(), socket.descriptor.number(), address, (int) address.byteSize())
          != 0) {
        throw call.failure("bind", path.toString());
      }
      if (Libc.C.listen(call.state(), socket.descriptor.number(), 128) != 0) {
        throw call.failure("listen", path.toString());
      }
      listening = true;
      return socket;
    } finally {
      if (!listening) {
        socket.close();
      }
    }
  }

  /**
   * Connects to a listening socket.
   *
   * @param limit how long to wait for the connection, and later for each message
   * @throws NativeCallException ENOENT or ECONNREFUSED when no process listens there, EAGAIN when
   *     the time is up
   */
  public static UnixSocket connect(Path path, Duration limit) {
    UnixSocket socket = open(path, limit);
    boolean connected = false;
    try (SystemCall call = new SystemCall()) {
      MemorySegment address = address(call.arena(), path);
      while (Libc.C.connect(
              call.state(), socket.descriptor.number(), address, (int) address.byteSize())
          != 0) {
        if (!call.failedWith(Errno.EINTR)) {
          throw call.failure("connect", path.toString());
        }
      }
      connected = true;
      return socket;
    } finally {
      if (!connected) {
        socket.close();
      }
    }
  }

  /**
   * Waits for a connection.
   *
   * @param limit the time limit of each call on the connection
   * @return the connection; empty when none came in time
   * @throws NativeCallException EMFILE when this process has no free descriptor
   */
  public Optional<UnixSocket> accept(Duration limit) {
    try (SystemCall call = new SystemCall()) {
      int fd = Libc.C.accept4(call.state(), descriptor.number(), 0, 0, LinuxAbi.SOCK_CLOEXEC);
      if (fd < 0) {
        if (call.failedWith(Errno.EAGAIN) || call.failedWith(Errno.EINTR)) {
          return Optional.empty();
        }
        throw call.failure("accept4", name);
      }
      UnixSocket connection = new UnixSocket(Descriptor.own(fd), "a connection to " + name);
      connection.limit(limit);
      return Optional.of(connection);
    }
  }

  /**
   * Sends a message.
   *
   * @param bytes its content, at least one byte
   * @param attached a descriptor to send with it, which stays open here
   * @throws NativeCallException EPIPE when the other side has closed, EAGAIN when the time is up
   */
  public void send(byte[] bytes, Optional<Descriptor> attached) {
    try (SystemCall call = new SystemCall()) {
      MemorySegment content = call.arena().allocate(Math.max(1, bytes.length));
      MemorySegment.copy(bytes, 0, content, JAVA_BYTE, 0, bytes.length);
      MemorySegment header = header(call.arena(), content, bytes.length);
      if (attached.isPresent()) {
        MemorySegment control = call.arena().allocate(CMSG_BYTES, Long.BYTES);
        control.set(JAVA_LONG, 0, CMSG_HEADER_BYTES + Integer.BYTES);
        control.set(JAVA_INT, CMSG_LEVEL, LinuxAbi.SOL_SOCKET);
        control.set(JAVA_INT, CMSG_TYPE, LinuxAbi.SCM_RIGHTS);
        control.set(JAVA_INT, CMSG_HEADER_BYTES, attached.get().number());
        header.set(JAVA_LONG, CONTROL, control.address());
        header.set(JAVA_LONG, CONTROLLEN, CMSG_BYTES);
      }
      while (Libc.C.sendmsg(call.state(), descriptor.number(), header, LinuxAbi.MSG_NOSIGNAL) < 0) {
        if (!call.failedWith(Errno.EINTR)) {
          throw call.failure("sendmsg", name, bytes.length + " bytes");
        }
      }
    }
  }

  /**
   * Waits for a message.
   *
   * @param maxBytes the longest message to accept, more than 0
   * @return the message; empty when the other side has closed, or sent a message that is longer or
   *     has more than one descriptor, which is discarded
   * @throws NativeCallException EAGAIN when the time is up, ECONNRESET when the other side has died
   */
  public Optional<Message> receive(int maxBytes) {
    try (SystemCall call = new SystemCall()) {
      MemorySegment content = call.arena().allocate(maxBytes);
      MemorySegment header = header(call.arena(), content, maxBytes);
      // Descriptors that do not fit are closed by the kernel; two of them fit in the padding.
      MemorySegment control = call.arena().allocate(CMSG_BYTES, Long.BYTES);
      header.set(JAVA_LONG, CONTROL, control.address());
      header.set(JAVA_LONG, CONTROLLEN, CMSG_BYTES);
      long count;
      while ((count =
              Libc.C.recvmsg(call.state(), descriptor.number(), header, LinuxAbi.MSG_CMSG_CLOEXEC))
          < 0) {
        if (!call.failedWith(Errno.EINTR)) {
          throw call.failure("recvmsg", name, maxBytes);
        }
      }
      List<Descriptor> attached = descriptors(control, header.get(JAVA_LONG, CONTROLLEN));
      boolean cut = (header.get(JAVA_INT, FLAGS) & (LinuxAbi.MSG_TRUNC | LinuxAbi.MSG_CTRUNC)) != 0;
      if (count == 0 || cut || attached.size() > 1) {
        attached.forEach(Descriptor::close);
        return Optional.empty();
      }
      byte[] bytes = content.asSlice(0, count).toArray(JAVA_BYTE);
      return Optional.of(new Message(bytes, attached.stream().findFirst()));
    }
  }

  @Override
  public void close() {
    descriptor.close();
  }

  private static UnixSocket open(Path path, Duration limit) {
    try (SystemCall call = new SystemCall()) {
      int type = LinuxAbi.SOCK_SEQPACKET | LinuxAbi.SOCK_CLOEXEC;
      int fd = Libc.C.socket(call.state(), LinuxAbi.AF_UNIX, type, 0);
      if (fd < 0) {
        throw call.failure("socket", "AF_UNIX", "SOCK_SEQPACKET|SOCK_CLOEXEC");
      }
      UnixSocket socket = new UnixSocket(Descriptor.own(fd), path.toString());
      socket.limit(limit);
      return socket;
    }
  }

  private void limit(Duration limit) {
    try (SystemCall call = new SystemCall()) {
      // struct timeval { time_t tv_sec; suseconds_t tv_usec; }; zero would mean no limit
      MemorySegment time = call.arena().allocate(2L * Long.BYTES, Long.BYTES);
      time.set(JAVA_LONG, 0, limit.toSeconds());
      time.set(JAVA_LONG, Long.BYTES, Math.max(1, limit.toNanosPart() / 1000));
      for (int option : new int[] {LinuxAbi.SO_RCVTIMEO, LinuxAbi.SO_SNDTIMEO}) {
        if (Libc.C.setsockopt(
                call.state(),
                descriptor.number(),
                LinuxAbi.SOL_SOCKET,
                option,
                time,
                (int) time.byteSize())
            != 0) {
          NativeCallException failure = call.failure("setsockopt", name, option, limit);
          close();
          throw failure;
        }
      }
    }
  }

  /** Returns a sockaddr_un: a 16-bit family and the path. */
  private static MemorySegment address(Arena arena, Path path) {
    byte[] bytes = path.toString().getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MAX_PATH_BYTES) {
      throw new IllegalArgumentException(
          "the path of a socket can have %d bytes; this one has %d: %s"
              .formatted(MAX_PATH_BYTES, bytes.length, path));
    }
    MemorySegment address = arena.allocate(FAMILY_BYTES + MAX_PATH_BYTES + 1L, FAMILY_BYTES);
    address.set(JAVA_SHORT, 0, (short) LinuxAbi.AF_UNIX);
    MemorySegment.copy(bytes, 0, address, JAVA_BYTE, FAMILY_BYTES, bytes.length);
    return address;
  }

  private static MemorySegment header(Arena arena, MemorySegment content, long bytes) {
    MemorySegment vector = arena.allocate(IOVEC_BYTES, Long.BYTES);
    vector.set(JAVA_LONG, 0, content.address());
    vector.set(JAVA_LONG, Long.BYTES, bytes);
    MemorySegment header = arena.allocate(MSGHDR_BYTES, Long.BYTES);
    header.set(JAVA_LONG, IOV, vector.address());
    header.set(JAVA_LONG, IOVLEN, 1L);
    return header;
  }

  private static List<Descriptor> descriptors(MemorySegment control, long received) {
    List<Descriptor> attached = new ArrayList<>();
    if (received >= CMSG_HEADER_BYTES
        && control.get(JAVA_INT, CMSG_LEVEL) == LinuxAbi.SOL_SOCKET
        && control.get(JAVA_INT, CMSG_TYPE) == LinuxAbi.SCM_RIGHTS) {
      long end = Math.min(control.get(JAVA_LONG, 0), control.byteSize());
      for (long at = CMSG_HEADER_BYTES; at + Integer.BYTES <= end; at += Integer.BYTES) {
        attached.add(Descriptor.own(control.get(JAVA_INT, at)));
      }
    }
    return attached;
  }
}
