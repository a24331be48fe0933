"""Every figure and table by its name."""

import pytest

from rivals_paper import registry


@pytest.mark.parametrize("name", registry.names())
def test_every_module_offers_what_the_registry_promises(name):
    module = registry.find(name)
    assert name == module.NAME
    assert module.DESCRIPTION
    assert "\n" not in module.DESCRIPTION
    assert module.READING
    assert module.DIFFERENCES
    assert callable(module.make)


def test_all_stands_for_each_once():
    assert tuple(module.NAME for module in registry.select(["all", "all"])) == registry.names()


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="nothing in the paper is called 'figure 9'"):
        registry.find("figure 9")
