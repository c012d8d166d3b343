import { readRecords } from './sample-records';

describe('records that are typed', () => {
    it.each([
        ['{"a":1}', [{ a: 1 }]],
        ['[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
        ['{"a":1}\n\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ])('are read of %j', (text, records) => expect(readRecords(text)).toEqual(records));

    it.each(['', '7', '[]', '[1]', '[[{}]]', '{"a":1}\nnonsense', 'sku,price', `[${'{},'.repeat(1000)}{}]`])(
        'are not %#',
        text => expect(readRecords(text)).toBeUndefined(),
    );
});
