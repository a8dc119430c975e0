# R's classical scaling, stats::cmdscale; distances
source("alidade_task.R")
alidade_solve(function(task) cmdscale(alidade_read(task, "distances"), task$d), "stats")
