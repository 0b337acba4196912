"""`show version` beside the configuration: what it says and whose it is."""

from __future__ import annotations

import pytest

from xoff.nos.shows import Version, belongs_to, read_version
from xoff.nos.source import Source

# Formats as documented by the vendors (EOS user manual, `show version`; SONiC Command-Reference.md, `show version`).
EOS = """leaf1#show version
Arista DCS-7060CX-32S-F
Hardware version: 01.00
Serial number: JPE00000000
System MAC address: 0000.5e00.5301

Software image version: 4.28.3M
Architecture: x86_64
"""
SONIC = """SONiC Software Version: SONiC.202305.1
SONiC OS Version: 11
Distribution: Debian 11.7
Platform: x86_64-arista_7060_cx32s
HwSKU: Arista-7060CX-32S-C32
ASIC: broadcom
"""


def test_eos() -> None:
    found = read_version(Source("x.txt", EOS))
    assert found is not None
    assert (found.nos, found.prompt, found.model, found.release) == ("eos", "leaf1", ("DCS-7060CX-32S-F", 2), ("4.28.3M", 7))
    assert [(n, v, str(at)) for n, v, at in found.facts()] == [
        ("release", "4.28.3M", "x.txt:7"),
        ("model", "DCS-7060CX-32S-F", "x.txt:2"),
    ]


def test_sonic_the_hwsku_is_the_model_and_the_asic_vendor_no_asic() -> None:
    found = read_version(Source("x.txt", "admin@leaf-2:~$ show version\n\n" + SONIC))
    assert found is not None
    assert (found.nos, found.prompt) == ("sonic", "leaf-2")
    assert {n: v for n, v, _ in found.facts()} == {"release": "SONiC.202305.1", "model": "Arista-7060CX-32S-C32"}


NXOS = """TOR-1# show version
Cisco Nexus Operating System (NX-OS) Software
TAC support: http://www.cisco.com/tac

Software
  BIOS: version 05.45
 NXOS: version 10.4(1) [Feature Release]
  BIOS compile time:  07/05/2021

Hardware
  cisco Nexus9000 C93180YC-FX3 Chassis
  Processor Board ID FDO00000000
  Device name: TOR-1
"""


def test_nxos() -> None:
    found = read_version(Source("x.txt", NXOS))
    assert found is not None
    assert (found.nos, found.prompt, found.model, found.release) == ("nxos", "TOR-1", ("C93180YC-FX3", 11), ("10.4(1)", 7))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "version\n",
        "! boot system flash:/EOS-4.19.1F.swi\nhostname leaf1\ninterface Ethernet1\n   description Software image version\n",
        "Cisco Nexus Operating System (NX-OS) Software\n  BIOS: version 10.2(3)\n",
        "Software image version:\n",
        "Software image version: 4.28.3M " + "x" * 70_000,
    ],
)
def test_near_misses(text: str) -> None:
    assert read_version(Source("x.txt", text)) is None


def version(path: str, prompt: str | None = None) -> Version:
    return Version(path, "eos", prompt, None, ("4.28.3M", 1))


@pytest.mark.parametrize(
    ("path", "prompt", "owner"),
    [
        ("c/any.txt", "leaf1", "leaf1"),
        ("c/leaf10-version.txt", "LEAF1", "leaf1"),
        ("c/leaf1-show_version.txt", None, "leaf1"),
        ("c/leaf10_show_version.txt", None, "leaf10"),
        ("c/leaf100_show_version.txt", None, None),
        ("c/tor-a.version", None, "leaf10"),
        ("c/version.txt", None, None),
        ("spine1/version.txt", None, "spine1.dc.example.net"),
        ("c/any.txt", "spine1", "spine1.dc.example.net"),
        ("c/leaf1-version.txt", "leaf99", None),
    ],
)
def test_whose_output_it_is(path: str, prompt: str | None, owner: str | None) -> None:
    stems = {"leaf1": ["c/leaf1.cfg"], "leaf10": ["c/tor-a.cfg"], "spine1.dc.example.net": ["spine1/running.cfg"]}
    assert belongs_to(version(path, prompt), stems) == owner
