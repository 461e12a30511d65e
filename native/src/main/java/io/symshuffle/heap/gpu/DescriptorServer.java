// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.ffi.Descriptor;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.UnixSocket;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.gpu.DescriptorMessage.ChunkId;
import io.symshuffle.heap.gpu.DescriptorMessage.Reply;
import io.symshuffle.heap.gpu.DescriptorMessage.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands out descriptors of GPU memory on a Unix socket in the application's private folder, {@code
 * pe-<n>.sock}. The folder's mode keeps other users out, and each request carries the application's
 * token. A connection gets one answer with at most one descriptor, so a client holds no more than
 * it has asked for.
 *
 * <p>One daemon thread serves one connection after the other; a client that is slow or hostile is
 * dropped after a second.
 */
final class DescriptorServer implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CLIENT_LIMIT = Duration.ofSeconds(1);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);
  private static final Logger LOG = LoggerFactory.getLogger(DescriptorServer.class);

  @FunctionalInterface
  interface Source {
    /**
     * Looks a descriptor up.
     *
     * @return a duplicate, which the caller closes; empty when it is not known here
     */
    Optional<Descriptor> duplicate(ChunkId id);
  }

  private final Path path;
  private final FolderToken token;
  private final Source source;
  private final UnixSocket socket;
  private final Duration clientLimit;
  private final Thread thread;
  private volatile boolean closed;

  private DescriptorServer(
      Path path, FolderToken token, Source source, UnixSocket socket, Duration clientLimit) {
    this.path = path;
    this.token = token;
    this.source = source;
    this.socket = socket;
    this.clientLimit = clientLimit;
    this.thread = DaemonThreads.unstarted("symshuffle-descriptors", this::run);
  }

  /** Returns the path of a PE's socket. */
  static Path path(HeapFolder folder, int pe) {
    return folder.path().resolve("pe-" + pe + ".sock");
  }

  /**
   * Starts to serve.
   *
   * @throws HeapException when the socket cannot be created, with the reason
   */
  static DescriptorServer start(HeapFolder folder, int pe, Source source) {
    return start(folder, pe, source, CLIENT_LIMIT);
  }

  /** As above, with another limit than {@link #CLIENT_LIMIT}. */
  static DescriptorServer start(HeapFolder folder, int pe, Source source, Duration clientLimit) {
    Path path = path(folder, pe);
    int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
    if (length > UnixSocket.MAX_PATH_BYTES) {
      throw new HeapException(
          "the path of the socket %s has %d bytes, more than the %d that the system allows: set %s to a shorter path"
              .formatted(path, length, UnixSocket.MAX_PATH_BYTES, HeapFolder.HEAP_SETTING));
    }
    try {
      UnixSocket socket = UnixSocket.listen(path, POLL);
      DescriptorServer server =
          new DescriptorServer(path, folder.token(), source, socket, clientLimit);
      server.thread.start();
      return server;
    } catch (NativeCallException e) {
      throw new HeapException("cannot listen on %s: %s".formatted(path, e.getMessage()), e);
    }
  }

  private void run() {
    try (socket) {
      acceptUntilClosed();
    }
  }

  private void acceptUntilClosed() {
    while (!closed) {
      try (UnixSocket connection = socket.accept(clientLimit).orElse(null)) {
        if (connection != null) {
          serve(connection);
        }
      } catch (RuntimeException e) {
        LOG.debug("A request for a descriptor failed", e);
        // Without free descriptors, accepting fails immediately, again and again.
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private void serve(UnixSocket connection) {
    Optional<UnixSocket.Message> message = connection.receive(DescriptorMessage.REQUEST_BYTES);
    // Nobody sends descriptors with a request.
    message.flatMap(UnixSocket.Message::descriptor).ifPresent(Descriptor::close);
    Request request = message.flatMap(each -> Request.read(each.bytes())).orElse(null);
    if (request == null || !isOurs(request.token())) {
      LOG.debug("Refused a request on {}: it is damaged or from another application", path);
      return;
    }
    try (Descriptor descriptor = source.duplicate(request.id()).orElse(null)) {
      connection.send(
          new Reply(descriptor != null, request.id()).toBytes(), Optional.ofNullable(descriptor));
    }
  }

  private boolean isOurs(FolderToken theirs) {
    return MessageDigest.isEqual(theirs.bytes(), token.bytes());
  }

  /** Stops serving and removes the socket. */
  @Override
  public void close() {
    closed = true;
    try {
      if (!thread.join(CLOSE_LIMIT)) {
        LOG.warn(
            "The thread that serves {} did not end within {} s", path, CLOSE_LIMIT.toSeconds());
      }
      Files.deleteIfExists(path);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.debug("Cannot remove {}", path, e);
    }
  }
}
