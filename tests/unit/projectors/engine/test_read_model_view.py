"""The stable view of a read model over a table that another version made."""

from __future__ import annotations

from projectors.engine.read_model import ReadModel

MODEL = ReadModel(
    name="links",
    version=2,
    columns=("id uuid", "slug text not null", "tags text[] not null default '{}'", "folder text"),
    key=("id",),
    readers="true",
)


def test_the_view_has_the_columns_of_today_and_those_of_the_table() -> None:
    [_, view, _] = MODEL.create_view(1, {"id", "slug", "color"})
    assert view.endswith(
        " as select id, slug, ('{}')::text[] as tags, (null)::text as folder, color from read.links__g1"
    )


def test_the_view_of_a_table_of_this_version_has_its_columns() -> None:
    assert MODEL.create_view(3)[1].endswith(" as select id, slug, tags, folder from read.links__g3")
    assert MODEL.create_view(3, set(MODEL.column_names)) == MODEL.create_view(3)
