// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.nvshmem.UniqueId;
import io.symshuffle.plugin.device.DeviceInstruction.Active;
import io.symshuffle.plugin.device.DeviceInstruction.CreateId;
import io.symshuffle.plugin.device.DeviceInstruction.HostHeap;
import io.symshuffle.plugin.device.DeviceInstruction.Start;
import io.symshuffle.plugin.device.DeviceInstruction.Wait;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.device.DeviceStep.Failed;
import io.symshuffle.plugin.device.DeviceStep.IdCreated;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.DeviceStep.Opened;
import io.symshuffle.plugin.device.DeviceStep.Poll;
import io.symshuffle.plugin.device.DeviceStep.Started;
import io.symshuffle.plugin.device.GpuOffer;
import io.symshuffle.plugin.device.nvshmem.UniqueIds;
import io.symshuffle.plugin.membership.Member.State;
import io.symshuffle.plugin.membership.Message.ApplicationEnding;
import io.symshuffle.plugin.membership.Message.DeviceReply;
import io.symshuffle.plugin.membership.Message.DeviceReport;
import io.symshuffle.plugin.membership.Message.EndedShuffle;
import io.symshuffle.plugin.membership.Message.Join;
import io.symshuffle.plugin.membership.Message.Lookup;
import io.symshuffle.plugin.membership.Message.Refusal;
import io.symshuffle.plugin.membership.Message.ShufflesEnded;
import io.symshuffle.plugin.membership.Message.StartReport;
import io.symshuffle.plugin.membership.Message.TablesOnHost;
import io.symshuffle.plugin.membership.Message.TablesUnavailable;
import io.symshuffle.plugin.membership.Message.Update;
import io.symshuffle.plugin.membership.Message.Usage;
import io.symshuffle.plugin.membership.Message.Welcome;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.ShuffleUse;
import io.symshuffle.plugin.usage.UsageReport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MessageSerializerTest {
  private static final int HEADER_BYTES = 8;
  private static final HostIdentity A = new HostIdentity("a", "boot-1");
  private static final MembershipChange CHANGE =
      new MembershipChange(
          3,
          9,
          List.of(
              new Member("7", 0, A, "", State.LOST, 9),
              new Member("8", 1, new HostIdentity("b", ""), "", State.JOINED, 4)));
  private static final FolderToken TOKEN = FolderToken.random();
  private static final GpuOffer GPU =
      new GpuOffer("here/boot-1", "GPU-00", "0000:1b:00.0", "3.4.5", 1L << 35);
  private static final UniqueId UNIQUE_ID = UniqueIds.next();
  private static final UsageReport USAGE =
      new UsageReport(
          "7",
          99,
          "NVIDIA H200",
          478_000_000_000L,
          new HeapUse(1, 2, 3, 4, 5, 6, 7, Map.of("DAMAGED", 8L)),
          List.of(
              new ShuffleUse(1, List.of(5L, 6L), List.of(2L, 1L), 4, 10, 5),
              new ShuffleUse(2, List.of(), List.of(), 0, 0, 0)));

  /** A value that occurs nowhere else, to find it in the bytes. */
  private static final long MARK = 0x1122_3344_5566_7788L;

  static Stream<Message> messages() {
    return Stream.of(
        new Join("7", A, 16, 0),
        new Join("7", A, 1, 1),
        new Welcome(TOKEN, 5, 8, 3, CHANGE),
        new Welcome(TOKEN, 0, 1, 0, new MembershipChange(0, 0, List.of())),
        new StartReport("7", 1L << 40, "/dev/shm", "1-2-3", ""),
        new StartReport("7", 0, "", "", "It is full."),
        new TablesUnavailable("7", "its self-test failed"),
        new TablesOnHost("executor 7 reports: its self-test failed"),
        new ShufflesEnded(
            List.of(new EndedShuffle(3, -1), new EndedShuffle(1 << 30, Long.MAX_VALUE)), 5, 7),
        new Lookup("8", 17),
        new Update(CHANGE),
        new Usage(USAGE, 0, 0),
        new Usage(new UsageReport("7", 1, "", 0, HeapUse.NONE, List.of()), 17, 4),
        new DeviceReport("7", new Offer(GPU)),
        new DeviceReport("7", new Opened()),
        new DeviceReport("7", new Decline("It has none")),
        new DeviceReport("7", new IdCreated(UNIQUE_ID)),
        new DeviceReport("7", new Started()),
        new DeviceReport("7", new Failed("It hung")),
        new DeviceReport("7", new Poll()),
        new DeviceReply(new Wait()),
        new DeviceReply(new CreateId()),
        new DeviceReply(new Start(UNIQUE_ID, 1, new int[] {4, 0, 7}, 1L << 35)),
        new DeviceReply(new Active()),
        new DeviceReply(new HostHeap("It came too late", true)),
        new ApplicationEnding(),
        new Refusal("No."));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void readsWhatItWrote(Message message) {
    assertEquals(message, MessageSerializer.read(MessageSerializer.write(message)));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void refusesCutOffAndLengthenedMessages(Message message) {
    byte[] whole = MessageSerializer.write(message);
    for (int length = 0; length < whole.length; length++) {
      refused(Arrays.copyOf(whole, length));
      if (length >= HEADER_BYTES) {
        refused(withLength(Arrays.copyOf(whole, length)));
      }
    }
    refused(Arrays.copyOf(whole, whole.length + 1));
  }

  static Stream<Arguments> malformed() {
    return Stream.of(
        Arguments.of(null, "received null instead of a message"),
        Arguments.of("hello", "received String instead of a message"),
        Arguments.of(new Object[] {1, "join"}, "received Object[] instead of a message"),
        Arguments.of(new byte[0], "received 0 bytes that are not a message"),
        Arguments.of(
            version(3),
            "received a message of protocol version 3, but this jar uses version 7: the driver and"
                + " the executors run different SymShuffle jars"),
        Arguments.of(serialized(A), "received a part of a message instead of a message"),
        Arguments.of(MessageSerializer.write(new Update(null)), "a part of a message is missing"),
        Arguments.of(
            patched(new Lookup("8", MARK), MARK, -1),
            "an executor asks for changes since epoch -1"),
        Arguments.of(
            patched(new Join("8", A, 0x11223344, 2), 0x11223344, 0),
            "executor 8 reports 0 processors and 2 cores"),
        Arguments.of(
            patched(
                new DeviceReport("8", new Offer(new GpuOffer("n", "GPU-0", "p", "v", MARK))),
                MARK,
                0),
            "an executor offers the GPU 'GPU-0' with a window of 0 bytes"),
        Arguments.of(
            patched(new Update(new MembershipChange(0, MARK, List.of())), MARK, -1),
            "a membership cannot change from epoch 0 to epoch -1"),
        Arguments.of(
            patched(ended(new EndedShuffle(0x11223344, 7)), 0x11223344, -5),
            "the driver reports the end of shuffle -5 after task 7"));
  }

  private static ShufflesEnded ended(EndedShuffle... shuffles) {
    return new ShufflesEnded(List.of(shuffles), 0, shuffles.length);
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void refusesMalformedMessagesWithOneSentence(Object received, String sentence) {
    assertEquals(sentence, refused(received));
  }

  @Test
  void refusesATokenThatCouldBeAPath() {
    byte[] welcome =
        MessageSerializer.write(new Welcome(TOKEN, 0, 1, 0, new MembershipChange(0, 0, List.of())));
    replace(welcome, TOKEN.hex(), "../../etc/0123456789abcdef012345");
    assertTrue(refused(welcome).startsWith("a token has 32 lower-case hexadecimal digits"));
  }

  @Test
  void refusesFieldsOfAnotherType() {
    byte[] report = MessageSerializer.write(new DeviceReport("7", new Poll()));
    // A class of the protocol, but not a DeviceStep.
    refused(renamed(report, Poll.class, Wait.class));
    byte[] usage = MessageSerializer.write(new Usage(USAGE, 0, 0));
    replace(usage, "java.lang.Long", "java.lang.Byte");
    refused(usage);
  }

  @Test
  void refusesListsWithElementsOfAnotherType() {
    String ended =
        refused(renamed(new FakeShufflesEnded(List.of("seven"), 0, 1), ShufflesEnded.class));
    assertTrue(ended.contains("cannot be cast to class " + EndedShuffle.class.getName()), ended);
    String update = refused(renamed(new FakeChange(0, 9, List.of(7)), MembershipChange.class));
    assertTrue(update.contains("cannot be cast to class " + Member.class.getName()), update);
    String use =
        refused(renamed(new FakeUse(1, List.of("five"), List.of(), 0, 0, 0), ShuffleUse.class));
    assertEquals("bytes contains five", use);
  }

  private record FakeShufflesEnded(List<?> shuffles, long before, long total)
      implements Serializable {}

  private record FakeChange(long since, long epoch, List<?> members) implements Serializable {}

  private record FakeUse(
      int shuffleId, List<?> bytes, List<?> runs, long mapOutputs, long inPlace, long transferred)
      implements Serializable {}

  /** A record that claims to be of another class. */
  private static byte[] renamed(Record fake, Class<?> real) {
    return renamed(serialized(fake), fake.getClass(), real);
  }

  /** A message with the name of one class replaced by that of another. */
  private static byte[] renamed(byte[] message, Class<?> from, Class<?> to) {
    String bytes = new String(message, StandardCharsets.ISO_8859_1);
    String renamed = bytes.replace(lengthAndName(from), lengthAndName(to));
    return withLength(renamed.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String lengthAndName(Class<?> type) {
    return (char) 0 + "" + (char) type.getName().length() + type.getName();
  }

  static Stream<Object> foreignObjects() {
    Object[] cycle = new Object[1];
    cycle[0] = cycle;
    return Stream.of(
        new HashMap<>(Map.of("a", "b")),
        new ArrayList<>(List.of(1)),
        new Canary(),
        new Canary[] {new Canary()},
        List.of(new Canary()),
        new TreeMap<>(Collections.reverseOrder()),
        Proxy.newProxyInstance(
            MessageSerializerTest.class.getClassLoader(),
            new Class<?>[] {Runnable.class},
            new Canary()),
        String.class,
        cycle,
        nested(100),
        new long[] {1});
  }

  @ParameterizedTest
  @MethodSource("foreignObjects")
  void neverCreatesObjectsOutsideTheProtocol(Object foreign) throws IOException {
    Canary.READ.set(0);
    refused(serialized(foreign));
    assertEquals(0, Canary.READ.get());
  }

  @Test
  void refusesHugeArraysBeforeAllocatingThem() {
    byte[] message =
        MessageSerializer.write(
            new DeviceReply(new Start(UNIQUE_ID, 0, new int[] {0, 1, 2, 3, 4}, 64)));
    byte[] five = {0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1};
    byte[] huge = {0x7f, -1, -1, -10, 0, 0, 0, 0, 0, 0, 0, 1};
    replace(message, five, huge);
    assertTrue(refused(message).contains("REJECTED"));
    EndedShuffle one = new EndedShuffle(1, 1);
    byte[] list = MessageSerializer.write(ended(one, one, one, one, one));
    byte[] listOfFive = {0, 0, 0, 1, 'w', 4, 0, 0, 0, 5};
    byte[] hugeList = {0, 0, 0, 1, 'w', 4, 0x7f, -1, -1, -10};
    replace(list, listOfFive, hugeList);
    assertTrue(refused(list).contains("REJECTED"));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void readsOrRefusesDamagedMessages(Message message) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] whole = MessageSerializer.write(message);
    for (int round = 0; round < 3000; round++) {
      byte[] damaged = whole.clone();
      int changes = 1 + random.nextInt(4);
      for (int change = 0; change < changes; change++) {
        int place = HEADER_BYTES + random.nextInt(damaged.length - HEADER_BYTES);
        damaged[place] =
            (byte) (random.nextBoolean() ? random.nextInt(256) : 0x70 + random.nextInt(15));
      }
      try {
        assertFalse(MessageSerializer.read(damaged).toString().isEmpty());
      } catch (IllegalArgumentException e) {
        // Refused.
      } catch (Throwable e) {
        throw new AssertionError("seed %d, round %d".formatted(seed, round), e);
      }
    }
  }

  @Test
  void showsNoUniqueIdInText() {
    String hex = HexFormat.of().formatHex(UNIQUE_ID.bytes());
    String bytes = Arrays.toString(UNIQUE_ID.bytes());
    for (Message message :
        List.of(
            new DeviceReport("7", new IdCreated(UNIQUE_ID)),
            new DeviceReply(new Start(UNIQUE_ID, 0, new int[] {0}, 64)))) {
      assertFalse(message.toString().contains(bytes));
      assertFalse(message.toString().contains(hex));
      assertFalse(message.toString().contains(UniqueIds.SECRET));
    }
  }

  @Test
  void showsNoTokenInText() {
    Welcome welcome = new Welcome(TOKEN, 0, 1, 0, new MembershipChange(0, 0, List.of()));
    assertFalse(welcome.toString().contains(TOKEN.hex()));
  }

  /** Counts how often it is deserialized. */
  private static final class Canary implements Serializable, InvocationHandler {
    private static final long serialVersionUID = 1L;
    private static final AtomicInteger READ = new AtomicInteger();

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      in.defaultReadObject();
      READ.incrementAndGet();
    }

    @Override
    public Object invoke(Object proxy, java.lang.reflect.Method method, Object[] arguments) {
      return null;
    }
  }

  private static Object nested(int depth) {
    Object inner = 1;
    for (int level = 0; level < depth; level++) {
      inner = List.of(inner);
    }
    return inner;
  }

  private static String refused(Object received) {
    String sentence =
        assertThrows(IllegalArgumentException.class, () -> MessageSerializer.read(received))
            .getMessage();
    assertFalse(sentence.contains("\n"), sentence);
    return sentence;
  }

  private static byte[] version(int version) {
    byte[] message = MessageSerializer.write(new ApplicationEnding());
    message[3] = (byte) version;
    return message;
  }

  /** Any object behind the header of a message. */
  private static byte[] serialized(Object object) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(Arrays.copyOf(MessageSerializer.write(new ApplicationEnding()), HEADER_BYTES));
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return withLength(bytes.toByteArray());
  }

  private static byte[] withLength(byte[] message) {
    ByteBuffer.wrap(message).putInt(4, message.length - HEADER_BYTES);
    return message;
  }

  private static byte[] patched(Message message, long from, long to) {
    byte[] bytes = MessageSerializer.write(message);
    replace(bytes, number(from, Long.BYTES), number(to, Long.BYTES));
    return bytes;
  }

  private static byte[] patched(Message message, int from, int to) {
    byte[] bytes = MessageSerializer.write(message);
    replace(bytes, number(from, Integer.BYTES), number(to, Integer.BYTES));
    return bytes;
  }

  private static byte[] number(long number, int bytes) {
    ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES).putLong(number);
    return Arrays.copyOfRange(buffer.array(), Long.BYTES - bytes, Long.BYTES);
  }

  private static void replace(byte[] message, String from, String to) {
    replace(
        message, from.getBytes(StandardCharsets.US_ASCII), to.getBytes(StandardCharsets.US_ASCII));
  }

  private static void replace(byte[] message, byte[] from, byte[] to) {
    assertEquals(from.length, to.length);
    for (int place = HEADER_BYTES; place <= message.length - from.length; place++) {
      if (Arrays.equals(message, place, place + from.length, from, 0, from.length)) {
        System.arraycopy(to, 0, message, place, to.length);
        return;
      }
    }
    throw new AssertionError("the bytes to replace are not in the message");
  }
}
