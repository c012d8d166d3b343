import type { StatementProgram } from '../../core/adapter/loader';
import { name, select, send, sql } from '../../database/statement';
import { insertRows, type Row } from '../../database/write';
import { nowMs } from './database-clock';
import { storable, ifNotExists } from './insert';
import { type StoreEnv, targetOf } from './store-env';

/** How a trigger gets on. */
interface MessageTriggerState {
    readonly problem: string | null;
    readonly refused: number;
    /** The time since the last rejection, in milliseconds; null without one. */
    readonly refusedAgoMs: number | null;
}

const LONGEST_PROBLEM = 2_000;

/** How the MESSAGE triggers in force get on, by the names of the triggers. */
export class MessageTriggers {
    constructor(private readonly env: StoreEnv) {}

    /** Why no messages come in, or null when they do. */
    async tell(trigger: string, problem: string | null): Promise<void> {
        const text = problem === null ? null : storable(problem).slice(0, LONGEST_PROBLEM);
        const { tables } = this.env;
        const { messageTriggers: rows } = tables;
        await this.env.database.run(() => this.set(trigger, sql`${rows.column('problem')} = ${text}`));
    }

    /** One message more could not be used. */
    async refused(trigger: string): Promise<void> {
        const { tables, database } = this.env;
        const { messageTriggers: rows } = tables;
        const rejected = rows.column('refused');
        const change = sql`${rejected} = ${rejected} + 1, ${rows.column('refusedAt')} = ${nowMs(database.dialect)}`;
        await database.run(() => this.set(trigger, change));
    }

    /** The trigger is no longer active. */
    async forget(trigger: string): Promise<void> {
        const { tables, database } = this.env;
        const { messageTriggers: rows } = tables;
        await database.run(() => send(sql`DELETE FROM ${rows.name} WHERE ${rows.column('name')} = ${trigger}`));
    }

    /** Those of these triggers that something is known of. */
    async find(triggers: readonly string[]): Promise<ReadonlyMap<string, MessageTriggerState>> {
        if (triggers.length === 0) return new Map();
        return this.env.database.run(() => this.finding(triggers));
    }

    private *set(trigger: string, change: ReturnType<typeof sql>): StatementProgram<void> {
        const { messageTriggers: rows } = this.env.tables;
        const updating = sql`UPDATE ${rows.name} SET ${change} WHERE ${rows.column('name')} = ${trigger}`;
        const target = targetOf(this.env, 'messageTriggers');
        // MySQL says 0 also of a row that is as it should be; then nothing is inserted below.
        if ((yield* send(updating)).affected > 0) return;
        yield* insertRows(
            target,
            [{ name: trigger, problem: null, refused: 0, refusedAt: null }],
            ifNotExists(target, ['name']),
        );
        yield* send(updating);
    }

    private *finding(triggers: readonly string[]): StatementProgram<ReadonlyMap<string, MessageTriggerState>> {
        const { tables, database } = this.env;
        const { messageTriggers: rows } = tables;
        const found = yield* select<Row>(sql`
            SELECT ${rows.column('name')} AS ${name('name')}, ${rows.column('problem')} AS ${name('problem')},
                ${rows.column('refused')} AS ${name('refused')},
                ${nowMs(database.dialect)} - ${rows.column('refusedAt')} AS ${name('ago')}
            FROM ${rows.name} WHERE ${database.dialect.oneOf(rows.column('name'), triggers)}`);
        return new Map(
            found.map(row => [
                String(row['name']),
                {
                    problem: row['problem'] as string | null,
                    refused: Number(row['refused']),
                    refusedAgoMs: row['ago'] === null ? null : Number(row['ago']),
                },
            ]),
        );
    }
}
