# MASS: isoMDS or sammon (options.method); distances
source("alidade_task.R")
alidade_needs("MASS")
alidade_solve(function(task) {
  options <- task$options
  method <- if (is.null(options$method)) "isoMDS" else options$method
  options$method <- NULL
  made <- do.call(getExportedValue("MASS", method),
                  c(list(as.dist(alidade_read(task, "distances")), k = task$d, trace = FALSE), options))
  list(map = made$points, objective = made$stress)
}, "MASS")
