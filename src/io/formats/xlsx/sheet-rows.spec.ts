import { Markup } from '../markup';
import { WorkbookBudget } from './budget';
import type { CellContext } from './cell';
import { SheetRows } from './sheet-rows';

describe('the rows of a sheet', () => {
    it('look their shared strings up one row at a time', () => {
        const get = jest.fn(() => 'long');
        const rows = new SheetRows({
            strings: { get, length: 1 } as unknown as CellContext['strings'],
            kinds: [],
            is1904: false,
            budget: new WorkbookBudget(1000),
        });
        const markup = new Markup(rows);
        markup.write(
            `<worksheet><sheetData>${'<row><c t="s"><v>0</v></c></row>'.repeat(2000)}</sheetData></worksheet>`,
        );
        markup.end();
        expect(get).toHaveBeenCalledTimes(0);
        const taken = rows.take();
        expect(taken.next().value).toEqual({ number: 1, cells: [{ column: 0, value: 'long' }], weight: 20 });
        expect(get).toHaveBeenCalledTimes(1);
        expect([...taken]).toHaveLength(1999);
        expect([...rows.take()]).toEqual([]);
    });

    it('weigh the text of cells without a value', () => {
        const rows = new SheetRows({
            strings: {} as CellContext['strings'],
            kinds: [],
            is1904: false,
            budget: new WorkbookBudget(1000),
        });
        new Markup(rows).write(`<worksheet><sheetData><row><c><v>${'x'.repeat(1000)}</v></c></row>`);
        expect([...rows.take()][0]!.weight).toBe(1016);
    });
});
