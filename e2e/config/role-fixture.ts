import gql from 'graphql-tag';
import { z } from 'zod';
import { defineExtractor, defineLoader, type StatementProgram } from '../../src';
import { connectionCode } from '../../src/core/schema/fields';
import { FlowCheckpoint } from '../../src/plugin/entities/checkpoint';
import { FlowEventTriggerOutbox } from '../../src/plugin/entities/event-trigger-outbox';
import { FlowPipeline } from '../../src/plugin/entities/pipeline';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { FlowRemoteAction } from '../../src/plugin/entities/remote-action';
import { inChannel } from './administrators';
import { type FlowServer, until } from './flow-server';

/** A source that names a connection and calls no server. */
export const caller = defineExtractor({
    code: 'caller',
    title: 'Caller',
    summary: 'Names a connection and yields two records.',
    config: z.strictObject({
        connectionCode: connectionCode(['HTTP'], { title: 'Connection', description: 'Whom it would call.' }),
    }),
    async *extract() {
        yield { records: [{ value: 'a' }, { value: '' }] };
    },
});

/** A loader that only plans an update of each record. */
export const relabel = defineLoader({
    code: 'relabel',
    title: 'Relabel',
    summary: 'Plans an update of each record.',
    config: z.strictObject({}),
    open: () =>
        Promise.resolve({
            locks: () => [],
            plan: batch =>
                answered({
                    changes: batch.map(({ data }) => ({
                        action: 'update' as const,
                        key: String(data['value']),
                        before: { label: 'old' },
                        after: { label: 'new' },
                    })),
                    apply: () => answered([]),
                }),
        }),
});

/** A script without statements. */
function* answered<T>(value: T): StatementProgram<T> {
    yield* [];
    return value;
}

/** The environment variable of the secret that can be read; the suite sets it. */
export const READABLE_VARIABLE = 'FLOW_ROLES_READABLE';

/** One of everything that operations name, in one channel. */
export interface Fixture {
    readonly code: string;
    /** Published, then edited; has a run and a dry run that have ended, with a rejected record each. */
    readonly pipelineId: string;
    readonly revisionId: string;
    readonly runId: string;
    readonly dryRunId: string;
    /** Waits at the gate of another pipeline. */
    readonly heldRunId: string;
    /** Published and disabled. */
    readonly parkedId: string;
    readonly archivedId: string;
    /** Named by the pipelines. */
    readonly connectionId: string;
    readonly connectionCode: string;
    /** Named by the connection. */
    readonly secretId: string;
    readonly secretCode: string;
    /** The id in the REST API. */
    readonly fileId: string;
    /** The address of an export without a file. */
    readonly feedId: string;
    /** The pipeline as JSON text, under this code. */
    document(code: string): string;
}

/** Creates one of everything in the channel with this token, with the Admin API. */
export function makeFixture(shop: FlowServer, token: string): Promise<Fixture> {
    const client = shop.adminClient;
    const ask = async (
        field: string,
        types: string,
        variables: object,
    ): Promise<{ id: string; version: number; content: string }> => {
        const args = types.split(', ').map(type => type.split(':')[0]!.slice(1));
        const body = field.startsWith('export')
            ? 'content'
            : field.includes('Run') || field.startsWith('dryRun')
              ? 'id'
              : 'id version';
        const kind = field.startsWith('export') ? 'query' : 'mutation';
        const answer = await client.query(
            gql(`${kind} Make(${types}) { ${field}(${args.map(arg => `${arg}: $${arg}`).join(', ')}) { ${body} } }`),
            variables,
        );
        return answer[field] as { id: string; version: number; content: string };
    };
    const publish = async (
        code: string,
        connection: string,
        definition = definitionOf(connection),
    ): Promise<{ id: string; version: number }> => {
        const { id, version } = await ask('createFlowPipeline', '$input: CreateFlowPipelineInput!', {
            input: { code, definition },
        });
        return ask('publishFlowPipeline', '$id: ID!, $version: Int!', { id, version });
    };
    return inChannel(client, token, async () => {
        const code = `${token}-main`;
        const [secretCode, connection] = [`${token}-token`, `${token}-crm`];
        const secret = await ask('createFlowSecret', '$input: CreateFlowSecretInput!', {
            input: { code: secretCode, provider: 'ENV', value: READABLE_VARIABLE },
        });
        await ask('createFlowSecret', '$input: CreateFlowSecretInput!', {
            input: { code: `${token}-gone`, provider: 'ENV', value: 'FLOW_ROLES_NOT_SET' },
        });
        // No server has this name: tests of the connection reach nothing.
        const { id: connectionId } = await ask('createFlowConnection', '$input: CreateFlowConnectionInput!', {
            input: {
                code: connection,
                type: 'HTTP',
                settings: { baseUrl: 'https://crm.invalid', auth: { type: 'BEARER', secretCode } },
            },
        });
        const main = await publish(code, connection);
        const edited = { ...definitionOf(connection), throughput: { batchSize: 7 } };
        await ask('updateFlowPipeline', '$input: UpdateFlowPipelineInput!', {
            input: { id: main.id, version: main.version, definition: edited },
        });
        const parked = await publish(`${token}-parked`, connection);
        await ask('disableFlowPipeline', '$id: ID!', { id: parked.id });
        const archived = await publish(`${token}-archived`, connection);
        await ask('archiveFlowPipeline', '$id: ID!', { id: archived.id });
        const { id: runId } = await ask('startFlowPipelineRun', '$pipelineId: ID!', { pipelineId: main.id });
        await shop.ended(runId);
        const gated = await publish(`${token}-gated`, connection, gatedBefore('out', definitionOf(connection)));
        const { id: heldRunId } = await ask('startFlowPipelineRun', '$pipelineId: ID!', { pipelineId: gated.id });
        await until(
            () => shop.run(heldRunId),
            ({ status }) => status === 'PAUSED',
        );
        // The newest run, which is the pipeline's lastRun, is the dry run, since that has a report.
        const dry = await ask('dryRunFlowPipeline', '$pipelineId: ID!', { pipelineId: main.id });
        await shop.ended(dry.id);
        const { content } = await ask('exportFlowPipeline', '$id: ID!', { id: main.id });
        const { flowPipeline } = await client.query(
            gql`query Revision($id: ID!) { flowPipeline(id: $id) { revision { id } } }`,
            { id: main.id },
        );
        await loggedOf(shop, runId);
        await givenUpOf(shop, code);
        await correctedOf(shop, runId);
        await leftBehind(shop, code);
        await stillToBeMoved(shop, runId);
        const fileId = await uploaded(shop, token);
        const { createFlowFeed: served } = await client.query(gql`
            mutation Feed {
                createFlowFeed(input: { exportCode: "products", name: "Google" }) {
                    feed {
                        id
                    }
                }
            }
        `);
        return {
            code,
            pipelineId: main.id,
            revisionId: flowPipeline.revision.id as string,
            runId,
            dryRunId: dry.id,
            heldRunId,
            parkedId: parked.id,
            archivedId: archived.id,
            connectionId,
            connectionCode: connection,
            secretId: secret.id,
            secretCode,
            fileId,
            feedId: served.feed.id as string,
            document: other => content.replaceAll(`"${code}"`, `"${other}"`),
        };
    });
}

async function uploaded({ url, adminClient }: FlowServer, token: string): Promise<string> {
    const response = await fetch(`${url}/flow/upload`, {
        method: 'POST',
        body: JSON.stringify({ filename: 'prices.csv', content: Buffer.from('sku\nA-1\n').toString('base64') }),
        headers: {
            authorization: `Bearer ${adminClient.getAuthToken()}`,
            'vendure-token': token,
            'content-type': 'application/json',
        },
    });
    const { file } = (await response.json()) as { file: { id: string } };
    return file.id;
}

interface Steps {
    readonly version: number;
    readonly steps: ReadonlyArray<{ readonly key: string; readonly kind: string; readonly config: object }>;
    readonly edges: ReadonlyArray<{ readonly from: string; readonly to: string }>;
}

/** With a gate before one of its steps. */
function gatedBefore(key: string, { version, steps, edges }: Steps): Steps {
    return {
        version,
        steps: [...steps, { key: 'gate', kind: 'GATE', config: { approvalType: 'MANUAL' } }],
        edges: [...edges.map(edge => (edge.to === key ? { ...edge, to: 'gate' } : edge)), { from: 'gate', to: key }],
    };
}

function definitionOf(connection: string): Steps {
    return {
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'post', kind: 'TRIGGER', config: { type: 'WEBHOOK', authentication: 'NONE', enabled: false } },
            { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'caller', connectionCode: connection } },
            {
                key: 'check',
                kind: 'TRANSFORM',
                config: { operators: [{ op: 'validateRequired', args: { fields: ['value'] } }] },
            },
            { key: 'out', kind: 'LOAD', config: { adapterCode: 'relabel' } },
        ],
        edges: [
            { from: 'start', to: 'in' },
            { from: 'post', to: 'in' },
            { from: 'in', to: 'check' },
            { from: 'check', to: 'out' },
        ],
    };
}

/** An event that has started no run of the pipeline, and never will. */
async function givenUpOf({ dataSource }: FlowServer, code: string): Promise<void> {
    const pipeline = await dataSource.getRepository(FlowPipeline).findOneByOrFail({ code });
    await dataSource.getRepository(FlowEventTriggerOutbox).save({
        pipelineId: pipeline.id,
        revisionId: pipeline.selectedRevisionId!,
        triggerKey: 'start',
        channelId: pipeline.channelId,
        event: 'ProductEvent',
        occurrenceKey: `event:given-up-${code}`,
        seed: [],
        attempts: 25,
        lastError: 'The database was away.',
        dueAt: null,
    });
}

/** As if a user had replayed them with corrections. */
async function correctedOf({ dataSource }: FlowServer, runId: string): Promise<void> {
    const correction = JSON.stringify({ value: 'corrected' });
    await dataSource.query(
        `UPDATE flow_record_error SET correction = '${correction}' WHERE run_id = '${runId.replace('T_', '')}'`,
    );
}

/** The row that a completed run stores about its source if that is the changed rows of a table. */
async function leftBehind({ dataSource }: FlowServer, code: string): Promise<void> {
    const { id: pipelineId } = await dataSource.getRepository(FlowPipeline).findOneByOrFail({ code });
    const value = { from: { behind: ['2026-01-01 00:00:00', '7'] } };
    await dataSource
        .getRepository(FlowCheckpoint)
        .save({ pipelineId, scope: '', stepKey: 'in', key: 'completed', value });
}

/** A run's log is written after its end is visible. */
async function loggedOf(shop: FlowServer, runId: string): Promise<void> {
    await until(
        async () =>
            (
                await shop.adminClient.query(gql`query Logs($runId: ID!) { flowLogs(runId: $runId) { totalItems } }`, {
                    runId,
                })
            ).flowLogs.totalItems as number,
        count => count > 0,
    );
}

/** Everything that a rejected or misdirected call could change in the active channel. */
export const EVERYTHING = gql`query Everything {
    flowPipelines(options: { sort: { id: ASC } }) {
        totalItems items { id code name enabled archived status version updatedAt revision { id } workingCopy { definition updatedAt } }
    }
    flowPipelineRuns(options: { sort: { id: ASC } }) { totalItems items { id status updatedAt cancelRequestedAt } }
    flowConnections(options: { sort: { id: ASC } }) { totalItems items { id version updatedAt settings } }
    flowFiles(options: { sort: { id: ASC } }) { totalItems items { id updatedAt sha256 } }
    flowSecrets(options: { sort: { id: ASC } }) { totalItems items { id version updatedAt provider environmentVariable } }
}`;

/** A remote file that is to be moved in a year. */
async function stillToBeMoved({ dataSource }: FlowServer, runId: string): Promise<void> {
    const run = await dataSource.getRepository(FlowPipelineRun).findOneByOrFail({ id: runId.replace(/^T_/, '') });
    const { pipelineId, channelId, revisionId } = run;
    const action = new FlowRemoteAction({ pipelineId, channelId, revisionId, runId: run.id, stepKey: 'in' });
    action.action = { action: 'MOVE', file: { path: '/in/prices.csv' }, to: '/done/prices.csv' };
    action.dueAt = Date.now() + 365 * 86_400_000;
    await dataSource.getRepository(FlowRemoteAction).save(action);
}
