import type { PageFault } from './extractor';
import { rowsInOrder } from './page-rows';

const fault = (index: number, problem: string): PageFault => ({ index, data: {}, path: 'row', problem });
const named = (faults: readonly PageFault[], ...ids: readonly string[]): readonly unknown[] =>
    rowsInOrder({ records: ids.map(id => ({ id })), faults }).map(row =>
        row.fault ? row.fault.problem : row.record['id'],
    );

describe('the rows of a page', () => {
    it('are its records where all of them are sound', () => {
        expect(rowsInOrder({ records: [{ id: 'a' }, { id: 'b' }] })).toEqual([
            { record: { id: 'a' }, index: 0 },
            { record: { id: 'b' }, index: 1 },
        ]);
    });

    it('have each fault before the record that it stood before, those of one place in their own order', () => {
        expect(named([fault(1, 'second'), fault(0, 'first'), fault(1, 'third')], 'a', 'b')).toEqual([
            'first',
            'a',
            'second',
            'third',
            'b',
        ]);
    });

    it('end with the faults that stand behind the last record, however far', () => {
        expect(named([fault(9, 'far'), fault(1, 'behind')], 'a')).toEqual(['a', 'behind', 'far']);
        expect(named([fault(0, 'alone')])).toEqual(['alone']);
    });
});
