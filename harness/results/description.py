"""Describe a run for its results: its subjects, its suites, and the fingerprints of its targets."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from harness.engine.request import RunOrigin
from harness.files import TooManyFiles
from harness.model.suite_info import SuiteInfo
from harness.project.identity import Provenance
from harness.project.targets import Target, targets_by_subject
from harness.results.file_digests import FileDigests, FolderContent
from harness.results.fingerprint import FingerprintContext, fingerprints_of
from harness.suites.bundled import is_installed
from harness.suites.loading import Suite, collect_suite_info


def describe_run(
    targets: Sequence[Target],
    provenance: Provenance,
    context: FingerprintContext,
    digests: FileDigests,
    *,
    required: bool,
) -> RunOrigin:
    """Return the description of a run for its results.

    A subject with too many files has no fingerprint, unless they are `required`. Raises UsageError.
    """
    subjects = tuple(map(provenance.subject, targets_by_subject(targets).values()))
    context = context._replace(versions={each.name: each.version for each in subjects})
    suites = {target.suite.name: target.suite for target in targets}
    suite_infos = tuple(
        _with_provenance(info, suites[info.suite], provenance, digests)
        for info in collect_suite_info(suites.values())
    )
    return RunOrigin(
        fingerprints=fingerprints_of(targets, context, digests, required=required),
        suite_infos=suite_infos,
        subjects=subjects,
    )


def _with_provenance(
    info: SuiteInfo, suite: Suite, provenance: Provenance, digests: FileDigests
) -> SuiteInfo:
    folder = str(suite.folder)
    with suppress(TooManyFiles):
        info = info._replace(digest=digests.of(folder, kind=FolderContent.SUITE))
    if is_installed(suite.folder):  # a repository that holds an environment says nothing about it
        return info
    commit = provenance.commit(folder)
    return info._replace(commit=commit.name, committed=commit.time)
