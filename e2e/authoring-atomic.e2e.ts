import {
    EventBus,
    type ID,
    type RequestContext,
    RequestContextService,
    TransactionalConnection,
    User,
} from '@vendure/core';
import { FlowPlugin, isFlowError } from '../src';
import type { Database as Sql } from '../src/database/database';
import { databaseOf } from '../src/database/open-database';
import { Availability } from '../src/plugin/pipelines/availability';
import { DefinitionChecks } from '../src/plugin/pipelines/definition-check';
import { PipelineChanges } from '../src/plugin/pipelines/pipeline-changes';
import { Publications } from '../src/plugin/pipelines/publications';
import { PublishingRights } from '../src/plugin/pipelines/publishing-rights';
import { Reviews } from '../src/plugin/pipelines/reviews';
import { StoredChecks } from '../src/plugin/pipelines/stored-checks';
import { WorkingCopies } from '../src/plugin/pipelines/working-copies';
import type { FlowPipeline } from '../src/plugin/entities/pipeline';
import { Pipelines } from '../src/plugin/pipelines/pipelines';
import { SecretDestinations } from '../src/plugin/secrets/secret-destinations';
import { ProcessTaskQueue } from '../src/plugin/process-task-queue';
import { FLOW_SETUP } from '../src/plugin/tokens';
import { ActiveTriggers } from '../src/plugin/triggers/active-triggers';
import { brokenDatabase } from './config/broken-database';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';
import { onOneDatabase } from './config/matrix';

const plugin = FlowPlugin.init({});

const numbers = (count: number) => ({
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'generator', count, template: { n: '{{index}}' } } },
    ],
    edges: [{ from: 'start', to: 'in' }],
});

/** Everything that users do with pipelines, on a separate database. */
function desk(shop: FlowServer, database: Sql) {
    const get = <T>(token: unknown): T => shop.app.get(token as string);
    const connection = get<TransactionalConnection>(TransactionalConnection);
    const triggers = get<ActiveTriggers>(ActiveTriggers);
    const changes = new PipelineChanges(connection, get<Pipelines>(Pipelines), triggers, database);
    const taskQueue = get<ProcessTaskQueue>(ProcessTaskQueue);
    const stored = get<StoredChecks>(StoredChecks);
    const destinations = get<SecretDestinations>(SecretDestinations);
    const pipelines = get<Pipelines>(Pipelines);
    const copies = new WorkingCopies(connection, pipelines, changes, stored, taskQueue, destinations, get(FLOW_SETUP));
    const rights = get<PublishingRights>(PublishingRights);
    const checks = get<DefinitionChecks>(DefinitionChecks);
    return {
        copies,
        reviews: new Reviews(changes, copies, checks, taskQueue),
        publications: new Publications(
            connection,
            changes,
            copies,
            checks,
            stored,
            taskQueue,
            get(EventBus),
            rights,
            destinations,
            get(FLOW_SETUP),
        ),
        availability: new Availability(changes, connection, rights, destinations),
    };
}
type Desk = ReturnType<typeof desk>;

interface Act {
    readonly title: string;
    /** The pipelines that exist before it. */
    readonly given: readonly Step[];
    readonly act: Step;
}
type Step = (desk: Desk, ctx: RequestContext, pipeline: FlowPipeline) => Promise<FlowPipeline | void>;

const create: Step = ({ copies }, ctx) => copies.create(ctx, { code: 'atomic', definition: numbers(1) });
const edit: Step = ({ copies }, ctx, { id, version }) =>
    copies.update(ctx, { id, version, name: 'Edited', definition: numbers(2) });
const recode: Step = ({ copies }, ctx, { id, version }) => copies.update(ctx, { id, version, code: 'recoded' });
const remove: Step = ({ copies }, ctx, { id, version }) => copies.delete(ctx, { id, version });
const submit: Step = ({ reviews }, ctx, { id, version }) => reviews.submit(ctx, { id, version });
const reject: Step = ({ reviews }, ctx, { id, version }) => reviews.reject(ctx, { id, version, comment: 'No.' });
const publish: Step = ({ publications }, ctx, { id, version }) =>
    publications.publish(ctx, { id, version, message: 'Yes.' });
const archive: Step = ({ availability }, ctx, { id }) => availability.archive(ctx, id);

const acts: readonly Act[] = [
    { title: 'making it', given: [], act: create },
    { title: 'editing it', given: [create, submit], act: edit },
    { title: 'giving it another code', given: [create], act: recode },
    { title: 'deleting it', given: [create], act: remove },
    { title: 'submitting it', given: [create], act: submit },
    { title: 'sending it back', given: [create, submit], act: reject },
    { title: 'publishing it', given: [create, submit], act: publish },
    { title: 'publishing it again', given: [create, publish, edit], act: publish },
    { title: 'putting it away', given: [create, publish], act: archive },
];

function atomic(database: Database): void {
    let shop: FlowServer;
    let ctx: RequestContext;

    beforeAll(async () => {
        shop = await flowServer(database, plugin);
        const user = await shop.dataSource
            .getRepository(User)
            .findOneOrFail({ where: { identifier: 'superadmin' }, relations: { roles: { channels: true } } });
        ctx = await shop.app.get(RequestContextService).create({ apiType: 'admin', user });
    });
    afterAll(() => shop?.destroy());

    const TABLES = ['flow_pipeline', 'flow_working_copy', 'flow_pipeline_revision', 'flow_pipeline_event'] as const;
    const dump = async (): Promise<string> => {
        const rows: unknown[] = [];
        for (const table of TABLES) rows.push(await shop.dataSource.query(`SELECT * FROM ${table} ORDER BY 1`));
        return JSON.stringify(rows);
    };
    const empty = async (): Promise<void> => {
        for (const table of TABLES) await shop.dataSource.query(`DELETE FROM ${table}`);
    };

    it.each(acts)('$title is done completely or not at all, wherever it is interrupted', async ({ given, act }) => {
        await empty();
        const whole = databaseOf(shop.dataSource);
        const working = desk(shop, whole);
        let pipeline = { id: 0 as ID, version: 0 } as FlowPipeline;
        for (const step of given) pipeline = (await step(working, ctx, pipeline)) as FlowPipeline;
        const before = await dump();
        let cuts = 0;
        for (;;) {
            try {
                await act(desk(shop, brokenDatabase(whole, cuts + 1)), ctx, pipeline);
                break;
            } catch (error) {
                if (!isFlowError(error) || error.code !== 'DATABASE_LOST') throw error;
                cuts++;
                expect(await dump()).toBe(before);
            }
        }
        expect(cuts).toBeGreaterThan(3);
        expect(await dump()).not.toBe(before);
    });
}

onOneDatabase('a change of a pipeline', atomic);
