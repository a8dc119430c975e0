"""A Python object as a method of an experiment: `python _command.py FILE FOLDER`, where FILE is its pickle."""

import pickle
import sys

import numpy as np


def _map_of(task):
    with open(sys.argv[1], "rb") as file:
        method = pickle.load(file)
    if not hasattr(method, "fit_transform"):
        return _checked(method(task), task)
    params = method.get_params() if hasattr(method, "get_params") else {}
    if params.get("random_state", 0) is None:
        method.set_params(random_state=task.seed)
    own = {name: value for name, value in task.options.items() if name in params}
    if own:
        method.set_params(**own)
    return _checked(method.fit_transform(task[task.needs[0]]), task)


def _checked(made, task):
    """The map, if it is one of as many columns as are asked for."""
    embedding = made[0] if isinstance(made, tuple) else made
    if embedding is None:
        raise TypeError(f"the method returned None. Return the map, an array of shape ({task.n}, {task.d}).")
    if np.ndim(embedding) > 1 and np.shape(embedding)[-1] != task.d:
        columns = np.shape(embedding)[-1]
        raise ValueError(f"the map has {columns} columns, and {task.d} are asked for. Give the method as "
                         f"{{'call': ..., 'options': {{'n_components': {columns}}}}}.")
    return made


if __name__ == "__main__":
    from alidade_task import solve  # from the folder in which it runs

    solve(_map_of)
