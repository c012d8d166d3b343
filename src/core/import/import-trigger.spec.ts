import { setUp } from '../../plugin/setup';
import { isErrorIssue } from '../pipeline/issues';
import { checkDefinition } from '../pipeline/parse';
import { compileRepeatedImport, type ImportTrigger, importTriggerProblem } from './import-trigger';
import { PRICE_LIST, PRODUCT_EXPORT } from '../../../test/fixtures/import-plans';

const CONTEXT = { connections: { nightly: 'SFTP', bucket: 'OBJECT_STORAGE' } };
const NIGHT = '0 3 * * *';
const folder = (connectionCode: string, pattern = 'preise*.csv'): ImportTrigger => ({
    cron: NIGHT,
    timezone: 'Europe/Berlin',
    folder: { connectionCode, path: '/incoming/', pattern },
});

function configsOf(trigger: ImportTrigger, plan = PRICE_LIST) {
    const definition = compileRepeatedImport(plan, trigger, CONTEXT);
    const { issues } = checkDefinition(definition, setUp({}).registry);
    expect(issues.filter(isErrorIssue)).toEqual([]);
    return {
        edges: definition.edges,
        configs: Object.fromEntries(definition.steps.map(({ key, config }) => [key, config])),
    };
}

describe('the trigger of an import', () => {
    it('reads the files of a folder at a time of day, and can still be started manually', () => {
        const { configs, edges } = configsOf(folder('nightly'));
        expect(configs['start']).toEqual({ type: 'MANUAL' });
        expect(configs['schedule']).toEqual({ type: 'SCHEDULE', cron: NIGHT, timezone: 'Europe/Berlin' });
        expect(configs['file']).toMatchObject({
            adapterCode: 'ftp',
            connectionCode: 'nightly',
            remotePath: '/incoming',
            filePattern: 'preise*.csv',
        });
        expect(edges).toEqual(
            expect.arrayContaining([
                { from: 'start', to: 'file' },
                { from: 'schedule', to: 'file' },
            ]),
        );
    });

    it('reads object storage by the beginning and the end of names', () => {
        const trigger: ImportTrigger = {
            cron: NIGHT,
            folder: { connectionCode: 'bucket', path: 'in', pattern: 'p-*.csv' },
        };
        expect(configsOf(trigger).configs['file']).toMatchObject({
            adapterCode: 'objectStorage',
            prefix: 'in/p-',
            suffix: '.csv',
        });
        expect(importTriggerProblem(PRICE_LIST, folder('bucket', 'a*b*.csv'), CONTEXT)?.message).toContain('a*b*.csv');
    });

    it('reads an address again', () => {
        const plan = { ...PRICE_LIST, source: { kind: 'URL', url: 'https://shop.example/prices.csv' } } as const;
        expect(importTriggerProblem(plan, { cron: NIGHT }, CONTEXT)).toBeUndefined();
        expect(configsOf({ cron: NIGHT }, plan).configs['file']).toEqual({
            adapterCode: 'httpApi',
            url: 'https://shop.example/prices.csv',
            format: 'CSV',
            delimiter: ';',
            csv: { encoding: 'windows-1252', headerRow: 2, trim: true },
        });
    });

    it('joins rows of files to products, but not rows of an address', () => {
        for (const code of ['nightly', 'bucket'])
            expect(configsOf(folder(code), PRODUCT_EXPORT).configs['file']).toMatchObject({
                groupBy: expect.anything(),
            });
        const address = { kind: 'URL', url: 'https://shop.example/products.csv' } as const;
        expect(
            importTriggerProblem({ ...PRODUCT_EXPORT, source: address }, { cron: NIGHT }, CONTEXT)?.message,
        ).toContain('joined');
        const facts = { ...PRICE_LIST.facts, format: 'XLSX' as const };
        expect(
            importTriggerProblem({ ...PRICE_LIST, facts, source: address }, { cron: NIGHT }, CONTEXT)?.message,
        ).toContain('Excel');
    });

    it('needs a source that can have other content, and a connection that exists', () => {
        expect(importTriggerProblem(PRICE_LIST, { cron: NIGHT }, CONTEXT)?.message).toContain('folder');
        expect(importTriggerProblem(PRICE_LIST, folder('unknown'), CONTEXT)?.message).toContain('"unknown"');
        expect(importTriggerProblem(PRICE_LIST, folder('nightly', ''), CONTEXT)?.message).toContain('pattern');
    });
});
