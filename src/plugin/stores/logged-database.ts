import type { EntityManager } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import type {
    Database,
    ManagedOptions,
    ManagedTransaction,
    ReadOptions,
    TransactionOptions,
} from '../../database/database';
import { type Dialect, render } from '../../database/dialect';
import type { Request } from '../../database/statement';

/** A Database that logs each statement before it is sent: its text, never its values (option `logging.logQueries`). */
export class LoggedDatabase implements Database {
    readonly dialect: Dialect;

    constructor(
        private readonly database: Database,
        private readonly log: (text: string) => void,
    ) {
        this.dialect = database.dialect;
    }

    transaction<T>(script: () => StatementProgram<T>, options?: TransactionOptions): Promise<T> {
        return this.database.transaction(() => this.logged(script()), options);
    }

    managed<T>(work: (tx: ManagedTransaction) => Promise<T>, options?: ManagedOptions): Promise<T> {
        return this.database.managed(
            ({ manager, run }) => work({ manager, run: script => run(() => this.logged(script())) }),
            options,
        );
    }

    within<T>(manager: EntityManager, script: () => StatementProgram<T>): Promise<T> {
        return this.database.within(manager, () => this.logged(script()));
    }

    run<T>(script: () => StatementProgram<T>, options?: ReadOptions): Promise<T> {
        return this.database.run(() => this.logged(script()), options);
    }

    /** The same script; its statements are logged when they are yielded, and results and errors pass through. */
    private *logged<T>(statementProgram: StatementProgram<T>): StatementProgram<T> {
        let step = statementProgram.next();
        while (!step.done) {
            const request = step.value as Request;
            if (request.type === 'query') this.log(render(request.sql, this.dialect).text);
            let answer: unknown;
            try {
                answer = yield request;
            } catch (error) {
                step = statementProgram.throw(error);
                continue;
            }
            step = statementProgram.next(answer);
        }
        return step.value;
    }
}
