// What this machine's CPU offers.
#pragma once

namespace stele {

int cpu_vector_bytes();  // of the widest vector registers that floats are computed in: 64, 32 or 16
int cpu_threads();       // that run at the same time

}  // namespace stele
