import { builtinTemplates } from '../src/core/templates/builtin-templates';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/core/value/json';
import type { OutboundRequest, OutboundResponse } from '../src/core/adapter/http';
import { checkDefinition } from '../src/core/pipeline/parse';
import { setUp } from '../src/plugin/setup';
import type { TestGateAnswers } from '../src/testing/gates';
import { runPipeline } from '../src/testing/run';
import { GUIDE_CONNECTIONS, guideApi } from './kit/guide-apis';
import { type GuideBlock, guideBlocks } from './kit/guide-blocks';
import { pipelinesOf, type Shown } from './kit/guide-pipelines';

/** What suppliers send to the pipelines whose file is not on the page: one valid row each. */
const FILES: Readonly<Record<string, string>> = {
    'supplier-import': 'Article No,Product,RRP,On hand\nA-1,Shoe,19.95,4',
    'evening-prices': 'sku,price\nA-1,19.95',
    supplier: 'sku,name,price,season\nA-1,Shoe,1995,2025',
    'product-pictures': 'sku,name,price,pictures\nA-1,Shoe,19.95,shoe-1.png|shoe-2.png',
    promotions: 'Name,Percent,From,Coupon,Starts,Ends\nSummer sale,10,50.00,SUN,2026-07-01,2026-08-31',
    'price-list': 'Art.-Nr.;Bezeichnung;Preis;Marke\nA-1;Schuh;19,95;Nordfjell',
    customers:
        'Mail,First name,Last name,Street,Zip,City,Country,Groups\nanna@example.com,Anna,Lund,Quay 1,20095,Hamburg,de,Trade|Staff',
    'customers-to-delete': 'Mail\nanna@example.com',
    collections: 'Code,Name,Above,Shows\ndesk-lamps,Desk lamps,lamps,room:study|room:attic',
    'collections-to-delete': 'Code\ndesk-lamps',
    'docs/guide/api-quickstart.md': 'sku,name,price,stock\nA-1,Shoe,19.95,4',
    unnamed: 'sku,name,price,stock,brand\nA-1,Shoe,19.95,4,Nordfjell',
};

/** A pipeline with its location. */
interface Example extends Shown {
    readonly place: string;
}

/** The templates with sample text of a table. */
const ofTemplates: readonly Example[] = builtinTemplates
    .filter(({ definition }) => definition.steps.some(({ config }) => 'csvText' in config))
    .map(({ code, definition }) => ({ code, definition, place: 'the template' }));
const examples: readonly Example[] = [
    ...guideBlocks
        .filter(({ notRun }) => notRun === undefined)
        .flatMap(block => pipelinesOf(block).map(shown => ({ ...shown, place: block.place }))),
    ...ofTemplates,
];
const left = guideBlocks.filter(({ notRun }) => notRun !== undefined);
process.stdout.write(
    `Pipelines of README.md and the guides: ${examples.length} run; blocks marked as not run: ${left.length}\n`,
);

/** The valid row, followed by copies with one cell blank, padded with blanks, or odd. */
function oddRows(good: string, delimiter: string): string {
    const [header, ...rows] = good.trimEnd().split('\n') as [string, ...string[]];
    const [row] = rows;
    const cells = [...row!.matchAll(new RegExp(`("[^"]*"|[^${delimiter}]*)(${delimiter}|$)`, 'g'))]
        .map(([, cell]) => cell!)
        .slice(0, header.split(delimiter).length);
    const spoilt = (make: (cell: string) => string): readonly string[] =>
        cells.map((_, i) => cells.map((cell, j) => (i === j ? make(cell) : cell)).join(delimiter));
    const padded = (cell: string): string => (cell.startsWith('"') ? cell : `"  ${cell} "`);
    return [
        header,
        ...rows,
        ...spoilt(() => ''),
        ...spoilt(padded),
        ...spoilt(() => 'n/a'),
        ...spoilt(() => '=1+1'),
    ].join('\n');
}

/** Makes each CSV step read odd rows, whatever file or text it would read. */
function onOddRows({ code, definition, place }: Example): JsonObject {
    const steps = definition.steps.map(step => {
        const { fileId: _file, resetCheckpoint: _reset, csvText, ...config } = step.config;
        if (config['adapterCode'] !== 'csv') return step;
        const good =
            typeof csvText === 'string' && csvText !== '' ? csvText : (FILES[place.replace(/:.*/, '')] ?? FILES[code]);
        if (good === undefined)
            throw new Error(`test/guides.spec.ts has no file for the pipeline "${code}" of ${place}`);
        const delimiter = typeof config['delimiter'] === 'string' ? config['delimiter'] : ',';
        return { ...step, config: { ...config, csvText: oddRows(good, delimiter) } };
    });
    return { ...definition, steps } as unknown as JsonObject;
}

/** An empty cell is not a field; text with surrounding blanks would be stored with them. */
const isClean = (value: JsonValue | undefined): boolean =>
    value === undefined || (typeof value === 'string' && value !== '' && value === value.trim());
const isAmount = (value: JsonValue | undefined): boolean =>
    value === undefined || value === null || (typeof value === 'number' && Number.isInteger(value));

/** The fields of each row that a loader of the catalogue would reject, or store in an unwanted form. */
function unfit(record: JsonObject): readonly string[] {
    const variants = Array.isArray(record['variants']) ? record['variants'].filter(isJsonObject) : [];
    const values = Array.isArray(record['facetValues']) ? record['facetValues'] : [];
    const fields = [
        ...['sku', 'name', 'slug'].filter(field => !isClean(record[field])),
        ...['price', 'stock'].filter(field => !isAmount(record[field])),
        ...(values.every(value => typeof value === 'string' && value.includes(':')) ? [] : ['facetValues']),
    ];
    return [...fields.map(field => `${field}: ${JSON.stringify(record[field])}`), ...variants.flatMap(unfit)];
}

/** A product cannot be made without a name. */
function nameless({ definition }: Shown, loaded: Readonly<Record<string, readonly JsonObject[]>>): readonly string[] {
    const products = definition.steps.filter(({ config }) => config['adapterCode'] === 'productUpsert');
    return products
        .map(({ key }) => key)
        .filter(key => !loaded[key]!.some(record => typeof record['name'] === 'string'));
}

const SCRIPTS = { dropOld: (records: readonly JsonObject[]) => [...records], notifyTeam: () => undefined };
/** A response that is read at once comes from the same API. */
async function answered(request: OutboundRequest): Promise<OutboundResponse> {
    const { status = 200, headers = {}, body } = guideApi(request);
    return { status, headers, body: Buffer.from([...(body as Iterable<string>)].join('')) };
}

/** Each gate is approved. */
function approvals({ definition }: Shown): TestGateAnswers {
    const gates = definition.steps.filter(({ kind }) => kind === 'GATE');
    return Object.fromEntries(gates.map(({ key }) => [key, 'APPROVE']));
}

describe('a pipeline that a guide prints', () => {
    it('exists', () => expect(examples.length).toBeGreaterThan(10));

    it.each(left.map(({ place, notRun }) => [place, notRun!]))('has a reason if it is not run: %s', (_, why) => {
        expect(why).toMatch(/\w+ \w+/);
    });

    it.each(left.flatMap(block => writtenOut(block).map(shown => [block.place, shown] as const)))(
        'is valid for publication, if it is not run: %s',
        (_, { definition }) => {
            expect(checkDefinition(definition, setUp({}).registry).issues).toEqual([]);
        },
    );

    it.each(examples.map(example => [`${example.place} ${example.code}`, example] as const))(
        'works on blank, padded and odd cells: %s',
        async (_, example) => {
            const run = await runPipeline({
                pipeline: onOddRows(example) as never,
                options: { scripts: SCRIPTS as never },
                connections: GUIDE_CONNECTIONS,
                gates: approvals(example),
                http: answered,
                stream: guideApi,
            });
            expect({ error: run.error, status: run.status }).toEqual({ error: null, status: 'COMPLETED' });
            const loaded = Object.values(run.loaded).flat();
            expect(nameless(example, run.loaded)).toEqual([]);
            expect(loaded.flatMap(unfit)).toEqual([]);
            if (Object.keys(run.loaded).length > 0) expect(loaded.length).toBeGreaterThan(0);
            const told = run.rejected.map(({ message }) => message);
            expect(told.filter(message => message.includes('TypeError'))).toEqual([]);
        },
    );
});

/** Pipelines as text; those of TypeScript may need what a page does not show. */
function writtenOut(block: GuideBlock): readonly Shown[] {
    return block.language === 'yaml' ? pipelinesOf(block) : [];
}
