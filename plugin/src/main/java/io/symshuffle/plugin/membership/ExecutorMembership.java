// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.config.RapidsMemory;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.plugin.device.DeviceBackend;
import io.symshuffle.plugin.device.DeviceBackend.Choice;
import io.symshuffle.plugin.device.DeviceInstruction;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.DeviceMember;
import io.symshuffle.plugin.device.DeviceResult;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.device.ExpectedPes;
import io.symshuffle.plugin.device.PreparedGpu;
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
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's part in the membership: it joins at the driver, starts its device heap, together
 * with the others of its machine if it is NVSHMEM's, and afterwards follows what the driver pushes.
 */
public final class ExecutorMembership {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorMembership.class);

  /** A task waits for a lookup, and can use the block transfer without its answer. */
  private static final Duration MAX_LOOKUP = Duration.ofSeconds(5);

  /**
   * What an executor has after joining.
   *
   * @param token names the application's folders
   * @param pe the executor's number
   * @param pesOfHost how many PEs share its host
   * @param peers finds other PEs
   * @param device its device heap, what is prepared for it, or why it has none
   * @param problem a sentence if the executor could not join and works alone; empty if it joined
   */
  public record Place(
      FolderToken token,
      int pe,
      int pesOfHost,
      PeTable peers,
      DeviceResult device,
      Optional<String> problem) {}

  private final DriverLink link;
  private final SymShuffleConfig config;
  private final MembershipView view;
  private final ApplicationEnd end = new ApplicationEnd();

  /** Opens the device heap, once the executor has joined. */
  private Optional<CudaStart> cuda = Optional.empty();

  /**
   * Prepares to join.
   *
   * @param link the connection to the driver
   * @param config the application's settings
   */
  public ExecutorMembership(DriverLink link, SymShuffleConfig config) {
    this.link = requireNonNull(link, "link is null");
    this.config = requireNonNull(config, "config is null");
    Duration limit =
        config.joinTimeout().compareTo(MAX_LOOKUP) < 0 ? config.joinTimeout() : MAX_LOOKUP;
    this.view = new MembershipView((id, since) -> lookUp(id, since, limit), System::nanoTime);
  }

  /** {@return what is known about the end of the application} */
  public ApplicationEnd end() {
    return end;
  }

  /**
   * Handles a message that the driver pushed.
   *
   * @param message the message
   */
  public void receive(Message message) {
    LOG.debug("The driver pushed {}", message);
    switch (message) {
      case Update(MembershipChange change) -> view.apply(change);
      case ShufflesEnded(List<EndedShuffle> shuffles) ->
          ShuffleRuntime.current()
              .ifPresent(
                  runtime ->
                      shuffles.forEach(
                          ended -> runtime.ended(ended.shuffleId(), ended.lastTaskId())));
      case TablesOnHost(String reason) -> TableEngines.returnToHost(reason);
      case ApplicationEnding() -> end.announced();
      default -> LOG.warn("Ignoring unexpected message {}", message.getClass().getSimpleName());
    }
  }

  /**
   * Joins and starts the device heap, if the application uses one. If the driver does not answer,
   * the executor works alone.
   *
   * @param join describes this executor
   * @param pushAddress where the driver can reach it; empty if nowhere
   * @param conf the application's settings, to estimate the number of PEs of this host without the
   *     driver
   * @param libraries NVIDIA's libraries and our kernels
   * @param gpuAddresses the GPUs that Spark has assigned to this executor
   * @return what it has now
   * @throws InterruptedException if the thread is interrupted
   */
  public Place join(
      Join join,
      Optional<Object> pushAddress,
      SparkConf conf,
      DeviceLibraries libraries,
      List<String> gpuAddresses)
      throws InterruptedException {
    Welcome welcome;
    try {
      Message answer = link.join(join, pushAddress, config.joinTimeout());
      if (!(answer instanceof Welcome accepted)) {
        throw new IOException(
            "The driver answered a join with " + answer.getClass().getSimpleName());
      }
      welcome = accepted;
    } catch (IOException | TimeoutException e) {
      return alone(e, join, conf);
    }
    view.apply(welcome.members());
    Optional<DeviceResult> unused = unusedDevice();
    DeviceResult device =
        unused.isPresent() ? unused.get() : device(join, welcome, conf, libraries, gpuAddresses);
    return new Place(
        welcome.token(), welcome.pe(), welcome.pesOfHost(), view, device, Optional.empty());
  }

  private DeviceResult device(
      Join join,
      Welcome welcome,
      SparkConf conf,
      DeviceLibraries libraries,
      List<String> gpuAddresses)
      throws InterruptedException {
    DeviceStart.Driver driver = step -> ask(join.executorId(), step);
    PreparedGpu.Self self =
        new PreparedGpu.Self(welcome.pe(), welcome.turn(), join.host().bootId(), gpuAddresses);
    Choice choice =
        DeviceBackend.choose(
            config,
            () -> conflictWithRapids(conf, libraries, self),
            () ->
                ExpectedPes.of(conf, config.device())
                    .problem()
                    .or(() -> libraries.nvshmem().apply(config.device().nvshmemHome()).absence()));
    if (choice.backend() == DeviceBackend.CUDA) {
      CudaStart start =
          new CudaStart(config.device(), RapidsMemory.of(conf), libraries, choice, driver);
      cuda = Optional.of(start);
      return start.prepare(self);
    }
    DeviceResult started =
        new DeviceStart(config.device(), libraries, choice, driver)
            .start(welcome.pe(), welcome.turn(), join.host().bootId(), gpuAddresses);
    followLosses(started);
    return started;
  }

  private Optional<String> conflictWithRapids(
      SparkConf conf, DeviceLibraries libraries, PreparedGpu.Self self) {
    try {
      Optional<RapidsMemory> rapids = RapidsMemory.of(conf);
      if (rapids.isEmpty()) {
        return Optional.empty();
      }
      long gpuBytes = PreparedGpu.choose(libraries, self).memoryBytes();
      return rapids.get().conflict(config.device().heapSize().of(gpuBytes), gpuBytes);
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("Sizes are unknown; RAPIDS or the start of the device heap says why", e);
      return Optional.empty();
    }
  }

  /**
   * Opens the device heap if it needs the application's folder.
   *
   * @param place what the executor has after joining
   * @param folder the folder, which this process holds
   * @return the device heap, or why there is none
   * @throws InterruptedException if the thread is interrupted
   */
  public DeviceResult openDevice(Place place, HeapFolder folder) throws InterruptedException {
    if (!(place.device() instanceof DeviceResult.Prepared(PreparedGpu gpu))) {
      return place.device();
    }
    DeviceResult opened = cuda.orElseThrow().open(gpu, folder, place.pe());
    followLosses(opened);
    return opened;
  }

  private void followLosses(DeviceResult device) {
    if (device instanceof DeviceResult.Active(DeviceMember member)) {
      view.onLost(member.tier()::lost);
    }
  }

  /** A new token hides its heap from other executors, and theirs from it. */
  private Place alone(Exception cause, Join join, SparkConf conf) {
    String self = join.executorId();
    String problem =
        "Executor %s could not join (%s) and works alone: blocks to and from other executors travel through Spark's block transfer. If the driver is only slow, raise %s."
            .formatted(self, cause.getMessage(), Settings.JOIN_TIMEOUT.key());
    LOG.warn(problem);
    DeviceResult device =
        unusedDevice()
            .orElseGet(
                () ->
                    config.device().required()
                        ? new DeviceResult.Refused(problem)
                        : new DeviceResult.HostHeap("the executor could not join", true));
    return new Place(
        FolderToken.random(),
        0,
        ClusterShape.of(conf).pesOfHost(join.processors(), join.cores(), 1),
        id -> id.equals(self) ? OptionalInt.of(0) : OptionalInt.empty(),
        device,
        Optional.of(problem));
  }

  /** Why the application has no use for a device heap; empty if it has. */
  private Optional<DeviceResult> unusedDevice() {
    DeviceConfig device = config.device();
    if (!device.isOn()) {
      return Optional.of(
          new DeviceResult.HostHeap("%s is false".formatted(Settings.DEVICE_ENABLED.key()), true));
    }
    if (!config.keepsDataOnDevice() && device.enabled().isEmpty() && !device.required()) {
      return Optional.of(new DeviceResult.HostHeap("nothing would use it", true));
    }
    return Optional.empty();
  }

  private MembershipChange lookUp(String executorId, long since, Duration limit)
      throws IOException, TimeoutException, InterruptedException {
    Message answer = link.ask(new Lookup(executorId, since), limit);
    if (answer instanceof Update(MembershipChange change)) {
      return change;
    }
    throw new IOException("The driver answered a lookup with " + answer.getClass().getSimpleName());
  }

  private DeviceInstruction ask(String executorId, DeviceStep step)
      throws IOException, TimeoutException, InterruptedException {
    Message answer = link.ask(new DeviceReport(executorId, step), config.joinTimeout());
    if (answer instanceof DeviceReply(DeviceInstruction instruction)) {
      return instruction;
    }
    throw new IOException(
        "The driver answered a device report with " + answer.getClass().getSimpleName());
  }
}
