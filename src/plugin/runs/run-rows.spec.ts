import { mysql, postgres, render } from '../../database/dialect';
import type { Table } from '../../database/table';
import type { WriteTarget } from '../../database/write';
import { raw, type Request } from '../../database/statement';
import { JsonText } from '../entities/columns';
import { areStoredInChunks, insertRuns, isLargeInput } from './run-rows';

const table = {
    name: raw('runs'),
    numbersItself: true,
    column: (property: string) => raw(property),
    toColumns: (_: string, values: readonly unknown[]) =>
        values.map(value => (value instanceof JsonText ? value.text : value)),
    has: () => false,
} as unknown as Table;
const onMySql: WriteTarget = { table, dialect: mysql(true) };

const ANSWER = { rows: [{ id: 7 }], affected: 1 };

/** What is stored of the records in the end, and how long the longest parameter was. */
function stored(text: string): { readonly text: string; readonly longest: number } {
    const script = insertRuns(onMySql, [{ pipelineId: 1, seed: new JsonText(text) }]);
    let whole = '';
    let longest = 0;
    let step = script.next();
    while (!step.done) {
        const request = step.value as Request;
        if (request.type === 'answer') {
            step = script.next(request.to.answer as never);
            continue;
        }
        const { sql, isAhead } = request as Extract<Request, { readonly type: 'query' }>;
        const { params } = render(sql, onMySql.dialect);
        const piece = params.find(value => typeof value === 'string') as string;
        longest = Math.max(longest, piece.length);
        whole += piece;
        step = script.next((isAhead ? { answer: ANSWER } : ANSWER) as never);
    }
    return { text: whole, longest };
}

describe('the records of a run that no statement of MySQL could carry', () => {
    it.each([
        ['is quoted', '\\"'.repeat(4_500_000)],
        ['is cut within no character of two halves', `x${'😀'.repeat(4_500_000)}`],
    ])('go piece by piece, and are what they were: what %s', (_, text) => {
        const result = stored(text);
        expect(result.text === text).toBe(true);
        expect(result.longest).toBeLessThanOrEqual(4_000_000);
    });

    it('are those of MySQL alone, where there are many', () => {
        const rows = [{ seed: null }, { seed: new JsonText('x'.repeat(4_000_001)) }];
        expect(areStoredInChunks(rows, onMySql)).toBe(true);
        expect(areStoredInChunks(rows.slice(0, 1), onMySql)).toBe(false);
        expect(areStoredInChunks(rows, { dialect: postgres })).toBe(false);
        expect(rows.map(isLargeInput)).toEqual([false, true]);
    });
});
