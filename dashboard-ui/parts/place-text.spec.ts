import { textsIn, withMacros } from '../i18n/with-texts.fixture';

const { placeText } = withMacros<typeof import('./place-text')>('parts/place-text.ts');

describe('the place of a record', () => {
    it.each([
        ['line 12', 'Zeile 12'],
        ['line 3, column 7', 'Zeile 3, Spalte 7'],
        ['row 2', 'Tabellenzeile 2'],
        ['record 40', 'Datensatz 40'],
        ['stock.xlsx, sheet 1, row 2', 'stock.xlsx, sheet 1, row 2'],
        ['row 2, column 3', 'row 2, column 3'],
    ])('%s is %s in German, and unchanged in English', async (place, german) => {
        expect(placeText(await textsIn('de'), place)).toBe(german);
        expect(placeText(await textsIn('en'), place)).toBe(place);
    });
});
