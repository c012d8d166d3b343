import { said } from '../../../test/kit/said';
import { extractors } from '../../adapters';
import { Registry } from '../../core/adapter/registry';
import type { JsonObject } from '../../core/value/json';
import type { Issue } from '../../core/pipeline/issues';
import { atOnce } from '../../core/work/work';
import { definitionReferences } from './definition-references';
import type { KnownFile } from './known-codes';
import { ReferenceJudge } from './reference-judgement';

const registry = Registry.of(extractors);
const NOW = new Date('2026-11-22T12:00:00Z');
const path = 'steps[0].config.fileId';

/** What is said of a step that reads a file. */
function told(config: JsonObject, file: Partial<KnownFile>): readonly Issue[] {
    const known: KnownFile = { id: 7, filename: 'a', format: 'csv', expiresAt: null, ...file };
    const nothing = () => undefined;
    const found = { connections: nothing, secrets: nothing, files: () => known, now: NOW };
    const definition = { steps: [{ key: 'in', kind: 'EXTRACT', config: { fileId: '7', ...config } }] };
    const all = [{ channelId: 1, references: definitionReferences(definition, registry) }];
    const [issues] = atOnce(new ReferenceJudge(registry, found).issues(all, () => () => ''));
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
        ['csv', 'xlsx', 'csv and txt', 'xlsx'],
        ['xlsx', 'csv', 'xlsx', 'csv'],
        ['xml', 'json', 'xml', 'json'],
        ['json', 'txt', 'json', 'csv'],
    ])('is a fault where %s cannot read a file of format %s', (adapterCode, format, reads, extractor) => {
        const values = { path, value: '7', file: 'a', format, reads, extractor };
        expect(told({ adapterCode }, { format })).toEqual([
            { code: 'FILE_TYPE_MISMATCH', path, stepKey: 'in', message: said('file-of-another-format', values) },
        ]);
    });

    it('is a fault where nothing reads it, and expired or not is told beside it', () => {
        const message = said('file-of-no-readable-format', { path, value: '7', file: 'a', format: 'xls' });
        const expiresAt = new Date(NOW.getTime() - 1);
        expect(told({ adapterCode: 'xlsx' }, { format: 'xls', expiresAt })).toMatchObject([
            { code: 'FILE_TYPE_MISMATCH', message },
            { code: 'FILE_EXPIRED', severity: 'WARNING' },
        ]);
    });

    it('is warned of before it expires, with the time and how it is kept', () => {
        const expiresAt = new Date('2026-11-23T12:00:00Z');
        const message = said('file-expires', { path, value: '7', file: 'a', at: expiresAt.toISOString() });
        expect(told({ adapterCode: 'csv' }, { expiresAt })).toEqual([
            { code: 'FILE_EXPIRES', path, stepKey: 'in', message, severity: 'WARNING' },
        ]);
    });
});
