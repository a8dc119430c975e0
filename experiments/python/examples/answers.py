# %% [markdown]
# Maps from answers: how many are needed, and which loss does best when some are wrong?

# %%
import matplotlib.pyplot as plt
import numpy as np

import alidade

places = np.random.default_rng(0).normal(size=(30, 2))
test = alidade.triplets_of(places, 5000, random_state=99)

# %% Errors on new answers, by the number of answers and the loss.
figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
for ax, noise in zip(axes, (0.0, 0.15)):
    for name in ("STE", "SOE", "TSTE", "CKL", "ETE"):
        counts = [200, 400, 800, 1600]
        errors = []
        for count in counts:
            train = alidade.triplets_of(places, count, noise=noise, random_state=count)
            errors.append(1 - getattr(alidade, name)(random_state=0).fit(train).score(test))
        ax.plot(counts, errors, marker="o", label=name)
    ax.set_xscale("log")
    ax.set_xlabel("answers")
    ax.set_title(f"{100 * noise:.0f} % wrong")
axes[0].set_ylabel("error on new answers")
axes[0].legend()
figure.savefig("answers.png")

# %% Alidade's own choice, with the uncertainty of each place.
model = alidade.TripletEmbedding(random_state=0, bootstrap=20).fit(
    alidade.triplets_of(places, 800, noise=0.15, random_state=1))
print(model.method_, f"{100 * model.error_:.1f} %", model.error_interval_)
alidade.plot.map(model, ax=plt.subplots()[1]).figure.savefig("answers_map.png")
