import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { join, name, select, send, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import type { RecordErrorState } from '../entities/record-error';
import { RunStores } from '../runs/run-stores';
import { nowTimestamp } from '../stores/database-clock';
import { storable } from '../stores/insert';
import { type ErrorTable, pageOf, type RecordErrorSelection, selected } from './selection';

const LONGEST_NOTE = 1_000;
/** The most rows that one statement changes, so that running steps that store rows do not have to wait for long. */
const AT_ONCE = 1_000;

/** A decision about records. */
interface Decision {
    readonly from: RecordErrorState;
    readonly to: RecordErrorState;
    readonly note: string | null;
}

/** Marks rejected records as ignored, and reopens them. */
@Injectable()
export class RecordErrorDecisions {
    constructor(private readonly stores: RunStores) {}

    /** Returns the number of open records that are now ignored. Throws INPUT_INVALID for an empty note. */
    ignore(ctx: RequestContext, selection: RecordErrorSelection, note: string): Promise<number> {
        const text = note.trim();
        if (text === '' || text.length > LONGEST_NOTE)
            throw flowError('INPUT_INVALID', {
                problem: `note has ${text.length} characters; allowed: 1 to ${LONGEST_NOTE}`,
            });
        return this.decide(ctx, selection, { from: 'OPEN', to: 'IGNORED', note: storable(text) });
    }

    /** Returns the number of ignored records that are open again. */
    reopen(ctx: RequestContext, selection: RecordErrorSelection): Promise<number> {
        return this.decide(ctx, selection, { from: 'IGNORED', to: 'OPEN', note: null });
    }

    private async decide(
        ctx: RequestContext,
        selection: RecordErrorSelection,
        scheduleDecision: Decision,
    ): Promise<number> {
        const { database, tables } = this.stores.env;
        const from = { table: tables.errors, dialect: database.dialect, channelId: ctx.channelId };
        const actor = (ctx.activeUserId ?? null) as Id | null;
        const of = { ...selection, states: [scheduleDecision.from] };
        let count = 0;
        for (;;) {
            const changed = await database.transaction(() => deciding(from, of, { ...scheduleDecision, actor }), {
                brief: true,
            });
            count += changed.count;
            if (changed.seen < AT_ONCE) return count;
        }
    }
}

function* deciding(
    from: ErrorTable,
    selection: RecordErrorSelection,
    { from: before, to, note, actor }: Decision & { readonly actor: Id | null },
): StatementProgram<{ readonly seen: number; readonly count: number }> {
    const { table, dialect } = from;
    const rows = yield* select<{ id: Id }>(sql`
        SELECT ${name('e')}.${table.column('id')} AS ${name('id')} FROM ${table.name} ${name('e')}
        WHERE ${selected(from, 'e', selection)}${pageOf(AT_ONCE, 0)}`);
    if (rows.length === 0) return { seen: 0, count: 0 };
    const ids = rows.map(({ id }) => id);
    const values = Object.entries({ state: to, note, decidedBy: actor }).map(
        ([property, value]) => sql`${table.column(property)} = ${table.toColumn(property, value)}`,
    );
    const { affected } = yield* send(sql`
        UPDATE ${table.name} SET ${join(values)}, ${table.column('decidedAt')} = ${nowTimestamp(dialect)}, ${table.column('updatedAt')} = ${dialect.now}
        WHERE ${dialect.oneOf(table.column('id'), ids)} AND ${table.column('state')} = ${before}`);
    return { seen: rows.length, count: affected };
}
