import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import * as flow from '../src';
import type { PipelineSource } from '../src/core/pipeline/definition';
import { runPipeline } from '../src/testing/run';

const guide = readFileSync(join(__dirname, '../docs/guide/importing-products.md'), 'utf8');
const [, code] = /^```ts\n([^]*?)^```/m.exec(guide)!;

/** The pipeline of the guide, reading this file. */
function priceList(csvText: string): PipelineSource {
    const { outputText } = ts.transpileModule(code!, {
        compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    });
    const made: { priceList?: PipelineSource } = {};
    const load = (name: string): object => (name === 'node:fs' ? { readFileSync: () => csvText } : flow);
    new Function('require', 'exports', outputText)(load, made);
    return made.priceList!;
}

it('the price list of the guide is read with its empty cells and prices', async () => {
    const { loaded, rejected, status } = await runPipeline({
        pipeline: priceList(
            [
                'Art.-Nr.;Bezeichnung;Preis;Marke',
                'A-1;Trailschuh;1.299,00 €;Nordfjell',
                'A-2;Hut;19,95\u00a0EUR;',
                'A-3;Zelt;;Nordfjell',
                ';Namenlos;1,00;Nordfjell',
                'A-5;Stock;auf Anfrage;Nordfjell',
                ';;;',
            ].join('\n'),
        ),
    });
    expect(status).toBe('COMPLETED');
    expect(loaded['catalogue']).toEqual([
        { sku: 'A-1', name: 'Trailschuh', slug: 'trailschuh', price: 129900, facetValues: ['brand:Nordfjell'] },
        { sku: 'A-2', name: 'Hut', slug: 'hut', price: 1995 },
    ]);
    expect(rejected).toMatchObject([
        { seq: 2, path: 'price' },
        { seq: 3, path: 'sku' },
        { seq: 4, path: 'price' },
    ]);
});

it('the same list as pandas writes it, with row numbers in a column without a name, gives the same records', async () => {
    const rows = [
        ';Art.-Nr.;Bezeichnung;Preis;Marke',
        '0;A-1;Trailschuh;1.299,00 €;Nordfjell',
        '1;A-2;"Hut; ""grau""";19,95;',
        '2;A-3;Zelt;99;',
    ];
    // A plain reading of the same rows, without the column.
    const plain = rows.map(row => row.replace(/^\d*;/, ''));
    const [written, read] = await Promise.all(
        [rows, plain].map(lines => runPipeline({ pipeline: priceList(lines.join('\n')) })),
    );
    expect(written!.status).toBe('COMPLETED');
    expect(written!.loaded['catalogue']).toHaveLength(3);
    expect(written!.loaded).toEqual(read!.loaded);
    expect(written!.rejected).toEqual([]);
    expect(written!.log.map(({ message }) => message)).toEqual([expect.stringContaining('column1')]);
});
