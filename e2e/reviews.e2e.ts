import gql from 'graphql-tag';
import { FlowPlugin, type JsonObject } from '../src';
import { naming } from '../test/kit/naming';
import { makeAdministrator } from './config/administrators';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';
import { as, errorOf } from './fixtures/authoring-api';
import { onOneDatabase } from './config/matrix';
import { connectionsOf } from './fixtures/resource-api';
import { ftpReceiver, httpReceiver } from './fixtures/secret-receivers';

const plugin = FlowPlugin.init({
    publishing: { requireReview: true },
    security: { allowedHostnames: ['127.0.0.1'] },
});

const definition = {
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'generator', count: 3, template: { n: '{{index}}' } } },
    ],
    edges: [{ from: 'start', to: 'in' }],
};
const PERMISSIONS = [
    'ReadFlowPipeline',
    'CreateFlowPipeline',
    'UpdateFlowPipeline',
    'ReviewFlowPipeline',
    'PublishFlowPipeline',
    'RunFlowPipeline',
];
/** The reason why a pipeline that was not submitted cannot be published. */
const unsubmitted = expect.stringMatching(naming('submitted', 'publishing.requireReview')) as string;

function fourEyes(database: Database): void {
    let shop: FlowServer;
    let ann: ReturnType<typeof as>;
    let superadmin: ReturnType<typeof as>;

    beforeAll(async () => {
        shop = await flowServer(database, plugin);
        superadmin = as(shop.adminClient);
        ann = as(await makeAdministrator(shop, { name: 'ann', permissions: PERMISSIONS }));
    });
    afterAll(() => shop?.destroy());

    it('publishes what was submitted, by another user than the one who submitted it', async () => {
        const submitted = await ann.submit(await ann.create({ code: 'by-ann', definition }));
        expect(await superadmin.publish(submitted)).toMatchObject({ status: 'DRAFT', revision: { number: 1 } });
        const [revision] = await superadmin.revisions(submitted);
        expect(revision).toMatchObject({
            submittedBy: { identifier: 'ann@shop.test' },
            publishedBy: { identifier: 'superadmin' },
        });
    });

    it('tests unreviewed changes only at saved connections, even for the superadmin', async () => {
        const server = await httpReceiver();
        const login = await ftpReceiver();
        const tested = async (config: JsonObject): Promise<unknown> => {
            const steps = [definition.steps[0]!, { key: 'read', kind: 'EXTRACT', config }];
            const tried = {
                version: 1,
                steps,
                edges: [{ from: 'start', to: 'read' }],
                errorHandling: { maxRetries: 0 },
            };
            const answer = await shop.adminClient.query(
                gql`
                    mutation Test($input: TestFlowStepInput!) {
                        testFlowStep(input: $input) {
                            error {
                                code
                            }
                        }
                    }
                `,
                { input: { definition: tried, stepKey: 'read' } },
            );
            return answer.testFlowStep.error;
        };
        const blocked = { code: 'OUTBOUND_BLOCKED' };
        expect(await tested({ adapterCode: 'httpApi', url: `${server.url}/stock` })).toMatchObject(blocked);
        const ftp = { adapterCode: 'ftp', protocol: 'ftp', host: '127.0.0.1', port: login.port, remotePath: '/' };
        expect(await tested(ftp)).toMatchObject(blocked);
        expect([server.received(), login.received()]).toEqual(['', '']);
        const { create } = connectionsOf(shop.adminClient);
        await create({ code: 'api', type: 'REST', settings: { baseUrl: server.url } });
        await create({ code: 'files', type: 'FTP', settings: { host: '127.0.0.1', port: login.port } });
        expect(await tested({ adapterCode: 'httpApi', connectionCode: 'api', url: '/stock' })).toBeNull();
        expect(await tested({ adapterCode: 'ftp', connectionCode: 'files', remotePath: '/' })).not.toMatchObject(
            blocked,
        );
        expect(login.received()).toContain('USER');
        await server.close();
        await login.close();
    });

    it('rejects what was not submitted, and the user who submitted it, even the superadmin', async () => {
        const draft = await superadmin.create({ code: 'by-superadmin', definition });
        expect(await errorOf(superadmin.publish(draft))).toMatchObject({
            code: 'PIPELINE_STATE_CONFLICT',
            facts: { code: 'by-superadmin', action: 'published', problem: unsubmitted },
        });
        const submitted = await superadmin.submit(draft);
        expect(await errorOf(superadmin.publish(submitted))).toMatchObject({
            code: 'PIPELINE_STATE_CONFLICT',
            facts: {
                code: 'by-superadmin',
                action: 'published',
                problem: expect.stringMatching(naming('submitter', 'publishing.requireReview')) as string,
            },
        });
        expect(await superadmin.read(draft)).toEqual(submitted);
    });

    it('requires another review for changes after the first one', async () => {
        const submitted = await superadmin.submit(await superadmin.create({ code: 'edited', definition }));
        const edited = await ann.update(submitted, { definition: { ...definition, throughput: { batchSize: 7 } } });
        expect(await errorOf(superadmin.publish(edited))).toMatchObject({
            code: 'PIPELINE_STATE_CONFLICT',
            facts: { code: 'edited', action: 'published', problem: unsubmitted },
        });
        const again = await ann.submit(edited);
        expect(await errorOf(ann.publish(again))).toMatchObject({ code: 'PIPELINE_STATE_CONFLICT' });
        expect(await superadmin.publish(again)).toMatchObject({ revision: { number: 1 } });
    });
}

onOneDatabase('publishing with reviews', fourEyes);
