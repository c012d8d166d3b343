import type { JsonObject } from '../../core/value/json';
import { providedFiles } from '../../testing/provided-files';
import { workbookOfRows } from '../../testing/workbook';
import { sourceColumns } from './source-columns';

const files = providedFiles({
    products: { format: 'csv', bytes: Buffer.from('handle;title;note\nshort\nhat;;\nhat;;x') },
    broken: { format: 'csv', bytes: Buffer.from('a,b\n"1') },
    sheet: {
        format: 'xlsx',
        bytes: workbookOfRows({
            Sheet: [
                ['a', 'b'],
                ['1', null],
            ],
        }),
    },
});

it.each<[string, JsonObject, readonly string[]]>([
    [
        'an uploaded CSV',
        { adapterCode: 'csv', fileId: 'products', delimiter: ';', groupBy: 'handle' },
        ['handle', 'title', 'note'],
    ],
    ['text', { adapterCode: 'csv', csvText: 'a,b\n1,' }, ['a', 'b']],
    [
        'a table without a header',
        { adapterCode: 'csv', csvText: '1,,\n', hasHeader: false },
        ['column1', 'column2', 'column3'],
    ],
    [
        'rows',
        {
            adapterCode: 'csv',
            rows: [
                ['a', 'b'],
                ['1', ''],
            ],
        },
        ['a', 'b'],
    ],
    ['a workbook', { adapterCode: 'xlsx', fileId: 'sheet', resetCheckpoint: true }, ['a', 'b']],
    ['a file that was deleted', { adapterCode: 'csv', fileId: 'gone' }, []],
    ['a file that is broken after its first row', { adapterCode: 'csv', fileId: 'broken' }, ['a', 'b']],
    ['no table', { adapterCode: 'json', jsonText: '[{"a": 1}]' }, []],
])('the columns of %s are known, empty or not', async (_, config, columns) => {
    expect(await sourceColumns(config, files)).toEqual(columns);
});
