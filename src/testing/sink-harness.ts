import type { AdapterContext } from '../core/adapter/context';
import type { SinkContext, SinkPipelineContext } from '../core/adapter/custom-sink';
import type { ExportStore } from '../core/adapter/exports';
import type { JsonObject } from '../core/value/json';
import { setUp } from '../plugin/setup';
import { contextWith } from './context';
import type { TestContext } from './execution';
import { fakeOutbound } from './fake-outbound';
import { providedResources } from './provided-resources';

/** What `runPipeline` takes as well: `http`, `stream` and `socket` in the place of the network, secrets and connections by their codes. */
type StandSurroundings = Omit<TestContext, 'existing' | 'startedAt'>;

/** The configuration and records for testing a sink, and the test target, which counts requests. */
export interface SinkHarness extends StandSurroundings {
    readonly config: JsonObject;
    /** Records that the target takes. */
    readonly records: readonly JsonObject[];
    /** Records that the target rejects individually, if it has a reason to. */
    readonly refused?: readonly JsonObject[];
    /** Parts of the sink's context that are used instead of the default ones of a live run. */
    readonly context?: Partial<SinkContext>;
    /** Where a sink that writes files puts them. */
    readonly exports?: ExportStore;
    /** How many requests have come to the target. */
    requests(): number;
    /** The ids that the sink deleted in the target. Needed for a sink that deletes. */
    deleted?(): readonly unknown[];
    /** Makes the target reject every request, as if it were down, until it is called with false. */
    breakDown(isDown: boolean): void;
}

/** The environment of the tested sink. */
export function harnessContextOf(harness: SinkHarness): AdapterContext {
    const { registry } = setUp(harness.options ?? {});
    const { secrets, connections, outbound, logger: log } = harness.context ?? {};
    const { exports } = harness;
    return contextWith({
        ...providedResources({ ...harness, registry }),
        outbound: fakeOutbound(harness),
        ...(exports && { exports }),
        ...(secrets && { secrets }),
        ...(connections && { connections }),
        ...(outbound && { outbound }),
        ...(log && { log }),
    });
}

/** Ids that a number, a trimmed text or a lower case would spoil. */
export const MALFORMED_IDS: readonly string[] = ['007', '1e3', ' TS 1 ', 'Größe/ÄB'];

/** The run that it is tried for. */
export const CONTRACT_RUN: SinkPipelineContext = {
    pipelineCode: 'contract',
    revision: 1,
    runId: 'run',
    channelId: '1',
    channelToken: 'token',
    languageCode: 'en',
    currencyCode: 'EUR',
    throughput: { batchSize: 100, concurrency: 1, rateLimitRps: 0 },
    errorHandling: { maxRetries: 3, retryDelayMs: 1_000, backoffMultiplier: 2 },
    dryRun: false,
    signal: new AbortController().signal,
};
