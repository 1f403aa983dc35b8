import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin.host import file_name


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///export.json", "export.json"),
        ("file:///a/b/c.txt?x=1#y", "c.txt"),
        ("export.csv", "export.csv"),
        ("file:///../../etc/passwd", "passwd"),
        ("file:///%2e%2e%2f%2e%2e%2fetc%2fpasswd", "passwd"),
        ("file:///..%5c..%5cboot.ini", "boot.ini"),
        ("file:///.bashrc", "bashrc"),
        ("file:///..", "download"),
        ("file:///", "download"),
        ("", "download"),
        ("file:///a%00b.txt", "ab.txt"),
        ("file:///evil%E2%80%AEtxt.exe", "eviltxt.exe"),
        ("file:///a%0ab.txt", "ab.txt"),
        ("file:///con", "download"),
        ("file:///NUL.txt", "download"),
        ("file:///com%C2%B9.txt", "download"),
        ("file:///a:b*c?.txt", "a b c"),
        ("file:///name.txt...", "name.txt"),
        ("http://[x/y.txt", "y.txt"),
    ],
)
def test_names_are_made_safe(uri, name):
    """The last segment, decoded, without what a file system or a reader could trip over."""
    assert file_name(uri) == name


def test_long_names_keep_their_extension():
    """Cut to what file systems take, in bytes, between characters."""
    name = file_name("file:///" + "ø" * 300 + ".json")
    assert len(name.encode()) <= 200
    assert name.endswith(".json")
    assert len(file_name("a" * 300 + "." + "b" * 300).encode()) == 200


@given(st.text())
def test_whatever_a_page_sends_it_is_one_plain_name(uri):
    """No separator, nothing hidden, nothing unprintable, never empty."""
    name = file_name(uri)
    assert name
    assert name[0] not in ". "
    assert not set('/\\:*?"<>|\0\n\r') & set(name)
    assert len(name.encode()) <= 200
    assert name.isprintable()
