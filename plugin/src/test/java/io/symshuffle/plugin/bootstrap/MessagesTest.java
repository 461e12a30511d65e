// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.FolderToken;
import io.symshuffle.nvshmem.UniqueId;
import io.symshuffle.plugin.bootstrap.Member.State;
import io.symshuffle.plugin.bootstrap.Message.DeviceReply;
import io.symshuffle.plugin.bootstrap.Message.DeviceReport;
import io.symshuffle.plugin.bootstrap.Message.End;
import io.symshuffle.plugin.bootstrap.Message.Join;
import io.symshuffle.plugin.bootstrap.Message.Lookup;
import io.symshuffle.plugin.bootstrap.Message.Refusal;
import io.symshuffle.plugin.bootstrap.Message.Report;
import io.symshuffle.plugin.bootstrap.Message.ShufflesOver;
import io.symshuffle.plugin.bootstrap.Message.Table;
import io.symshuffle.plugin.bootstrap.Message.Welcome;
import io.symshuffle.plugin.device.DeviceNews.Active;
import io.symshuffle.plugin.device.DeviceNews.HostHeap;
import io.symshuffle.plugin.device.DeviceNews.MakeId;
import io.symshuffle.plugin.device.DeviceNews.Start;
import io.symshuffle.plugin.device.DeviceNews.Wait;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.device.DeviceStep.Named;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.DeviceStep.Outcome;
import io.symshuffle.plugin.device.DeviceStep.Poll;
import io.symshuffle.plugin.device.GpuOffer;
import io.symshuffle.plugin.device.UniqueIds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MessagesTest {
  private static final HostIdentity A = new HostIdentity("a", "boot-1");
  private static final TableChange CHANGE =
      new TableChange(
          3,
          9,
          List.of(
              new Member("7", 0, A, State.LOST, 9),
              new Member("8", 1, new HostIdentity("b", ""), State.JOINED, 4)));
  private static final FolderToken TOKEN = FolderToken.random();
  private static final GpuOffer GPU =
      new GpuOffer("here/boot-1", "GPU-00", "0000:1b:00.0", "3.4.5", 1L << 35);
  private static final UniqueId UNIQUE_ID = UniqueIds.next();

  static Stream<Message> messages() {
    return Stream.of(
        new Join("7", A, 16, OptionalInt.empty(), Optional.empty()),
        new Join("7", A, 1, OptionalInt.of(1), Optional.of("stands for an RpcEndpointRef")),
        new Welcome(TOKEN, 5, 8, 3, CHANGE),
        new Welcome(TOKEN, 0, 1, 0, new TableChange(0, 0, List.of())),
        new Report("7", 1L << 40, "/dev/shm", "1-2-3", Optional.empty()),
        new Report("7", 0, "", "", Optional.of("It is full.")),
        new ShufflesOver(List.of(3, 1, 1 << 30)),
        new Lookup("8", 17),
        new Table(CHANGE),
        new DeviceReport("7", new Offer(GPU)),
        new DeviceReport("7", new Decline("It has none")),
        new DeviceReport("7", new Named(UNIQUE_ID)),
        new DeviceReport("7", new Outcome(Optional.empty())),
        new DeviceReport("7", new Outcome(Optional.of("It hung"))),
        new DeviceReport("7", new Poll()),
        new DeviceReply(new Wait()),
        new DeviceReply(new MakeId()),
        new DeviceReply(new Start(UNIQUE_ID, 1, new int[] {4, 0, 7}, 1L << 35)),
        new DeviceReply(new Active()),
        new DeviceReply(new HostHeap("It came too late", true)),
        new End(),
        new Refusal("No."));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void whatIsSentArrives(Message message) throws Exception {
    assertEquals(message, Messages.decode(throughAStream(Messages.encode(message))));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void nothingOnTheWireIsOfOurClasses(Message message) {
    for (Object part : Messages.encode(message)) {
      assertTrue(part == null || part.getClass().getClassLoader() == null, () -> "" + part);
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void aMessageThatWasCutOffOrLengthenedIsRefused(Message message) {
    Object[] whole = Messages.encode(message);
    for (int length = 0; length < whole.length; length++) {
      Object[] cut = Arrays.copyOf(whole, length);
      assertThrows(IllegalArgumentException.class, () -> Messages.decode(cut));
    }
    Object[] longer = Arrays.copyOf(whole, whole.length + 1);
    longer[whole.length] = "surplus";
    assertThrows(IllegalArgumentException.class, () -> Messages.decode(longer));
  }

  static Stream<Arguments> malformed() {
    return Stream.of(
        Arguments.of(null, "null came instead of a message"),
        Arguments.of("hello", "String came instead of a message"),
        Arguments.of(
            new Object[] {},
            "An array of 0 elements came that does not begin with a version and a kind of"
                + " message"),
        Arguments.of(
            new Object[] {"join", 1},
            "An array of 2 elements came that does not begin with a version and a kind of"
                + " message"),
        Arguments.of(
            new Object[] {1, "join"},
            "A message of version 1 came, this jar speaks version 2: the driver and the executors"
                + " run different SymShuffle jars"),
        Arguments.of(new Object[] {2, "dance"}, "A message of kind 'dance' came"),
        Arguments.of(
            new Object[] {2, "lookup", "8"},
            "A lookup message ends after 1 parts, before its since"),
        Arguments.of(
            new Object[] {2, "lookup", "8", 3},
            "A lookup message has Integer as its since, which should be Long"),
        Arguments.of(new Object[] {2, "lookup", null, 3L}, "A lookup message has no executor id"),
        Arguments.of(
            new Object[] {2, "lookup", "8", 3L, 4L},
            "A lookup message has 3 parts, which should be 2"),
        Arguments.of(
            new Object[] {2, "lookup", "8", -1L}, "An executor asks for changes since epoch -1"),
        Arguments.of(
            new Object[] {2, "join", "8", "a", "", 0, 2, null},
            "Executor 8 says that it sees 0 processors and has 2 cores"),
        Arguments.of(
            new Object[] {2, "report", "8", -1L, "", "", null},
            "Executor 8 reports a heap of -1 bytes"),
        Arguments.of(
            new Object[] {2, "device.offer", "8", "n", "GPU-0", "0000:00:00.0", "3.4.5", 0L},
            "An executor offers the GPU 'GPU-0' with a window of 0 bytes"),
        Arguments.of(
            new Object[] {2, "device.id", "8", new byte[127]},
            "a unique id has 128 bytes, not 127"),
        Arguments.of(
            new Object[] {2, "device.id", "8", new byte[128]},
            "a unique id starts with the version word 65664, not 0: its maker's NVSHMEM does not"
                + " fit"),
        Arguments.of(
            new Object[] {2, "device.id", "8", null}, "A device.id message has no unique id"),
        Arguments.of(
            new Object[] {2, "device.start", UNIQUE_ID.toBytes(), 2, new int[] {0, 1}, 64L},
            "The driver says that this executor is number 2 of the PEs [0, 1], with windows of 64"
                + " bytes"),
        Arguments.of(
            new Object[] {2, "device.start", UNIQUE_ID.toBytes(), 0, new int[] {5, 5}, 64L},
            "The driver says that this executor is number 0 of the PEs [5, 5], with windows of 64"
                + " bytes"),
        Arguments.of(
            new Object[] {2, "device.start", UNIQUE_ID.toBytes(), 0, "5", 64L},
            "A device.start message has String as its PEs, which should be int[]"),
        Arguments.of(
            new Object[] {2, "device.hostHeap", null, true},
            "A device.hostHeap message has no reason"),
        Arguments.of(
            table(1, 0, new String[0], new int[0]),
            "A table cannot change from epoch 1 to epoch 0"),
        Arguments.of(
            table(0, 1, new String[] {"8"}, new int[] {1, 2}),
            "A table came with 1 executor ids, 2 PEs, 1 hosts, 1 boot ids, 1 states and 1 epochs"),
        Arguments.of(
            table(0, 1, new String[] {"8"}, new int[] {-1}),
            "PE -1 of executor 8, changed in epoch 1: a PE is 0 or more, an epoch 1 or more"),
        Arguments.of(
            table(1, 1, new String[] {"8"}, new int[] {3}),
            "PE 3 changed in epoch 1, which is not after 1 and up to 1"));
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void whatIsMalformedIsRefusedWithASentence(Object received, String sentence) {
    assertEquals(
        sentence,
        assertThrows(IllegalArgumentException.class, () -> Messages.decode(received)).getMessage());
  }

  @Test
  void aTokenThatCouldBeAPathIsRefused() {
    Object[] welcome =
        Messages.encode(new Welcome(TOKEN, 0, 1, 0, new TableChange(0, 0, List.of())));
    welcome[2] = "../../etc";
    assertThrows(IllegalArgumentException.class, () -> Messages.decode(welcome));
  }

  @Test
  void theUniqueIdIsInNoText() {
    String bytes = Arrays.toString(UNIQUE_ID.toBytes());
    for (Message message :
        List.of(
            new DeviceReport("7", new Named(UNIQUE_ID)),
            new DeviceReply(new Start(UNIQUE_ID, 0, new int[] {0}, 64)))) {
      assertFalse(message.toString().contains(bytes));
      assertFalse(message.toString().contains(UniqueIds.SECRET));
    }
  }

  @Test
  void theTokenIsInNoText() {
    Welcome welcome = new Welcome(TOKEN, 0, 1, 0, new TableChange(0, 0, List.of()));
    assertFalse(welcome.toString().contains(TOKEN.hex()));
  }

  private static Object[] table(long since, long epoch, String[] ids, int[] pes) {
    int n = ids.length;
    String[] hosts = new String[n];
    Arrays.fill(hosts, "a");
    long[] changed = new long[n];
    Arrays.fill(changed, 1);
    return new Object[] {2, "table", since, epoch, ids, pes, hosts, hosts, new boolean[n], changed};
  }

  private static Object throughAStream(Object[] message)
      throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(message);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return in.readObject();
    }
  }
}
