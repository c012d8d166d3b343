import type { RequestContext } from '@vendure/core';
import { logOf } from '../../core/run/execution-context';
import { logEvent } from '../../core/adapter/log-event';
import type { StatementProgram } from '../../core/adapter/loader';
import { asFlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import type { LoadKey } from '../../core/ports/load-key';
import type {
    Journal,
    LoadResult,
    LoadStore,
    LoadTransaction,
    LoadUnit,
    LoadOutcomes,
    ServiceUnit,
} from '../../core/ports/ports';
import { allCompleted, name, select, type Sql, sql, type Request } from '../../database/statement';
import { onConflictUpdate, type WriteTarget } from '../../database/write';
import { EFFECT_KINDS } from '../../platform/effects/effect';
import { servedByServices } from '../../platform/service-kinds';
import { insertHistory } from './entity-history';
import { checkFence, insertFenced } from './fence';
import { insertFlowRows } from './insert';
import { insertRejects, reportRejects } from './rejects';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

interface Marker {
    readonly digest: string;
    readonly verdicts: LoadOutcomes;
}
type Loaded = { readonly marker: Marker } | { readonly result: LoadResult };

/** One attempt to load a batch. */
interface Try {
    readonly isolate: boolean;
    /**
     * Whether it reads the marker first to see if the batch was loaded already. Otherwise the unique key shows that when the marker is written (ADR
     * 3).
     */
    readonly looks: boolean;
    /** True if the marker could not be written, for example because it exists already. */
    isMarked: boolean;
    /** The database rejected the batch because of some record in it. */
    isRefused: boolean;
}

/** Loads each batch exactly once: all changes that belong together are committed together. */
export class Loads implements LoadStore {
    readonly effectKinds = EFFECT_KINDS;
    /** The keys of batches that were started here and, as far as is known, are not loaded yet. */
    private readonly begun = new Set<string>();

    constructor(
        private readonly env: StoreEnv,
        private readonly identity: RunIdentity & { readonly isTakeover: boolean },
        private readonly run: {
            readonly journal: Journal;
            readonly signal: AbortSignal;
            readonly ctx: RequestContext;
        },
    ) {}

    async commit(unit: LoadUnit): Promise<{ readonly verdicts: LoadOutcomes; readonly replayed: boolean }> {
        const loaded = await this.load(unit);
        if ('result' in loaded) {
            this.stored(loaded.result);
            return { verdicts: loaded.result.verdicts, replayed: false };
        }
        this.compare(unit, loaded.marker);
        return { verdicts: loaded.marker.verdicts, replayed: true };
    }

    async storedVerdicts(unit: Pick<LoadUnit, 'key' | 'digest'>): Promise<LoadOutcomes | undefined> {
        const marker = await this.env.database.run(() => this.marker(unit.key));
        if (marker) this.compare(unit, marker);
        return marker?.verdicts;
    }

    async isBegun({ sourceKey, batchNo }: Pick<LoadKey, 'sourceKey' | 'batchNo'>): Promise<boolean> {
        const { markers } = this.env.tables;
        const rows = await this.env.database.run(() =>
            select(sql`
                SELECT ${markers.column('batchNo')} AS ${name('batchNo')} FROM ${markers.name}
                WHERE ${markers.column('runId')} = ${this.identity.runId} AND ${markers.column('sourceKey')} = ${sourceKey}
                AND ${markers.column('batchNo')} = ${batchNo}`),
        );
        return rows.length > 0;
    }

    async settle(unit: Pick<LoadUnit, 'key' | 'digest'>, result: LoadResult): Promise<void> {
        await this.env.database.transaction(() => this.store(unit, result, true));
        this.stored(result);
    }

    async serve({ key, digest, locks, work }: ServiceUnit): Promise<void> {
        const { ctx, signal } = this.run;
        const result = await this.env.database.managed(
            async tx => {
                const done = await servedByServices(ctx, tx, work);
                await tx.run(() => this.store({ key, digest }, done, true));
                return done;
            },
            { locks, signal },
        );
        this.stored(result);
    }

    read<T>(script: () => StatementProgram<T>): Promise<T> {
        return this.env.database.run(script);
    }

    private stored({ rejects }: LoadResult): void {
        reportRejects(rejects, this.run.journal);
    }

    private compare({ key, digest }: Pick<LoadUnit, 'key' | 'digest'>, marker: Marker): void {
        if (marker.digest === digest()) return;
        const { stepKey, sourceKey, batchNo } = key;
        logEvent(logOf(this.run.journal, stepKey), 'BATCH_KEPT', { batch: batchNo + 1, source: sourceKey });
    }

    private async load(unit: LoadUnit): Promise<Loaded> {
        const { database } = this.env;
        // Other batches and the shop may hold the required locks for any time, so the load waits until its run is to stop.
        const options = { locks: unit.locks, repeatedUntil: this.run.signal, goesAhead: true, byKeys: true };
        const key = JSON.stringify(unit.key);
        // Most batches are loaded for the first time.
        const looks = this.identity.isTakeover || unit.behind !== undefined || this.begun.has(key);
        this.begun.add(key);
        const first: Try = { isolate: false, looks, isRefused: false, isMarked: false };
        const work = (go: Try): Promise<Loaded> => database.transaction(() => this.transact(unit, go), options);
        const loaded = await work(first).catch((error: unknown) => {
            if (first.isRefused) return work({ ...first, isolate: true, looks: true });
            if (!looks && first.isMarked) return work({ ...first, looks: true });
            throw error;
        });
        this.begun.delete(key);
        return loaded;
    }

    private *transact(unit: LoadUnit, go: Try): StatementProgram<Loaded> {
        // The transaction may start again after waiting for locks.
        go.isMarked = false;
        const marker = go.looks ? yield* this.marker(unit.key) : undefined;
        if (marker && marker.verdicts !== unit.behind) {
            // No later statement of this transaction checks the fence.
            yield* checkFence(this.env, this.identity);
            return { marker };
        }
        const result = yield* worked(unit, go);
        try {
            yield* this.store(unit, result, unit.behind !== undefined);
        } catch (error) {
            go.isMarked = isFlowError(error) && error.code === 'DATABASE_BUSY';
            throw error;
        }
        return { result };
    }

    /** The marker is written last, since it checks the fence: no takeover can happen between it and the commit. */
    private *store(
        { key, digest, keepsHistory = false }: Pick<LoadUnit, 'key' | 'digest' | 'keepsHistory'>,
        { verdicts: outcomes, rejects, effects }: LoadResult,
        grows = false,
    ): StatementProgram<void> {
        const { runId } = this.identity;
        try {
            if (rejects.length > 0) yield* insertRejects(this.env, this.identity, rejects);
            if (effects.length > 0) {
                yield* insertFlowRows(
                    targetOf(this.env, 'effects'),
                    effects.map(({ kind, payload }) => ({ runId, stepKey: key.stepKey, kind, payload })),
                );
            }
            if (keepsHistory) yield* insertHistory(this.env, this.identity, { stepKey: key.stepKey, effects });
            const target = targetOf(this.env, 'markers');
            const row = { runId, ...key, digest: digest(), verdicts: outcomes };
            yield* insertFenced(this.env, this.identity, { target, row, ...(grows && { suffix: growing(target) }) });
        } catch (error) {
            // An error here does not concern a record of the batch. If another worker wrote the marker in between, the next attempt finds it.
            if (isFlowError(error) && error.treat === 'record')
                throw flowError('DATABASE_BUSY', { problem: error.message }, { cause: error });
            throw error;
        }
    }

    private *marker({ stepKey, sourceKey, batchNo, visit }: LoadKey): StatementProgram<Marker | undefined> {
        const { markers } = this.env.tables;
        const rows = yield* select<Marker>(sql`
            SELECT ${markers.column('digest')} AS ${name('digest')}, ${markers.column('verdicts')} AS ${name('verdicts')} FROM ${markers.name}
            WHERE ${markers.column('runId')} = ${this.identity.runId} AND ${markers.column('sourceKey')} = ${sourceKey}
            AND ${markers.column('batchNo')} = ${batchNo} AND ${markers.column('stepKey')} = ${stepKey} AND ${markers.column('visit')} = ${visit}`);
        return rows[0];
    }
}

/** Extends the verdicts of an existing marker. */
const growing = (target: WriteTarget): Sql =>
    onConflictUpdate(target, { key: ['runId', 'sourceKey', 'batchNo', 'stepKey', 'visit'], written: ['verdicts'] });

function* worked(unit: LoadUnit, go: Try): StatementProgram<LoadResult> {
    try {
        const result = yield* unit.work(transaction(go.isolate));
        // The statements that were sent without waiting may fail as well.
        yield* allCompleted();
        return result;
    } catch (error) {
        go.isRefused = asFlowError(error).treat === 'record';
        throw error;
    }
}

function transaction(isolate: boolean): LoadTransaction {
    let count = 0;
    return {
        isolate,
        *savepoint(part) {
            const savepoint = `flow_${++count}`;
            const control = (type: 'savepoint' | 'release' | 'rollback'): Request => ({ type, name: savepoint });
            yield control('savepoint');
            try {
                const value = yield* part();
                yield control('release');
                return { ok: true, value };
            } catch (error) {
                // Anything else ends the whole transaction; on a lost connection, returning to the savepoint would fail too.
                if (asFlowError(error).treat !== 'record') throw error;
                yield control('rollback');
                yield control('release');
                return { ok: false, error };
            }
        },
    };
}
