"""The report for CI systems, as JUnit XML.

``fail`` is a ``<failure>``, unknown and no_trace are ``<skipped>``, unusable is an ``<error>``; what triage
accepts is ``<skipped>`` too. Every text is made visible first, so that no character of the data can be one
that XML 1.0 does not allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from traceview.results import Report, Row, totals
from traceview.sanitize import visible
from traceview.write import Options
from traceview.write.words import accepted, finding_line, reason, run_name

__all__ = ["write"]


def write(report: Report, stream: TextIO, options: Options) -> None:
    """Write one suite, named after the contract, with a test case per run. ``file`` and ``line`` point at the
    reviewed case."""
    waived = {id(row) for row in report.rows if accepted(report, row)}
    figures = totals(row for row in report.rows if id(row) not in waived)
    counts = _attributes(
        tests=str(len(report.rows)),
        failures=str(figures["fail"]),
        errors=str(figures["unusable"]),
        skipped=str(figures["unknown"] + figures["no_trace"] + len(waived)),
    )
    suite = report.contract.name if report.contract else "unjudged"
    stream.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    stream.write(f"<testsuites{_attributes(name='traceview')}{counts}>\n")
    stream.write(f"  <testsuite{_attributes(name=suite)}{counts}>\n    <properties>\n")
    for name, value in _properties(report, options):
        stream.write(f"      <property{_attributes(name=name, value=value)}/>\n")
    stream.write("    </properties>\n")
    file = next((info.path for info in report.inputs if info.role == "cases"), None)
    for row in report.rows:
        _write_case(stream, row, suite, file, waived=id(row) in waived)
    stream.write("  </testsuite>\n</testsuites>\n")


def _properties(report: Report, options: Options) -> Iterator[tuple[str, str]]:
    if report.contract:
        yield "traceview.contract", report.contract.name
        yield "traceview.contract.source", report.contract.source
        yield "traceview.contract.sha256", report.contract.sha256
    for info in report.inputs:
        yield f"traceview.{info.role}", info.path
    if report.filter:
        yield "traceview.filter", report.filter
    if report.skipped:
        yield "traceview.skipped_lines", str(report.skipped)
    if options.stamp:
        yield "traceview.stamp", options.stamp


def _write_case(stream: TextIO, row: Row, suite: str, file: str | None, *, waived: bool) -> None:
    result = row.result
    attributes = _attributes(classname=suite, name=run_name(row))
    if file is not None:
        attributes += _attributes(file=file, line=str(row.case.line))
    if result.verdict == "pass":
        stream.write(f"    <testcase{attributes}/>\n")
        return
    tag = {"fail": "failure", "unusable": "error"}.get(result.verdict, "skipped") if not waived else "skipped"
    message = f"accepted by triage, {reason(row)}" if waived else reason(row)
    if tag == "skipped":
        said = f" message={_quoted(f'{result.verdict}: {message}')}"
    else:
        said = _attributes(type=result.diagnosis, message=message)
    stream.write(f"    <testcase{attributes}>\n      <{tag}{said}>")
    stream.write("\n".join(escape(visible(finding_line(finding))) for finding in result.findings))
    stream.write(f"</{tag}>\n    </testcase>\n")


def _attributes(**values: str) -> str:
    return "".join(f" {name}={_quoted(value)}" for name, value in values.items())


def _quoted(value: str) -> str:
    return quoteattr(visible(value))
