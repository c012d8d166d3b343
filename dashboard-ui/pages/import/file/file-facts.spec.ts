import type { FileProfile } from '../import.graphql';
import { changedFacts, headerRowChoices, headRows, titleOf } from './file-facts';

const facts: FileProfile['facts'] = {
    format: 'CSV',
    encoding: 'windows-1252',
    delimiter: ';',
    quote: '"',
    trim: null,
    decimals: 'COMMA',
    headerRow: 2,
    skipAfterHeader: 1,
    footerRows: 1,
    sheet: null,
    recordPath: null,
};
const profile = {
    facts,
    alternatives: { encodings: [], delimiters: [], headerRows: [3, 1], recordPaths: [] },
    head: [
        ['Preisliste 2026', '', ''],
        ['Art.-Nr.', 'Name', 'Preis'],
        ['', '', ''],
        ['', '', '€'],
        ['A-1', 'Tür', '1,00'],
        ['A-2', 'Tor', '2,00'],
    ],
    headNumbers: [1, 2, 3, 4, 5, 6],
} as unknown as FileProfile;

describe('a fact that the user changes', () => {
    it('keeps the facts that it depends on, and has the others detected again', () => {
        expect(changedFacts(profile, { encoding: 'windows-1250' })).toEqual({
            format: 'CSV',
            encoding: 'windows-1250',
        });
        expect(changedFacts(profile, { delimiter: ',' })).toEqual({
            format: 'CSV',
            encoding: 'windows-1252',
            delimiter: ',',
        });
        expect(changedFacts(profile, { headerRow: null })).toEqual({
            format: 'CSV',
            encoding: 'windows-1252',
            delimiter: ';',
            quote: '"',
            decimals: 'COMMA',
            headerRow: null,
        });
        expect(changedFacts(profile, { skipAfterHeader: 2 })).toMatchObject({ headerRow: 2, skipAfterHeader: 2 });
    });

    it('keeps that a file has no names of columns', () => {
        const none = { ...profile, facts: { ...facts, headerRow: null } };
        expect(changedFacts(none, { skipAfterHeader: 1 })).toMatchObject({ headerRow: null });
    });

    it('says nothing about rows of JSON, which has none', () => {
        const json = { ...profile, facts: { ...facts, format: 'JSON' as const, delimiter: null, headerRow: null } };
        expect(changedFacts(json, { footerRows: 1 })).not.toHaveProperty('headerRow');
    });
});

describe('the rows of the beginning', () => {
    it('are titles, names of columns, skipped rows and records', () => {
        expect(headRows(profile).map(({ number, kind, skip }) => [number, kind, skip])).toEqual([
            [1, 'BEFORE', undefined],
            [2, 'HEADER', 0],
            [3, 'SKIPPED', 0],
            [4, 'SKIPPED', 1],
            [5, 'RECORD', 2],
            [6, 'RECORD', 3],
        ]);
    });

    it('are all records if there are no names of columns', () => {
        const none = { ...profile, facts: { ...facts, headerRow: null, skipAfterHeader: 0 } };
        expect(new Set(headRows(none).map(({ kind }) => kind))).toEqual(new Set(['RECORD']));
        expect(titleOf(none)).toBe('');
    });

    it('have a title above the names of columns, and rows that could be the names', () => {
        expect(titleOf(profile)).toBe('Preisliste 2026');
        expect(headerRowChoices(profile)).toEqual([1, 2, 3]);
    });
});
