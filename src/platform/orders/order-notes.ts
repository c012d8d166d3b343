import { Order } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { name, select, sql } from '../../database/statement';
import { joinTableOf, type Table, tableOf } from '../../database/table';
import { deleteRows, type Id, insertNumbered, updateRows } from '../../database/write';
import type { VendurePlatform } from '../context';
import { MAX_PLANNED, type UnitOfWork, type WorkPart } from '../entities/unit-of-work';
import { columnsAs } from './order-facts';
import { OrderSet } from './order-state';
import { NOTE } from './stored-orders';
import { administratorOf } from './write-order-parts';

/** A note of an order. Never changed: another one takes its place. */
export interface NoteState {
    readonly id: Id | undefined;
    readonly note: string;
    /** The key in records; notes of users have none. */
    readonly key: string | undefined;
    readonly isPublic: boolean;
    /** Undefined for a new note: now. */
    readonly createdAt: string | undefined;
}

interface NotedOrder {
    /** Undefined for an order that a dry run has planned. */
    readonly id: Id | undefined;
    readonly notes: readonly NoteState[];
    /** As they were read. */
    readonly stored: readonly NoteState[];
}

/** The notes of the orders that a batch, or a dry run, works on. */
export class NoteSet implements WorkPart {
    private readonly orders = new Map<string, NotedOrder>();
    /** Whether a dry run has had to forget something that it planned. */
    isFull = false;

    /** The notes of an order; undefined if there is no such order. */
    of(code: string): readonly NoteState[] | undefined {
        return this.orders.get(code)?.notes;
    }
    put(code: string, notes: readonly NoteState[]): void {
        this.orders.set(code, { ...this.orders.get(code)!, notes });
    }
    add(code: string, id: Id | undefined, stored: readonly NoteState[]): void {
        this.orders.set(code, { id, notes: stored, stored });
    }
    get changed(): readonly NotedOrder[] {
        return [...this.orders.values()].filter(({ notes, stored }) => notes !== stored);
    }
    settle(): void {
        for (const [code, { notes, stored }] of this.orders) if (notes === stored) this.orders.delete(code);
        for (const code of this.orders.keys()) {
            if (this.orders.size <= MAX_PLANNED) break;
            this.orders.delete(code);
            this.isFull = true;
        }
    }
}

/** Reads and writes notes of orders: a constant number of statements whatever their number. */
export class NoteStore {
    private readonly history: Table;

    constructor(private readonly platform: VendurePlatform) {
        this.history = tableOf(platform.dataSource, 'OrderHistoryEntry');
    }

    /** Reads the notes of orders of the run's channel by the orders' codes. */
    *read(work: UnitOfWork, codes: readonly string[]): StatementProgram<void> {
        const set = work.part(NoteSet);
        const planned = work.part(OrderSet);
        const requested = [...new Set(codes)].filter(code => !set.of(code));
        for (const code of requested) if (planned.find(code)) set.add(code, undefined, []);
        const orders = yield* this.orders(
            requested.filter(code => !planned.find(code) || planned.find(code)!.id !== undefined),
        );
        if (orders.length === 0) return;
        const { history } = this;
        const { dialect } = this.platform.database;
        const h = columnsAs('h', history);
        const rows = yield* select<{ id: Id; owner: Id; isPublic: unknown; data: unknown }>(
            sql`SELECT ${h('id')} AS ${name('id')}, ${h('order')} AS ${name('owner')}, ${h('isPublic')} AS ${name('isPublic')}, ${h('data')} AS ${name('data')}
                FROM ${history.name} AS ${name('h')} WHERE ${dialect.oneOf(
                    h('order'),
                    orders.map(({ id }) => id),
                )} AND ${h('type')} = ${NOTE} ORDER BY ${h('id')}`,
        );
        const notes = new Map<Id, NoteState[]>(orders.map(({ id }) => [id, []]));
        for (const row of rows) {
            const data = (history.fromColumn('data', row.data) ?? {}) as {
                readonly note?: unknown;
                readonly key?: unknown;
            };
            notes.get(row.owner)!.push({
                id: row.id,
                note: typeof data.note === 'string' ? data.note : '',
                key: typeof data.key === 'string' ? data.key : undefined,
                isPublic: Boolean(history.fromColumn('isPublic', row.isPublic)),
                createdAt: undefined,
            });
        }
        for (const { id, code } of orders) set.add(code, id, notes.get(id)!);
    }

    /** Writes what was decided about notes. */
    *write(set: NoteSet): StatementProgram<void> {
        const { history, platform } = this;
        const { dialect } = platform.database;
        const { changed } = set;
        const isStored = ({ stored }: NotedOrder, note: NoteState): boolean => stored.includes(note);
        const fresh = changed.flatMap(({ id, notes }) =>
            notes.flatMap(note => (note.id === undefined ? [{ order: id!, note }] : [])),
        );
        const others = changed.flatMap(order =>
            order.notes.filter(note => note.id !== undefined && !isStored(order, note)),
        );
        const gone = changed.flatMap(({ notes, stored }) =>
            stored.flatMap(({ id }) => (notes.some(note => note.id === id) ? [] : [id!])),
        );
        yield* deleteRows({ table: history, dialect }, 'id', gone);
        yield* updateRows(
            { table: history, dialect },
            others.map(note => ({ id: note.id, isPublic: note.isPublic, data: dataOf(note) })),
        );
        if (fresh.length === 0) return;
        const administrator = yield* administratorOf({ platform });
        const now = new Date().toISOString();
        yield* insertNumbered(
            { table: history, dialect },
            fresh.map(({ order, note }) => ({
                createdAt: note.createdAt ?? now,
                type: NOTE,
                isPublic: note.isPublic,
                data: dataOf(note),
                order,
                administrator,
                ...(history.kind && { [history.kind.property]: history.kind.value }),
            })),
        );
    }

    private *orders(
        codes: readonly string[],
    ): StatementProgram<ReadonlyArray<{ readonly id: Id; readonly code: string }>> {
        if (codes.length === 0) return [];
        const { dataSource, ctx, database } = this.platform;
        const [table, channels] = [tableOf(dataSource, Order), joinTableOf(dataSource, Order, 'channels')];
        const [o, c] = [columnsAs('o', table), columnsAs('c', channels)];
        const rows = yield* select<{ id: Id; code: string }>(
            sql`SELECT ${o('id')} AS ${name('id')}, ${o('code')} AS ${name('code')} FROM ${table.name} AS ${name('o')}
                JOIN ${channels.name} AS ${name('c')} ON ${c(channels.owner)} = ${o('id')} AND ${c(channels.member)} = ${ctx.channelId}
                WHERE ${database.dialect.oneOf(o('code'), codes)}`,
        );
        return rows.filter(({ code }) => codes.includes(code));
    }
}

/** As Vendure has it, with the key by which records know the note. */
const dataOf = ({ note, key }: NoteState): JsonObject => ({ note, ...(key !== undefined && { key }) });
