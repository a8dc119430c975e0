// To write a problem that is a semidefinite program: a class with start(), objective(), decode(), and
//   const SemidefiniteProgram& program() const;           the capability `semidefinite`: all constraints at once
//   const DistanceProgram& distance_program() const;      `separation`: constraints that an oracle finds when violated
// SdpProblem is the first with nothing added: its map is a factor of the first block. Derive from DistanceProgram for
// the second. Programs that are no problem of maps: sdp.hpp solves them as they are.
#pragma once

#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_program.hpp"
#include "problems/programs/semidefinite_program.hpp"
