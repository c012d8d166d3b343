import { cellText, fieldsOf, lastOf, shownPath, shownText, typedLike, valueAt, withValueAt } from './record-fields';

const order = {
    code: 'A-1',
    total: 1990,
    'Art.-No': 'x',
    customer: { email: 'a@b.c', tags: ['vip'] },
    lines: [{ sku: 'S-1' }, { sku: 'S-2' }],
};

describe('fields of a record on a page', () => {
    it('are shown by their paths, lists as they are', () => {
        expect(fieldsOf(order).map(({ path }) => path)).toEqual([
            'code',
            'total',
            'Art\\.-No',
            'customer.email',
            'customer.tags',
            'lines',
        ]);
    });

    it('are found by the paths that errors name', () => {
        expect(valueAt(order, 'lines.1.sku')).toBe('S-2');
        expect(valueAt(order, 'Art\\.-No')).toBe('x');
        expect(valueAt(order, 'customer.phone.home')).toBeUndefined();
        expect(valueAt(order, 'constructor')).toBeUndefined();
    });

    it('are changed in their place, and the record that was read stays as it is', () => {
        const corrected = withValueAt(order, 'lines.1.sku', 'S-9') as typeof order;
        expect(corrected.lines[1]).toEqual({ sku: 'S-9' });
        expect(order.lines[1]).toEqual({ sku: 'S-2' });
        expect(Object.keys(corrected)).toEqual(Object.keys(order));
        expect(withValueAt({ a: { b: 1 } }, 'a.c', 2)).toEqual({ a: { b: 1, c: 2 } });
        expect(withValueAt({ a: { b: 1, c: 2 } }, 'a.b', undefined)).toEqual({ a: { c: 2 } });
        expect(withValueAt({ list: [1, 2, 3] }, 'list.1', undefined)).toEqual({ list: [1, 3] });
        expect(JSON.stringify(withValueAt({}, '__proto__', 'x'))).toBe('{"__proto__":"x"}');
    });

    it('keep their type where what is typed allows it', () => {
        expect(typedLike(1990, ' 2190 ')).toBe(2190);
        expect(typedLike(1990, '19,90')).toBe('19,90');
        expect(typedLike(true, 'false')).toBe(false);
        expect(typedLike('19,90', '1990')).toBe('1990');
        expect(typedLike(['a'], '["a","b"]')).toEqual(['a', 'b']);
        expect(typedLike(['a'], 'a, b')).toBe('a, b');
        expect(typedLike(undefined, 'new')).toBe('new');
    });

    it('are shown in a cell as text', () => {
        expect(cellText(null)).toBe('');
        expect(cellText(0)).toBe('0');
        expect(cellText({ a: 1 })).toBe('{"a":1}');
    });
});

it('shows blanks that could not be seen: those of a padded or empty text', () => {
    expect(['lamp', ' lamp', 'lamp\t', '', ' ', 7, null, undefined].map(shownText)).toEqual([
        'lamp',
        '" lamp"',
        '"lamp\\t"',
        '""',
        '" "',
        '7',
        'null',
        '–',
    ]);
});

it('calls a field by the last name of its path, dots in it and all', () => {
    expect(['a.b', 'Art\\.-No\\.'].map(shownPath)).toEqual(['a.b', 'Art.-No.']);
    expect(['sku', 'a.b.sku', 'Art\\.No', 'a.Art\\.No'].map(lastOf)).toEqual(['sku', 'sku', 'Art\\.No', 'Art\\.No']);
});
