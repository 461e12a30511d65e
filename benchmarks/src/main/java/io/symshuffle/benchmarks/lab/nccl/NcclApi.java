// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nccl;

import io.symshuffle.ffi.ByteStruct;
import io.symshuffle.ffi.Symbol;
import java.lang.foreign.MemorySegment;

/**
 * The functions of libnccl.so.2 that the benchmarks call, with their prototypes from nccl.h of NCCL
 * 2.27. Each returns an ncclResult_t, 0 for success; communicators and streams are pointers.
 */
interface NcclApi {
  // const char *ncclGetErrorString(ncclResult_t result);
  @Symbol("ncclGetErrorString")
  long errorString(int code);

  // ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId);
  @Symbol("ncclGetUniqueId")
  int getUniqueId(MemorySegment id);

  // ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank);
  @Symbol("ncclCommInitRank")
  int initialize(
      MemorySegment communicator, int peCount, @ByteStruct(128) MemorySegment id, int pe);

  // ncclResult_t ncclCommAbort(ncclComm_t comm);
  @Symbol("ncclCommAbort")
  int abort(long communicator);

  // ncclResult_t ncclGroupStart(void);
  @Symbol("ncclGroupStart")
  int groupStart();

  // ncclResult_t ncclGroupEnd(void);
  @Symbol("ncclGroupEnd")
  int groupEnd();

  // ncclResult_t ncclSend(const void *sendbuff, size_t count, ncclDataType_t datatype, int peer,
  //                       ncclComm_t comm, cudaStream_t stream);
  @Symbol("ncclSend")
  int send(long from, long count, int type, int pe, long communicator, long stream);

  // ncclResult_t ncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype, int peer,
  //                       ncclComm_t comm, cudaStream_t stream);
  @Symbol("ncclRecv")
  int receive(long to, long count, int type, int pe, long communicator, long stream);
}
