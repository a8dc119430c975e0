# smacof: mds with type = "ratio", "interval", "ordinal" or "mspline" (options.type); distances
source("alidade_task.R")
alidade_needs("smacof")
alidade_solve(function(task) {
  made <- do.call(smacof::mds, c(list(alidade_read(task, "distances"), ndim = task$d), task$options))
  list(map = made$conf, objective = made$stress, iterations = made$niter)
}, "smacof")
