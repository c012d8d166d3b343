import { byName, own } from './own-properties';

const NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'plain'];

describe('an object that is indexed by names of users', () => {
    it.each(NAMES)('has no value for %s at first', name => {
        expect(own({}, name)).toBeUndefined();
        expect(byName()[name]).toBeUndefined();
    });

    it.each(NAMES)('keeps the value for %s, also when it is copied and stored', name => {
        const object = byName<number>();
        object[name] = 1;
        expect(Object.entries(byName(object))).toEqual([[name, 1]]);
        expect(own({ ...object }, name)).toBe(1);
        expect(own(JSON.parse(JSON.stringify(object)) as Record<string, number>, name)).toBe(1);
    });
});
