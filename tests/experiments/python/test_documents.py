"""The examples of the documents run, and every face has its document."""

import doctest
import importlib
import inspect
import pkgutil

import matplotlib
import pytest

import alidade

matplotlib.use("Agg")

MODULES = ["alidade"] + [f"alidade.{m.name}" for m in pkgutil.iter_modules(alidade.__path__) if m.name != "_core"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    failures, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failures == 0


def test_every_face_has_a_document_with_an_example():
    modules = (alidade, alidade.cblearn, alidade.sdp)
    for name, face in [(name, getattr(m, name)) for m in modules for name in m.__all__]:
        if inspect.isclass(face) or inspect.isfunction(face):
            assert face.__doc__ and ">>> " in face.__doc__, name
            if inspect.isclass(face) and "Parameters\n" in face.__doc__:
                for parameter in inspect.signature(face).parameters:
                    assert parameter in face.__doc__ or parameter in alidade.TripletEmbedding.__doc__, (name, parameter)
            assert max(map(len, face.__doc__.splitlines())) <= 120, name
