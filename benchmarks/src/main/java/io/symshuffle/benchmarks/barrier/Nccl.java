// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.barrier;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.symshuffle.ffi.ByteStruct;
import io.symshuffle.ffi.CallText;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.NativeMemory;
import io.symshuffle.ffi.PythonPackages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** NVIDIA's library of collectives, which is usable or absent with a reason. */
public final class Nccl {
  /** The length of a unique id. */
  static final int ID_BYTES = 128;

  /** The environment variable with its folder. */
  static final String HOME = "NCCL_HOME";

  private static final String FILE = "libnccl.so.2";
  private static final String HOW_TO_INSTALL =
      "install it (pip install nvidia-nccl-cu13), or set %s to its folder".formatted(HOME);

  /**
   * The functions that the benchmark calls, with their prototypes from nccl.h. They are the same
   * since 2.7. Communicators, streams and addresses of the GPU are {@code long}.
   */
  interface Api {
    // const char* ncclGetErrorString(ncclResult_t result);
    long ncclGetErrorString(int result);

    // ncclResult_t ncclGetVersion(int *version);
    int ncclGetVersion(MemorySegment version);

    // ncclResult_t ncclGetUniqueId(ncclUniqueId* uniqueId);
    int ncclGetUniqueId(MemorySegment uniqueId);

    // ncclResult_t ncclCommInitRank(ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank);
    int ncclCommInitRank(
        MemorySegment comm, int nranks, @ByteStruct(ID_BYTES) MemorySegment commId, int rank);

    // ncclResult_t ncclCommDestroy(ncclComm_t comm);
    int ncclCommDestroy(long comm);

    // ncclResult_t ncclAllReduce(const void* sendbuff, void* recvbuff, size_t count,
    //     ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream);
    int ncclAllReduce(
        long sendbuff, long recvbuff, long count, int datatype, int op, long comm, long stream);

    // ncclResult_t ncclAllGather(const void* sendbuff, void* recvbuff, size_t sendcount,
    //     ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream);
    int ncclAllGather(
        long sendbuff, long recvbuff, long sendcount, int datatype, long comm, long stream);

    // ncclResult_t ncclSend(const void* sendbuff, size_t count, ncclDataType_t datatype, int peer,
    //     ncclComm_t comm, cudaStream_t stream);
    int ncclSend(long sendbuff, long count, int datatype, int peer, long comm, long stream);

    // ncclResult_t ncclRecv(void* recvbuff, size_t count, ncclDataType_t datatype, int peer,
    //     ncclComm_t comm, cudaStream_t stream);
    int ncclRecv(long recvbuff, long count, int datatype, int peer, long comm, long stream);

    // ncclResult_t ncclGroupStart();
    int ncclGroupStart();

    // ncclResult_t ncclGroupEnd();
    int ncclGroupEnd();
  }

  private final Api api;
  private final Optional<String> absence;

  private Nccl(NativeLibrary library) {
    NativeInterface<Api> bound = NativeInterface.bind(library, Api.class);
    this.api = bound.calls();
    this.absence =
        library
            .absence()
            .or(() -> bound.missing().values().stream().findFirst())
            .map(reason -> reason + "; " + HOW_TO_INSTALL);
  }

  /** Finds the library and loads it. */
  public static Nccl open() {
    return open(System.getenv());
  }

  /** As above, with another environment. */
  static Nccl open(Map<String, String> environment) {
    return new Nccl(NativeLibrary.open(candidates(environment)));
  }

  /**
   * Returns the paths and names to load, best first: only {@code $NCCL_HOME} if it is set,
   * otherwise the dynamic loader's search path and the wheels of Python.
   */
  private static List<String> candidates(Map<String, String> environment) {
    String home = environment.getOrDefault(HOME, "");
    if (!home.isBlank()) {
      Path inLib = Path.of(home, "lib", FILE);
      return List.of((Files.exists(inLib) ? inLib : Path.of(home, FILE)).toString());
    }
    List<String> names = new ArrayList<>(List.of(FILE));
    new PythonPackages(environment, Path.of("/"))
        .find("nvidia/nccl/lib/" + FILE)
        .forEach(path -> names.add(path.toString()));
    return names;
  }

  /** Returns why it cannot be used, with the remedy; empty when it can. */
  public Optional<String> absence() {
    return absence;
  }

  /** Returns its version, such as {@code 2.30.7}. */
  public String version() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment version = arena.allocate(JAVA_INT);
      check(api.ncclGetVersion(version), "ncclGetVersion");
      int code = version.get(JAVA_INT, 0);
      return "%d.%d.%d".formatted(code / 10_000, code / 100 % 100, code % 100);
    }
  }

  Api api() {
    return api;
  }

  /**
   * Turns a result into an exception.
   *
   * @throws NativeCallException when it is not 0
   */
  void check(int result, String function, Object... arguments) {
    if (result != 0) {
      throw new NativeCallException(
          CallText.of(function, arguments),
          result,
          "%s (%d)".formatted(NativeMemory.string(api.ncclGetErrorString(result)), result));
    }
  }
}
