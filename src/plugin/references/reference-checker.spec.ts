import { textNaming } from '../../../test/kit/naming';
import { connections, extractors } from '../../adapters';
import { Registry } from '../../core/adapter/registry';
import type { JsonObject } from '../../core/value/json';
import type { StepDefinition } from '../../core/pipeline/definition';
import type { Issue } from '../../core/pipeline/issues';
import { hostProblemOf } from '../../io/outbound/host-problem';
import { runAtOnce } from '../../core/concurrency/yielding-task';
import { definitionReferences } from './definition-references';
import type { KnownFile, KnownPipeline } from './known-codes';
import { ReferenceChecker } from './reference-checker';
import { clause } from '../../core/errors/rendered';

const registry = Registry.of(extractors);
const NOW = new Date('2026-11-22T12:00:00Z');
const path = 'steps[0].config.fileId';

/** The issues of a step that reads a file. */
function told(config: JsonObject, file: Partial<KnownFile>): readonly Issue[] {
    const known: KnownFile = { id: 7, filename: 'a', format: 'csv', expiresAt: null, ...file };
    const nothing = () => undefined;
    const found = { connections: nothing, secrets: nothing, files: () => known, now: NOW };
    const definition = { steps: [{ key: 'in', kind: 'EXTRACT', config: { fileId: '7', ...config } }] };
    const all = [{ channelId: 1, references: definitionReferences(definition, registry) }];
    const [issues] = runAtOnce(new ReferenceChecker(registry, found).issues(all, () => () => clause``));
    return issues!;
}

describe('the file that a step names', () => {
    it.each([
        ['csv', 'csv'],
        ['csv', 'txt'],
        ['json', 'json'],
        ['xml', 'xml'],
        ['xlsx', 'xlsx'],
    ])('is sound where %s reads a file of format %s', (adapterCode, format) => {
        expect(told({ adapterCode }, { format })).toEqual([]);
    });

    it.each([
        ['csv', 'xlsx', 'csv, txt', 'xlsx'],
        ['xlsx', 'csv', 'xlsx', 'csv'],
        ['xml', 'json', 'xml', 'json'],
        ['json', 'txt', 'json', 'csv'],
    ])('is an issue if %s cannot read a file of format %s', (adapterCode, format, reads, extractor) => {
        const message = textNaming(
            path,
            '"7"',
            '"a"',
            `format is ${format};`,
            `extractor reads ${reads},`,
            `${extractor} reads ${format}`,
        );
        expect(told({ adapterCode }, { format })).toMatchObject([
            { code: 'FILE_TYPE_MISMATCH', path, stepKey: 'in', message },
        ]);
    });

    it('is an issue if no extractor can read it, in addition to the warning that it has expired', () => {
        const message = textNaming(path, '"7"', '"a"', 'format is xls,', '.xlsx');
        const expiresAt = new Date(NOW.getTime() - 1);
        expect(told({ adapterCode: 'xlsx' }, { format: 'xls', expiresAt })).toMatchObject([
            { code: 'FILE_TYPE_MISMATCH', message },
            { code: 'FILE_EXPIRED', severity: 'WARNING' },
        ]);
    });

    it('is warned of before it expires, with the time and how it is kept', () => {
        const expiresAt = new Date('2026-11-23T12:00:00Z');
        const message = textNaming(path, '"7"', '"a"', expiresAt.toISOString(), 'persistent: true');
        expect(told({ adapterCode: 'csv' }, { expiresAt })).toMatchObject([
            { code: 'FILE_EXPIRES', path, stepKey: 'in', message, severity: 'WARNING' },
        ]);
    });
});

describe('the connection that a step names', () => {
    const types = Registry.of([...extractors, ...connections]);
    const judged = (settings: JsonObject): readonly Issue[] => {
        const row = { id: 1, code: 'erp', type: 'REST', enabled: true, settings };
        const nothing = () => undefined;
        const found = { connections: () => row, secrets: nothing, files: nothing, now: NOW };
        const config = { adapterCode: 'httpApi', connectionCode: 'erp', url: '/products' };
        const definition = { steps: [{ key: 'in', kind: 'EXTRACT' as const, config }] };
        const all = [{ channelId: 1, references: definitionReferences(definition, types) }];
        const hostProblem = hostProblemOf({ allowedHostnames: ['10.0.0.7'], allowedPorts: [] });
        const [issues] = runAtOnce(new ReferenceChecker(types, found, hostProblem).issues(all, () => () => clause``));
        return issues!;
    };

    it.each(['https://erp.example.com', 'http://10.0.0.7/api'])('may lead to %s', baseUrl =>
        expect(judged({ baseUrl })).toEqual([]),
    );

    it.each(['http://169.254.169.254/latest', 'http://localhost/', 'http://10.0.0.8/'])(
        'is an issue if it leads to %s, which must not be requested',
        baseUrl => {
            expect(judged({ baseUrl })).toMatchObject([
                {
                    code: 'CONFIG_INVALID',
                    path: 'steps[0].config.connectionCode',
                    message: expect.stringContaining(`settings.baseUrl is "${baseUrl}"`),
                },
            ]);
        },
    );
});

describe('the pipeline that a hook starts', () => {
    const place = 'hooks.RUN_COMPLETED[0].pipelineCode';
    const manual: StepDefinition = { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } };
    const started = (pipeline: KnownPipeline | undefined): readonly Issue[] => {
        const nothing = () => undefined;
        const found = { connections: nothing, secrets: nothing, files: nothing, pipelines: () => pipeline, now: NOW };
        const hooks = { RUN_COMPLETED: [{ type: 'TRIGGER_PIPELINE', pipelineCode: 'next' }] };
        const all = [{ channelId: 1, references: definitionReferences({ steps: [], hooks }, registry) }];
        const [issues] = runAtOnce(new ReferenceChecker(registry, found).issues(all, () => () => clause`a hint`));
        return issues!;
    };
    const known = (...steps: readonly StepDefinition[]): KnownPipeline => ({
        enabled: true,
        archived: false,
        definition: { steps },
    });
    const warning = (code: string) => ({ code, path: place, severity: 'WARNING' });

    it('is sound where it is published, enabled and has one MANUAL trigger', () => {
        const scheduled: StepDefinition = { key: 'clock', kind: 'TRIGGER', config: { type: 'SCHEDULE' } };
        expect(started(known(manual, scheduled))).toEqual([]);
    });

    it('is a warning with a hint where the channel has none of this code', () => {
        const message = textNaming(place, '"next"', 'a hint');
        expect(started(undefined)).toMatchObject([{ ...warning('PIPELINE_NOT_FOUND'), message }]);
    });

    it.each<[string, KnownPipeline]>([
        ['archived', { ...known(manual), archived: true }],
        ['disabled', { ...known(manual), enabled: false }],
        ['no published revision', { enabled: true, archived: false }],
        ['no enabled MANUAL trigger', known()],
        ['no enabled MANUAL trigger', known({ ...manual, disabled: true })],
        ['2 enabled MANUAL triggers', known(manual, { ...manual, key: 'again' })],
    ])('is a warning where it is or has %s', (problem, pipeline) => {
        const message = textNaming(place, '"next"', problem);
        expect(started(pipeline)).toMatchObject([{ ...warning('PIPELINE_NOT_RUNNABLE'), message }]);
    });
});
