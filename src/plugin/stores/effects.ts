import type { Effect, StatementProgram } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { EMPTY, type Sql, join, name, raw, select, send, sql } from '../../database/statement';
import { deleteRows, type Id } from '../../database/write';
import { EFFECT_KINDS } from '../../platform/effects/effect';
import { nowMs } from './database-clock';
import { insertFlowRows } from './insert';
import { RUN_EVENTS, type RunEventKind } from './run-events';
import { type StoreEnv, targetOf } from './store-env';

/** An effect that is not published yet. */
export interface PendingEffect extends Effect {
    readonly id: Id;
    readonly runId: Id;
    readonly stepKey: string;
    readonly payload: JsonObject;
    /** How many attempts have started. */
    readonly attempts: number;
    /** What has been done with it already; null: nothing. */
    readonly done: EffectPart | null;
}

/** A notice about a run: records wait at a gate, or an event of the run. */
export type GateNotification = Pick<PendingEffect, 'id' | 'runId' | 'kind' | 'stepKey' | 'payload' | 'attempts'>;

/** That a run has ended or paused. */
export type RunState = Pick<PendingEffect, 'id' | 'runId' | 'kind' | 'stepKey'>;

/** What happens with an effect: its events are published, and the search index is updated. */
type EffectPart = 'EVENT' | 'INDEX';

/** The kinds of the effects that each run leaves when it ends, and when it pauses, so that its hooks are called. */
export const RUN_ENDED = 'RUN_ENDED';
export const RUN_PAUSED = 'RUN_PAUSED';
/** Requests a notice that records wait at a gate. */
export const GATE_NOTIFICATION = 'GATE_NOTICE';
/** Requests an update of the collections after the changes of a run; one update serves all runs. */
export const COLLECTIONS_STALE = 'COLLECTIONS_STALE';

const OWN_KINDS = [RUN_ENDED, RUN_PAUSED, GATE_NOTIFICATION, COLLECTIONS_STALE, ...RUN_EVENTS];
const CHUNK = 100;
const MARKS = 1_000;

/** The kinds of effects that some runs have left to publish. */
interface PendingKinds {
    /** That they have ended or paused. */
    readonly states: boolean;
    readonly notices: boolean;
    /** Whether there are events, including those that the committing process is about to publish. */
    readonly events: boolean;
    /** What their loads have changed, to be announced or to be indexed. */
    readonly changes: boolean;
    /** Effects of kinds that are not known here, from a newer version of Flow perhaps, and how many there are of each. */
    readonly unknown: ReadonlyMap<string, number>;
}

/** Some effects that are begun; the last of those that were there. */
interface StartedEffects {
    readonly chunk: readonly PendingEffect[];
    readonly isLast: boolean;
}

/** The results of publishing events. */
interface PublishedEffects {
    readonly published: readonly PendingEffect[];
    readonly failed: readonly PendingEffect[];
    /** Milliseconds until an event that failed is published again. */
    readonly waitMs: (effect: PendingEffect) => number;
    /** The runs because of which collections may be stale. */
    readonly staleBy: readonly Id[];
}

/** A mark of COLLECTIONS_STALE. */
export interface StaleMark {
    readonly id: Id;
    readonly runId: Id;
}

/** The effects of committed batches, pauses and ends of runs that are not published yet. */
export class PendingEffects {
    constructor(private readonly env: StoreEnv) {}

    /**
     * Runs with effects to publish now, in the order of their ids, after a given one, so that a run that always fails hides no other. Excludes the
     * effects of a run in progress, which its worker publishes.
     */
    async waiting(limit: number, after?: Id): Promise<readonly Id[]> {
        const { runs, effects } = this.env.tables;
        const behind = after === undefined ? EMPTY : sql` AND ${runs.column('id')} > ${after}`;
        const rows = await this.env.database.run(() =>
            select<{ id: Id }>(sql`
            SELECT ${runs.column('id')} AS ${name('id')} FROM ${runs.name} WHERE ${runs.column('status')} <> ${'RUNNING'}${behind}
            AND EXISTS (SELECT 1 FROM ${effects.name} WHERE ${effects.name}.${effects.column('runId')} = ${runs.name}.${runs.column('id')}
                AND ${this.isOf([...EFFECT_KINDS, ...OWN_KINDS])} AND ${this.isDue()})
            ORDER BY ${runs.column('id')} LIMIT ${limit}`),
        );
        return rows.map(({ id }) => id);
    }

    /** That the runs have paused and ended, each in this order. */
    states(runIds: readonly Id[]): Promise<readonly RunState[]> {
        const { effects } = this.env.tables;
        const columns = this.columns(['id', 'runId', 'kind', 'stepKey']);
        return this.env.database.run(() =>
            select<RunState>(sql`
            SELECT ${columns} FROM ${effects.name} WHERE ${this.isOfRuns(runIds)} AND ${this.isOf([RUN_PAUSED, RUN_ENDED])}
            ORDER BY ${effects.column('id')}`),
        );
    }

    /** The due notices of the runs, of these kinds; counts this as an attempt. */
    async notices(runIds: readonly Id[], kinds: readonly string[]): Promise<readonly GateNotification[]> {
        return this.env.database.run(() => this.begun(runIds, kinds));
    }

    private *begun(runIds: readonly Id[], kinds: readonly string[]): StatementProgram<readonly GateNotification[]> {
        const { effects } = this.env.tables;
        const columns = this.columns(['id', 'runId', 'kind', 'stepKey', 'payload', 'attempts']);
        const rows = yield* select<Omit<GateNotification, 'payload'> & { payload: string }>(sql`
            SELECT ${columns} FROM ${effects.name} WHERE ${this.isOfRuns(runIds)}
            AND ${this.isOf(kinds)} AND ${this.isDue()} ORDER BY ${effects.column('id')} LIMIT ${CHUNK}`);
        yield* this.update(rows, sql`${effects.column('attempts')} = ${effects.column('attempts')} + 1`);
        return rows.map(row => ({ ...row, payload: JSON.parse(row.payload) as JsonObject }));
    }

    /** Removes the events of some runs that the committing process has published. */
    async told(
        runIds: readonly Id[],
        { kinds, stepKey }: { readonly kinds: readonly RunEventKind[]; readonly stepKey: string },
    ): Promise<void> {
        const { effects } = this.env.tables;
        await this.env.database.run(() =>
            send(sql`
                DELETE FROM ${effects.name} WHERE ${this.isOfRuns(runIds)}
                AND ${this.isOf(kinds)} AND ${effects.column('stepKey')} = ${stepKey}`),
        );
    }

    /**
     * Some of the effects whose part is still to be done, in the order of their commit; counts this as an attempt. Effects that an earlier attempt
     * left unfinished are returned one by one.
     */
    async begin(runIds: readonly Id[], part: EffectPart): Promise<StartedEffects> {
        return this.env.database.run(() => this.beginning(runIds, part));
    }

    private *beginning(runIds: readonly Id[], part: EffectPart): StatementProgram<StartedEffects> {
        const { effects } = this.env.tables;
        const done = effects.column('done');
        // Of the index after the event.
        const isLeft = part === 'EVENT' ? sql`(${done} IS NULL OR ${done} = ${'INDEX'})` : sql`${done} = ${'EVENT'}`;
        const columns = this.columns(['id', 'runId', 'stepKey', 'kind', 'payload', 'attempts', 'done']);
        const rows = yield* select<Omit<PendingEffect, 'payload'> & { payload: string }>(sql`
            SELECT ${columns} FROM ${effects.name} WHERE ${this.isOfRuns(runIds)} AND ${this.isOf(EFFECT_KINDS)}
            AND ${isLeft} AND ${this.isDue()} ORDER BY ${effects.column('id')} LIMIT ${CHUNK}`);
        const again = rows.findIndex(({ attempts }) => attempts > 0);
        const chunk = rows.slice(0, again < 0 ? CHUNK : Math.max(1, again));
        yield* this.update(chunk, sql`${effects.column('attempts')} = ${effects.column('attempts')} + 1`);
        return {
            chunk: chunk.map(row => ({ ...row, payload: JSON.parse(row.payload) as JsonObject })),
            isLast: rows.length < CHUNK && chunk.length === rows.length,
        };
    }

    /** Stores the results of publishing events: `published` ones continue to the index, `failed` ones are published again later. */
    async published(events: PublishedEffects): Promise<void> {
        await this.env.database.transaction(() => this.publishing(events), { brief: true });
    }

    private *publishing({ published, failed, waitMs, staleBy }: PublishedEffects): StatementProgram<void> {
        const isOver = ({ done }: PendingEffect): boolean => done === 'INDEX';
        yield* this.removing(published.filter(isOver));
        yield* this.toIndex(published.filter(effect => !isOver(effect)));
        for (const effect of failed) {
            // The index does not wait for the event, so its part continues as a separate effect.
            if (!isOver(effect)) yield* this.keep(effect.runId, [effect], 'EVENT');
            yield* this.putOff([effect], 'INDEX', waitMs(effect));
        }
        if (staleBy.length > 0) yield* this.mark(staleBy);
    }

    /** They are done with. */
    async remove(effects: ReadonlyArray<{ readonly id: Id }>): Promise<void> {
        await this.env.database.run(() => this.removing(effects));
    }

    /** Retries them after this number of milliseconds. */
    async retry(effects: readonly PendingEffect[], waitMs: number): Promise<void> {
        await this.env.database.run(() => this.putOff(effects, 'EVENT', waitMs));
    }

    /** Repeats the notice after this number of milliseconds. */
    async retryNotice(notification: GateNotification, waitMs: number): Promise<void> {
        await this.env.database.run(() => this.putOff([notification], null, waitMs));
    }

    /** Stores further effects of a run, with which something has been done already. Part of a transaction. */
    *keep(runId: Id, effects: readonly Effect[], done?: EffectPart): StatementProgram<void> {
        const rows = effects.map(({ kind, payload }) => ({
            runId,
            stepKey: '',
            kind,
            payload,
            ...(done && { done }),
        }));
        yield* insertFlowRows(targetOf(this.env, 'effects'), rows);
    }

    /** Which kinds of effects the runs have left, due or not. */
    async kinds(runIds: readonly Id[]): Promise<PendingKinds> {
        const { effects } = this.env.tables;
        const rows = await this.env.database.run(() =>
            select<{ kind: string; many: number | string }>(sql`
            SELECT ${effects.column('kind')} AS ${name('kind')}, COUNT(*) AS ${name('many')} FROM ${effects.name}
            WHERE ${this.isOfRuns(runIds)} GROUP BY ${effects.column('kind')}`),
        );
        const unknown = new Map(rows.map(({ kind, many }) => [kind, Number(many)]));
        unknown.delete(COLLECTIONS_STALE);
        const some = (kinds: readonly string[]): boolean => kinds.filter(kind => unknown.delete(kind)).length > 0;
        return {
            states: some([RUN_PAUSED, RUN_ENDED]),
            notices: some([GATE_NOTIFICATION]),
            events: some(RUN_EVENTS),
            changes: some(EFFECT_KINDS),
            unknown,
        };
    }

    /** What says that collections are stale, of all runs. */
    marks(): Promise<readonly StaleMark[]> {
        const { effects } = this.env.tables;
        return this.env.database.run(() =>
            select<StaleMark>(sql`
            SELECT ${this.columns(['id', 'runId'])} FROM ${effects.name} WHERE ${this.isOf([COLLECTIONS_STALE])}
            ORDER BY ${effects.column('id')} LIMIT ${MARKS}`),
        );
    }

    /** One of each run is as good as many. */
    private *mark(runIds: readonly Id[]): StatementProgram<void> {
        const { effects } = this.env.tables;
        const marks = yield* select<{ runId: Id }>(sql`
            SELECT ${this.columns(['runId'])} FROM ${effects.name} WHERE ${this.isOfRuns(runIds)} AND ${this.isOf([COLLECTIONS_STALE])}`);
        const marked = new Set(marks.map(({ runId }) => String(runId)));
        const rows = runIds
            .filter(runId => !marked.has(String(runId)))
            .map(runId => ({ runId, stepKey: '', kind: COLLECTIONS_STALE, payload: {} }));
        if (rows.length > 0) yield* insertFlowRows(targetOf(this.env, 'effects'), rows);
    }

    private *removing(effects: ReadonlyArray<{ readonly id: Id }>): StatementProgram<void> {
        yield* deleteRows(
            targetOf(this.env, 'effects'),
            'id',
            effects.map(({ id }) => id),
        );
    }

    private *toIndex(effects: readonly PendingEffect[]): StatementProgram<void> {
        const { effects: table } = this.env.tables;
        const set = sql`${table.column('done')} = ${'EVENT'}, ${table.column('attempts')} = 0, ${table.column('nextTryAt')} = NULL`;
        yield* this.update(effects, set);
    }

    private *putOff(
        effects: ReadonlyArray<Pick<PendingEffect, 'id'>>,
        done: EffectPart | null,
        waitMs: number,
    ): StatementProgram<void> {
        const { effects: table } = this.env.tables;
        const at = sql`${nowMs(this.env.database.dialect)} + ${raw(String(Math.round(waitMs)))}`;
        yield* this.update(effects, sql`${table.column('done')} = ${done}, ${table.column('nextTryAt')} = ${at}`);
    }

    private *update(effects: ReadonlyArray<{ readonly id: Id }>, set: Sql): StatementProgram<void> {
        if (effects.length === 0) return;
        const { tables, database } = this.env;
        const ids = effects.map(({ id }) => id);
        yield* send(
            sql`UPDATE ${tables.effects.name} SET ${set} WHERE ${database.dialect.oneOf(tables.effects.column('id'), ids)}`,
        );
    }

    private columns(properties: readonly string[]): Sql {
        return join(properties.map(property => sql`${this.env.tables.effects.column(property)} AS ${name(property)}`));
    }

    private isOfRuns(runIds: readonly Id[]): Sql {
        return this.env.database.dialect.oneOf(this.env.tables.effects.column('runId'), runIds);
    }

    private isOf(kinds: readonly string[]): Sql {
        return sql`${this.env.tables.effects.column('kind')} IN (${join(kinds)})`;
    }

    private isDue(): Sql {
        const at = this.env.tables.effects.column('nextTryAt');
        return sql`(${at} IS NULL OR ${at} <= ${nowMs(this.env.database.dialect)})`;
    }
}
