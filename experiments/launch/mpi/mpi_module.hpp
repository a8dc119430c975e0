// What the program calls in its MPI module, a separate shared object that is loaded only under mpirun: libmpi and its
// dependencies would slow the start of every other command.
// Plain C functions, found by name.
// They may be called from one thread only, between begin and end.
#pragma once

#include <cstddef>

extern "C" {

/// MPI_Init. Gives the rank and the number of ranks.
void alidade_mpi_begin(int* rank, int* size);
/// Sends to a rank; returns once `data` may be changed.
void alidade_mpi_send(int to, const char* data, std::size_t size);
/// Whether a message has come: its sender and size. Never waits.
bool alidade_mpi_probe(int* from, std::size_t* size);
/// Receives the message that probe found; `data` has room for it.
void alidade_mpi_receive(int from, char* data, std::size_t size);
/// MPI_Finalize, which waits for all ranks.
void alidade_mpi_end();

}  // extern "C"
