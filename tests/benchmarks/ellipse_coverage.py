#!/usr/bin/env python3
"""How often 95 % ellipses hold what they promise, on simulated answers.

    PYTHONPATH=build/release/python python3 tests/benchmarks/ellipse_coverage.py [--repeats 10] [--objects 50]
        [--methods ste tste auto] [--answers 1000 4000 20000] [--truths logistic flips axes] [--bootstrap 20]

Points are normal, in the plane. Answers are to random questions:
    logistic   probabilities of STE, scaled so that one in ten is wrong
    flips      exact, but one in ten is reversed
    axes       20 annotators, who weigh the axes by 2^u and 2^-u, u normal of deviation 1/2; logistic
For each map, the share of objects inside their ellipse is counted, after the map has been laid on the target by the best
translation, rotation and scale:
    population   the map of the same loss with all questions, each answered as often as the simulation would
    truth        the points
and the share of maps whose test of misfit has p < .01. Means over the repeats, with the standard error of that mean.
"""
import argparse
import itertools
import sys

import numpy as np

import alidade


def points(rng, n):
    return rng.normal(size=(n, 2))


def margins(x, questions, scale):
    i, j, k = questions.T
    return scale * (((x[i] - x[k]) ** 2).sum(1) - ((x[i] - x[j]) ** 2).sum(1))


def all_questions(n):
    return np.array([(i, j, k) for i in range(n) for j, k in itertools.combinations([o for o in range(n) if o != i], 2)])


def logistic(m):
    return 1 / (1 + np.exp(-np.clip(m, -500, 500)))


def scale_for(x, questions, wrong):
    """The sharpness at which the rarer answer has this probability on average."""
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        p = logistic(margins(x, questions, 2.0**middle))
        low, high = (middle, high) if np.minimum(p, 1 - p).mean() > wrong else (low, middle)
    return 2.0**low


class Simulation:
    """Points and the probability that the first of each question is the nearer."""

    def __init__(self, truth, rng, n):
        self.x = points(rng, n)
        self.questions = all_questions(n)
        scale = scale_for(self.x, self.questions, 0.1)
        self.annotators = 20 if truth == "axes" else 1
        if truth == "flips":
            by = [np.where(margins(self.x, self.questions, 1) > 0, 0.9, 0.1)]
        elif truth == "axes":
            tilt = 2.0 ** rng.normal(scale=0.5, size=self.annotators)
            by = [logistic(margins(self.x * [t, 1 / t], self.questions, scale)) for t in tilt]
        else:
            by = [logistic(margins(self.x, self.questions, scale))]
        self.by_annotator = np.array(by)

    def answers(self, rng, count):
        drawn = rng.integers(len(self.questions), size=count)
        who = rng.integers(self.annotators, size=count)
        first = rng.random(count) < self.by_annotator[who, drawn]
        i, j, k = self.questions[drawn].T
        return np.stack([i, np.where(first, j, k), np.where(first, k, j)], axis=1), who

    def population(self, count):
        """All questions both ways, weighted by what `count` answers would give on average."""
        p = self.by_annotator.mean(axis=0)
        i, j, k = self.questions.T
        triplets = np.concatenate([np.stack([i, j, k], axis=1), np.stack([i, k, j], axis=1)])
        return triplets, np.concatenate([p, 1 - p]) * (count / len(p))


def laid_on(target, map_):
    """`target`, moved onto the map by the best translation, rotation and scale."""
    a, b = target - target.mean(0), map_ - map_.mean(0)
    u, s, vt = np.linalg.svd(a.T @ b)
    return a @ (u @ vt) * (s.sum() / (a**2).sum()) + map_.mean(0)


def share_inside(map_, covariances, target):
    apart = laid_on(target, map_) - map_
    inside = []
    for (dx, dy), (xx, xy, yy) in zip(apart, covariances):
        if not np.isfinite(xx):
            continue
        inside.append(np.array([dx, dy]) @ np.linalg.solve([[xx, xy], [xy, yy]], [dx, dy]) <= 5.991)
    return np.mean(inside) if inside else np.nan


def setting_of(model):
    """The method that made a map, with its options: the loss whose population is asked for."""
    problem = dict(model.row_["problem"]["options"])
    problem.pop("n_components")
    problem.pop("precision", None)
    return model.row_["problem"]["name"], problem


def one(method, truth, count, repeat, n, bootstrap):
    rng = np.random.default_rng([repeat, count, ["logistic", "flips", "axes"].index(truth)])
    simulation = Simulation(truth, rng, n)
    triplets, who = simulation.answers(rng, count)
    out = {}
    chosen = None
    for source in ("curvature", "sandwich") + (("bootstrap",) if bootstrap else ()):
        if chosen is None:
            model = alidade.TripletEmbedding(method=method, random_state=repeat, ellipses=source)
        else:  # the same method again: what auto chose, it would choose again
            model = alidade.TripletEmbedding(method=chosen[0], method_options=chosen[1], random_state=repeat,
                                             solver_options={"n_init": 3},
                                             ellipses=source, bootstrap=bootstrap if source == "bootstrap" else 0)
        model.fit(triplets, annotators=who if truth == "axes" else None, n_objects=n)
        if chosen is None:
            chosen = setting_of(model)
            out["misfit"] = model.uncertainty_.get("misfit_p")
            out["loss"] = chosen[0]
            target = None
            if not chosen[0].endswith("_annotators"):  # the population's answers are of nobody
                every, weights = simulation.population(count)
                population = alidade.TripletEmbedding(method=chosen[0], method_options=chosen[1], holdout=0,
                                                      solver_options={"n_init": 5}, random_state=repeat)
                population.fit(every, weights=weights, n_objects=n)
                target = population.embedding_
        if not hasattr(model, "covariances_"):
            continue
        out[source] = (np.nan if target is None else share_inside(model.embedding_, model.covariances_, target),
                       share_inside(model.embedding_, model.covariances_, simulation.x))
    return out


def cell(values):
    values = np.array([v for v in values if v is not None and np.isfinite(v)])
    if not len(values):
        return "-"
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():.2f} +- {error:.2f}".replace("0.", ".")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--objects", type=int, default=50)
    parser.add_argument("--methods", nargs="+", default=["ste", "tste", "auto"])
    parser.add_argument("--answers", nargs="+", type=int, default=[1000, 4000, 20000])
    parser.add_argument("--truths", nargs="+", default=["logistic", "flips", "axes"])
    parser.add_argument("--bootstrap", type=int, default=20, help="replicates; 0: none")
    a = parser.parse_args()
    print("| method | answers are | number | population: curvature | sandwich | bootstrap | truth: curvature | sandwich "
          "| bootstrap | p < .01 | losses |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for method, truth, count in itertools.product(a.methods, a.truths, a.answers):
        found = [one(method, truth, count, r, a.objects, a.bootstrap) for r in range(a.repeats)]
        sources = ("curvature", "sandwich", "bootstrap")
        shares = [cell([f[s][t] for f in found if s in f]) for t in (0, 1) for s in sources]
        tested = [f["misfit"] < 0.01 for f in found if f["misfit"] is not None]
        losses = ", ".join(f"{name} {sum(f['loss'] == name for f in found)}" for name in sorted({f["loss"] for f in found}))
        print(f"| {method} | {truth} | {count} | {' | '.join(shares)} | "
              f"{f'{sum(tested)} of {len(tested)}' if tested else '-'} | {losses} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
