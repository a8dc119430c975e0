"""A Python object as a method of an experiment: `python _command.py FILE FOLDER`, where FILE is its pickle."""

import pickle
import sys


def _map_of(task):
    with open(sys.argv[1], "rb") as file:
        method = pickle.load(file)
    if not hasattr(method, "fit_transform"):
        return method(task)
    params = method.get_params() if hasattr(method, "get_params") else {}
    if params.get("random_state", 0) is None:
        method.set_params(random_state=task.seed)
    own = {name: value for name, value in task.options.items() if name in params}
    if own:
        method.set_params(**own)
    return method.fit_transform(task[task.needs[0]])


if __name__ == "__main__":
    from alidade_task import solve  # from the folder in which it runs

    solve(_map_of)
