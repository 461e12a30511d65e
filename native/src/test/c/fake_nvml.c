// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// A libnvidia-ml.so.1 that needs no GPU. Words of its script: `mig` divides all GPUs into instances,
// `hidden` hides them.
// Prototypes as in nvml.h of CUDA 13.0.

#define _GNU_SOURCE
#include "fake_script.h"

int nvmlInit_v2(void) { return (int)fake_number("nvml_rc", 0); }

const char *nvmlErrorString(int code) { return code == 0 ? "Success" : "Fake failure"; }

int nvmlSystemGetDriverVersion(char *version, unsigned length) {
  snprintf(version, length, "580.0");
  return 0;
}

static int found(void **device) {
  static int gpu;
  if (fake_script("hidden") != NULL) {
    return 6;  // NVML_ERROR_NOT_FOUND
  }
  *device = &gpu;
  return 0;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
  (void)uuid;
  return found(device);
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device) {
  (void)id;
  return found(device);
}

int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending) {
  (void)device;
  if (fake_script("mig") == NULL) {
    return 3;  // NVML_ERROR_NOT_SUPPORTED
  }
  *current = *pending = 1;
  return 0;
}

int nvmlDeviceGetNvLinkState(void *device, unsigned link, unsigned *active) {
  (void)device;
  (void)link;
  (void)active;
  return 3;
}

int nvmlDeviceGetFieldValues(void *device, int count, void *values) {
  (void)device;
  (void)count;
  (void)values;
  return 3;
}

int nvmlDeviceGetP2PStatus(void *device, void *other, int capability, int *status) {
  (void)device;
  (void)other;
  (void)capability;
  *status = 0;
  return 0;
}
