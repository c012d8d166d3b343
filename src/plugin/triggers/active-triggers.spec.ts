import { Logger, type TransactionalConnection } from '@vendure/core';
import type { DataSource } from 'typeorm';
import type { StepDefinition } from '../../core/pipeline/definition';
import type { JsonObject } from '../../core/value/json';
import { databaseOf } from '../../database/open-database';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { periodicsOf } from '../../../test/fixtures/periodic-jobs';
import { loggingInto, memoryShop } from '../../../test/fixtures/memory-shop';
import { setUp } from '../setup';
import { LoggedDatabase } from '../stores/logged-database';
import { ActiveTriggers } from './active-triggers';

let dataSource: DataSource;
let triggers: ActiveTriggers;
const statements: string[] = [];
const told: string[] = [];

const trigger = (key: string, config: JsonObject = {}, more: Partial<StepDefinition> = {}): StepDefinition => ({
    key,
    kind: 'TRIGGER',
    config: { type: 'MANUAL', ...config },
    ...more,
});

/** Another process of the same shop. */
function processOf(): ActiveTriggers {
    const database = new LoggedDatabase(databaseOf(dataSource), text => void statements.push(text));
    return new ActiveTriggers(
        { rawConnection: dataSource } as TransactionalConnection,
        database,
        setUp({}),
        periodicsOf(),
    );
}

let revisionNumber = 0;
async function publish(
    pipelineId: FlowPipeline['id'],
    steps: readonly StepDefinition[],
): Promise<FlowPipelineRevision> {
    const published = {
        pipelineId,
        number: ++revisionNumber,
        definition: { version: 1, steps },
        digest: '',
        publishedBy: 7,
    };
    const revision = await dataSource
        .getRepository(FlowPipelineRevision)
        .save(Object.assign(new FlowPipelineRevision(), published));
    await dataSource.getRepository(FlowPipeline).update({ id: pipelineId }, { selectedRevisionId: revision.id });
    return revision;
}

async function pipeline(code: string, ...steps: readonly StepDefinition[]): Promise<FlowPipeline> {
    const saved = await dataSource
        .getRepository(FlowPipeline)
        .save(new FlowPipeline({ code, name: code, channelId: 3, status: 'DRAFT' }));
    if (steps.length > 0) await publish(saved.id, steps);
    return saved;
}

const change = (id: FlowPipeline['id'], set: Partial<FlowPipeline>): Promise<unknown> =>
    dataSource.getRepository(FlowPipeline).update({ id }, set);

const names = (): readonly string[] => triggers.of('MANUAL').map(each => `${each.pipelineCode}.${each.stepKey}`);

beforeEach(async () => {
    statements.length = 0;
    told.length = 0;
    dataSource = await memoryShop();
    await dataSource.runMigrations();
    Logger.useLogger(loggingInto(told));
    triggers = processOf();
});
afterEach(() => dataSource.destroy());

describe('the triggers in force', () => {
    it('are the enabled ones of what is published of enabled pipelines that are not archived', async () => {
        const { id } = await pipeline(
            'on',
            trigger('start'),
            trigger('off', { enabled: false }),
            trigger('gone', {}, { disabled: true }),
        );
        await change((await pipeline('disabled', trigger('start'))).id, { enabled: false });
        await change((await pipeline('archived', trigger('start'))).id, { archived: true });
        await pipeline('never-published');
        expect(triggers.of('MANUAL')).toEqual([]);
        await triggers.refresh();
        const { selectedRevisionId: revisionId } = await dataSource.getRepository(FlowPipeline).findOneByOrFail({ id });
        expect(triggers.of('MANUAL')).toEqual([
            {
                pipelineId: id,
                pipelineCode: 'on',
                channelId: 3,
                revisionId,
                publishedAt: expect.any(Date) as Date,
                publishedBy: 7,
                stepKey: 'start',
                config: { enabled: true },
            },
        ]);
        expect(triggers.of('EVENT')).toEqual([]);
    });

    it('are those of the revision that is selected, from the next look on', async () => {
        const { id } = await pipeline('stock', trigger('first'));
        await triggers.refresh();
        const before = triggers.of('MANUAL');
        await publish(id, [trigger('second')]);
        expect(names()).toEqual(['stock.first']);
        await triggers.refresh();
        expect(names()).toEqual(['stock.second']);
        expect(before.map(({ stepKey }) => stepKey)).toEqual(['first']);
        await change(id, { enabled: false });
        await triggers.refresh();
        expect(names()).toEqual([]);
    });

    it('take one statement to look at, and one for each 20 revisions that have not been read yet', async () => {
        for (let i = 0; i < 45; i++) await pipeline(`p${i}`, trigger('start'));
        await triggers.refresh();
        expect(statements).toHaveLength(1 + 3);
        expect(names()).toHaveLength(45);
        await triggers.refresh();
        expect(statements).toHaveLength(5);
        await pipeline('one-more', trigger('start'));
        await triggers.refresh();
        expect(statements).toHaveLength(7);
        expect(statements.slice(-2).filter(text => text.includes('definition'))).toHaveLength(1);
    });

    it('are announced to listeners when they change, and only then', async () => {
        const heard: number[] = [];
        triggers.onChange(() => heard.push(triggers.of('MANUAL').length));
        await triggers.refresh();
        const { id } = await pipeline('stock', trigger('start'));
        await triggers.refresh();
        await triggers.refresh();
        await publish(id, [trigger('start'), trigger('again')]);
        await triggers.refresh();
        expect(heard).toEqual([1, 2]);
    });

    it('are those of after the call, also for who comes in the middle of a look', async () => {
        await pipeline('first', trigger('start'));
        const begun = triggers.refresh();
        await Promise.resolve();
        const saved = await pipeline('second', trigger('start'));
        await Promise.all([triggers.refresh(), triggers.refresh(), begun]);
        expect(names()).toEqual(['first.start', 'second.start']);
        await change(saved.id, { archived: true });
        await triggers.refresh();
        expect(names()).toEqual(['first.start']);
    });

    it('exclude those whose configuration their type does not allow, which is logged once', async () => {
        await pipeline('odd', trigger('start', { colour: 'green' }), trigger('good'));
        await triggers.refresh();
        await triggers.refresh();
        expect(names()).toEqual(['odd.good']);
        expect(told).toEqual([expect.stringMatching(/"start" .*revision \d+ .*: steps\.start\.config\.colour is /)]);
    });

    it('of the others are in force where a revision cannot be read', async () => {
        const { id } = await pipeline('spoilt', trigger('start'));
        await dataSource.query('UPDATE flow_pipeline_revision SET definition = ? WHERE pipeline_id = ?', ['{', id]);
        await pipeline('good', trigger('start'));
        await triggers.refresh();
        expect(names()).toEqual(['good.start']);
        expect(told).toEqual([expect.stringMatching(/revision \d+ .*: SyntaxError/)]);
    });

    it('stay as they were while the database does not answer', async () => {
        await pipeline('stock', trigger('start'));
        await triggers.refresh();
        await dataSource.query('ALTER TABLE flow_pipeline RENAME TO away');
        await expect(triggers.refresh()).rejects.toMatchObject({ code: 'DATABASE_REFUSED' });
        expect(names()).toEqual(['stock.start']);
        await dataSource.query('ALTER TABLE away RENAME TO flow_pipeline');
        await pipeline('more', trigger('start'));
        await triggers.refresh();
        expect(names()).toEqual(['stock.start', 'more.start']);
    });
});
