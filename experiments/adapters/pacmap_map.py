"""PaCMAP; features"""
from alidade_task import installed, make_estimator, solve

pacmap = installed("pacmap", "pacmap")


def make(task):
    return make_estimator(pacmap.PaCMAP, task.options, n_components=task.d, random_state=task.seed).fit_transform(
        task["features"])


solve(make, "pacmap")
