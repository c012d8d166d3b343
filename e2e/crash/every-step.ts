import type { JsonObject } from '../../src';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { as, type PipelineAnswer } from '../fixtures/authoring-api';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';
import type { CrashBench } from './crash-bench';

/** The pipeline with every kind of step and source, and the one that its hooks start. */
export const EVERY_STEP = 'every-step';
const STARTED = 'every-step-started';
const CONNECTION = 'every-step-api';
const KEY = 'every-step-secret';
/** The path of the notification that a gate waits. */
export const GATE_PATH = '/gate';
const PRODUCTS = 6;
const CUSTOMERS = 3;
const SLOW_MS = 1_200;

/** A request that a run sent to the other system. */
export interface Delivered {
    readonly path: string;
    /** Stays the same when the request is repeated. */
    readonly id: string;
    readonly body: string;
}

/** The shop's pipelines for a test of every statement, and the other system that they read and write. */
export class EveryStep {
    readonly delivered: Delivered[] = [];
    private pipeline: PipelineAnswer | undefined;
    private readonly server: Server;
    /** The names of the next run's records, and of the loaded ones. */
    private names = { now: '', loaded: 'nothing' };

    constructor(private readonly bench: CrashBench) {
        this.server = createServer((request, response) => {
            void textOf(request).then(async body => {
                const path = request.url ?? '';
                const isRead = request.method === 'GET';
                // Slow enough that the worker renews its lease meanwhile.
                if (isRead) await sleep(SLOW_MS);
                else this.delivered.push({ path, id: idOf(request), body });
                response.writeHead(200, { 'content-type': 'application/json' });
                response.end(JSON.stringify(isRead ? { customers: customersOf(this.names.now) } : {}));
            });
        });
    }

    /** Creates the pipelines, the connection and its secret, which only workers that boot later can read. */
    async open(): Promise<void> {
        await new Promise<void>(done => this.server.listen(0, '127.0.0.1', done));
        const baseUrl = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
        const { adminClient } = this.bench.shop;
        const auth = { type: 'API_KEY', headerName: 'X-Api-Key', secretCode: 'every-step-key' };
        await makeSecret(adminClient, 'every-step-key', KEY);
        await connectionsOf(adminClient).create({ code: CONNECTION, type: 'REST', settings: { baseUrl, auth } });
        const author = as(adminClient);
        await author.publish(await author.create({ code: STARTED, definition: started }));
        this.pipeline = await author.create({ code: EVERY_STEP, definition: definitionOf('none', 'none', 'none') });
    }

    async close(): Promise<void> {
        await new Promise(done => {
            this.server.close(done);
            this.server.closeAllConnections();
        });
    }

    /** Publishes a revision that reads records with this name from a new file. The loaded ones are missing from it. */
    async publish(name: string, isLoaded: boolean): Promise<void> {
        const { loaded } = this.names;
        this.names = { now: name, loaded: isLoaded ? name : loaded };
        this.delivered.length = 0;
        const fileId = await this.upload(name);
        const author = as(this.bench.shop.adminClient);
        const definition = definitionOf(fileId, name, loaded);
        this.pipeline = await author.publish(await author.update(this.pipeline!, { definition }));
    }

    /** The names of the export's files that users see. */
    async exportedFiles(): Promise<readonly string[]> {
        const files = await this.bench.database.rows<{ filename: string }>(
            `SELECT filename FROM flow_managed_file WHERE export_code = 'every-step' AND removed_at IS NULL`,
        );
        return files.map(({ filename }) => filename);
    }

    /** The content of the newest file that the pipeline exported. */
    async exported(): Promise<string> {
        const { shop, database } = this.bench;
        const [file] = await database.rows<{ id: unknown }>(
            `SELECT max(id) AS id FROM flow_managed_file WHERE export_code = 'every-step' AND removed_at IS NULL`,
        );
        const response = await fetch(`${shop.url}/flow/files/${String(file?.id)}/download`, { headers: this.headers });
        return response.ok ? response.text() : `answered with ${response.status}`;
    }

    private get headers(): Record<string, string> {
        const { shop } = this.bench;
        return {
            authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
            'vendure-token': shop.channelToken,
        };
    }

    private async upload(name: string): Promise<string> {
        const { shop } = this.bench;
        const form = new FormData();
        form.set('file', new File([productsOf(name)], `${name}.csv`));
        const { headers } = this;
        const response = await fetch(`${shop.url}/flow/upload`, { method: 'POST', headers, body: form });
        const { file } = (await response.json()) as { file?: { id: string } };
        if (!file) throw new Error(`The upload was answered with ${response.status}`);
        return file.id;
    }
}

async function textOf(request: IncomingMessage): Promise<string> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    return text;
}

function idOf({ headers }: IncomingMessage): string {
    if (headers['x-api-key'] !== KEY) return 'unauthorized';
    return String(headers['x-flow-id'] ?? headers['idempotency-key'] ?? '');
}

function productsOf(name: string): string {
    const rows = Array.from({ length: PRODUCTS }, (_, i) =>
        [`${name}-${i}`, `Product ${name} ${i}`, String(i === 1 ? -1 : 10 + i), String(i % 2 ? 'shoe' : 'lamp')].join(),
    );
    return ['sku,name,price,kind', ...rows, ''].join('\n');
}

function customersOf(name: string): readonly JsonObject[] {
    return Array.from({ length: CUSTOMERS }, (_, i) => ({
        emailAddress: `${name}-${i}@example.com`,
        firstName: 'Anna',
        lastName: `Lund ${name}`,
    }));
}

type Step = readonly [key: string, kind: string, config: JsonObject];

function steps(list: readonly Step[]): readonly JsonObject[] {
    return list.map(([key, kind, config]) => ({ key, kind, config }));
}

/** Edges along each line of step keys. `route:branch` names a branch. */
function edges(lines: readonly string[]): readonly JsonObject[] {
    const all = lines.flatMap(line => {
        const keys = line.split(' ');
        return keys.slice(1).map((to, i) => [keys[i]!, to.split(':')[0]!] as const);
    });
    return [...new Set(all.map(pair => pair.join(' ')))].map(pair => {
        const [from = '', to = ''] = pair.split(' ');
        const [key = '', branch] = from.split(':');
        return { from: key, to, ...(branch !== undefined && { branch }) };
    });
}

/** Writes a tag for each record that it receives. */
const started = {
    version: 1,
    steps: steps([
        ['start', 'TRIGGER', { type: 'MANUAL' }],
        ['in', 'EXTRACT', { adapterCode: 'inMemory', data: [] }],
        [
            'name',
            'TRANSFORM',
            { operators: [{ op: 'template', args: { template: 'told-${name}${stage}', target: 'sku' } }] },
        ],
        ['tags', 'LOAD', { adapterCode: 'appendTags' }],
    ]),
    edges: edges(['start in name tags']),
};

function definitionOf(fileId: string, name: string, loaded: string): JsonObject {
    const start = { type: 'TRIGGER_PIPELINE', pipelineCode: STARTED };
    const tell = { type: 'WEBHOOK', connectionCode: CONNECTION, path: 'told' };
    return {
        version: 1,
        throughput: { batchSize: 3 },
        hooks: {
            RUN_STARTED: [{ type: 'LOG', message: 'The run begins' }],
            AFTER_VALIDATE: [{ type: 'INTERCEPTOR', code: 'return records;' }, start],
            ON_RECORD_ERROR: [start],
            RUN_PAUSED: [tell],
            RUN_COMPLETED: [tell, start],
        },
        steps: steps([
            ['start', 'TRIGGER', { type: 'MANUAL' }],
            ['file', 'EXTRACT', { adapterCode: 'csv', fileId }],
            [
                'price',
                'TRANSFORM',
                {
                    operators: [
                        { op: 'toNumber', args: { source: 'price', target: 'price' } },
                        { op: 'deltaFilter', args: { idPath: 'sku' } },
                    ],
                },
            ],
            [
                'check',
                'VALIDATE',
                {
                    rules: [
                        { type: 'range', spec: { field: 'price', min: 0 } },
                        { type: 'unique', spec: { field: 'sku' } },
                    ],
                },
            ],
            ['kinds', 'ROUTE', { branches: [{ name: 'lamps', when: [{ field: 'kind', value: 'lamp' }] }] }],
            [
                'lamps',
                'TRANSFORM',
                { operators: [{ op: 'set', args: { path: 'facetValues', value: [`kind-${name}:lamp`] } }] },
            ],
            [
                'products',
                'LOAD',
                {
                    adapterCode: 'productUpsert',
                    createMissingFacetValues: true,
                    history: true,
                    missing: { action: 'DISABLE', maxShare: 1 },
                },
            ],
            ['stock', 'LOAD', { adapterCode: 'stockAdjust', mode: 'ADD', stockField: 'price' }],
            [
                'wait',
                'GATE',
                {
                    approvalType: 'TIMEOUT',
                    timeoutSeconds: 1,
                    notifyWebhook: { connectionCode: CONNECTION, path: GATE_PATH },
                },
            ],
            ['tags', 'LOAD', { adapterCode: 'appendTags' }],
            [
                'api',
                'EXTRACT',
                {
                    adapterCode: 'httpApi',
                    connectionCode: CONNECTION,
                    url: 'customers',
                    dataPath: 'customers',
                    incremental: { param: 'since' },
                },
            ],
            ['customers', 'LOAD', { adapterCode: 'customerUpsert' }],
            [
                'shop',
                'EXTRACT',
                {
                    adapterCode: 'platformQuery',
                    entity: 'PRODUCT_VARIANT',
                    relations: ['facetValues'],
                    filters: [{ field: 'sku', operator: 'like', value: `${loaded}-%` }],
                    sortBy: 'sku',
                    includeFields: ['sku', 'price', 'facetValues'],
                },
            ],
            ['pick', 'TRANSFORM', { operators: [{ op: 'pick', args: { fields: ['sku', 'price'] } }] }],
            [
                'post',
                'LOAD',
                { adapterCode: 'restPost', connectionCode: CONNECTION, endpoint: 'posted', idField: 'sku' },
            ],
            ['export', 'SINK', { adapterCode: 'fileExport', format: 'CSV', exportCode: 'every-step' }],
            [
                'memory',
                'EXTRACT',
                { adapterCode: 'inMemory', data: [{ name: `Sale ${name}`, slug: `sale-${name}`, position: 1 }] },
            ],
            [
                'promotion',
                'TRANSFORM',
                {
                    operators: [
                        {
                            op: 'set',
                            args: {
                                path: 'actions',
                                value: [{ code: 'order_percentage_discount', args: { discount: 10 } }],
                            },
                        },
                        { op: 'set', args: { path: 'couponCode', value: name } },
                    ],
                },
            ],
            ['promotions', 'LOAD', { adapterCode: 'promotionUpsert' }],
            ['collections', 'LOAD', { adapterCode: 'collectionUpsert' }],
        ]),
        edges: edges([
            'start file price check kinds:lamps lamps products stock wait tags',
            'kinds:default products',
            'start api customers',
            'start shop pick post',
            'pick export',
            'start memory promotion promotions',
            'memory collections',
        ]),
    };
}
