import { keeper } from './kept';

function memory(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> & { readonly values: Map<string, string> } {
    const values = new Map<string, string>();
    return {
        values,
        getItem: name => values.get(name) ?? null,
        setItem: (name, value) => void values.set(name, value),
        removeItem: name => void values.delete(name),
    };
}
const copy = { version: 3, base: { version: 1 }, definition: { version: 1, steps: [] }, at: 5 };

describe('what a browser keeps', () => {
    it('is there again until it is dropped', () => {
        const storage = memory();
        expect(keeper(storage, '1').keepCopy(copy)).toBe(true);
        expect(keeper(storage, '1').copy()).toEqual(copy);
        expect(keeper(storage, '2').copy()).toBeUndefined();
        keeper(storage, '1').dropCopy();
        expect(keeper(storage, '1').copy()).toBeUndefined();
    });

    it.each(['', 'nonsense', '7', '[]', '{"version":"3"}', '{"version":3,"at":1,"base":{},"definition":[]}'])(
        'is undefined if %j is stored',
        text => {
            const storage = memory();
            storage.values.set('flow-editor-copy-1', text);
            expect(keeper(storage, '1').copy()).toBeUndefined();
        },
    );

    it('are the places of boxes, those that are places', () => {
        const storage = memory();
        storage.values.set('flow-editor-places-1', '{"a":{"x":1,"y":2},"b":{"x":"1","y":2},"c":null}');
        expect(keeper(storage, '1').places()).toEqual({ a: { x: 1, y: 2 } });
        keeper(storage, '1').keepPlaces({});
        expect(keeper(storage, '1').places()).toEqual({});
    });

    it('says so where it cannot keep anything', () => {
        const full = {
            ...memory(),
            setItem: () => {
                throw new Error('full');
            },
        };
        expect(keeper(full, '1').keepCopy(copy)).toBe(false);
    });
});
