import { withRealEnumValues } from '../../core/pipeline/enum-aliases';
import type { JsonObject } from '../../core/value/json';
import { exportConfig } from '../sinks/export-config';
import { csv } from './csv';
import { ftpExtractor } from './ftp';
import { objectStorageExtractor } from './object-storage';

describe('a tab that is typed as two characters', () => {
    it.each([
        ['csv', csv.config, { csvText: 'a', delimiter: '\\t' }],
        ['export', exportConfig, { format: 'CSV', exportCode: 'stock', delimiter: '\\t' }],
        ['ftp', ftpExtractor.config, { connectionCode: 'a', remotePath: '/', csv: { delimiter: '\\t' } }],
        ['objectStorage', objectStorageExtractor.config, { connectionCode: 'a', csv: { delimiter: '\\t' } }],
    ] as const)('is a tab in %s', (_, schema, given) => {
        const parsed = schema.safeParse(withRealEnumValues(schema, given as JsonObject));
        expect(parsed.error).toBeUndefined();
        expect(JSON.stringify(parsed.data)).toContain('"delimiter":"\\t"');
    });
});
