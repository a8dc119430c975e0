# A method of Alidade in R: reads what it is asked, takes the time, writes the map.
#
#     source("alidade_task.R")
#     alidade_solve(function(task) cmdscale(alidade_read(task, "distances"), task$d))
#
# Alidade puts this file into the folder in which it runs the method, so it need not be installed.

# task$n, task$d, task$seed, task$threads, task$time_limit, and task$options, a list.
alidade_task <- function() {
  fields <- read.dcf("task.dcf")[1, ]
  values <- lapply(fields, type.convert, as.is = TRUE)
  is_option <- startsWith(names(values), "option.")
  task <- values[!is_option]
  task$options <- values[is_option]
  names(task$options) <- sub("^option\\.", "", names(task$options))
  task
}

# "triplets", "aspect", "weights", "features", "distances" or "pairs". Objects of triplets and pairs count from 0.
alidade_read <- function(task, name) {
  con <- file(paste0(name, ".npy"), "rb")
  on.exit(close(con))
  readBin(con, "raw", 8)
  header <- readChar(con, readBin(con, "integer", 1, 2, signed = FALSE, endian = "little"), useBytes = TRUE)
  code <- sub(".*'descr': '<(..)'.*", "\\1", header)
  shape <- as.numeric(strsplit(sub(".*'shape': \\(([^)]*)\\).*", "\\1", header), ", ?")[[1]])
  what <- if (startsWith(code, "i")) "integer" else "double"
  values <- readBin(con, what, prod(shape), as.integer(substr(code, 2, 2)), endian = "little")
  if (length(shape) == 1) values else matrix(values, shape[1], shape[2], byrow = TRUE)
}

alidade_write <- function(map, file) {
  map <- as.matrix(map)
  header <- sprintf("{'descr': '<f8', 'fortran_order': True, 'shape': (%d, %d), }", nrow(map), ncol(map))
  header <- paste0(header, strrep(" ", (53 - nchar(header)) %% 64), "\n")
  con <- file(file, "wb")
  on.exit(close(con))
  writeBin(as.raw(c(0x93, utf8ToInt("NUMPY"), 1, 0)), con)
  writeBin(nchar(header), con, 2, endian = "little")
  writeChar(header, con, eos = NULL)
  writeBin(as.double(map), con, endian = "little")
}

# Ends the method where a package is missing, and says what to install.
alidade_needs <- function(package) {
  if (!requireNamespace(package, quietly = TRUE))
    stop(sprintf("%s is not installed. Install it: install.packages(\"%s\")", package, package), call. = FALSE)
}

# make(task) gives the map, or list(map = , objective = , iterations = ).
alidade_solve <- function(make, package = "base") {
  task <- alidade_task()
  set.seed(task$seed)
  begun <- proc.time()[["elapsed"]]
  made <- make(task)
  if (!is.list(made) || is.data.frame(made)) made <- list(map = made)
  alidade_write(made$map, "embedding.npy")
  numbers <- c(made[intersect(names(made), c("objective", "iterations"))],
               list(seconds = proc.time()[["elapsed"]] - begun))
  version <- sprintf("%s %s (R %s)", package, packageVersion(package), getRversion())
  writeLines(sprintf("{%s, \"version\": \"%s\"}",
                     paste(sprintf("\"%s\": %.17g", names(numbers), unlist(numbers)), collapse = ", "), version),
             "result.json")
}
