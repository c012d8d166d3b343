import assert from 'node:assert/strict';
import type { Outcome, RemoteSession } from '../core/adapter/loader';
import type { Sink, SinkExample, SinkSession } from '../core/adapter/sink';
import type { RunMode } from '../core/adapter/context';
import type { JsonObject } from '../core/value/json';
import { compilePath } from '../core/data/path';
import type { Batch } from '../core/data/record';
import { asFlowError } from '../core/errors/flow-error';
import { remoteSession } from '../core/steps/sink';
import {
    assertFieldWords,
    assertRejected,
    assertWords,
    CAMEL_CASE,
    type ContractTest,
    fieldsOfConfig,
    parsed,
} from './contract';
import { contextWith } from './context';
import { deepFrozen } from './frozen';
import { CONTRACT_RUN, MALFORMED_IDS, type SinkHarness, harnessContextOf } from './sink-harness';

/** A sink from `defineSink`, tested on a target of the test. */
export function definedSinkTests(sink: Sink, harness: SinkHarness): readonly ContractTest[] {
    const trial = new DefinedTrial(sink, harness);
    return [...declared(sink), ...examples(trial), ...planning(trial), ...delivering(trial), ...removing(trial)];
}

/** Opens a sink and calls it as a step does. */
class DefinedTrial {
    constructor(
        readonly sink: Sink,
        readonly stand: SinkHarness,
    ) {}

    async session(config: object, mode: RunMode): Promise<SinkSession> {
        const { runId, pipelineCode, revision, throughput, errorHandling } = CONTRACT_RUN;
        const run = { runId, pipelineId: '1', pipelineCode, revision, startedAt: 0, throughput, errorHandling };
        return this.sink.open(parsed(this.sink, config), { ...harnessContextOf(this.stand), mode, run });
    }

    async open(mode: RunMode = 'live', config: object = this.stand.config): Promise<RemoteSession> {
        return remoteSession(await this.session(config, mode), contextWith(), this.sink.code);
    }

    /** Records with these ids, in the field that `idField` of the sink names. */
    recordsOf(ids: readonly string[]): Batch {
        const { idField = 'id' } = parsed(this.sink, this.stand.config) as { readonly idField?: string };
        const path = compilePath(idField);
        return batchOf(ids.map(id => path.set({}, id)));
    }

    async deliver(session: RemoteSession, records: readonly JsonObject[]): Promise<readonly Outcome[]> {
        const batch = batchOf(records);
        const outcomes = await session.deliver(
            batch,
            batch.map((_, i) => `${i}`.padStart(32, '0')),
        );
        assert.equal(outcomes.length, records.length, 'outcomes');
        return outcomes;
    }

    async requestsOf(call: () => Promise<unknown>): Promise<number> {
        const before = this.stand.requests();
        await call();
        return this.stand.requests() - before;
    }

    /** Asserts that no call succeeds, and no record is rejected, while the target is down. */
    async assertDown(call: () => Promise<readonly Outcome[]>): Promise<void> {
        this.stand.breakDown(true);
        try {
            for (const outcome of await call()) {
                assert.ok(!outcome.ok, 'the target is down, and has taken nothing');
                assert.notEqual(outcome.error.treat, 'record', 'the target is down, and has rejected no record');
            }
        } catch (thrown) {
            if (thrown instanceof assert.AssertionError) throw thrown;
            assert.notEqual(asFlowError(thrown).treat, 'record', 'the target is down, and has rejected no record');
        } finally {
            this.stand.breakDown(false);
        }
    }
}

function batchOf(records: readonly JsonObject[]): Batch {
    return records.map((data, seq) => ({ data: deepFrozen(data), origin: { seq } }));
}

function declared(sink: Sink): readonly ContractTest[] {
    const { category, examples: shown = [] } = sink;
    return [
        {
            name: 'has a camelCase code, a title, a category and a summary that is a sentence',
            run: () => {
                assertWords(sink, CAMEL_CASE);
                assert.ok(category, 'category');
            },
        },
        {
            name: 'says of every field what it is called and what it does',
            run: () => assertFieldWords(fieldsOfConfig(sink)),
        },
        {
            name: 'rejects an unknown field',
            run: () => {
                for (const { config } of shown) assertRejected(sink, { ...config, nonsense: 1 }, 'nonsense');
            },
        },
    ];
}

function examples(trial: DefinedTrial): readonly ContractTest[] {
    return (trial.sink.examples ?? []).map((example, i) => ({
        name: `does what example ${i + 1} says`,
        run: () => assertDoes(trial, example),
    }));
}

const DOES: Readonly<Record<string, string>> = { update: 'deliver', delete: 'remove' };

async function assertDoes(trial: DefinedTrial, example: SinkExample): Promise<void> {
    const session = await trial.open('dryRun', example.config);
    const done: string[] = [];
    const paths: unknown[] = [];
    for (const record of batchOf(example.in)) {
        try {
            const { action } = session.dryRun(record);
            done.push(DOES[action] ?? action);
        } catch (thrown) {
            const error = asFlowError(thrown);
            assert.equal(error.treat, 'record', error.message);
            done.push('reject');
            paths.push(error.details?.['path']);
        }
    }
    assert.deepEqual(done, example.does);
    assert.deepEqual(paths, example.rejects ?? []);
}

function planning(trial: DefinedTrial): readonly ContractTest[] {
    const { records } = trial.stand;
    return [
        {
            name: 'sends nothing while it is opened and in a dry run',
            run: async () => {
                const plan = async (): Promise<void> => {
                    await trial.open();
                    const session = await trial.open('dryRun');
                    for (const record of batchOf(records)) session.dryRun(record);
                };
                assert.equal(await trial.requestsOf(plan), 0);
            },
        },
    ];
}

function delivering(trial: DefinedTrial): readonly ContractTest[] {
    const { records, refused: rejected } = trial.stand;
    return [
        {
            name: 'delivers records, changes none of them, and takes them again under the same ids',
            run: async () => {
                const session = await trial.open();
                for (const time of ['first', 'second']) {
                    const send = async (): Promise<void> => {
                        for (const outcome of await trial.deliver(session, records))
                            assert.ok(outcome.ok, `the ${time} time: ${outcome.ok || outcome.error.message}`);
                    };
                    assert.notEqual(await trial.requestsOf(send), 0);
                }
            },
        },
        {
            name: 'reports neither deliveries nor rejected records while the target is down',
            run: async () => {
                const session = await trial.open();
                await trial.assertDown(() => trial.deliver(session, records));
            },
        },
        {
            name: 'may be finished twice',
            run: async () => {
                const session = await trial.open();
                await session.finish?.({ lack: undefined, unread: undefined });
                await session.finish?.({ lack: undefined, unread: undefined });
            },
        },
        ...(rejected ? [refusing(trial, rejected)] : []),
    ];
}

function refusing(trial: DefinedTrial, rejected: readonly JsonObject[]): ContractTest {
    return {
        name: 'reports which records were rejected and why, and delivers the others',
        run: async () => {
            const { records } = trial.stand;
            const outcomes = await trial.deliver(await trial.open(), [...rejected, ...records]);
            outcomes.forEach((outcome, i) => {
                assert.equal(outcome.ok, i >= rejected.length, `outcome ${i}`);
                if (!outcome.ok) assert.equal(outcome.error.treat, 'record', outcome.error.message);
            });
        },
    };
}

function removing(trial: DefinedTrial): readonly ContractTest[] {
    const { deleted, config } = trial.stand;
    return [
        {
            name: 'deletes by ids, which stay text, and reports a result for each',
            run: async () => {
                const session = await trial.session(config, 'live');
                if (!session.remove) return;
                const before = deleted?.().length;
                const outcomes = await session.remove(
                    MALFORMED_IDS,
                    MALFORMED_IDS.map((_, i) => `${i}`.padStart(32, '0')),
                    trial.recordsOf(MALFORMED_IDS),
                );
                assert.deepEqual(
                    outcomes.map(({ ok }) => ok),
                    MALFORMED_IDS.map(() => true),
                );
                if (deleted) assert.deepEqual(deleted().slice(before), MALFORMED_IDS);
            },
        },
        {
            name: 'never says that it has removed what a target that is down still has',
            run: async () => {
                const session = await trial.session(config, 'live');
                const batch = trial.recordsOf(MALFORMED_IDS);
                if (session.remove)
                    await trial.assertDown(async () => session.remove!(MALFORMED_IDS, MALFORMED_IDS, batch));
            },
        },
    ];
}
