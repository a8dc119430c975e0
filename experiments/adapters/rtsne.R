# Rtsne: Barnes-Hut t-SNE; features or distances
source("alidade_task.R")
alidade_needs("Rtsne")
alidade_solve(function(task) {
  given <- file.exists("distances.npy")
  made <- do.call(Rtsne::Rtsne,
                  c(list(alidade_read(task, if (given) "distances" else "features"), dims = task$d, is_distance = given,
                         num_threads = task$threads, check_duplicates = FALSE), task$options))
  list(map = made$Y, objective = sum(made$costs))
}, "Rtsne")
