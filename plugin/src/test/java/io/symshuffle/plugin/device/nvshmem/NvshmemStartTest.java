// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.nvml.Nvml;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemSearch;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.device.DeviceBackend;
import io.symshuffle.plugin.device.DeviceCoordinator;
import io.symshuffle.plugin.device.DeviceDriver;
import io.symshuffle.plugin.device.DeviceInstruction;
import io.symshuffle.plugin.device.DeviceInstruction.HostHeap;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.DeviceMember;
import io.symshuffle.plugin.device.DeviceResult;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.GpuOffer;
import io.symshuffle.plugin.device.PreparedGpu;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One executor with fakes of CUDA, NVML and NVSHMEM. */
class NvshmemStartTest {
  private static final DeviceBackend.Choice CHOICE =
      new DeviceBackend.Choice(DeviceBackend.NVSHMEM, "the test says so");

  private static final KernelImage IMAGE = new KernelImage(Optional.of(new byte[16]));

  @TempDir private Path folder;
  private final Map<String, String> conf = new HashMap<>();
  private final List<DeviceStep> said = new ArrayList<>();
  private Path cuda;
  private Path nvml;
  private Path nvshmem;
  private KernelImage image = IMAGE;
  private List<String> addresses = List.of();
  private int localRank;

  @BeforeEach
  void copyFakes() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    cuda = FakeLibraries.cuda(folder.resolve("cuda"));
    nvml = FakeLibraries.nvml(folder.resolve("nvml"));
    nvshmem = FakeLibraries.nvshmem(folder.resolve("nvshmem")).getParent();
    conf.put("spark.symshuffle.device.heap.size", "16m");
  }

  @Test
  void usesHostHeapWithoutWarningOnAMachineWithoutGpu() throws Exception {
    cuda = folder.resolve("nowhere/libcuda.so.1");
    DeviceResult.HostHeap result = assertInstanceOf(DeviceResult.HostHeap.class, declined());
    assertTrue(result.expected());
    assertTrue(result.reason().contains("libcuda.so.1 cannot be loaded"), result.reason());
  }

  @Test
  void usesHostHeapWithoutWarningWhenTheDriverShowsNoGpu() throws Exception {
    FakeLibraries.script(folder.resolve("cuda"), "init_rc=100");
    DeviceResult.HostHeap result = assertInstanceOf(DeviceResult.HostHeap.class, declined());
    assertTrue(result.expected(), result.reason());
  }

  @Test
  void warnsWhenASettingAsksForAMissingGpu() throws Exception {
    conf.put("spark.symshuffle.device.enabled", "true");
    cuda = folder.resolve("nowhere/libcuda.so.1");
    assertFalse(assertInstanceOf(DeviceResult.HostHeap.class, declined()).expected());
  }

  @Test
  void warnsWhenTheNvidiaDriverIsTooOld() throws Exception {
    FakeLibraries.script(folder.resolve("cuda"), "driver=11040");
    assertReason("the NVIDIA driver is too old: it supports CUDA 11.4");
  }

  @Test
  void refusesAGpuDividedByMig() throws Exception {
    FakeLibraries.script(folder.resolve("nvml"), "mig");
    assertReason("the GPU at 0000:00:00.0 is divided into MIG instances");
  }

  @Test
  void usesTheGpuWhenNvmlIsMissingOrHidesIt() throws Exception {
    FakeLibraries.script(folder.resolve("nvml"), "hidden");
    assertInstanceOf(Offer.class, offered());
    nvml = folder.resolve("nowhere/libnvidia-ml.so.1");
    assertInstanceOf(Offer.class, offered());
  }

  @Test
  void usesHostHeapWhenTheJarHasNoKernels() throws Exception {
    image = new KernelImage(Optional.empty());
    assertReason(image.absence().orElseThrow());
  }

  @Test
  void reportsKernelsThatDoNotLoad() throws Exception {
    FakeLibraries.script(folder.resolve("cuda"), "load_rc=209");
    assertReason("CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
  }

  @Test
  void refusesAHeapThatDoesNotFitWithTheNumbers() throws Exception {
    conf.put("spark.symshuffle.device.heap.size", "0.5");
    assertReason(
        "a device heap of 512 MiB plus a reserve of 64 MiB does not fit into a GPU with 512 of 1024"
            + " MiB free: lower spark.symshuffle.device.heap.size");
  }

  @Test
  void refusesAGpuThatIsNotVisible() throws Exception {
    addresses = List.of("7");
    assertReason("Spark has assigned the GPU '7' to this executor");
  }

  @Test
  void offersTheGpuThatSparkAssignedOrTheOneOfItsLocalRank() throws Exception {
    localRank = 2;
    GpuOffer byRank = assertInstanceOf(Offer.class, offered()).gpu();
    assertEquals("0000:02:00.0", byRank.pciBusId());
    assertEquals("3.4.5", byRank.nvshmemVersion());
    assertTrue(byRank.node().endsWith("/boot-1"), byRank.node());
    assertEquals(16 << 20, byRank.windowBytes());
    addresses = List.of("3");
    assertEquals("0000:03:00.0", assertInstanceOf(Offer.class, offered()).gpu().pciBusId());
  }

  @Test
  void takesAFractionOfTheWholeGpu() throws Exception {
    conf.put("spark.symshuffle.device.heap.size", "0.25");
    assertEquals(
        256 << 20, assertInstanceOf(Offer.class, offered()).gpu().windowBytes(), "1 GiB free");
  }

  @Test
  void usesHostHeapWhenTheDriverIsLost() throws Exception {
    DeviceResult.HostHeap result =
        assertInstanceOf(
            DeviceResult.HostHeap.class,
            start(
                step -> {
                  throw new IOException("no route");
                }));
    assertEquals("the driver is lost: no route", result.reason());
    assertFalse(result.expected());
  }

  @Test
  void refusesARequiredDeviceHeapWithoutTheDriver() throws Exception {
    conf.put("spark.symshuffle.device.required", "true");
    DeviceDriver lost =
        step -> {
          throw new IOException("no route");
        };
    assertInstanceOf(DeviceResult.Refused.class, start(lost));
    cuda = folder.resolve("nowhere/libcuda.so.1");
    assertInstanceOf(DeviceResult.Refused.class, start(lost));
  }

  @Test
  void reportsAFailedStartAndUsesHostHeap() throws Exception {
    FakeLibraries.script(folder.resolve("nvshmem"), "status=1");
    DeviceResult.HostHeap result =
        assertInstanceOf(DeviceResult.HostHeap.class, start(driverOf(1)::take));
    assertTrue(
        result.reason().startsWith("PE 0 (executor 0) cannot start: PE 0 of 1 did not start"),
        result.reason());
  }

  @Test
  void letsTheDriverDecideAboutAFailedRequiredStart() throws Exception {
    conf.put("spark.symshuffle.device.required", "true");
    FakeLibraries.script(folder.resolve("nvshmem"), "status=1");
    for (boolean refused : new boolean[] {true, false}) {
      var driver = driverOf(1);
      DeviceResult result =
          start(
              step ->
                  step instanceof DeviceStep.Failed
                      ? new DeviceInstruction.HostHeap("it failed", refused)
                      : driver.take(step));
      assertEquals(
          refused ? DeviceResult.Refused.class : DeviceResult.HostHeap.class, result.getClass());
    }
  }

  @Test
  void startsAgainInLocalModeAfterShutdown() throws Exception {
    for (int round = 0; round < 2; round++) {
      DeviceMember member =
          assertInstanceOf(DeviceResult.Active.class, start(driverOf(1)::take)).member();
      assertEquals(1, member.tier().heap().pes().size());
      assertTrue(member.tier().slabs().allocate(1 << 20).isPresent());
      member.tier().close();
      member.endInProcess();
    }
  }

  /** A driver that expects several executors, of which this is the first. */
  private static OneOfMany driverOf(int executors) {
    NvshmemEpochs epochs =
        new NvshmemEpochs(
            new ExpectedPes(OptionalInt.of(executors), "the test"),
            Duration.ofMinutes(2),
            System::nanoTime);
    return new OneOfMany(new DeviceCoordinator(epochs, false, reason -> {}));
  }

  private record OneOfMany(DeviceCoordinator epochs) {
    DeviceInstruction take(DeviceStep step) {
      return epochs.handle("0", 0, step);
    }
  }

  private void assertReason(String part) throws InterruptedException {
    DeviceResult.HostHeap result = assertInstanceOf(DeviceResult.HostHeap.class, declined());
    assertTrue(result.reason().contains(part), result.reason());
    assertFalse(result.expected());
    assertEquals(List.of(new Decline(result.reason())), said);
  }

  private DeviceResult declined() throws InterruptedException {
    said.clear();
    return start(
        step -> {
          said.add(step);
          return new HostHeap(step instanceof Decline(String why) ? why : "not declined", false);
        });
  }

  private DeviceStep offered() throws InterruptedException {
    declined();
    return said.getFirst();
  }

  private DeviceResult start(DeviceDriver driver) throws InterruptedException {
    DeviceConfig config = ConfigReader.read(conf).device();
    Supplier<CudaDriver> driverLibrary = () -> CudaDriver.open(List.of(cuda.toString()));
    DeviceLibraries libraries =
        new DeviceLibraries(
            driverLibrary,
            () -> Nvml.open(List.of(nvml.toString())),
            home -> NvshmemLibrary.open(NvshmemSearch.here(Optional.of(nvshmem))),
            () -> image);
    return new NvshmemStart(config, libraries, CHOICE, driver)
        .start(new PreparedGpu.Executor(0, localRank, "boot-1", addresses));
  }
}
