"""Excel workbooks made by hand: no more of the format than is needed."""

from __future__ import annotations

import io
import zipfile
from typing import Any


def workbook(**sheets: list[list[Any]]) -> bytes:
    """Return an Excel workbook with these rows, and no more of the format than is needed."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        numbered = list(enumerate(sheets, 1))
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="xml" '
            'ContentType="application/xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
            + "".join(f'<sheet name="{n}" sheetId="{i}" r:id="r{i}"/>' for i, n in numbered)
            + "</sheets></workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships">'
            + "".join(
                f'<Relationship Id="r{i}" Type="{office}/worksheet" '
                f'Target="worksheets/sheet{i}.xml"/>'
                for i, _ in numbered
            )
            + "</Relationships>",
        )
        for i, name in numbered:
            body = "".join(
                f'<row r="{r}">{"".join(_cell(f"{chr(65 + c)}{r}", v) for c, v in enumerate(row))}'
                "</row>"
                for r, row in enumerate(sheets[name], 1)
            )
            archive.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
            )
    return out.getvalue()


def _cell(place: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{place}"><v>{value!r}</v></c>'
