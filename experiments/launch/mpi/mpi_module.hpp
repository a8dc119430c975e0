// What the program asks of its MPI module, a shared object of its own that is loaded under mpirun alone: libmpi
// and what it brings would slow the start of every other command.
// Plain C functions, found by name; they may be called from one thread only, between begin and end.
#pragma once

#include <cstddef>

extern "C" {

/// MPI_Init. Rank and number of ranks.
void alidade_mpi_begin(int* rank, int* size);
/// To a rank; returns once `data` may be changed.
void alidade_mpi_send(int to, const char* data, std::size_t size);
/// Whether a message has come: its sender and size. Never waits.
bool alidade_mpi_probe(int* from, std::size_t* size);
/// Takes the message that probe told of; `data` has room for it.
void alidade_mpi_receive(int from, char* data, std::size_t size);
/// MPI_Finalize, which waits for all ranks.
void alidade_mpi_end();

}  // extern "C"
