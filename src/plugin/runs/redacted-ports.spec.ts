import { memoryPorts, MemoryState } from '../../../test/kit/memory-ports';
import { compiled, pages, sketched, straight } from '../../../test/kit/pipeline';
import { textNaming } from '../../../test/kit/naming';
import { toyLoader } from '../../../test/kit/toy-adapters';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import { Redactor } from '../../core/adapter/redactor';
import { flowError } from '../../core/errors/flow-error';
import { type Change, defineLoader, type StatementProgram } from '../../core/adapter/loader';
import { executeRun } from '../../core/run/execute';
import type {
    Commit,
    JournalEvent,
    LoadResult,
    LoadTransaction,
    LoadUnit,
    Reject,
    RunPorts,
} from '../../core/ports/ports';
import type { ResumableSource } from '../../core/ports/resumable-source';
import { START } from '../../core/steps/extract';
import { redactedError, redactedPorts } from './redacted-ports';

const CANARY = 'canary-4711-value';
const redactor = new Redactor();
redactor.add(CANARY);

const reject: Reject = {
    stepKey: 'in',
    sourceKey: 'in',
    seq: 1,
    ordinal: 0,
    code: 'RECORD_INVALID',
    message: `is ${CANARY}`,
    path: `fields.${CANARY}`,
    place: `'${CANARY}'!A1`,
    payload: { [CANARY]: [{ url: `https://shop.test/?key=${encodeURIComponent(CANARY)}` }] },
};
const commit = (token: unknown): Commit => ({
    sourceKey: 'in',
    position: { token: token as string, skip: 0, batchNo: 1, seq: 1, done: false },
    counters: {},
    batches: 1,
    memos: [],
    held: [],
});

/** Ports that record their calls. */
class Kept {
    readonly events: JournalEvent[] = [];
    readonly rejects: Reject[] = [];
    readonly results: LoadResult[] = [];
    readonly commits: Commit[] = [];
    readonly takenUp: ResumableSource[] = [];

    readonly ports: RunPorts = {
        journal: {
            emit: event => {
                this.events.push(event);
            },
            flush: () => Promise.resolve(),
        },
        positions: {
            load: () => Promise.resolve({ positions: {}, counters: {}, rejectedBefore: 0 }),
            restoreCheckpoint: source => {
                this.takenUp.push(source);
                return Promise.resolve({ position: START, isLeft: false, rejectedBefore: 0 });
            },
            isLeft: () => Promise.resolve(false),
            commit: one => {
                this.commits.push(one);
                return Promise.resolve();
            },
        },
        actions: {
            actions: () => Promise.resolve([]),
            pending: () => Promise.resolve([]),
            done: () => Promise.resolve(),
        },
        spool: { next: () => Promise.resolve(undefined), held: () => Promise.resolve(new Map()) },
        memory: { keys: () => Promise.resolve([]), recall: () => Promise.resolve(new Map()) },
        rejects: {
            addAll: all => {
                this.rejects.push(...all);
                return Promise.resolve();
            },
        },
        loads: {
            effectKinds: [],
            commit: unit => {
                const result = ended(unit.work({ isolate: false } as LoadTransaction));
                this.results.push(result);
                return Promise.resolve({ verdicts: result.verdicts, replayed: false });
            },
            storedVerdicts: () => Promise.resolve(undefined),
            isBegun: () => Promise.resolve(false),
            settle: (_unit, result) => {
                this.results.push(result);
                return Promise.resolve();
            },
            serve: async unit => {
                this.results.push(await unit.work({}));
            },
            read: script => Promise.resolve(ended(script())),
        },
        progress: () => undefined,
    };
}

function ended<T>(statementProgram: StatementProgram<T>): T {
    const step = statementProgram.next();
    if (!step.done) throw new Error('It has sent a statement');
    return step.value;
}

describe('the ports of a run that knows a secret', () => {
    let kept: Kept;
    let ports: RunPorts;
    beforeEach(() => {
        kept = new Kept();
        ports = redactedPorts(kept.ports, redactor);
    });

    it('log lines without it', () => {
        ports.journal.emit({
            type: 'log',
            level: 'INFO',
            stepKey: 'in',
            message: `got ${CANARY}`,
            facts: { header: `Bearer ${CANARY}` },
        });
        expect(kept.events).toEqual([
            {
                type: 'log',
                level: 'INFO',
                stepKey: 'in',
                message: 'got [secret]',
                facts: { header: 'Bearer [secret]' },
            },
        ]);
    });

    it('report planned changes without it', () => {
        const changes: Change[] = [
            { action: 'create', key: CANARY, after: { a: CANARY } },
            { action: 'update', key: 'k', before: { a: 'old' }, after: { a: CANARY } },
            { action: 'delete', key: 'k', before: { a: CANARY } },
            { action: 'unchanged', key: CANARY },
            { action: 'reject', key: undefined, error: flowError('RECORD_INVALID', { path: 'a', problem: CANARY }) },
        ];
        const at = { sourceKey: 'in', batchNo: 0, visit: 0, place: 0 };
        for (const change of changes)
            ports.journal.emit({ type: 'change.planned', stepKey: 'load', seq: 0, at, change });
        const shown = kept.events.map(event => (event as { change: Change }).change);
        expect(shown.slice(0, 4)).toEqual([
            { action: 'create', key: '[secret]', after: { a: '[secret]' } },
            { action: 'update', key: 'k', before: { a: 'old' }, after: { a: '[secret]' } },
            { action: 'delete', key: 'k', before: { a: '[secret]' } },
            { action: 'unchanged', key: '[secret]' },
        ]);
        expect(shown[4]).toMatchObject({ action: 'reject', error: { message: 'Field "a": [secret].' } });
    });

    it('store rejected records without it', async () => {
        await ports.rejects.addAll([reject]);
        expect(kept.rejects).toEqual([
            {
                ...reject,
                message: 'is [secret]',
                path: 'fields.[secret]',
                place: "'[secret]'!A1",
                payload: { '[secret]': [{ url: 'https://shop.test/?key=[secret]' }] },
            },
        ]);
    });

    it('store without it the row that a rejected record came from', async () => {
        await ports.rejects.addAll([{ ...reject, source: { url: `ftp://${CANARY}@shop.test` } }]);
        expect(kept.rejects.at(-1)?.source).toEqual({ url: 'ftp://[secret]@shop.test' });
    });

    it('store the issues of a rejected record without it', async () => {
        await ports.rejects.addAll([
            { ...reject, faults: [{ path: CANARY, rule: 'own', message: `is ${CANARY}`, severity: 'ERROR' }] },
        ]);
        expect(kept.rejects.at(-1)?.faults).toEqual([
            { path: '[secret]', rule: 'own', message: 'is [secret]', severity: 'ERROR' },
        ]);
    });

    it('store without it what a load writes in addition to the catalogue', async () => {
        const unit: LoadUnit = {
            key: { stepKey: 'load', sourceKey: 'in', batchNo: 0, visit: 0 },
            digest: () => '',
            locks: [],
            // eslint-disable-next-line require-yield -- a load that sends no statement
            *work() {
                return { verdicts: 'X', rejects: [reject], effects: [{ kind: 'tag', payload: { id: CANARY } }] };
            },
        };
        expect(await ports.loads.commit(unit)).toEqual({ verdicts: 'X', replayed: false });
        expect(JSON.stringify(kept.results)).not.toContain(CANARY);
        expect(kept.results[0]).toMatchObject({
            verdicts: 'X',
            rejects: [{ seq: 1 }],
            effects: [{ kind: 'tag', payload: { id: '[secret]' } }],
        });
    });

    it('reject a position that contains it, as a run could not continue from a changed one', async () => {
        await expect(
            ports.positions.commit(commit({ next: `https://shop.test/?key=${CANARY}` })),
        ).rejects.toMatchObject({
            code: 'BUG',
            message: textNaming('extractor', '"in"', 'its checkpoint'),
        });
        const secret = { next: CANARY };
        const sound = commit({ next: 1 });
        await expect(
            ports.positions.commit({ ...sound, position: { ...sound.position, nextRun: { from: secret } } }),
        ).rejects.toMatchObject({
            code: 'BUG',
            message: textNaming('extractor', '"in"', 'next run'),
        });
        await expect(ports.positions.commit({ ...sound, actions: [secret] })).rejects.toMatchObject({
            code: 'BUG',
            message: textNaming('extractor', '"in"', 'done after'),
        });
        await ports.positions.commit(commit({ next: 2 }));
        await ports.positions.commit(commit(undefined));
        expect(kept.commits.map(({ position }) => position.token)).toEqual([{ next: 2 }, undefined]);
    });

    it('keep no position under a name that holds it', async () => {
        const source = { stepKey: 'in', key: 'position:1' };
        expect(await ports.positions.restoreCheckpoint(source)).toEqual({
            position: START,
            isLeft: false,
            rejectedBefore: 0,
        });
        await expect(
            ports.positions.restoreCheckpoint({ ...source, byCompleted: { key: CANARY } }),
        ).rejects.toMatchObject({
            code: 'BUG',
        });
        await expect(ports.positions.restoreCheckpoint({ ...source, key: `position:${CANARY}` })).rejects.toMatchObject(
            {
                code: 'BUG',
                message: textNaming('extractor', '"in"', 'its position'),
            },
        );
        expect(kept.takenUp).toEqual([source]);
    });

    it('remember no secret, as the steps would find it again', async () => {
        const stateEntry = { stepKey: 'shape', key: 'seen', value: { hash: 1 } };
        await ports.positions.commit({ ...commit(undefined), memos: [stateEntry] });
        for (const wrong of [
            { ...stateEntry, key: CANARY },
            { ...stateEntry, value: [CANARY] },
        ]) {
            await expect(ports.positions.commit({ ...commit(undefined), memos: [wrong] })).rejects.toMatchObject({
                code: 'BUG',
                message: textNaming('operator', '"shape"', 'remember'),
            });
        }
        expect(kept.commits.map(({ memos: stateEntries }) => stateEntries)).toEqual([[stateEntry]]);
    });

    it('remember reported values without it, in their original form', async () => {
        const numbered = new Redactor();
        for (const secret of ['seen', 'count', '4711', CANARY]) numbered.add(secret);
        const stateEntry = {
            stepKey: 'load',
            key: 'seen',
            isReported: true,
            value: { count: 4711, names: [CANARY, 'ean'] },
        };
        await redactedPorts(kept.ports, numbered).positions.commit({ ...commit(undefined), memos: [stateEntry] });
        expect(kept.commits.at(-1)!.memos).toEqual([
            { ...stateEntry, value: { count: 4711, names: ['[secret]', 'ean'] } },
        ]);
    });

    it('let a load be done whose records have it for a name or round blanks', async () => {
        const loader = toyLoader();
        const particular = defineLoader({
            ...loader,
            fields: () => new Map([['id', undefined]]),
            open: async (config, cx) => ({
                ...(await loader.open(config, cx)),
                trimmed: batch => ({ records: batch.length, path: 'id', value: String(batch[0]!.data['id']) }),
            }),
        });
        const state = new MemoryState();
        const source = pages([{ id: ` ${CANARY}-1`, [CANARY]: 'red' }], [{ id: ` ${CANARY}-2`, ean: 1 }]);
        const definition = sketched(straight(source, { throughput: { batchSize: 1 } }));
        const clock = new VirtualClock();
        for (const yields of [true, false]) {
            const over = new AbortController();
            if (yields) over.abort();
            const end = await clock.drive(
                executeRun(
                    compiled(definition, { adapters: [particular], clock }),
                    redactedPorts(memoryPorts(state), redactor),
                    { signal: new AbortController().signal, yieldSignal: over.signal },
                ),
            );
            expect(end.end).toBe(yields ? 'yielded' : 'completed');
        }
        expect(JSON.stringify([...state.runMemos])).not.toContain(CANARY);
        expect(JSON.stringify(state.events)).not.toContain(CANARY);
        expect(state.events.filter(({ type }) => type === 'log')).toMatchObject([
            { code: 'FIELDS_NOT_LOADED', facts: { loader: 'toyUpsert', fields: ['[secret]', 'ean'] } },
            { code: 'BLANKS_LEFT_OUT', facts: { records: 2, path: 'id', value: '" [secret]-1"' } },
        ]);
    });

    it('are returned unchanged if the run knows no secrets', () => {
        expect(redactedPorts(kept.ports, new Redactor())).toBe(kept.ports);
    });
});

describe('an error that ends a run', () => {
    it('is reported without the secret, in message, details and stack; its cause stays in memory', () => {
        const cause = new Error(`Rejected: ${CANARY}`);
        const error = flowError(
            'BUG',
            { problem: `Rejected: ${CANARY}` },
            { cause, waitMs: 5, details: { header: CANARY } },
        );
        const told = redactedError(error, redactor);
        expect(told).toMatchObject({ code: 'BUG', treat: 'bug', waitMs: 5, details: { header: '[secret]' } });
        expect(`${told.message} ${told.stack}`).not.toContain(CANARY);
        expect(told.stack).toContain('redacted-ports.spec');
        expect(told.cause).toBe(cause);
        expect(redactedError(error, new Redactor())).toBe(error);
    });
});
