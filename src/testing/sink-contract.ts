import assert from 'node:assert/strict';
import { type CustomSink, SINK_TYPES, type SinkContext, type SinkResult } from '../core/adapter/custom-sink';
import type { Sink } from '../core/adapter/sink';
import { FIELD_TYPES } from '../core/schema/field-list';
import type { JsonObject } from '../core/value/json';
import { CAMEL_CASE, type ContractTest, checksOf, type ContractCheck } from './contract';
import { definedSinkTests } from './defined-sink-contract';
import { deepFrozen } from './frozen';
import { CONTRACT_RUN, type SinkHarness, MALFORMED_IDS, harnessContextOf } from './sink-harness';

/**
 * The contract of sinks, of those that `defineSink` answers and of those by the interface `CustomSink`, tried on a target of the test: that a dry
 * run sends nothing, that every record is accounted for, and that no failure passes for a success.
 * `for (const { name, run } of sinkContract(mine, stand)) it(name, run)`.
 */
export function sinkContract(sink: CustomSink | Sink, harness: SinkHarness): readonly ContractCheck[] {
    if ('kind' in sink) return checksOf(definedSinkTests(sink, harness));
    const trial = new SinkTrial(sink, harness);
    return checksOf([
        ...words(sink),
        ...indexing(trial),
        ...(harness.refused ? [refusing(trial, harness.refused)] : []),
        ...(sink.delete ? deleting(trial) : []),
        ...(sink.refresh ? [refreshing(trial)] : []),
    ]);
}

/** Calls a sink with what cannot be changed. */
class SinkTrial {
    constructor(
        readonly sink: CustomSink,
        readonly stand: SinkHarness,
    ) {}

    index(records: readonly JsonObject[], dryRun = false): Promise<SinkResult> {
        return this.sink.index(this.context(dryRun), this.config, deepFrozen([...records]));
    }

    delete(ids: readonly string[], dryRun = false): Promise<SinkResult> {
        return this.sink.delete!(this.context(dryRun), this.config, deepFrozen([...ids]));
    }

    async refresh(dryRun: boolean): Promise<unknown> {
        return this.sink.refresh!(this.context(dryRun), this.config);
    }

    /** How many requests a call makes. */
    async requestsOf(call: () => Promise<unknown>): Promise<number> {
        const before = this.stand.requests();
        await call();
        return this.stand.requests() - before;
    }

    /** That a call to a target that is down throws, or says of everything that it failed. */
    async failsWhenDown(call: () => Promise<SinkResult>, count: number): Promise<void> {
        this.stand.breakDown(true);
        let result: SinkResult;
        try {
            result = await call();
        } catch {
            // The step fails, which is what it should do.
            return;
        } finally {
            this.stand.breakDown(false);
        }
        assert.deepEqual(countsOf(result), { indexed: 0, deleted: 0, failed: count }, 'the target is down');
    }

    private get config(): JsonObject {
        return deepFrozen(structuredClone(this.stand.config));
    }

    private context(dryRun: boolean): SinkContext {
        const { secrets, connections, outbound, log } = harnessContextOf(this.stand);
        return {
            ctx: undefined,
            pipelineId: '1',
            stepKey: 'step',
            secrets,
            connections,
            outbound,
            logger: log,
            ...this.stand.context,
            pipelineContext: { ...CONTRACT_RUN, ...this.stand.context?.pipelineContext, dryRun },
            dryRun,
        };
    }
}

function words({ type, code, name, sinkType, schema }: CustomSink): readonly ContractTest[] {
    return [
        {
            name: 'has the type SINK, a camelCase code, a name and a sink type',
            run: () => {
                assert.equal(type, 'SINK');
                assert.match(code, CAMEL_CASE, 'code');
                assert.match(name, /\S/, 'name');
                assert.ok(SINK_TYPES.includes(sinkType), `sinkType is ${sinkType}; allowed: ${SINK_TYPES.join(', ')}`);
            },
        },
        {
            name: 'says of every field what it is called and of which type it is, once each',
            run: () => {
                for (const field of schema.fields) {
                    assert.match(field.key, /\S/, 'key');
                    assert.match(field.label, /\S/, `label of ${field.key}`);
                    assert.ok(FIELD_TYPES.includes(field.type), `type of ${field.key} is ${field.type}`);
                    if (field.type === 'select') assert.ok(field.options?.length, `${field.key} has no options`);
                }
                const keys = schema.fields.map(({ key }) => key);
                assert.deepEqual([...new Set(keys)], keys, 'two fields have the same key');
            },
        },
    ];
}

function indexing(trial: SinkTrial): readonly ContractTest[] {
    const { records } = trial.stand;
    return [
        {
            name: 'makes no request in a dry run, and counts what it would index',
            run: async () => {
                let result: SinkResult | undefined;
                assert.equal(await trial.requestsOf(async () => (result = await trial.index(records, true))), 0);
                assert.deepEqual(countsOf(result!), { indexed: records.length, deleted: 0, failed: 0 });
            },
        },
        {
            name: 'makes no request for no records',
            run: async () => {
                let result: SinkResult | undefined;
                assert.equal(await trial.requestsOf(async () => (result = await trial.index([]))), 0);
                assert.deepEqual(countsOf(result!), { indexed: 0, deleted: 0, failed: 0 });
            },
        },
        {
            name: 'indexes records, changes none of them and accounts for each',
            run: async () => {
                let result: SinkResult | undefined;
                assert.notEqual(await trial.requestsOf(async () => (result = await trial.index(records))), 0);
                assert.deepEqual(countsOf(result!), { indexed: records.length, deleted: 0, failed: 0 });
                assert.deepEqual(result!.errors ?? [], []);
            },
        },
        {
            name: 'never says that it has indexed what a target that is down has not taken',
            run: () => trial.failsWhenDown(() => trial.index(records), records.length),
        },
    ];
}

function refusing(trial: SinkTrial, rejected: readonly JsonObject[]): ContractTest {
    return {
        name: 'reports which records were rejected and why, and indexes the others',
        run: async () => {
            const { records } = trial.stand;
            const result = await trial.index([...rejected, ...records]);
            assert.deepEqual(countsOf(result), { indexed: records.length, deleted: 0, failed: rejected.length });
            const errors = result.errors ?? [];
            assert.deepEqual(
                errors.map(({ record }) => record),
                rejected,
            );
            for (const { message } of errors) assert.match(message, /\S/, 'message');
        },
    };
}

function deleting(trial: SinkTrial): readonly ContractTest[] {
    const { deleted } = trial.stand;
    return [
        {
            name: 'makes no request in a dry run, and counts what it would delete',
            run: async () => {
                let result: SinkResult | undefined;
                assert.equal(await trial.requestsOf(async () => (result = await trial.delete(MALFORMED_IDS, true))), 0);
                assert.deepEqual(countsOf(result!), { indexed: 0, deleted: MALFORMED_IDS.length, failed: 0 });
            },
        },
        {
            name: 'makes no request for no ids',
            run: async () => assert.equal(await trial.requestsOf(() => trial.delete([])), 0),
        },
        {
            name: 'deletes by ids that stay the texts that they are, and accounts for each',
            run: async () => {
                assert.ok(deleted, 'the test target does not report deletions; implement deleted()');
                const before = deleted().length;
                const result = await trial.delete(MALFORMED_IDS);
                assert.deepEqual(deleted().slice(before), MALFORMED_IDS);
                assert.deepEqual(countsOf(result), { indexed: 0, deleted: MALFORMED_IDS.length, failed: 0 });
            },
        },
        {
            name: 'never says that it has deleted what a target that is down still has',
            run: () => trial.failsWhenDown(() => trial.delete(MALFORMED_IDS), MALFORMED_IDS.length),
        },
    ];
}

function refreshing(trial: SinkTrial): ContractTest {
    return {
        name: 'makes no request in a dry run to refresh its target, and answers nothing',
        run: async () => {
            assert.equal(await trial.requestsOf(() => trial.refresh(true)), 0);
            assert.equal(await trial.refresh(false), undefined);
        },
    };
}

function countsOf({ indexed, deleted, failed }: SinkResult): Pick<SinkResult, 'indexed' | 'deleted' | 'failed'> {
    return { indexed, deleted, failed };
}
