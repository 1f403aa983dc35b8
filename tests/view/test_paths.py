from __future__ import annotations

import os
import zipfile
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcp_apps_plugin.view import PageBuildError, build_page
from mcp_apps_plugin.view.paths import local
from mcp_apps_plugin.view.problems import RefusedError

_SEGMENTS = st.sampled_from(
    [
        *("a", "b.css", ".", "..", "", "%2e", "%2E%2e", "%2f", "%5c", "\\", "/", "c:", "~", "..."),
        *(" ", "%00", "\n", "\t", "é", "%C3%A9", "%ff", "file:", "nul", "a.", "?", "#", "//"),
    ]
)


@given(st.lists(_SEGMENTS, max_size=8).map("/".join), st.sampled_from([(), ("d",), ("d", "e")]))
def test_a_local_name_never_leaves_the_folder(url, base):
    """Whatever is written, what is accepted is a path of plain names below the root."""
    try:
        found = local(url, base)
    except RefusedError:
        return
    if found is not None:
        assert found.path
        for segment in found.path:
            assert segment not in {"", ".", ".."}
            assert not set(segment) & set("/\\:\0\n")
        joined = os.path.normpath(os.path.join("/root", *found.path))  # noqa: PTH118 (its rules)
        assert joined.startswith("/root/")


@given(st.lists(st.text("abcé ü-_~(%", min_size=1, max_size=6), min_size=1, max_size=3))
def test_encoded_names_are_decoded(segments):
    """Percent-encoded names mean the files with those names."""
    assume(all(s[-1] not in ". " and s[0] != " " for s in segments))
    url = "/".join(map(quote, segments))
    found = local(url)
    assert found is not None
    assert found.path == tuple(segments)


@pytest.mark.parametrize(
    "url",
    [
        *("", "  ", "#", "#a", "https://x/y", "//x/y", "HTTP://x", "data:,x", "blob:x", "mailto:a"),
        *("about:blank", "javascript:void 0", " https://x", "ht\ntps://x", "x-y+z.1:a"),
    ],
)
def test_what_is_not_local_is_left_alone(url):
    """Other origins, schemes and bare fragments are not files of the page."""
    assert local(url) is None


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("../x.css", "page-path-outside"),
        ("a/../../x.css", "page-path-outside"),
        ("/x.css", "page-path-absolute"),
        ("C:/x.css", "page-path-absolute"),
        ("file:///etc/passwd", "page-path-absolute"),
        ("FiLe:x", "page-path-absolute"),
        ("a\\b.css", "page-path-invalid"),
        ("%2e%2e/x.css", "page-path-invalid"),
        ("a%2fb.css", "page-path-invalid"),
        ("a%5cb.css", "page-path-invalid"),
        ("%00.css", "page-path-invalid"),
        ("%ff.css", "page-path-invalid"),
        ("a/NUL.css", "page-path-invalid"),
        ("a./b", "page-path-invalid"),
        (".../b", "page-path-invalid"),
        ("a/b/", "page-file-directory"),
        ("./", "page-file-directory"),
        ("?x", "page-file-directory"),
    ],
)
def test_refused_names(url, code):
    """Names that lead out, or that systems read differently, are refused with a reason."""
    with pytest.raises(RefusedError) as caught:
        local(url)
    assert caught.value.code == code


def test_queries_and_fragments_are_not_part_of_the_name():
    """`a.svg?v=1#x` is the file `a.svg`, shown at `#x`."""
    found = local(" d/../a.svg?v=/../1#x ", ("e",))
    assert found == (("e", "a.svg"), "#x")


def _codes(error):
    return [(problem.code, problem.line) for problem in error.value.problems]


def test_a_link_that_leads_out_is_refused(write, tmp_path):
    """A symbolic link does not bring in what lies outside the folder."""
    (tmp_path / "secret.css").write_text("p {}", encoding="utf-8")
    folder = write({"page.html": "<!doctype html>\n<link rel=stylesheet href=in/a.css>"})
    (folder / "in").mkdir()
    (folder / "in" / "a.css").symlink_to(tmp_path / "secret.css")
    with pytest.raises(PageBuildError) as caught:
        build_page(folder / "page.html")
    assert _codes(caught) == [("page-path-outside", 2)]
    (folder / "in" / "a.css").unlink()
    (folder / "in").rmdir()
    (folder / "in").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a.css").write_text("p {}", encoding="utf-8")
    with pytest.raises(PageBuildError) as caught:
        build_page(folder / "page.html")
    assert _codes(caught) == [("page-path-outside", 2)]


def test_a_link_inside_the_folder_is_fine(write):
    """A symbolic link to a file of the page is that file."""
    folder = write({"page.html": "<!doctype html><link rel=stylesheet href=b.css>", "a.css": "p{}"})
    (folder / "b.css").symlink_to("a.css")
    assert "<style>p{}</style>" in build_page(folder / "page.html").html


def test_a_page_of_links_into_one_place_is_fine(write, tmp_path):
    """An installer may link each file of a package to a cache."""
    folder = write({"page.html": "<!doctype html><link rel=stylesheet href=a.css>", "a.css": "p{}"})
    linked = tmp_path / "linked"
    linked.mkdir()
    for name in ("page.html", "a.css"):
        (linked / name).symlink_to(folder / name)
    assert "<style>p{}</style>" in build_page(linked / "page.html").html


def test_a_loop_of_links_is_a_problem_and_no_crash(write):
    """A link to itself cannot be read, and that is said."""
    folder = write({"page.html": "<!doctype html><link rel=stylesheet href=a.css>"})
    (folder / "a.css").symlink_to("a.css")
    with pytest.raises(PageBuildError) as caught:
        build_page(folder / "page.html")
    assert caught.value.problems[0].code in {"page-file-missing", "page-file-unreadable"}


def test_a_page_in_a_zip_package(tmp_path):
    """Packages need not be folders: everything is read as package resources."""
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("pkg/ui/page.html", '<!doctype html><script src="js/a.js"></script>')
        made.writestr("pkg/ui/js/a.js", "let a")
    with zipfile.ZipFile(archive) as opened:
        page = build_page(zipfile.Path(opened, "pkg/ui/page.html"))
        below = build_page("ui/page.html", root=zipfile.Path(opened, "pkg/"))
    assert page.html == below.html == "<!doctype html><script>let a</script>"
    assert page.files == ()


def test_a_root_above_the_page(write):
    """With a root, the page may use what its own folder does not hold, and no more than that."""
    folder = write(
        {"ui/a/page.html": "<!doctype html><link rel=stylesheet href=../s.css>", "ui/s.css": "p{}"}
    )
    page = build_page("a/page.html", root=folder / "ui")
    assert "<style>p{}</style>" in page.html
    assert page.files == (folder / "ui/a/page.html", folder / "ui/s.css")
    assert build_page(folder / "ui/a/page.html", root=folder).html == page.html
    with pytest.raises(PageBuildError):
        build_page(folder / "ui/a/page.html")


def test_package_resources(write, monkeypatch):
    """`importlib.resources.files` gives pages, also of packages without `__init__`."""
    folder = write({"spread/page.html": "<!doctype html><script src=a.js></script>"})
    (folder / "spread" / "a.js").write_text("let a", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    page = build_page("page.html", root=files("spread"))
    assert "<script>let a</script>" in page.html
    assert [path.name for path in page.files] == ["page.html", "a.js"]


def test_a_source_without_a_folder_needs_a_root():
    """What cannot tell its folder is refused with what to do."""

    class Alone:
        name = "page.html"

    with pytest.raises(TypeError, match="root"):
        build_page(Alone())


def test_a_page_outside_its_root(write):
    """A root that does not hold the page is told like any name that leads out."""
    folder = write({"page.html": "<!doctype html>", "in/x": ""})
    for source in ("../page.html", folder / "page.html"):
        with pytest.raises(PageBuildError) as caught:
            build_page(source, root=folder / "in")
        assert _codes(caught) == [("page-path-outside", 0)]
    with pytest.raises(TypeError, match="name below it"):
        build_page(object(), root=folder)


@pytest.mark.parametrize("name", ["missing.html", "."])
def test_a_page_that_is_not_there(name, tmp_path):
    """A missing page is told like a missing file."""
    with pytest.raises(PageBuildError):
        build_page(Path(tmp_path) / "x" / name)
