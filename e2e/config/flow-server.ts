import type { Type } from '@vendure/core';
import gql from 'graphql-tag';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunStatus } from '../../src';
import type { StepCounters } from '../../src/core/progress/counters';
import { anonymousClient, DEFAULT_CHANNEL } from './administrators';
import type { Database } from './databases';
import { type RunningServer, type TestServerOptions, testServer } from './test-server';

/** Ends what would wait forever. A machine with many more jobs than processors does not come near it. */
const PATIENCE_MS = 300_000;

/** The time between two checks of a condition. */
const LOOK_MS = 40;

/** The fields of a run that `RUN_FIELDS` selects. */
export interface RunAnswer {
    readonly id: string;
    readonly status: RunStatus;
    readonly outcome: string | null;
    readonly dryRun: boolean;
    readonly attempt: number;
    readonly recordsRead: number;
    readonly recordsProcessed: number;
    readonly recordsLoaded: number;
    readonly recordsUnchanged: number;
    readonly recordsRejected: number;
    readonly counters: ReadonlyArray<StepCounters & { readonly stepKey: string }>;
    readonly error: { readonly code: string; readonly message: string; readonly stepKey: string | null } | null;
    readonly startedBy: { readonly identifier: string } | null;
    readonly report: {
        readonly steps: ReadonlyArray<
            { readonly stepKey: string } & Pick<StepCounters, 'created' | 'updated' | 'unchanged' | 'rejected'>
        >;
        readonly differences: ReadonlyArray<{
            readonly action: string;
            readonly key: string;
            readonly before: unknown;
            readonly after: unknown;
        }>;
        readonly differencesTotal: number;
    } | null;
}

export const RUN_FIELDS = `
    id status outcome dryRun attempt recordsRead recordsProcessed recordsLoaded recordsUnchanged recordsRejected
    counters { stepKey in out expanded filtered rejected held created updated deleted unchanged }
    error { code message stepKey } startedBy { identifier }
    report { steps { stepKey created updated unchanged rejected } differences { action key before after } differencesTotal }`;

const ENDED: readonly RunStatus[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** A server with Flow; Flow's migrations have created its tables. */
export interface FlowServer extends RunningServer {
    /** The channel in which its admin client works. */
    readonly channelToken: string;
    pipelineId(code: string): Promise<string>;
    /** Starts a run with the admin API and returns it in its first state. */
    start(code: string, how?: 'startFlowPipelineRun' | 'dryRunFlowPipeline'): Promise<RunAnswer>;
    run(id: string): Promise<RunAnswer>;
    /** Waits until the run has ended. */
    ended(id: string, withinMs?: number): Promise<RunAnswer>;
    /** Starts a run and waits for its end. */
    perform(code: string, how?: 'startFlowPipelineRun' | 'dryRunFlowPipeline'): Promise<RunAnswer>;
}

/** Starts a shop with this `FlowPlugin.init(…)`. A file has only one, since a process can start one set of plugins. */
export async function flowServer(
    database: Database,
    plugin: Type<unknown>,
    options: TestServerOptions = {},
): Promise<FlowServer> {
    const shop = await testServer(database, {
        jobs: 'sql',
        ...options,
        plugins: [...(options.plugins ?? []), plugin],
    });
    return withRuns(shop, DEFAULT_CHANNEL);
}

/** The same shop, with a separate admin client that is the superadmin of another channel. Do not destroy the shop through it. */
export async function inSuiteChannel(shop: FlowServer, channelToken: string): Promise<FlowServer> {
    const adminClient = anonymousClient(shop);
    adminClient.setChannelToken(channelToken);
    await adminClient.asSuperAdmin();
    return withRuns({ ...shop, adminClient, destroy: () => Promise.resolve() }, channelToken);
}

/** What users do with pipelines and runs, with the admin client. */
function withRuns(shop: RunningServer, channelToken: string): FlowServer {
    const client = shop.adminClient;
    const pipelineId = async (code: string): Promise<string> => {
        const { flowPipeline } = await client.query(
            gql`query PipelineId($code: String!) { flowPipeline(code: $code) { id } }`,
            { code },
        );
        if (!flowPipeline) throw new Error(`There is no pipeline "${code}"`);
        return flowPipeline.id as string;
    };
    const run = async (id: string): Promise<RunAnswer> => {
        const { flowPipelineRun } = await client.query(
            gql`query Run($id: ID!) { flowPipelineRun(id: $id) { ${RUN_FIELDS} } }`,
            { id },
        );
        return flowPipelineRun as RunAnswer;
    };
    const start: FlowServer['start'] = async (code, how = 'startFlowPipelineRun') => {
        const answer = await client.query(gql`mutation Start($id: ID!) { ${how}(pipelineId: $id) { ${RUN_FIELDS} } }`, {
            id: await pipelineId(code),
        });
        return answer[how] as RunAnswer;
    };
    // Polled in the database, which costs the shop less than its API.
    const statusOf = async (id: string): Promise<RunStatus> => {
        const [row] = await shop.dataSource.query<Array<{ status: RunStatus }>>(
            `SELECT status FROM flow_pipeline_run WHERE id = '${id.replace(/^T_/, '')}'`,
        );
        if (!row) throw new Error(`There is no run ${id}`);
        return row.status;
    };
    const ended: FlowServer['ended'] = async (id, withinMs = PATIENCE_MS) => {
        await until(
            () => statusOf(id),
            status => ENDED.includes(status),
            withinMs,
        );
        return run(id);
    };
    const perform: FlowServer['perform'] = async (code, how) => ended((await start(code, how)).id);
    return { ...shop, channelToken, pipelineId, run, start, ended, perform };
}

/** Polls until the result is as wanted. */
export async function until<T>(
    ask: () => Promise<T>,
    isWanted: (answer: T) => boolean,
    withinMs = PATIENCE_MS,
): Promise<T> {
    const deadline = Date.now() + withinMs;
    for (;;) {
        const answer = await ask();
        if (isWanted(answer)) return answer;
        if (Date.now() > deadline)
            throw new Error(`Waited ${withinMs} ms in vain; last answer: ${JSON.stringify(answer)}`);
        await sleep(LOOK_MS);
    }
}
