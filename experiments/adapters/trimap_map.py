"""TriMap; features"""
from alidade_task import installed, make_estimator, solve

trimap = installed("trimap", "trimap")


def make(task):
    return make_estimator(trimap.TRIMAP, task.options, n_dims=task.d, verbose=False).fit_transform(task["features"])


solve(make, "trimap")
