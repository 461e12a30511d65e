// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cuda.CudaAttribute;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDevice;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.nvml.NvLinks;
import io.symshuffle.nvml.Nvml;
import io.symshuffle.nvml.NvmlDevice;
import io.symshuffle.nvml.NvmlDevice.Reach;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemSearch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The main class of the doctor's child processes: prints what it finds as a {@link FactLine}. */
final class ProbeMain {
  static final String GPUS = "gpus";
  static final String NVSHMEM = "nvshmem";

  /** How much host memory is pinned as a test. */
  private static final long PINNED_BYTES = 64L << 20;

  private ProbeMain() {}

  /** Arguments: {@code gpus}, or {@code nvshmem} and optionally the library's folder. */
  public static void main(String[] arguments) {
    Optional<Path> folder = Stream.of(arguments).skip(1).map(Path::of).findFirst();
    System.out.println(FactLine.of(arguments[0].equals(GPUS) ? gpus() : nvshmem(folder)));
    System.out.flush();
    System.exit(0);
  }

  private static GpuFacts gpus() {
    CudaDriver driver = CudaDriver.system();
    Nvml nvml = Nvml.system();
    String version = nvml.absence().isPresent() ? "" : nvml.driverVersion();
    if (driver.absence().isPresent()) {
      return new GpuFacts(driver.absence().get(), 0, version, "", List.of());
    }
    List<CudaDevice> devices = new ArrayList<>();
    for (int i = 0; i < driver.deviceCount(); i++) {
      devices.add(driver.device(i));
    }
    return new GpuFacts(
        "",
        driver.version(),
        version,
        devices.isEmpty() ? "" : pinFailure(devices.getFirst()),
        devices.stream().map(device -> gpu(device, devices, nvml)).toList());
  }

  /** Pins some memory, as executors do for copies of GPU tables. */
  private static String pinFailure(CudaDevice device) {
    try (CudaContext context = device.openPrimaryContext()) {
      context.use();
      context.allocatePinned(PINNED_BYTES).close();
      return "";
    } catch (NativeCallException e) {
      return "CUDA cannot pin %d MiB of host memory: %s"
          .formatted(PINNED_BYTES >> 20, e.getMessage());
    }
  }

  private static GpuFacts.Gpu gpu(CudaDevice device, List<CudaDevice> all, Nvml nvml) {
    Optional<NvmlDevice> own = nvmlDevice(device, nvml);
    NvLinks links = own.map(NvmlDevice::links).orElse(new NvLinks(0, 0));
    List<Integer> reachable = new ArrayList<>();
    List<Integer> overNvlink = new ArrayList<>();
    for (CudaDevice other : all) {
      if (other.ordinal() == device.ordinal()) {
        continue;
      }
      if (device.canAccess(other)) {
        reachable.add(other.ordinal());
      }
      Optional<NvmlDevice> peer = nvmlDevice(other, nvml);
      if (own.isPresent() && peer.isPresent() && own.get().reaches(peer.get(), Reach.NVLINK)) {
        overNvlink.add(other.ordinal());
      }
    }
    try (CudaContext context = device.openPrimaryContext()) {
      context.use();
      return new GpuFacts.Gpu(
          device.ordinal(),
          device.name(),
          device.uuid(),
          10 * device.attribute(CudaAttribute.COMPUTE_CAPABILITY_MAJOR)
              + device.attribute(CudaAttribute.COMPUTE_CAPABILITY_MINOR),
          context.memory().freeBytes(),
          device.memoryBytes(),
          links.active(),
          links.totalBytesPerSecond(),
          reachable,
          overNvlink);
    }
  }

  private static Optional<NvmlDevice> nvmlDevice(CudaDevice device, Nvml nvml) {
    try {
      return nvml.absence().isPresent()
          ? Optional.empty()
          : Optional.of(nvml.device(device.uuid()));
    } catch (RuntimeException e) {
      // NVML does not know the UUID of a MIG slice.
      return Optional.empty();
    }
  }

  private static NvshmemFacts nvshmem(Optional<Path> folder) {
    NvshmemSearch search = NvshmemSearch.here(folder);
    NvshmemLibrary library = NvshmemLibrary.open(search);
    return new NvshmemFacts(
        library.absence().orElse(""),
        library.name(),
        library.version().map(Object::toString).orElse(""),
        library.folder().map(Path::toString).orElse(""),
        search.candidates().stream().filter(name -> Path.of(name).isAbsolute()).toList());
  }
}
