import assert from 'node:assert/strict';
import type { Change } from '../core/adapter/loader';
import type { LoaderTestRun } from './loader-test-run';

/** What became of each record. */
export function actionsOf({ changes }: LoaderTestRun): ReadonlyArray<Change['action']> {
    return changes.map(({ action }) => action);
}

/** What became of each record and why, as a run and its dry run must agree on it. */
export function outcomesOf({ changes }: LoaderTestRun): readonly unknown[] {
    return changes.map(change =>
        change.action === 'reject' ? { key: change.key, rejected: change.error.message } : change,
    );
}

/** True for a statement that writes. */
export function isWrite(statement: string): boolean {
    return !/^\s*SELECT\b/i.test(statement);
}

/** That a plan has read and no more. */
export function assertReads({ planned }: LoaderTestRun): void {
    assert.deepEqual(planned.filter(isWrite), [], 'statements of the plan that do not read');
}
