import type { StatementProgram } from '../../src';
import { flowError } from '../../src/core/errors/flow-error';
import type { Database } from '../../src/database/database';

/**
 * A database whose connection breaks in each transaction before the statement with this number; after the last statement, before the
 * COMMIT.
 */
export function brokenDatabase(database: Database, before: number): Database {
    return {
        dialect: database.dialect,
        transaction: (script, options) => database.transaction(() => breaking(script(), before), options),
        managed: (work, options) =>
            database.managed(
                ({ manager, run }) => work({ manager, run: script => run(() => breaking(script(), before)) }),
                options,
            ),
        within: (manager, script) => database.within(manager, script),
        run: script => database.run(script),
    };
}

function* breaking<T>(statementProgram: StatementProgram<T>, before: number): StatementProgram<T> {
    let step = statementProgram.next();
    for (let statement = 1; ; statement++) {
        if (statement === before) throw flowError('DATABASE_LOST', { problem: `broken before statement ${statement}` });
        if (step.done) return step.value;
        step = statementProgram.next(yield step.value);
    }
}
