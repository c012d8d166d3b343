import gql from 'graphql-tag';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src';
import { builtinTemplates } from '../../src/core/templates/builtin-templates';
import { ApiServer } from '../../test/kit/api-plays';
import { scratchFolder } from '../../test/servers/process';
import { startSftp } from '../../test/servers/sftp-server';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';
import { makeSecret } from '../fixtures/resource-api';

interface Offered {
    readonly code: string;
    readonly group: string;
    readonly title: string;
    readonly definition: JsonObject & {
        readonly steps: ReadonlyArray<{ readonly key: string; readonly config: JsonObject }>;
    };
    readonly sample: readonly JsonObject[];
    readonly connections: ReadonlyArray<{ readonly code: string; readonly types: readonly string[] }>;
    readonly secrets: readonly string[];
}

const OFFERED = gql`
    {
        flowPipelineTemplates {
            code
            group
            title
            definition
            sample
            connections {
                code
                types
            }
            secrets
        }
    }
`;

function templates(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let offered: readonly Offered[];
    beforeAll(async () => {
        shop = await open();
        offered = (await shop.adminClient.query(OFFERED)).flowPipelineTemplates as readonly Offered[];
    });

    const template = (code: string): Offered => offered.find(one => one.code === code)!;
    /** The definition of a template, with other settings in one of its steps. */
    const changed = (code: string, stepKey: string, config: JsonObject): JsonObject => {
        const { definition } = template(code);
        const steps = definition.steps.map(step =>
            step.key === stepKey ? { ...step, config: { ...step.config, ...config } } : step,
        );
        return { ...definition, steps };
    };
    const published = async (code: string, definition: JsonObject): Promise<string> => {
        const pipelines = as(shop.adminClient);
        const made = await pipelines.create({ code, definition });
        expect(made.workingCopy?.issues).toEqual([]);
        await pipelines.publish(made);
        return made.id;
    };

    it('are all offered, with sample data', () => {
        expect(offered.map(({ code }) => code)).toEqual(builtinTemplates.map(({ code }) => code));
        expect(offered.filter(({ sample }) => sample.length === 0)).toEqual([]);
        expect(template('nightly-stock')).toMatchObject({
            group: 'SYNC',
            connections: [{ code: 'supplier-sftp', types: expect.arrayContaining(['SFTP']) }],
            secrets: [],
        });
    });

    it('become pipelines that lack nothing but their connections and secrets', async () => {
        for (const { code, definition, connections, secrets } of offered) {
            const made = await as(shop.adminClient).create({ code: `of-${code}`, definition });
            const issues = made.workingCopy?.issues.map(issue => issue.code) ?? [];
            const others = issues.filter(issue => !['CONNECTION_NOT_FOUND', 'SECRET_NOT_FOUND'].includes(issue));
            expect({ code, others }).toEqual({ code, others: [] });
            expect(issues.length > 0).toBe(connections.length + secrets.length > 0);
        }
    });

    it('that run every night are active as soon as they are published', async () => {
        const id = await published('nightly-prices', template('prices-and-stock').definition);
        const { flowPipeline } = await shop.adminClient.query(
            gql`
                query Triggers($id: ID!) {
                    flowPipeline(id: $id) {
                        enabled
                        revision {
                            triggers {
                                type
                                enabled
                                text
                            }
                        }
                    }
                }
            `,
            { id },
        );
        expect(flowPipeline).toEqual({
            enabled: true,
            revision: {
                triggers: [
                    { type: 'MANUAL', enabled: true, text: 'by hand' },
                    { type: 'SCHEDULE', enabled: true, text: 'daily at 03:00' },
                ],
            },
        });
    });

    describe('with products in the shop', () => {
        beforeAll(async () => {
            const id = await published('lamps-of-a-price-list', template('price-list').definition);
            expect(id).toBeDefined();
            expect(await shop.perform('lamps-of-a-price-list')).toMatchObject({
                status: 'COMPLETED',
                outcome: 'SUCCESS',
                recordsLoaded: 3,
            });
        });

        it('upload a CSV file of products to an SFTP server', async () => {
            const folder = scratchFolder();
            mkdirSync(join(folder, 'in/products'), { recursive: true });
            const server = await startSftp({ folder });
            await makeSecret(shop.adminClient, 'partner-password', 'secret', '127.0.0.1');
            await shop.adminClient.query(
                gql`
                    mutation Connect($input: CreateFlowConnectionInput!) {
                        createFlowConnection(input: $input) {
                            id
                        }
                    }
                `,
                {
                    input: {
                        code: 'partner-sftp',
                        name: 'Partner',
                        type: 'SFTP',
                        settings: {
                            host: '127.0.0.1',
                            port: server.port,
                            username: 'shop',
                            passwordSecretCode: 'partner-password',
                        },
                    },
                },
            );
            await published('products-to-sftp', template('products-to-sftp').definition);
            expect(await shop.perform('products-to-sftp')).toMatchObject({ status: 'COMPLETED', recordsRejected: 0 });
            const [name] = readdirSync(join(folder, 'in/products'));
            expect(name).toMatch(/^products-\d{4}-\d{2}-\d{2}\.csv$/);
            const lines = readFileSync(join(folder, 'in/products', name!), 'utf8')
                .trim()
                .split(/\r?\n/);
            expect(lines[0]).toBe('sku,name,product,slug,description,price,currency,stock,enabled');
            expect(lines).toContainEqual(
                expect.stringMatching(/^LA-2,Floor lamp,Floor lamp,floor-lamp,.*,129\.9,USD,3,true$/),
            );
            await server.close();
        });

        it('send products to a PIM', async () => {
            const posts: JsonObject[] = [];
            const receiver = await new ApiServer(({ body, headers }) => {
                posts.push(...(JSON.parse(body) as JsonObject[]));
                return headers['x-api-key'] === 'pim-key' ? { body: {} } : { status: 403 };
            }).listen();
            await makeSecret(shop.adminClient, 'pim-import-key', 'pim-key', '127.0.0.1');
            await published('pim-export', changed('pim-product-export', 'pim', { url: receiver.url }));
            expect(await shop.perform('pim-export')).toMatchObject({ status: 'COMPLETED', recordsRejected: 0 });
            expect(posts).toContainEqual(
                expect.objectContaining({
                    published: true,
                    variants: [{ sku: 'LA-2', price: 129.9, currencyCode: 'USD', stockQuantity: 3, enabled: true }],
                }),
            );
            await receiver.close();
        });
    });
}

export const templatesSuite: SharedSuite = { title: 'templates', tests: templates };
