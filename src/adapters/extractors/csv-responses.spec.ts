import { ApiReader } from '../../../test/kit/api-reader';
import { httpApi } from './http-api';

const api = new ApiReader(httpApi);

describe('a CSV response of an API', () => {
    it.each([
        [
            'with a title, a row of units and a row of totals',
            {
                headers: { 'content-type': 'text/csv' },
                body: Buffer.from("Preise\n\nArtikel;Preis\n;EUR\n 'Stra\xdfe ; 1,50\nSumme;1,50\n", 'latin1'),
            },
            {
                delimiter: ';',
                csv: {
                    headerRow: 3,
                    skipAfterHeader: 1,
                    skipAtEnd: 1,
                    encoding: 'windows-1252',
                    trim: true,
                },
            },
            [{ Artikel: "'Straße", Preis: '1,50' }],
        ],
        [
            'without a header that was written for spreadsheets',
            { headers: { 'content-type': 'text/csv' }, body: "'=a,'@b\nit's,c\n" },
            { csv: { header: false, formulaSafe: true } },
            [
                { column1: '=a', column2: '@b' },
                { column1: "it's", column2: 'c' },
            ],
        ],
    ])('%s is read as it is written', async (_, answer, config, records) => {
        const server = await api.serve(() => answer);
        expect(await api.read(server, { config })).toMatchObject({ error: undefined, records });
    });
});
