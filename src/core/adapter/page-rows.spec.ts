import type { PageIssue } from './extractor';
import { rowsInSequence } from './page-rows';

const issue = (index: number, problem: string): PageIssue => ({ index, data: {}, path: 'row', problem });
const named = (issues: readonly PageIssue[], ...ids: readonly string[]): readonly unknown[] =>
    rowsInSequence({ records: ids.map(id => ({ id })), faults: issues }).map(row =>
        row.fault ? row.fault.problem : row.record['id'],
    );

describe('the rows of a page', () => {
    it('are its records if all of them are valid', () => {
        expect(rowsInSequence({ records: [{ id: 'a' }, { id: 'b' }] })).toEqual([
            { record: { id: 'a' }, index: 0 },
            { record: { id: 'b' }, index: 1 },
        ]);
    });

    it('have each issue before the record that followed it; issues of one position keep their order', () => {
        expect(named([issue(1, 'second'), issue(0, 'first'), issue(1, 'third')], 'a', 'b')).toEqual([
            'first',
            'a',
            'second',
            'third',
            'b',
        ]);
    });

    it('end with the issues after the last record, at any distance', () => {
        expect(named([issue(9, 'far'), issue(1, 'behind')], 'a')).toEqual(['a', 'behind', 'far']);
        expect(named([issue(0, 'alone')])).toEqual(['alone']);
    });
});
