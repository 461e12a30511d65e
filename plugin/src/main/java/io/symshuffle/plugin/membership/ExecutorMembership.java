// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.plugin.device.DeviceInstruction;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.membership.Message.ApplicationEnding;
import io.symshuffle.plugin.membership.Message.DeviceReply;
import io.symshuffle.plugin.membership.Message.DeviceReport;
import io.symshuffle.plugin.membership.Message.EndedShuffle;
import io.symshuffle.plugin.membership.Message.Join;
import io.symshuffle.plugin.membership.Message.Lookup;
import io.symshuffle.plugin.membership.Message.ShufflesEnded;
import io.symshuffle.plugin.membership.Message.TablesOnHost;
import io.symshuffle.plugin.membership.Message.Update;
import io.symshuffle.plugin.membership.Message.Welcome;
import io.symshuffle.shuffle.runtime.PeTable;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.table.TableEngines;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's part in the membership: it joins at the driver, and afterwards follows what the
 * driver pushes.
 */
public final class ExecutorMembership {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorMembership.class);

  /** A task waits for a lookup, and can use the block transfer without its answer. */
  private static final Duration MAX_LOOKUP = Duration.ofSeconds(5);

  /**
   * What an executor knows after joining.
   *
   * @param pesOfHost how many PEs share its host
   * @param localRank how many executors of its machine choose among the GPUs before it
   * @param problem a sentence if the executor could not join and works alone; empty if it joined
   */
  public record Joined(
      FolderToken token,
      int pe,
      int pesOfHost,
      int localRank,
      PeTable peers,
      Optional<String> problem) {}

  private final DriverLink link;
  private final SymShuffleConfig config;
  private final MembershipView view;
  private final ApplicationEnd end = new ApplicationEnd();

  /** How many ends of shuffles the driver has told. */
  private final AtomicLong ends = new AtomicLong();

  public ExecutorMembership(DriverLink link, SymShuffleConfig config) {
    this.link = link;
    this.config = config;
    Duration limit =
        config.joinTimeout().compareTo(MAX_LOOKUP) < 0 ? config.joinTimeout() : MAX_LOOKUP;
    this.view = new MembershipView((id, since) -> lookUp(id, since, limit), System::nanoTime);
  }

  /** Returns what is known about the end of the application. */
  public ApplicationEnd end() {
    return end;
  }

  /** Handles a message that the driver pushed. */
  public void receive(Message message) {
    LOG.debug("The driver pushed {}", message);
    switch (message) {
      case Update(MembershipChange change) -> view.apply(change);
      case ShufflesEnded(List<EndedShuffle> shuffles, long before, long total) ->
          ShuffleRuntime.current()
              .ifPresent(
                  runtime -> {
                    shuffles.forEach(ended -> runtime.ended(ended.shuffleId(), ended.lastTaskId()));
                    // If some were lost before these, the driver sends all again.
                    ends.accumulateAndGet(total, (known, all) -> before > known ? known : all);
                  });
      case TablesOnHost(String reason) -> TableEngines.returnToHost(reason);
      case ApplicationEnding() -> end.announced();
      default -> LOG.warn("Ignoring unexpected message {}", message.getClass().getSimpleName());
    }
  }

  /**
   * Joins. If the driver does not answer, the executor works alone.
   *
   * @param pushAddress where the driver can reach it; empty if nowhere
   * @param conf the application's settings, to estimate the number of PEs of this host without the
   *     driver
   * @throws CancellationException if the application ends
   * @throws InterruptedException if the thread is interrupted
   */
  public Joined join(Join join, Optional<Object> pushAddress, SparkConf conf)
      throws InterruptedException {
    Welcome welcome;
    try {
      Message answer = link.join(join, pushAddress, config.joinTimeout());
      if (answer instanceof ApplicationEnding) {
        end.announced();
        throw new CancellationException("the application is ending");
      }
      if (!(answer instanceof Welcome accepted)) {
        throw new IOException(
            "the driver answered a join with " + answer.getClass().getSimpleName());
      }
      welcome = accepted;
    } catch (IOException | TimeoutException e) {
      return alone(e, join, conf);
    }
    view.apply(welcome.members());
    return new Joined(
        welcome.token(),
        welcome.pe(),
        welcome.pesOfHost(),
        welcome.localRank(),
        view,
        Optional.empty());
  }

  /** Returns the epoch up to which this executor knows the membership. */
  public long epoch() {
    return view.epoch();
  }

  /** Returns how many ends of shuffles this executor knows. */
  public long ends() {
    return ends.get();
  }

  /**
   * Adds what is told about each executor that is lost from now on.
   *
   * @param listener gets the number of the PE; must not wait
   */
  public void onLost(IntConsumer listener) {
    view.onLost(listener);
  }

  /**
   * Reports a step of the start of this executor's device heap.
   *
   * @throws IOException if the driver cannot be reached or refuses
   * @throws TimeoutException if it does not answer in time
   * @throws InterruptedException if the thread is interrupted
   */
  public DeviceInstruction report(String executorId, DeviceStep step)
      throws IOException, TimeoutException, InterruptedException {
    Message answer = link.ask(new DeviceReport(executorId, step), config.joinTimeout());
    if (answer instanceof DeviceReply(DeviceInstruction instruction)) {
      return instruction;
    }
    throw new IOException(
        "the driver answered a device report with " + answer.getClass().getSimpleName());
  }

  /** A new token hides its heap from other executors, and theirs from it. */
  private Joined alone(Exception cause, Join join, SparkConf conf) {
    String self = join.executorId();
    String problem =
        "Executor %s cannot join (%s) and works alone: blocks to and from other executors travel through Spark's block transfer."
            .formatted(self, cause.getMessage());
    LOG.warn(problem);
    return new Joined(
        FolderToken.random(),
        0,
        ClusterShape.of(conf).pesOfHost(join.processors(), join.cores(), 1),
        0,
        id -> id.equals(self) ? OptionalInt.of(0) : OptionalInt.empty(),
        Optional.of(problem));
  }

  private MembershipChange lookUp(String executorId, long since, Duration limit)
      throws IOException, TimeoutException, InterruptedException {
    Message answer = link.ask(new Lookup(executorId, since), limit);
    if (answer instanceof Update(MembershipChange change)) {
      return change;
    }
    throw new IOException("the driver answered a lookup with " + answer.getClass().getSimpleName());
  }
}
