"""cblearn: SOE, STE, TSTE, CKL, GNMDS, FORTE or MLDS (options.method); triplets"""
from alidade_task import installed, make_estimator, solve

embedding = installed("cblearn.embedding", "cblearn")


def make(task):
    options = dict(task.options)
    kind = getattr(embedding, options.pop("method", "SOE"))
    estimator = make_estimator(kind, options, n_components=task.d, random_state=task.seed, n_jobs=task.threads)
    made = estimator.fit_transform(task["triplets"])
    return made, {"objective": getattr(estimator, "stress_", None), "iterations": getattr(estimator, "n_iter_", None)}


solve(make, "cblearn")
