// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.nvshmem.UniqueId;
import io.symshuffle.plugin.device.DeviceInstruction;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.device.GpuOffer;
import io.symshuffle.plugin.membership.Message.EndedShuffle;
import io.symshuffle.plugin.membership.Message.Join;
import io.symshuffle.plugin.membership.Message.StartReport;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.ShuffleUse;
import io.symshuffle.plugin.usage.UsageReport;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputFilter.FilterInfo;
import java.io.ObjectInputFilter.Status;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Turns messages into bytes and back with the JDK's serialization. Spark carries a {@code byte[]},
 * because its transport may not see our classes.
 *
 * <pre>
 *   0  mark "SYM" (3 bytes), version (1 byte)
 *   4  length of what follows (4 bytes, big-endian)
 *   8  the message as {@link ObjectOutputStream} writes it
 * </pre>
 *
 * <p>Reading accepts only the records of the protocol and the few JDK classes in them, and bounds
 * what the bytes can make us allocate. Each record's constructor checks its values. Anything else
 * is refused with one sentence.
 */
public final class MessageSerializer {
  /** The version of the protocol; driver and executors must have the same. */
  static final int VERSION = 7;

  private static final int MARK = 'S' << 16 | 'Y' << 8 | 'M';
  private static final int HEADER_BYTES = 8;

  /** Enough for the table of 300,000 executors. */
  private static final int MAX_BYTES = 32 << 20;

  /** The deepest message, a usage report, has 6 levels. */
  private static final int MAX_DEPTH = 8;

  private static final Set<String> CLASSES =
      Stream.concat(
              Stream.of(
                      Stream.of(Message.class.getPermittedSubclasses()),
                      Stream.of(DeviceStep.class.getPermittedSubclasses()),
                      Stream.of(DeviceInstruction.class.getPermittedSubclasses()),
                      Stream.of(FolderToken.class, UniqueId.class, GpuOffer.class),
                      Stream.of(HostIdentity.class, Member.class, Member.State.class),
                      Stream.of(MembershipChange.class, UsageReport.class, HeapUse.class),
                      Stream.of(ShuffleUse.class, EndedShuffle.class),
                      Stream.of(Enum.class, Number.class, Integer.class, Long.class),
                      Stream.of(TreeMap.class, Object[].class, byte[].class, int[].class),
                      // What List.copyOf returns, and below its serialized form.
                      Stream.of(List.of().getClass(), List.of(1).getClass()))
                  .flatMap(classes -> classes)
                  .map(Class::getName),
              Stream.of("java.util.CollSer"))
          .collect(Collectors.toUnmodifiableSet());

  private MessageSerializer() {}

  /** Serializes a message. */
  public static byte[] write(Message message) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(new byte[HEADER_BYTES]);
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(message);
    } catch (IOException e) {
      throw new UncheckedIOException(message.getClass() + " is not serializable", e);
    }
    byte[] written = bytes.toByteArray();
    ByteBuffer.wrap(written).putInt(MARK << 8 | VERSION).putInt(written.length - HEADER_BYTES);
    return written;
  }

  /**
   * Reads a message.
   *
   * @param received what came
   * @throws OtherVersionException if it has another version of the protocol
   * @throws IllegalArgumentException if it is not a message of this protocol; says why
   */
  public static Message read(Object received) {
    if (!(received instanceof byte[] bytes)) {
      throw new IllegalArgumentException(
          "received %s instead of a message"
              .formatted(received == null ? "null" : received.getClass().getSimpleName()));
    }
    int version = checkHeader(bytes);
    if (version != VERSION) {
      throw new OtherVersionException(version, sender(bytes));
    }
    return body(bytes);
  }

  /** The executor that has sent a message of another version, as far as that can be read. */
  private static Optional<String> sender(byte[] bytes) {
    try {
      return switch (body(bytes)) {
        case Join join -> Optional.of(join.executorId());
        case StartReport report -> Optional.of(report.executorId());
        default -> Optional.empty();
      };
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static Message body(byte[] bytes) {
    byte[] body = Arrays.copyOfRange(bytes, HEADER_BYTES, bytes.length);
    try (ObjectInputStream in = new Input(body)) {
      if (in.readObject() instanceof Message message) {
        requireParts(message);
        return message;
      }
    } catch (InvalidObjectException e) {
      // A record's own sentence.
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (IOException | ReflectiveOperationException | RuntimeException e) {
      throw new IllegalArgumentException("a message cannot be read: " + e.getMessage(), e);
    }
    throw new IllegalArgumentException("received a part of a message instead of a message");
  }

  /** Checks that no part of a message is null, so that the records need not check it. */
  private static void requireParts(Object part) throws IOException, ReflectiveOperationException {
    if (part == null) {
      throw new InvalidObjectException("a part of a message is missing");
    }
    if (part instanceof Record record) {
      for (RecordComponent component : record.getClass().getRecordComponents()) {
        requireParts(component.getAccessor().invoke(record));
      }
    } else if (part instanceof List<?> list) {
      for (Object element : list) {
        requireParts(element);
      }
    }
  }

  /** Returns the version. */
  private static int checkHeader(byte[] bytes) {
    if (bytes.length < HEADER_BYTES || ByteBuffer.wrap(bytes).getInt() >>> 8 != MARK) {
      throw new IllegalArgumentException(
          "received %d bytes that are not a message".formatted(bytes.length));
    }
    int length = ByteBuffer.wrap(bytes).getInt(4);
    if (length != bytes.length - HEADER_BYTES || length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a message of %d bytes has %d bytes, and at most %d are allowed"
              .formatted(length, bytes.length - HEADER_BYTES, MAX_BYTES));
    }
    return Byte.toUnsignedInt(bytes[3]);
  }

  /** A message of another version of the protocol. */
  static final class OtherVersionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String executorId;

    OtherVersionException(int version, Optional<String> executorId) {
      super(
          "received a message of protocol version %d, but this jar uses version %d: the driver and the executors run different SymShuffle jars"
              .formatted(version, VERSION));
      this.executorId = executorId.orElse(null);
    }

    /** Spark's id of the executor that has sent it while it started, if it can be read. */
    Optional<String> executorId() {
      return Optional.ofNullable(executorId);
    }
  }

  /** Resolves only the classes of the protocol, with the loader of this jar. */
  private static final class Input extends ObjectInputStream {
    Input(byte[] body) throws IOException {
      super(new ByteArrayInputStream(body));
      setObjectInputFilter(info -> check(info, body.length));
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description)
        throws IOException, ClassNotFoundException {
      if (!CLASSES.contains(description.getName())) {
        throw new IOException(description.getName() + " is not part of the protocol");
      }
      return Class.forName(description.getName(), false, MessageSerializer.class.getClassLoader());
    }

    @Override
    protected Class<?> resolveProxyClass(String[] interfaces) throws IOException {
      throw new IOException("a proxy is not part of the protocol");
    }

    /** Each reference and each element of an array or list takes at least one byte. */
    private static Status check(FilterInfo info, int bytes) {
      if (info.depth() > MAX_DEPTH
          || info.references() > bytes
          || info.arrayLength() > bytes
          || info.streamBytes() > bytes) {
        return Status.REJECTED;
      }
      Class<?> type = info.serialClass();
      if (type == null) {
        return Status.UNDECIDED;
      }
      return CLASSES.contains(type.getName()) ? Status.ALLOWED : Status.REJECTED;
    }
  }
}
