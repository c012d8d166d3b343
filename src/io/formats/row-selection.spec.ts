import fc from 'fast-check';
import { RowSelection, rowSelection, type RowRules } from './row-selection';

/** The rows, by their numbers, that remain of a table with these rows. */
function selected(numbers: readonly number[], rules: RowRules, hasHeader = true): readonly number[] {
    const selection = new RowSelection<number>(rules, hasHeader);
    return numbers.flatMap(
        number => selection.next(number, { number, weight: 1, nameOf: () => `row ${number}` }) ?? [],
    );
}

it('a selection keeps the header and the rows between those that are skipped', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 30 })).map(list => list.sort((a, b) => a - b));
    const count = fc.integer({ min: 0, max: 5 });
    fc.assert(
        fc.property(numbers, count, count, count, (rows, above, skipAfterHeader, skipAtEnd) => {
            const [header, ...data] = rows.filter(number => number > above);
            const kept = data.slice(skipAfterHeader);
            const expected = [header, ...kept.slice(0, Math.max(0, kept.length - skipAtEnd))];
            expect(selected(rows, { headerRow: above + 1, skipAfterHeader, skipAtEnd })).toEqual(
                header === undefined ? [] : expected,
            );
        }),
    );
});

it('without a header the first row is a data row', () => {
    expect(selected([1, 2, 3], { skipAtEnd: 3 }, false)).toEqual([]);
    expect(selected([1, 2, 3], { headerRow: 2, skipAtEnd: 1 }, false)).toEqual([2]);
});

it('there is nothing to select by default', () => {
    expect(rowSelection({}, true)).toBeUndefined();
    expect(rowSelection({ headerRow: 1, skipAfterHeader: 0, skipAtEnd: 0 }, true)).toBeUndefined();
});
