import { Administrator } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { name, select, sql } from '../../database/statement';
import { tableOf } from '../../database/table';
import { type Id, insertNumbered, insertRows } from '../../database/write';
import type { EntityStore } from '../entities/entity-store';

/** Where customers and what belongs to them are stored. */
export type CustomerTables = Pick<EntityStore, 'platform' | 'dialect'>;

/** One line of a customer's history, as HistoryService writes it. */
export interface CustomerLine {
    readonly customerId: Id;
    readonly type: string;
    readonly data: JsonObject;
}

/** Writes lines of customers' histories in their order. */
export function* writeHistory(
    { platform, dialect }: CustomerTables,
    told: readonly CustomerLine[],
): StatementProgram<void> {
    if (told.length === 0) return;
    const { dataSource, ctx } = platform;
    const administrators = tableOf(dataSource, Administrator);
    const [administrator] =
        ctx.activeUserId === undefined
            ? []
            : yield* select<{ id: Id }>(
                  sql`SELECT ${administrators.column('id')} AS ${name('id')} FROM ${administrators.name}
                  WHERE ${administrators.column('user')} = ${ctx.activeUserId} AND ${administrators.column('deletedAt')} IS NULL`,
              );
    const table = tableOf(dataSource, 'CustomerHistoryEntry');
    const { property, value } = table.kind!;
    const createdAt = new Date();
    const rows = told.map(({ customerId, type, data }) => ({
        createdAt,
        type,
        isPublic: false,
        data,
        customer: customerId,
        administrator: administrator?.id ?? null,
        [property]: value,
    }));
    if (table.numbersItself) yield* insertRows({ table, dialect }, rows);
    else yield* insertNumbered({ table, dialect }, rows);
}
