// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.linker;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaAttribute;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDevice;
import io.symshuffle.ffi.CallText;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.PythonPackages;
import io.symshuffle.ffi.Segments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * CUDA's linker as a library, which is usable or absent with a reason, for drivers that are older
 * than the code to link. The CUDA toolkit has it, and so does the Python wheel nvidia-nvjitlink,
 * which PyTorch installs.
 */
public final class NvJitLink implements DeviceLinker {
  private static final String FILE = "libnvJitLink.so.13";

  /** nvJitLinkInputType of nvJitLink.h, CUDA 13.0. */
  private static final int FATBIN = 4;

  private static final int LIBRARY = 6;

  /** Error logs can be very long; messages contain only their beginning. */
  private static final int MAX_LOG_BYTES = 4 << 10;

  private static final class Usual {
    static final NvJitLink LINKER = open(candidates());
  }

  private final NvJitLinkApi api;
  private final String library;
  private final Optional<String> absence;

  private NvJitLink(NativeLibrary library) {
    NativeInterface<NvJitLinkApi> bound = NativeInterface.bind(library, NvJitLinkApi.class);
    this.api = bound.calls();
    this.library = library.name();
    this.absence =
        library
            .absence()
            .map(reason -> "CUDA's library nvJitLink was not found (" + reason + ")")
            .or(
                () ->
                    bound.missing().isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                            library.name()
                                + " lacks "
                                + String.join(", ", bound.missing().keySet())));
  }

  /** {@return the library of this process; searched for on the first call} */
  public static NvJitLink system() {
    return Usual.LINKER;
  }

  /**
   * Loads the library from the first of these places that has it.
   *
   * @param candidates file names for the dynamic loader, or absolute paths
   * @return the linker, usable or absent
   */
  public static NvJitLink open(List<String> candidates) {
    return new NvJitLink(NativeLibrary.open(requireNonNull(candidates, "candidates is null")));
  }

  private static List<String> candidates() {
    List<String> candidates = new ArrayList<>();
    new PythonPackages(System.getenv(), Path.of("/"))
        .find("nvidia/cu13/lib/" + FILE)
        .forEach(path -> candidates.add(path.toString()));
    candidates.add(FILE);
    candidates.add("/usr/local/cuda/lib64/" + FILE);
    return candidates;
  }

  @Override
  public String name() {
    return absence.isPresent() ? "nvJitLink" : "nvJitLink " + version() + " (" + library + ")";
  }

  @Override
  public Optional<String> absence() {
    return absence;
  }

  /** {@return for example 13.0} */
  public String version() {
    requireUsable();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment numbers = arena.allocate(MemoryLayout.sequenceLayout(2, JAVA_INT));
      int code = api.version(numbers, numbers.asSlice(4));
      if (code != 0) {
        throw new NativeCallException("nvJitLinkVersion()", code, "error " + code);
      }
      return numbers.getAtIndex(JAVA_INT, 0) + "." + numbers.getAtIndex(JAVA_INT, 1);
    }
  }

  @Override
  public byte[] link(CudaContext context, byte[] fatbin, Path archive) {
    CudaDevice device = context.device();
    return link(
        device.attribute(CudaAttribute.COMPUTE_CAPABILITY_MAJOR) * 10
            + device.attribute(CudaAttribute.COMPUTE_CAPABILITY_MINOR),
        fatbin,
        archive);
  }

  /**
   * Links for an architecture, without a GPU or a driver.
   *
   * @param architecture compute capability times 10: 90 for 9.0
   * @param fatbin relocatable machine code or PTX
   * @param archive objects with device code
   * @return a cubin
   * @throws NativeCallException when linking fails, with the linker's log
   */
  public byte[] link(int architecture, byte[] fatbin, Path archive) {
    requireUsable();
    requireNonNull(archive, "archive is null");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment options = arena.allocate(ADDRESS);
      options.set(ADDRESS, 0, Segments.allocateString(arena, "-arch=sm_" + architecture));
      MemorySegment to = arena.allocate(JAVA_LONG);
      check(0, api.create(to, 1, options), "nvJitLinkCreate", "-arch=sm_" + architecture);
      long handle = to.get(JAVA_LONG, 0);
      try {
        MemorySegment image = arena.allocate(fatbin.length, 16);
        MemorySegment.copy(fatbin, 0, image, JAVA_BYTE, 0, fatbin.length);
        check(
            handle,
            api.addData(
                handle, FATBIN, image, fatbin.length, Segments.allocateString(arena, "kernels")),
            "nvJitLinkAddData",
            "FATBIN",
            fatbin.length + " bytes");
        check(
            handle,
            api.addFile(handle, LIBRARY, Segments.allocateString(arena, archive.toString())),
            "nvJitLinkAddFile",
            "LIBRARY",
            archive);
        check(handle, api.complete(handle), "nvJitLinkComplete", archive);
        MemorySegment bytes = arena.allocate(JAVA_LONG);
        check(handle, api.cubinSize(handle, bytes), "nvJitLinkGetLinkedCubinSize");
        MemorySegment cubin = arena.allocate(bytes.get(JAVA_LONG, 0), 16);
        check(handle, api.cubin(handle, cubin), "nvJitLinkGetLinkedCubin");
        return cubin.toArray(JAVA_BYTE);
      } finally {
        api.destroy(to);
      }
    }
  }

  private void check(long handle, int code, String function, Object... arguments) {
    if (code == 0) {
      return;
    }
    String words = handle == 0 ? "" : errorLog(handle);
    throw new NativeCallException(
        CallText.of(function, arguments),
        code,
        "nvJitLinkResult " + code + (words.isEmpty() ? "" : "; " + words));
  }

  private String errorLog(long handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(JAVA_LONG);
      if (api.errorLogSize(handle, bytes) != 0 || bytes.get(JAVA_LONG, 0) <= 0) {
        return "";
      }
      MemorySegment log = arena.allocate(bytes.get(JAVA_LONG, 0) + 1);
      if (api.errorLog(handle, log) != 0) {
        return "";
      }
      String words = Segments.getString(log, 0).strip();
      return words.length() > MAX_LOG_BYTES ? words.substring(0, MAX_LOG_BYTES) + "…" : words;
    }
  }

  private void requireUsable() {
    if (absence.isPresent()) {
      throw new IllegalStateException("nvJitLink cannot be used: " + absence.get());
    }
  }
}
