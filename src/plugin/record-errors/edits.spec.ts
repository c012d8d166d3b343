import { editing } from './edits';

describe('edits of many records', () => {
    it('are done one after another, and leave alone what they do not fit', () => {
        const edited = editing([
            { operation: 'REPLACE', path: 'price', find: 'O', with: '$&0' },
            { operation: 'SET', path: 'deep.list.1', value: null },
            { operation: 'REMOVE', path: 'old' },
        ]);
        expect(edited({ price: '1OO', old: 1 })).toEqual({ price: '1$&0$&0', deep: { list: [null, null] } });
        const same = { price: 5 };
        expect(editing([{ operation: 'REPLACE', path: 'price', find: '5', with: '6' }])(same)).toBe(same);
        expect(editing([{ operation: 'REPLACE', path: 'a', find: 'x' }])({ a: 'xyx' })).toEqual({ a: 'y' });
    });

    it.each([
        [{ operation: 'SET', path: '' }, 'edits[0].path'],
        [{ operation: 'SET', path: '__proto__.a' }, 'edits[0].path'],
        [{ operation: 'REPLACE', path: 'a', find: null }, 'edits[0].find'],
    ] as const)('that are invalid are rejected: %j', (edit, where) => {
        expect(() => editing([edit])).toThrow(where);
        expect(() => editing([edit])).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    });

    it('report a record that one cannot be applied to', () => {
        const edited = editing([{ operation: 'SET', path: 'a.b', value: 1 }]);
        expect(() => edited({ a: 'text' })).toThrow(expect.objectContaining({ code: 'RECORD_INVALID' }));
    });
});
