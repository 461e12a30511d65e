// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import io.symshuffle.heap.FolderToken;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Puts messages on the wire: an {@code Object[]} of JDK types, whose first element is the version
 * of this format and whose second one names the kind; the parts follow in a fixed order.
 *
 * <pre>
 *   join     executor id, host, boot id, processors (Integer), cores (Integer) or null,
 *            push address (RpcEndpointRef) or null
 *   welcome  token, PE (Integer), PEs of the host (Integer), turn (Integer), table
 *   report   executor id, heap bytes (Long), heap base, heap folder, trouble or null
 *   lookup   executor id, since (Long)
 *   table    table
 *   shuffles-over  shuffle ids (int[])
 *   end
 *   refusal  reason
 *   device.… see {@link DeviceMessages}
 *
 *   table =  since (Long), epoch (Long), then one array element a member: executor ids (String[]),
 *            PEs (int[]), hosts (String[]), boot ids (String[]), lost (boolean[]), changed (long[])
 * </pre>
 *
 * <p>What does not fit is refused with a sentence that says what came; nothing received is used
 * before it was checked.
 */
public final class Messages {
  /** The version of the format; both ends of an application must have the same. */
  static final int VERSION = 2;

  private static final String JOIN = "join";
  private static final String WELCOME = "welcome";
  private static final String REPORT = "report";
  private static final String LOOKUP = "lookup";
  private static final String TABLE = "table";
  private static final String SHUFFLES_OVER = "shuffles-over";
  private static final String END = "end";
  private static final String REFUSAL = "refusal";

  private Messages() {}

  /**
   * Encodes a message.
   *
   * @param message any
   * @return what to send
   */
  public static Object[] encode(Message message) {
    List<Object> parts = new ArrayList<>();
    parts.add(VERSION);
    switch (message) {
      case Join(var executorId, var host, var processors, var cores, var pushAddress) -> {
        parts.add(JOIN);
        parts.add(executorId);
        parts.add(host.name());
        parts.add(host.bootId());
        parts.add(processors);
        parts.add(cores.isPresent() ? cores.getAsInt() : null);
        parts.add(pushAddress.orElse(null));
      }
      case Welcome(var token, var pe, var pesOfHost, var turn, var table) -> {
        parts.add(WELCOME);
        parts.add(token.hex());
        parts.add(pe);
        parts.add(pesOfHost);
        parts.add(turn);
        addTable(parts, table);
      }
      case Report(var executorId, var heapBytes, var heapBase, var heapFolder, var trouble) -> {
        parts.add(REPORT);
        parts.add(executorId);
        parts.add(heapBytes);
        parts.add(heapBase);
        parts.add(heapFolder);
        parts.add(trouble.orElse(null));
      }
      case Lookup(var executorId, var since) -> {
        parts.add(LOOKUP);
        parts.add(executorId);
        parts.add(since);
      }
      case Table(var change) -> {
        parts.add(TABLE);
        addTable(parts, change);
      }
      case DeviceReport(var executorId, var step) ->
          parts.addAll(DeviceMessages.parts(executorId, step));
      case DeviceReply(var news) -> parts.addAll(DeviceMessages.parts(news));
      case ShufflesOver(var ids) -> {
        parts.add(SHUFFLES_OVER);
        parts.add(ids.stream().mapToInt(Integer::intValue).toArray());
      }
      case End() -> parts.add(END);
      case Refusal(var reason) -> {
        parts.add(REFUSAL);
        parts.add(reason);
      }
    }
    return parts.toArray();
  }

  /**
   * Decodes a message.
   *
   * @param received what came
   * @return the message
   * @throws IllegalArgumentException if it is none of ours; the message says why
   */
  public static Message decode(Object received) {
    MessageParts parts = MessageParts.of(received, VERSION);
    Message message =
        switch (parts.kind()) {
          case JOIN ->
              new Join(
                  parts.next(String.class, "executor id"),
                  new HostIdentity(
                      parts.next(String.class, "host"), parts.next(String.class, "boot id")),
                  parts.next(Integer.class, "processors"),
                  parts.nextOrNull(Integer.class, "cores").stream()
                      .mapToInt(Integer::intValue)
                      .findFirst(),
                  parts.nextOrNull(Object.class, "push address"));
          case WELCOME ->
              new Welcome(
                  new FolderToken(parts.next(String.class, "token")),
                  parts.next(Integer.class, "PE"),
                  parts.next(Integer.class, "PEs of the host"),
                  parts.next(Integer.class, "turn"),
                  nextTable(parts));
          case REPORT ->
              new Report(
                  parts.next(String.class, "executor id"),
                  parts.next(Long.class, "heap bytes"),
                  parts.next(String.class, "heap base"),
                  parts.next(String.class, "heap folder"),
                  parts.nextOrNull(String.class, "trouble"));
          case LOOKUP ->
              new Lookup(parts.next(String.class, "executor id"), parts.next(Long.class, "since"));
          case TABLE -> new Table(nextTable(parts));
          case SHUFFLES_OVER ->
              new ShufflesOver(
                  Arrays.stream(parts.next(int[].class, "shuffle ids")).boxed().toList());
          case END -> new End();
          case REFUSAL -> new Refusal(parts.next(String.class, "reason"));
          default ->
              DeviceMessages.decode(parts)
                  .orElseThrow(
                      () ->
                          new IllegalArgumentException(
                              "A message of kind '" + parts.kind() + "' came"));
        };
    parts.end();
    return message;
  }

  private static void addTable(List<Object> parts, TableChange table) {
    List<Member> members = table.members();
    int n = members.size();
    String[] ids = new String[n];
    int[] pes = new int[n];
    String[] hosts = new String[n];
    String[] bootIds = new String[n];
    boolean[] lost = new boolean[n];
    long[] changed = new long[n];
    for (int i = 0; i < n; i++) {
      Member member = members.get(i);
      ids[i] = member.executorId();
      pes[i] = member.pe();
      hosts[i] = member.host().name();
      bootIds[i] = member.host().bootId();
      lost[i] = member.state() == State.LOST;
      changed[i] = member.changed();
    }
    parts.add(table.since());
    parts.add(table.epoch());
    parts.addAll(List.of(ids, pes, hosts, bootIds, lost, changed));
  }

  private static TableChange nextTable(MessageParts parts) {
    long since = parts.next(Long.class, "since");
    long epoch = parts.next(Long.class, "epoch");
    String[] ids = parts.next(String[].class, "executor ids");
    int[] pes = parts.next(int[].class, "PEs");
    String[] hosts = parts.next(String[].class, "hosts");
    String[] bootIds = parts.next(String[].class, "boot ids");
    boolean[] lost = parts.next(boolean[].class, "lost");
    long[] changed = parts.next(long[].class, "changed");
    int n = ids.length;
    if (pes.length != n
        || hosts.length != n
        || bootIds.length != n
        || lost.length != n
        || changed.length != n) {
      throw new IllegalArgumentException(
          "A table came with %d executor ids, %d PEs, %d hosts, %d boot ids, %d states and %d epochs"
              .formatted(n, pes.length, hosts.length, bootIds.length, lost.length, changed.length));
    }
    List<Member> members = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      HostIdentity host = new HostIdentity(hosts[i], bootIds[i]);
      State state = lost[i] ? State.LOST : State.JOINED;
      members.add(new Member(ids[i], pes[i], host, state, changed[i]));
    }
    return new TableChange(since, epoch, members);
  }
}
