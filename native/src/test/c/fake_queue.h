// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

/// Runs a kernel on the stream of the launch in progress: immediately, or later if the stream is held.
int fake_enqueue(std::function<int()> work);
