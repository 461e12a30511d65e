// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import java.util.Optional;

/** The parts of a received message, taken one by one with their types checked. */
final class MessageParts {
  private static final int FIRST = 2;

  private final Object[] parts;
  private final String kind;
  private int next = FIRST;

  private MessageParts(Object[] parts, String kind) {
    this.parts = parts;
    this.kind = kind;
  }

  static MessageParts of(Object received, int version) {
    if (!(received instanceof Object[] parts)) {
      throw new IllegalArgumentException("%s came instead of a message".formatted(name(received)));
    }
    if (parts.length < FIRST
        || !(parts[0] instanceof Integer theirs)
        || !(parts[1] instanceof String kind)) {
      throw new IllegalArgumentException(
          "An array of %d elements came that does not begin with a version and a kind of message"
              .formatted(parts.length));
    }
    if (theirs != version) {
      throw new IllegalArgumentException(
          "A message of version %d came, this jar speaks version %d: the driver and the executors run different SymShuffle jars"
              .formatted(theirs, version));
    }
    return new MessageParts(parts, kind);
  }

  String kind() {
    return kind;
  }

  <T> T next(Class<T> type, String name) {
    return nextOrNull(type, name)
        .orElseThrow(
            () -> new IllegalArgumentException("A %s message has no %s".formatted(kind, name)));
  }

  <T> Optional<T> nextOrNull(Class<T> type, String name) {
    if (next == parts.length) {
      throw new IllegalArgumentException(
          "A %s message ends after %d parts, before its %s"
              .formatted(kind, parts.length - FIRST, name));
    }
    Object part = parts[next++];
    if (part != null && !type.isInstance(part)) {
      throw new IllegalArgumentException(
          "A %s message has %s as its %s, which should be %s"
              .formatted(kind, name(part), name, type.getSimpleName()));
    }
    return Optional.ofNullable(type.cast(part));
  }

  void end() {
    if (next != parts.length) {
      throw new IllegalArgumentException(
          "A %s message has %d parts, which should be %d"
              .formatted(kind, parts.length - FIRST, next - FIRST));
    }
  }

  private static String name(Object part) {
    return part == null ? "null" : part.getClass().getSimpleName();
  }
}
