# %% [markdown]
# An experiment: solvers against each other on the same problem, data and starts.

# %%
import tempfile

import matplotlib.pyplot as plt

import alidade

config = {
    "name": "solvers", "seed": 1, "repeats": 3,
    "dataset": [{"name": "europe", "triplets": 4000, "noise": [0.0, 0.1]}],
    "method": [
        {"id": "L-BFGS", "problem": "ste", "solver": "ceres"},
        {"id": "gradient descent", "problem": "ste", "solver": {"name": "gradient_descent", "max_iter": 300}},
        {"id": "SGD", "problem": "ste", "solver": {"name": "riemannian_sgd", "max_iter": 30}},
    ],
}
results = alidade.run(config, tempfile.mkdtemp() + "/solvers", n_jobs=2)

# %%
print(results.table("heldout_error", format="md"))
print(results.table("seconds.solve", aggregate="median", format="md"))
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
alidade.plot.errors(results, ax=axes[0])
alidade.plot.profile(results, "seconds.solve", ax=axes[1])
figure.savefig("experiments.png")
