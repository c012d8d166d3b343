import type { EntityManager } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import type { Database } from '../../database/database';
import { sqlite } from '../../database/dialect';
import { type Request, select, send, sql } from '../../database/statement';
import { LoggedDatabase } from './logged-database';

/** Answers each statement with its number, and rejects those whose text requests it. */
const counting: Database = {
    dialect: sqlite,
    managed: work => work({ manager: {} as EntityManager, run: script => counting.run(script) }),
    within: (_, script) => counting.run(script),
    transaction: script => Promise.resolve().then(() => drive(script())),
    run: script => Promise.resolve().then(() => drive(script())),
};

function drive<T>(statementProgram: StatementProgram<T>): T {
    let number = 0;
    let step = statementProgram.next();
    while (!step.done) {
        const request = step.value as Request;
        const rejected = request.type === 'query' && request.sql.texts[0]!.startsWith('REFUSED');
        number++;
        step = rejected
            ? statementProgram.throw(new Error('refused'))
            : statementProgram.next({ rows: [{ number }], affected: 1, insertId: undefined });
    }
    return step.value;
}

describe('logging.logQueries', () => {
    it('logs the text of each statement without its values, and does not change the program', async () => {
        const told: string[] = [];
        const database = new LoggedDatabase(counting, text => told.push(text));
        const rows = await database.transaction(function* () {
            yield* send(sql`UPDATE a SET b = ${'secret'}`);
            return yield* select<{ number: number }>(sql`SELECT ${1}`);
        });
        expect(rows).toEqual([{ number: 2 }]);
        expect(told).toEqual(['UPDATE a SET b = ?', 'SELECT ?']);
    });

    it('throws a failure into the program, which may continue', async () => {
        const told: string[] = [];
        const database = new LoggedDatabase(counting, text => told.push(text));
        const result = await database.run(function* () {
            try {
                yield* send(sql`REFUSED`);
                return 'sent';
            } catch {
                return (yield* select<{ number: number }>(sql`SELECT 1`))[0]!.number;
            }
        });
        expect(result).toBe(2);
        expect(told).toEqual(['REFUSED', 'SELECT 1']);
    });
});
