# vegan: non-metric MDS, monoMDS from several starts; distances
source("alidade_task.R")
alidade_needs("vegan")
alidade_solve(function(task) {
  starts <- if (is.null(task$options$starts)) 20 else task$options$starts
  options <- task$options[names(task$options) != "starts"]
  best <- NULL
  for (start in seq_len(starts)) {
    one <- do.call(vegan::monoMDS, c(list(as.dist(alidade_read(task, "distances")), k = task$d), options))
    if (is.null(best) || one$stress < best$stress) best <- one
  }
  list(map = best$points, objective = best$stress, iterations = best$iters)
}, "vegan")
