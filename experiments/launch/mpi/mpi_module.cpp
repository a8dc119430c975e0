#include "experiments/launch/mpi/mpi_module.hpp"

#include <mpi.h>

namespace {

constexpr int kTag = 0;

}  // namespace

void alidade_mpi_begin(int* rank, int* size) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
}

void alidade_mpi_send(int to, const char* data, std::size_t size) {
  MPI_Send(data, static_cast<int>(size), MPI_BYTE, to, kTag, MPI_COMM_WORLD);
}

bool alidade_mpi_probe(int* from, std::size_t* size) {
  int there = 0, bytes = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return false;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  *from = status.MPI_SOURCE;
  *size = static_cast<std::size_t>(bytes);
  return true;
}

void alidade_mpi_receive(int from, char* data, std::size_t size) {
  MPI_Recv(data, static_cast<int>(size), MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void alidade_mpi_end() { MPI_Finalize(); }
