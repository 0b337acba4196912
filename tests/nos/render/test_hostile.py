"""No text of an intent can put a line of its own into a rendered file, whatever it holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from xoff.errors import CannotExpress
from xoff.model.frozen import FrozenMap
from xoff.model.switch import Named, Port, SwitchModel
from xoff.nos import registry
from xoff.nos.registry import Nos
from xoff.nos.renderer import NoteKind, RenderNote, environment, render

from . import models

HOSTILE = [
    "x\ninterface Ethernet1",
    "x\r\nhostname evil",
    "x\x0bqos trust cos",
    "x\x85y",
    "x\u2028priority-flow-control all off",
    "x\x00y",
    "x\x1b[31m",
    "../../etc/passwd",
    "",
    " ",
]
ODD = ["{{ 7 * 7 }}", "{% raw %}", "`id`", "$(reboot)", '"; drop', "'quote'", "a!b", "<script>", "%0a", "\\n"]


@pytest.fixture(params=["eos", "sonic"])
def model(request: pytest.FixtureRequest) -> SwitchModel:
    return models.eos() if request.param == "eos" else models.sonic()


def shape(text: str) -> int:
    return len(text.splitlines())


@pytest.mark.parametrize("text", HOSTILE)
def test_hostname_and_port_names(nos: Callable[[str], Nos], model: SwitchModel, text: str) -> None:
    with pytest.raises(CannotExpress):
        render(replace(model, hostname=text), nos(model.nos))
    port = next(iter(model.ports.values()))
    with pytest.raises(CannotExpress):
        render(replace(model, ports=FrozenMap({text: replace(port, name=text)})), nos(model.nos))


@pytest.mark.parametrize("text", [t for t in HOSTILE if t.strip() and not t.startswith("..")])
def test_description_of_more_than_one_line_is_refused(nos: Callable[[str], Nos], text: str) -> None:
    model = models.eos()
    ports = FrozenMap((n, replace(p, description=text)) for n, p in model.ports.items())
    with pytest.raises(CannotExpress, match="printable ASCII"):
        render(replace(model, ports=ports), nos("eos"))


@pytest.mark.parametrize("text", ODD)
def test_odd_but_harmless_text_stays_on_its_line(nos: Callable[[str], Nos], text: str) -> None:
    model = models.eos()
    plain = render(replace(model, ports=_described(model, "plain")), nos("eos")).files["leaf1.cfg"]
    odd = render(replace(model, ports=_described(model, text)), nos("eos")).files["leaf1.cfg"]
    assert shape(plain) == shape(odd)
    assert odd.count(f"   description {text}\n") == len(model.ports)
    assert odd.replace(f"description {text}", "description plain") == plain


def _described(model: SwitchModel, text: str) -> FrozenMap[str, Port]:
    return FrozenMap((n, replace(p, description=text)) for n, p in model.ports.items())


def test_remarks_are_ascii_and_one_line_each(nos: Callable[[str], Nos]) -> None:
    known = [RenderNote(NoteKind.DERIVED, "alpha", "2^-8 \u2026 2^7, \u00fcber")]
    for model in (models.eos(), models.sonic()):
        text = "".join(render(model, nos(model.nos), known=known).files.values())
        assert text.isascii()
        assert "calculated: alpha: 2^-8 ... 2^7, ?ber\n" in text
        for bad in ("x\nhostname evil", "x\u2028y", "x\x85y"):
            with pytest.raises(CannotExpress):
                render(model, nos(model.nos), known=[RenderNote(NoteKind.DERIVED, "alpha", bad)])


def test_facts_from_the_intent_cannot_break_out_of_the_header(nos: Callable[[str], Nos]) -> None:
    with pytest.raises(CannotExpress):
        render(models.eos(platform="DCS-7260\nhostname evil"), nos("eos"))
    fact = FrozenMap({"queue": Named("uc-tx-queue", "intent\nhostname evil")})
    with pytest.raises(CannotExpress):
        render(models.eos(facts=fact), nos("eos"))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
@example("a\x1cb")
@example("a\u2029b")
def test_any_description_is_one_line_or_refused(text: str) -> None:
    model = models.eos(mmu=False)
    ports = FrozenMap((n, replace(p, description="x" + text)) for n, p in model.ports.items())
    plain = FrozenMap((n, replace(p, description="x")) for n, p in model.ports.items())
    try:
        out = render(replace(model, ports=ports), registry.load("eos")).files["leaf1.cfg"]
    except CannotExpress:
        return
    assert shape(out) == shape(render(replace(model, ports=plain), registry.load("eos")).files["leaf1.cfg"])


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=20))
def test_any_hostname_gives_one_plain_file_or_is_refused(text: str) -> None:
    try:
        out = render(models.sonic(hostname=text), registry.load("sonic")).files
    except CannotExpress:
        return
    assert set(out) == {f"{text}.json", f"{text}.README.txt"}
    assert json.loads(out[f"{text}.json"])["DEVICE_METADATA"]["localhost"]["hostname"] == text


def test_templates_are_sandboxed_and_strict() -> None:
    from jinja2.exceptions import SecurityError, UndefinedError

    env = environment("eos")
    with pytest.raises(SecurityError):
        env.from_string("{{ ''.__class__.__mro__ }}").render()
    with pytest.raises(UndefinedError):
        env.from_string("{{ missing }}").render()
    with pytest.raises(CannotExpress, match="fault of the template"):
        env.from_string("{{ x }}").render(x=None)
