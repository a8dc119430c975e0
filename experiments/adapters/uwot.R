# uwot: UMAP; features
source("alidade_task.R")
alidade_needs("uwot")
alidade_solve(function(task) {
  do.call(uwot::umap, c(list(alidade_read(task, "features"), n_components = task$d, n_threads = task$threads,
                             n_sgd_threads = 1), task$options))
}, "uwot")
