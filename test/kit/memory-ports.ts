import type { Effect, StatementProgram } from '../../src/core/adapter/loader';
import type { JsonObject, JsonValue } from '../../src/core/value/json';
import { byName } from '../../src/core/data/own-properties';
import { flowError, isFlowError } from '../../src/core/errors/flow-error';
import { addCounters, type Counters } from '../../src/core/progress/counters';
import {
    carriedOver,
    type ResumeState,
    resumeStateOf,
    readResumeState,
    storedResumeState,
} from '../../src/core/run/resume-state';
import type { NextRun } from '../../src/core/adapter/extractor';
import type { LoadKey } from '../../src/core/ports/load-key';
import type {
    Commit,
    JournalEvent,
    LoadResult,
    LoadUnit,
    SourceOffset,
    Reject,
    RunPorts,
} from '../../src/core/ports/ports';
import type { ResumeKey, UnfinishedRun } from '../../src/core/ports/resumable-source';
import type { ActionsOf, StoredActions } from '../../src/core/ports/source-actions';
import type { StepStatuses } from '../../src/core/progress/step-statuses';
import type { RunStatus } from '../../src/core/progress/state';
import { START } from '../../src/core/steps/extract';
import { MemorySpool } from '../../src/testing/memory-spool';

/** The requests of a script of the fake shop. The "database" rejects a write of a record with `poison`. */
export type ShopRequest =
    | { readonly read: readonly string[] }
    | { readonly write: string; readonly data: JsonObject }
    | { readonly remove: string }
    | { readonly fail: Error };

type SavepointRequest = { readonly savepoint: 'set' | 'release' | 'rollback' };

/** Everything that outlives a worker. */
export class MemoryState {
    readonly positions = byName<SourceOffset>();
    counters: Counters = {};
    readonly commits: Commit[] = [];
    /** By step and key: state that outlives the run, and state of the run. */
    readonly memos = new Map<string, JsonValue>();
    readonly runMemos = new Map<string, JsonValue>();
    readonly rejects = new Map<string, Reject>();
    readonly markers = new Map<string, { readonly digest: string; readonly result: LoadResult }>();
    readonly effects: Effect[] = [];
    shop = new Map<string, JsonObject>();
    readonly events: JournalEvent[] = [];
    readonly progress: Counters[] = [];
    readonly signs: StepStatuses[] = [];
    /** Everything durable in order: `load <key>`, `commit <source> <batchNo>`, `reject <key>`. */
    readonly history: string[] = [];
    /** The token that may write. */
    fence = 0;

    /** The batches that steps hold, by source and batch number; stored as JSON. */
    readonly held = new MemorySpool();

    /** How many records were rejected by the earlier runs that this one continues. */
    rejectedBefore = 0;
    /** By source: the key under which its position is stored if the run does not complete. */
    readonly keptAs = byName<string>();
    readonly keptOf = byName<ResumeKey>();
    /** The positions of earlier runs, by source and key, as they are stored. */
    readonly left = new Map<string, JsonObject>();
    /** By source: the key under which its checkpoint is stored if the run completes. */
    readonly completedAs = byName<string>();
    /** The checkpoints of the sources after completed runs. */
    readonly completed = new Map<string, NextRun>();
    /** The requested actions of sources, by source and key: those of this run, and those that earlier runs have not done. */
    readonly wanted = {
        run: new Map<string, readonly JsonObject[]>(),
        earlier: new Map<string, readonly JsonObject[]>(),
    };
    /** The rejects of all runs so far, by run. */
    private told: ReadonlyMap<unknown, ReadonlyMap<string, Reject>>;

    constructor(readonly runId = 'run') {
        this.told = new Map<unknown, ReadonlyMap<string, Reject>>([[runId, this.rejects]]);
    }

    /** The end of a run: no worker may write for it any more. */
    end(status: Extract<RunStatus, 'COMPLETED' | 'FAILED' | 'CANCELLED'>): void {
        this.fence++;
        if (status === 'COMPLETED')
            for (const [key, actions] of this.wanted.run) this.wanted.earlier.set(`${key}r${this.runId}`, actions);
        for (const [source, key] of Object.entries(this.keptAs)) {
            if (status === 'COMPLETED') {
                this.left.delete(`${source} ${key}`);
                const { nextRun } = this.positions[source]!;
                const completedAs = this.completedAs[source];
                if (nextRun && completedAs !== undefined) this.completed.set(`${source} ${completedAs}`, nextRun);
                continue;
            }
            const [first] = this.held.of(source);
            const position = first?.from ?? this.positions[source]!;
            const loads = [...this.markers].flatMap(([marker, { digest, result }]) => {
                const [stepKey, sourceKey, ...numbers] = marker.split(' ');
                const [batchNo, visit] = numbers.map(Number) as [number, number];
                const { verdicts: outcomes } = result;
                const isBehind = sourceKey === source && batchNo >= position.batchNo;
                return isBehind ? [{ stepKey: stepKey!, batchNo, visit, digest, verdicts: outcomes }] : [];
            });
            const rejected = [...this.rejects.values()].filter(
                ({ sourceKey, seq, severity }) => sourceKey === source && seq >= position.seq && severity !== 'WARNING',
            ).length;
            const actions =
                this.completedAs[source] === undefined ? this.wantedOf(source, 'run').flatMap(one => one.actions) : [];
            const left = resumeStateOf({
                runId: this.runId,
                position,
                loads,
                rejected,
                of: this.keptOf[source],
                actions,
            });
            if (left) this.left.set(`${source} ${key}`, storedResumeState(left));
        }
        this.held.clear();
    }

    /** In order. */
    wantedOf(source: string, of: ActionsOf): readonly StoredActions[] {
        return [...this.wanted[of]]
            .filter(([key]) => key.startsWith(`${source} `))
            .map(([key, actions]) => ({ key, actions }))
            .sort((a, b) => (a.key < b.key ? -1 : 1));
    }

    want({ sourceKey, position, actions = [] }: Pick<Commit, 'sourceKey' | 'position' | 'actions'>): void {
        const key = `${sourceKey} ${String(position.batchNo).padStart(12, '0')}${position.done ? 'e' : 'b'}`;
        if (actions.length > 0) this.wanted.run.set(key, JSON.parse(JSON.stringify(actions)) as readonly JsonObject[]);
    }

    /** The batches that a step holds may continue: the run waits for a worker again. */
    release(stepKey: string): void {
        this.fence++;
        this.held.release(stepKey);
    }

    /** The next run of the same pipeline, with the state that outlives this one and with the shop. */
    next(runId: string): MemoryState {
        const state = new MemoryState(runId);
        for (const [key, value] of this.memos) state.memos.set(key, value);
        for (const [key, value] of this.left) state.left.set(key, value);
        for (const [key, value] of this.completed) state.completed.set(key, value);
        for (const [key, value] of this.wanted.earlier) state.wanted.earlier.set(key, value);
        state.told = new Map([...this.told, ...state.told]);
        state.shop = this.shop;
        return state;
    }

    /** The last run that has stored a position of a source. */
    unfinishedOf(source: string): UnfinishedRun | undefined {
        const stored = [...this.left].findLast(([key]) => key.startsWith(`${source} `))?.[1];
        const { runId, of } = stored ? readResumeState(stored) : {};
        return runId === undefined ? undefined : { runId, of };
    }

    /** As the store does it. */
    inherit(source: string, { runId, position, loads }: ResumeState): void {
        for (const load of loads) {
            const { stepKey, batchNo, visit, digest, verdicts: outcomes } = carriedOver(load);
            const key = loadKey({ stepKey, sourceKey: source, batchNo, visit });
            this.markers.set(key, { digest, result: { verdicts: outcomes, rejects: [], effects: [] } });
            for (const [place, reject] of this.told.get(runId) ?? [])
                if (reject.stepKey === stepKey && reject.sourceKey === source && reject.seq >= position.seq)
                    this.rejects.set(place, reject);
        }
    }
}

export interface MemoryOptions {
    /** This worker's token. A write whose token is not that of the fence is rejected with LEASE_LOST. */
    readonly token?: number;
    /** Called at each await, before and after the operation: tests insert delays, failures and crashes here. */
    readonly at?: (point: string) => Promise<void>;
}

/** Ports with memory instead of a database, and with the rules of the real ones: fence, markers, unique rejects, one transaction a load. */
export function memoryPorts(
    state = new MemoryState(),
    { token = state.fence, at = async () => undefined }: MemoryOptions = {},
): RunPorts {
    const fenced = (): void => {
        if (state.fence !== token) throw flowError('LEASE_LOST', {});
    };
    const addReject = (reject: Reject): void => {
        const key = rejectKey(reject);
        if (state.rejects.has(key)) return;
        state.rejects.set(key, reject);
        state.history.push(`reject ${key}`);
    };
    const mark = ({ key, digest }: Pick<LoadUnit, 'key' | 'digest'>, result: LoadResult): void => {
        fenced();
        state.markers.set(loadKey(key), { digest: digest(), result });
        state.effects.push(...result.effects);
        state.history.push(`load ${loadKey(key)}`);
        result.rejects.forEach(addReject);
    };
    const durably = async <T>(point: string, effect: () => T): Promise<T> => {
        await at(`${point}.before`);
        const value = effect();
        await at(`${point}.after`);
        return value;
    };
    return {
        positions: {
            load: () =>
                durably('positions.load', () => ({
                    positions: { ...state.positions },
                    counters: state.counters,
                    rejectedBefore: state.rejectedBefore,
                })),
            commit: commit =>
                durably('positions.commit', () => {
                    fenced();
                    state.positions[commit.sourceKey] = commit.position;
                    state.counters = addCounters(state.counters, commit.counters);
                    for (const { stepKey, key, value, scope } of commit.memos)
                        (scope === 'run' ? state.runMemos : state.memos).set(`${stepKey} ${key}`, value);
                    commit.held.forEach(batch => state.held.hold(batch));
                    state.want(commit);
                    state.commits.push(commit);
                    state.history.push(`commit ${commit.sourceKey} ${commit.position.batchNo}`);
                }),
            restoreCheckpoint: ({ stepKey, key, startOver, of, byCompleted, seeksUnfinished }) =>
                durably('positions.takeUp', () => {
                    fenced();
                    const own = state.positions[stepKey];
                    const stored = state.left.get(`${stepKey} ${key}`);
                    if (own) return { position: own, isLeft: false, rejectedBefore: 0 };
                    const left =
                        stored && !startOver && byCompleted?.alsoUnfinished !== false
                            ? readResumeState(stored)
                            : undefined;
                    if (left) state.left.delete(`${stepKey} ${key}`);
                    state.keptAs[stepKey] = key;
                    if (of) state.keptOf[stepKey] = of;
                    const unfinished = left || !seeksUnfinished ? undefined : state.unfinishedOf(stepKey);
                    if (byCompleted) state.completedAs[stepKey] = byCompleted.key;
                    const completed = byCompleted && state.completed.get(`${stepKey} ${byCompleted.key}`);
                    const from = completed && completed !== 'beginning' && !startOver ? completed.from : undefined;
                    state.positions[stepKey] = left?.position ?? { ...START, token: from };
                    if (left) state.inherit(stepKey, left);
                    if (left) state.want({ sourceKey: stepKey, position: left.position, actions: left.actions });
                    state.rejectedBefore += left?.rejected ?? 0;
                    return {
                        position: state.positions[stepKey],
                        isLeft: left !== undefined,
                        rejectedBefore: left?.rejected ?? 0,
                        unfinished,
                    };
                }),
            isLeft: ({ stepKey, key }) => durably('positions.isLeft', () => state.left.has(`${stepKey} ${key}`)),
        },
        actions: {
            actions: (sourceKey, of, after = '') =>
                durably('actions.read', () =>
                    state
                        .wantedOf(sourceKey, of)
                        .filter(({ key }) => key > after)
                        .slice(0, 2),
                ),
            pending: () => Promise.resolve([]),
            done: (sourceKey, of, key) =>
                durably('actions.done', () => {
                    fenced();
                    state.wanted[of].delete(key);
                }),
        },
        memory: {
            keys: (stepKey, beginning, { behind: after, limit }) =>
                durably('memory.keys', () =>
                    [...state.memos.keys()]
                        .filter(key => key.startsWith(`${stepKey} ${beginning}`))
                        .map(key => key.slice(stepKey.length + 1))
                        .filter(key => key > after)
                        .sort()
                        .slice(0, limit),
                ),
            recall: (stepKey, keys, scope) =>
                durably(
                    'memory.recall',
                    () =>
                        new Map(
                            keys.flatMap(key => {
                                const value = (scope === 'run' ? state.runMemos : state.memos).get(`${stepKey} ${key}`);
                                return value === undefined ? [] : [[key, value]];
                            }),
                        ),
                ),
        },
        spool: {
            next: (sourceKey, after) => durably('spool.next', () => state.held.next(sourceKey, after)),
            held: () => durably('spool.held', () => state.held.counts()),
        },
        rejects: {
            addAll: rejects =>
                durably('rejects.addAll', () => {
                    fenced();
                    rejects.forEach(addReject);
                }),
        },
        loads: {
            effectKinds: ['toy'],
            commit: unit =>
                durably('loads.commit', () => {
                    const key = loadKey(unit.key);
                    const known = state.markers.get(key);
                    if (known && known.result.verdicts !== unit.behind)
                        return { verdicts: known.result.verdicts, replayed: true };
                    const { result, shop } = transact(state.shop, unit);
                    fenced();
                    state.shop = shop;
                    state.markers.set(key, { digest: unit.digest(), result });
                    state.effects.push(...result.effects);
                    state.history.push(`load ${key}`);
                    result.rejects.forEach(addReject);
                    return { verdicts: result.verdicts, replayed: false };
                }),
            storedVerdicts: ({ key }) => durably('loads.told', () => state.markers.get(loadKey(key))?.result.verdicts),
            isBegun: ({ sourceKey, batchNo }) =>
                durably('loads.begun', () =>
                    [...state.markers.keys()].some(marker => {
                        const [, source, number] = marker.split(' ');
                        return source === sourceKey && Number(number) === batchNo;
                    }),
                ),
            settle: (unit, result) => durably('loads.settle', () => mark(unit, result)),
            serve: async unit => {
                await at('loads.serve.before');
                const tx = new ShopTransaction(state.shop);
                const result = await unit.work(tx);
                fenced();
                // Other writes in the meantime stay.
                for (const [key, data] of tx.written) state.shop.set(key, data);
                mark(unit, result);
                await at('loads.serve.after');
            },
            read: script => durably('loads.read', () => new ShopTransaction(state.shop).run(script)),
        },
        journal: {
            emit: event => void state.events.push(event),
            flush: () => durably('journal.flush', () => undefined),
        },
        progress: (counters, signs) => {
            state.progress.push(counters);
            state.signs.push(signs);
        },
    };
}

export function loadKey({ stepKey, sourceKey, batchNo, visit }: LoadKey): string {
    return [stepKey, sourceKey, batchNo, visit].join(' ');
}

export function rejectKey({ stepKey, sourceKey, seq, ordinal }: Reject): string {
    return [stepKey, sourceKey, seq, ordinal].join(' ');
}

/** First the whole batch. If the "database" rejects a record, each half is loaded separately. */
function transact(
    shop: ReadonlyMap<string, JsonObject>,
    unit: LoadUnit,
): { readonly result: LoadResult; readonly shop: Map<string, JsonObject> } {
    for (const isolate of [false, true]) {
        const tx = new ShopTransaction(shop);
        try {
            return { result: tx.run(() => unit.work({ isolate, savepoint })), shop: tx.content };
        } catch (error) {
            if (isolate || !isFlowError(error) || error.treat !== 'record') throw error;
        }
    }
    throw new Error('unreachable');
}

type Tried<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

function* savepoint<T>(part: () => StatementProgram<T>): StatementProgram<Tried<T>> {
    yield { savepoint: 'set' } satisfies SavepointRequest;
    try {
        const value = yield* part();
        yield { savepoint: 'release' } satisfies SavepointRequest;
        return { ok: true, value };
    } catch (error) {
        if (!isFlowError(error) || error.treat !== 'record') throw error;
        yield { savepoint: 'rollback' } satisfies SavepointRequest;
        return { ok: false, error };
    }
}

/** The shop as one transaction sees it; for a loader through services it is the context of a record. */
export class ShopTransaction {
    content: Map<string, JsonObject>;
    readonly written = new Map<string, JsonObject>();
    private readonly savepoints: Array<Map<string, JsonObject>> = [];

    constructor(shop: ReadonlyMap<string, JsonObject>) {
        this.content = new Map(shop);
    }

    find(key: string): JsonObject | undefined {
        return this.content.get(key);
    }

    save(key: string, data: JsonObject): void {
        this.content.set(key, data);
        this.written.set(key, data);
    }

    run<T>(script: () => StatementProgram<T>): T {
        const running = script();
        let next = running.next();
        while (!next.done) {
            try {
                const answer = this.answer(next.value as ShopRequest | SavepointRequest);
                next = running.next(answer);
            } catch (error) {
                if (!(error instanceof Refusal)) throw error;
                next = running.throw(error.reason);
            }
        }
        return next.value;
    }

    private answer(request: ShopRequest | SavepointRequest): unknown {
        if ('read' in request) return request.read.map(key => this.content.get(key));
        if ('remove' in request) return this.content.delete(request.remove);
        if ('fail' in request) throw new Refusal(request.fail);
        if ('write' in request) {
            if (request.data['poison'] === true) {
                throw new Refusal(
                    flowError(
                        'RECORD_REFUSED',
                        { problem: `${request.write} is poison` },
                        { details: { path: 'poison' } },
                    ),
                );
            }
            return void this.content.set(request.write, request.data);
        }
        if (request.savepoint === 'set') return void this.savepoints.push(new Map(this.content));
        const before = this.savepoints.pop();
        if (request.savepoint === 'rollback' && before) this.content = before;
        return undefined;
    }
}

/** The fake database rejects a statement: thrown into the script, as by a real one. */
class Refusal extends Error {
    constructor(readonly reason: Error) {
        super(reason.message);
    }
}
