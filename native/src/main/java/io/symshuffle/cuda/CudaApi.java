// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import io.symshuffle.ffi.Symbol;
import java.lang.foreign.MemorySegment;

/**
 * The functions of libcuda.so.1 that SymShuffle calls, with their prototypes from cuda.h of CUDA
 * 13.0. CUDA 12.0 has all of them. Each returns a CUresult, 0 for success. Handles and device
 * addresses are {@code long}.
 */
interface CudaApi {
  // ---- driver and errors

  // CUresult cuInit(unsigned int Flags);
  int cuInit(int flags);

  // CUresult cuDriverGetVersion(int *driverVersion);
  int cuDriverGetVersion(MemorySegment version);

  // CUresult cuGetErrorName(CUresult error, const char **pStr);
  int cuGetErrorName(int error, MemorySegment text);

  // CUresult cuGetErrorString(CUresult error, const char **pStr);
  int cuGetErrorString(int error, MemorySegment text);

  // ---- devices

  // CUresult cuDeviceGetCount(int *count);
  int cuDeviceGetCount(MemorySegment count);

  // CUresult cuDeviceGet(CUdevice *device, int ordinal);
  int cuDeviceGet(MemorySegment device, int ordinal);

  // CUresult cuDeviceGetName(char *name, int len, CUdevice dev);
  int cuDeviceGetName(MemorySegment name, int length, int device);

  // CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev);
  @Symbol("cuDeviceGetUuid_v2")
  int cuDeviceGetUuid(MemorySegment uuid, int device);

  // CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev);
  int cuDeviceGetPCIBusId(MemorySegment id, int length, int device);

  // CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev);
  @Symbol("cuDeviceTotalMem_v2")
  int cuDeviceTotalMem(MemorySegment bytes, int device);

  // CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev);
  int cuDeviceGetAttribute(MemorySegment value, int attribute, int device);

  // CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev);
  int cuDeviceCanAccessPeer(MemorySegment can, int device, int peer);

  // ---- contexts

  // CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev);
  int cuDevicePrimaryCtxRetain(MemorySegment context, int device);

  // CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev);
  @Symbol("cuDevicePrimaryCtxRelease_v2")
  int cuDevicePrimaryCtxRelease(int device);

  // CUresult cuCtxSetCurrent(CUcontext ctx);
  int cuCtxSetCurrent(long context);

  // CUresult cuMemGetInfo_v2(size_t *free, size_t *total);
  @Symbol("cuMemGetInfo_v2")
  int cuMemGetInfo(MemorySegment free, MemorySegment total);

  // ---- streams and events

  // CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority);
  int cuStreamCreateWithPriority(MemorySegment stream, int flags, int priority);

  // CUresult cuStreamDestroy_v2(CUstream hStream);
  @Symbol("cuStreamDestroy_v2")
  int cuStreamDestroy(long stream);

  // CUresult cuStreamQuery(CUstream hStream);
  int cuStreamQuery(long stream);

  // CUresult cuStreamSynchronize(CUstream hStream);
  int cuStreamSynchronize(long stream);

  // CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags);
  int cuStreamWaitEvent(long stream, long event, int flags);

  // CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
  //     unsigned int flags);
  @Symbol("cuStreamWriteValue32_v2")
  int cuStreamWriteValue32(long stream, long address, int value, int flags);

  // CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags);
  int cuEventCreate(MemorySegment event, int flags);

  // CUresult cuEventDestroy_v2(CUevent hEvent);
  @Symbol("cuEventDestroy_v2")
  int cuEventDestroy(long event);

  // CUresult cuEventRecord(CUevent hEvent, CUstream hStream);
  int cuEventRecord(long event, long stream);

  // CUresult cuEventQuery(CUevent hEvent);
  int cuEventQuery(long event);

  // CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);
  int cuEventElapsedTime(MemorySegment milliseconds, long start, long end);

  // ---- modules and kernels

  // CUresult cuModuleLoadData(CUmodule *module, const void *image);
  int cuModuleLoadData(MemorySegment module, MemorySegment image);

  // CUresult cuModuleUnload(CUmodule hmod);
  int cuModuleUnload(long module);

  // CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name);
  int cuModuleGetFunction(MemorySegment function, long module, MemorySegment name);

  // CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod,
  //                               const char *name);
  @Symbol("cuModuleGetGlobal_v2")
  int cuModuleGetGlobal(
      MemorySegment address, MemorySegment bytes, long module, MemorySegment name);

  // CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc);
  int cuFuncGetAttribute(MemorySegment value, int attribute, long function);

  // CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
  //     unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
  //     unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
  //     void **kernelParams, void **extra);
  int cuLaunchKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      long stream,
      MemorySegment parameters,
      MemorySegment extra);

  // ---- memory

  // CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize);
  @Symbol("cuMemAlloc_v2")
  int cuMemAlloc(MemorySegment address, long bytes);

  // CUresult cuMemFree_v2(CUdeviceptr dptr);
  @Symbol("cuMemFree_v2")
  int cuMemFree(long address);

  // CUresult cuMemGetAllocationGranularity(size_t *granularity,
  //     const CUmemAllocationProp *prop, CUmemAllocationGranularity_flags option);
  int cuMemGetAllocationGranularity(MemorySegment granularity, MemorySegment properties, int which);

  // CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
  //                      const CUmemAllocationProp *prop, unsigned long long flags);
  int cuMemCreate(MemorySegment handle, long bytes, MemorySegment properties, long flags);

  // CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
  int cuMemRelease(long handle);

  // CUresult cuMemExportToShareableHandle(void *shareableHandle,
  //     CUmemGenericAllocationHandle handle, CUmemAllocationHandleType handleType,
  //     unsigned long long flags);
  int cuMemExportToShareableHandle(MemorySegment shareable, long handle, int type, long flags);

  // CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle,
  //     void *osHandle, CUmemAllocationHandleType shHandleType);
  int cuMemImportFromShareableHandle(MemorySegment handle, long osHandle, int type);

  // CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment,
  //                              CUdeviceptr addr, unsigned long long flags);
  int cuMemAddressReserve(
      MemorySegment address, long bytes, long alignment, long wanted, long flags);

  // CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size);
  int cuMemAddressFree(long address, long bytes);

  // CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
  //                   CUmemGenericAllocationHandle handle, unsigned long long flags);
  int cuMemMap(long address, long bytes, long offset, long handle, long flags);

  // CUresult cuMemUnmap(CUdeviceptr ptr, size_t size);
  int cuMemUnmap(long address, long bytes);

  // CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc,
  //                         size_t count);
  int cuMemSetAccess(long address, long bytes, MemorySegment access, long count);

  // CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags);
  int cuMemHostAlloc(MemorySegment address, long bytes, int flags);

  // CUresult cuMemFreeHost(void *p);
  int cuMemFreeHost(long address);

  // CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
  //                               CUstream hStream);
  @Symbol("cuMemcpyHtoDAsync_v2")
  int cuMemcpyHtoDAsync(long destination, MemorySegment source, long bytes, long stream);

  // CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
  //                               CUstream hStream);
  @Symbol("cuMemcpyDtoHAsync_v2")
  int cuMemcpyDtoHAsync(MemorySegment destination, long source, long bytes, long stream);

  // CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
  //                               size_t ByteCount, CUstream hStream);
  @Symbol("cuMemcpyDtoDAsync_v2")
  int cuMemcpyDtoDAsync(long destination, long source, long bytes, long stream);

  // CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N,
  //                          CUstream hStream);
  int cuMemsetD8Async(long destination, byte value, long bytes, long stream);
}
