import { runPipeline, type PipelineTest } from '../../testing/run';
import type { DefinitionInput } from '../pipeline/definition';
import type { JsonObject } from '../value/json';
import { compileImport } from './compile-import';
import { importCauseOf, type ImportCause } from './import-cause';
import type { ImportPlan, Remedy } from './import-plan';
import { applyRemedy, type KnownValues, remediesOf } from './import-remedies';
import {
    CSV_FACTS,
    filledBy,
    CUSTOMERS,
    EMPTY_PLAN,
    ORDERS,
    PRICE_LIST,
    PRICES,
} from '../../../test/fixtures/import-plans';

const PLAN: ImportPlan = { ...PRICE_LIST, facts: { ...PRICE_LIST.facts, headerRow: 1 } };
const HEADER = 'Art.-Nr.;Bezeichnung;Warengruppe;Verpackungseinheit;UVP €;Lagerbestand;Gewicht;EAN';
const ROWS = [
    'HOF-1;Runde Schüssel;Küche & Bad;12 Stück;1.036,00;333 Stk;7,1 kg;4006381000001',
    'HOF-2;"  Weiße Dose "; Küche & Bad ;1 Stück;1.097,21 €;1.029 Stk;;',
    'HOF-3;Grüner Becher;;;1.299,– €;;;',
    'HOF-4;Alte Kanne;Küche & Bad;;auf Anfrage;1 Stk;;',
    'HOF-5;Neue Kanne;Küche & Bad;;;2 Stk;;',
    'HOF-6;Kleine Kanne;Küche & Bad;;5,00;ca. 20 Stk;;',
    'HOF-7;;Küche & Bad;;6,00;3 Stk;;',
    ';Ohne Nummer;Küche & Bad;;7,00;4 Stk;;',
    'HOF-9;Punkt;Küche & Bad;;12.50 €;5 Stk;;',
    'HOF-10;Zu kurz;Küche & Bad',
];

interface RunOptions {
    readonly plan?: ImportPlan;
    readonly rows?: readonly string[];
    readonly existing?: Readonly<Record<string, readonly string[]>>;
}

/** The pipeline of a plan, with a text in place of the file. */
function withText(definition: DefinitionInput, csvText: string): DefinitionInput {
    const steps = definition.steps.map(step => {
        if (step.key !== 'file') return step;
        const { fileId: _, encoding: __, ...config } = step.config;
        return { ...step, config: { ...config, csvText } };
    });
    return { ...definition, steps };
}

async function run({ plan = PLAN, rows = [HEADER, ...ROWS], existing }: RunOptions = {}): Promise<PipelineTest> {
    const pipeline = withText(compileImport(plan), rows.join('\n'));
    return await runPipeline({ pipeline, ...(existing && { existing }) });
}

const causesOf = ({ rejected }: PipelineTest, plan = PLAN): readonly ImportCause[] =>
    rejected.map(reject => importCauseOf(reject, plan));

/** The records that reach the loader, by SKU. */
function products({ loaded }: PipelineTest): Readonly<Record<string, JsonObject>> {
    return Object.fromEntries((loaded['products'] ?? []).map(record => [String(record['sku']), record]));
}

/** The records after a remedy that is offered for a cause, among all rows. */
async function after(remedy: Remedy, cause: Partial<ImportCause> = {}, known: KnownValues = {}): Promise<PipelineTest> {
    if (cause.code) {
        const found = causesOf(await run()).find(({ code, path }) => code === cause.code && path === cause.path)!;
        expect(remediesOf(found, PLAN, known)).toContainEqual(remedy);
    }
    return await run({ plan: applyRemedy(PLAN, remedy) });
}

describe('a compiled German price list', () => {
    it('loads products with prices in cents, stock and facet values', async () => {
        const { loaded } = await run();
        expect(loaded['products']?.slice(0, 3)).toEqual([
            {
                sku: 'HOF-1',
                name: 'Runde Schüssel',
                price: 103600,
                stock: 333,
                facetValues: { Warengruppe: ['Küche & Bad'] },
            },
            {
                sku: 'HOF-2',
                name: 'Weiße Dose',
                price: 109721,
                stock: 1029,
                facetValues: { Warengruppe: ['Küche & Bad'] },
            },
            { sku: 'HOF-3', name: 'Grüner Becher', price: 129900 },
        ]);
    });

    it('rejects rows for clear causes', async () => {
        const result = await run();
        expect(causesOf(result).map(({ code, path, args }) => [code, path, args['value']])).toEqual([
            ['ROW', undefined, undefined],
            ['NOT_A_NUMBER', 'price', 'auf Anfrage'],
            ['NOT_A_NUMBER', 'stock', 'ca. 20 Stk'],
            ['NOT_A_NUMBER', 'price', '12.50 €'],
            ['EMPTY', 'name', undefined],
            ['EMPTY', 'sku', undefined],
        ]);
        expect(Object.keys(products(result))).toEqual(['HOF-1', 'HOF-2', 'HOF-3', 'HOF-5']);
    });
});

describe('a remedy', () => {
    it.each(['name', 'sku'])('skips rows without %s', async field => {
        const { rejected, totals } = await after(
            { type: 'SKIP_ROWS', field, when: 'EMPTY' },
            { code: 'EMPTY', path: field },
        );
        expect(rejected).toHaveLength(5);
        expect(totals).toMatchObject({ recordsFiltered: 1 });
    });

    it('takes the SKU as name', async () => {
        const result = await after({ type: 'USE_FIELD', field: 'name', from: 'sku' }, { code: 'EMPTY', path: 'name' });
        expect(products(result)['HOF-7']).toMatchObject({ name: 'HOF-7', price: 600 });
        expect(products(result)['HOF-1']).toMatchObject({ name: 'Runde Schüssel' });
    });

    it('uses the number in a text', async () => {
        const result = await after({ type: 'NUMBER_IN_TEXT', field: 'stock' }, { code: 'NOT_A_NUMBER', path: 'stock' });
        expect(products(result)['HOF-6']).toMatchObject({ stock: 20 });
        expect(products(result)['HOF-2']).toMatchObject({ stock: 1029 });
    });

    it.each(['constructor', '__proto__', 'prototype', 'toString'])('replaces the value %s', async value => {
        const values = Object.fromEntries([
            [value, 'Replaced'],
            ['Other', 'Too'],
        ]);
        const plan = applyRemedy(PLAN, { type: 'LOOKUP', field: 'name', values });
        const rows = [HEADER, `A-1;${value};;;1,00;;;`, 'A-2;Other;;;2,00;;;', 'A-3;Third;;;3,00;;;'];
        const { loaded, rejected } = await run({ plan, rows });
        expect(rejected).toEqual([]);
        expect(loaded['products']?.map(({ name }) => name)).toEqual(['Replaced', 'Too', 'Third']);
    });

    it('reads names of all objects as empty words and words for yes', async () => {
        const fields = PLAN.fields.map(one =>
            one.field === 'name'
                ? { ...one, conversions: [{ type: 'EMPTY_WORDS', words: ['constructor', '-'] } as const] }
                : one,
        );
        const enabled = filledBy('enabled', 'EAN', { type: 'BOOLEAN', yes: ['constructor'], no: ['no'] });
        const plan = { ...PLAN, fields: [...fields, enabled] };
        const rows = [HEADER, 'A-1;constructor;;;1,00;;;', 'A-2;Table;;;2,00;;;constructor', 'A-3;Chair;;;2,00;;;no'];
        const result = await run({ plan, rows });
        expect(causesOf(result, plan).map(({ code, path }) => [code, path])).toEqual([['EMPTY', 'name']]);
        expect(result.loaded['products']).toMatchObject([
            { sku: 'A-2', enabled: true },
            { sku: 'A-3', enabled: false },
        ]);
    });

    it('treats a text as 0, and leaves empty stock empty', async () => {
        const result = await after({ type: 'TREAT_AS_ZERO', field: 'stock' }, { code: 'NOT_A_NUMBER', path: 'stock' });
        expect(products(result)['HOF-6']).toMatchObject({ stock: 0 });
        expect(products(result)['HOF-3']).not.toHaveProperty('stock');
    });

    it('leaves a field empty', async () => {
        const result = await after({ type: 'LEAVE_EMPTY', field: 'stock' }, { code: 'NOT_A_NUMBER', path: 'stock' });
        expect(products(result)['HOF-6']).toEqual({
            sku: 'HOF-6',
            name: 'Kleine Kanne',
            price: 500,
            facetValues: { Warengruppe: ['Küche & Bad'] },
        });
        expect(products(result)['HOF-1']).toMatchObject({ stock: 333 });
    });

    it('skips rows whose price is a text', async () => {
        const result = await after(
            { type: 'SKIP_ROWS', field: 'price', when: 'NOT_A_NUMBER' },
            { code: 'NOT_A_NUMBER', path: 'price' },
        );
        expect(result.totals).toMatchObject({ recordsFiltered: 2 });
        expect(Object.keys(products(result))).toContain('HOF-5');
    });

    it('creates products hidden whose price is a text', async () => {
        const remedy: Remedy = { type: 'CREATE_HIDDEN', field: 'price' };
        const result = await after(remedy, { code: 'NOT_A_NUMBER', path: 'price' });
        expect(products(result)['HOF-4']).not.toHaveProperty('price');
        expect(products(result)['HOF-1']).toMatchObject({ price: 103600 });
        expect(compileImport(applyRemedy(PLAN, remedy)).steps.at(-1)?.config).toMatchObject({
            missingPrice: 'DISABLE',
        });
    });

    it('reads the other decimal style as well', async () => {
        const found = causesOf(await run()).find(({ args }) => args['value'] === '12.50 €')!;
        const remedy: Remedy = { type: 'DECIMALS', field: 'price', decimals: 'POINT' };
        expect(remediesOf(found, PLAN)).toContainEqual(remedy);
        const result = await after(remedy);
        expect(products(result)['HOF-9']).toMatchObject({ price: 1250 });
        expect(products(result)['HOF-1']).toMatchObject({ price: 103600 });
        expect(causesOf(result).map(({ args }) => args['value'])).toContain('auf Anfrage');
    });

    it('creates products without a price hidden', () => {
        const cause = importCauseOf({ stepKey: 'products', path: 'price', payload: { sku: 'HOF-5' } }, PLAN);
        expect(cause.code).toBe('NO_PRICE');
        expect(remediesOf(cause, PLAN)).toEqual([
            { type: 'CREATE_HIDDEN' },
            { type: 'SKIP_ROWS', field: 'price', when: 'EMPTY' },
        ]);
        const plan = applyRemedy(PLAN, { type: 'CREATE_HIDDEN' });
        expect(compileImport(plan).steps.at(-1)?.config).toMatchObject({ missingPrice: 'DISABLE' });
    });

    it('skips rows without a price', async () => {
        const result = await after({ type: 'SKIP_ROWS', field: 'price', when: 'EMPTY' });
        expect(Object.keys(products(result))).toEqual(['HOF-1', 'HOF-2', 'HOF-3']);
    });

    it('uses an existing facet value, or creates it', async () => {
        const plan = { ...PLAN, createMissingFacetValues: false };
        const payload = { facetValues: { Warengruppe: ['Küche & Bad'] } };
        const cause = importCauseOf({ stepKey: 'products', path: 'facetValues.Warengruppe.0', payload }, plan);
        const known = { facets: [{ name: 'Warengruppe', values: ['Garten', 'Küche und Bad'] }] };
        const lookup: Remedy = {
            type: 'LOOKUP',
            field: 'facet:Warengruppe',
            values: { 'Küche & Bad': 'Küche und Bad' },
        };
        expect(remediesOf(cause, plan, known).slice(0, 2)).toEqual([{ type: 'CREATE_FACET_VALUES' }, lookup]);
        const result = await run({ plan: applyRemedy(plan, lookup) });
        expect(products(result)['HOF-1']).toMatchObject({ facetValues: { Warengruppe: ['Küche und Bad'] } });
        const config = compileImport(applyRemedy(plan, { type: 'CREATE_FACET_VALUES' })).steps.at(-1)?.config;
        expect(config).toMatchObject({ createMissingFacetValues: true });
    });

    it('uses the tax category with the rate', async () => {
        const plan = { ...PLAN, fields: [...PLAN.fields, filledBy('taxCategory', 'MwSt')] };
        const cause = importCauseOf(
            { stepKey: 'products', path: 'taxCategory', payload: { taxCategory: '19 %' } },
            plan,
        );
        const taxCategories = [
            { name: 'Reduced Tax', percent: 7, isDefault: false },
            { name: 'Standard Tax', percent: 19, isDefault: true },
        ];
        const [remedy] = remediesOf(cause, plan, { taxCategories });
        expect(remedy).toEqual({ type: 'LOOKUP', field: 'taxCategory', values: { '19 %': 'Standard Tax' } });
        const rows = [`${HEADER};MwSt`, `${ROWS[0]};19 %`];
        expect(products(await run({ plan: applyRemedy(plan, remedy!), rows }))['HOF-1']).toMatchObject({
            taxCategory: 'Standard Tax',
        });
    });

    it('skips rows with an unknown SKU', async () => {
        const rows = ['sku,net,price_usd', 'A-1,10.00,12', 'A-2,,'];
        const found = importCauseOf({ stepKey: 'prices', path: 'sku', payload: { sku: 'A-2' } }, PRICES);
        expect(remediesOf(found, PRICES)).toEqual([{ type: 'SKIP_UNKNOWN', field: 'sku' }]);
        const plan = applyRemedy(
            { ...PRICES, fields: PRICES.fields.slice(0, 1) },
            { type: 'SKIP_UNKNOWN', field: 'sku' },
        );
        const result = await run({ plan, rows, existing: { PRODUCT_VARIANT: ['A-1'] } });
        expect(result.loaded['prices']).toEqual([{ sku: 'A-1' }]);
        expect(causesOf(result, plan)).toMatchObject([{ code: 'SKIPPED', args: { value: 'A-2' } }]);
    });

    it('creates customer groups before the customers', async () => {
        const payload = { groups: ['Trade'] };
        const cause = importCauseOf({ stepKey: 'customers', path: 'groups.0', payload }, CUSTOMERS);
        expect(remediesOf(cause, CUSTOMERS)).toEqual([{ type: 'CREATE_GROUPS' }]);
        const plan = applyRemedy(CUSTOMERS, { type: 'CREATE_GROUPS' });
        const rows = [
            'E-Mail,First name,Last name,Groups,Street,Zip,Country',
            'anna@example.com,Anna,Lund,Trade|Staff,Quay 1,01067,Germany',
            'berta@example.com,Berta,Lund,Trade,Quay 1,01067,DE',
        ];
        const { loaded } = await run({ plan, rows });
        expect(loaded['groups']).toEqual([{ name: 'Trade' }, { name: 'Staff' }]);
        expect(loaded['customers']?.[0]).toEqual({
            emailAddress: 'anna@example.com',
            firstName: 'Anna',
            lastName: 'Lund',
            groups: ['Trade', 'Staff'],
            addresses: [{ streetLine1: 'Quay 1', postalCode: '01067', country: 'DE' }],
        });
    });

    it('keeps the first of several rows, also of different batches', async () => {
        const plan = applyRemedy(PLAN, { type: 'KEEP_FIRST', field: 'sku' });
        const between = Array.from({ length: 150 }, (_, i) => ROWS[0]!.replace('HOF-1', `HOF-A${i}`));
        const rows = [HEADER, ROWS[0]!, ROWS[0]!.replace('Runde', 'Zweite'), ...between];
        const result = await run({ plan, rows: [...rows, ROWS[0]!.replace('Runde', 'Flache')] });
        const kept = result.loaded['products']!.filter(({ sku }) => sku === 'HOF-1');
        expect(kept).toMatchObject([{ name: 'Runde Schüssel' }]);
        expect(result.loaded['products']).toHaveLength(151);
        expect(causesOf(result, plan)).toMatchObject([
            { code: 'SKIPPED', path: 'sku', args: { value: 'HOF-1' } },
            { code: 'SKIPPED', path: 'sku', args: { value: 'HOF-1' } },
        ]);
    });

    it('keeps the last of several rows', async () => {
        const plan = applyRemedy(PLAN, { type: 'KEEP_LAST', field: 'sku' });
        const rows = [HEADER, ROWS[0]!, ROWS[0]!.replace('Runde', 'Flache')];
        expect((await run({ plan, rows })).loaded['products']).toMatchObject([{ name: 'Flache Schüssel' }]);
    });
});

describe('compiled products', () => {
    const price = filledBy('price', 'price', { type: 'TO_CENTS' });
    const fields = [filledBy('sku', 'sku'), filledBy('name', 'name'), price];

    it('have the rows that name a parent as variants, and the row of the parent only if it has none', async () => {
        const plan: ImportPlan = {
            ...EMPTY_PLAN,
            fields,
            variants: {
                grouping: { kind: 'PARENT', column: 'parent', key: 'sku' },
                pairs: [{ nameColumn: 'option', valueColumn: 'values' }],
            },
        };
        const rows = [
            'sku,name,parent,price,option,values',
            'TS,Shirt,,9,Size,"S, M"',
            'TS-S,Shirt S,TS,10,Size,S',
            'MUG,Mug,,5,,',
            'TS-M,Shirt M,TS,11,Size,M',
        ];
        expect((await run({ plan, rows })).loaded['products']).toEqual([
            {
                name: 'Shirt',
                variants: [
                    { sku: 'TS-S', price: 1000, options: { Size: 'S' } },
                    { sku: 'TS-M', price: 1100, options: { Size: 'M' } },
                ],
            },
            { name: 'Mug', variants: [{ sku: 'MUG', price: 500 }] },
        ]);
    });

    it('are in all of their categories, however many they are', async () => {
        const paths = Array.from({ length: 45 }, (_, i) => `Room ${i} > Chairs`);
        const split = [';', '>'].map(separator => ({ type: 'SPLIT', separator }) as const);
        const plan: ImportPlan = { ...EMPTY_PLAN, fields: [...fields, filledBy('collections', 'rooms', ...split)] };
        const { loaded, log } = await run({ plan, rows: ['sku,name,price,rooms', `C,Chair,5,${paths.join(';')}`] });
        const all = paths.flatMap(path => [path.split(' > ')[0], path]);
        expect(loaded['products']).toMatchObject([{ facetValues: { rooms: all } }]);
        expect(loaded['collections']).toHaveLength(90);
        expect(log.filter(({ level }) => level === 'WARN')).toEqual([]);
    });
});

describe('compiled prices and orders', () => {
    it('adds tax to amounts, and leaves empty ones empty', async () => {
        const rows = ['sku,net,price_usd', 'A-1,10.00,12.5', 'A-2,,3'];
        const { loaded, rejected } = await run({ plan: PRICES, rows });
        expect(loaded['prices']).toEqual([{ sku: 'A-1', price: 1190, prices: { USD: 1250 } }]);
        expect(rejected).toMatchObject([{ faults: [{ path: 'price', rule: 'required' }] }]);
    });

    it('makes an order of the rows with its number', async () => {
        const rows = [
            'Order,Date,Mail,SKU,Qty,Price',
            'O-1,01.02.2026,anna@example.com,A-1,2,10.50',
            'O-1,01.02.2026,anna@example.com,A-2,1,3',
            'O-2,02.02.2026,,A-1,1,10.50',
        ];
        const { loaded } = await run({ plan: ORDERS, rows });
        expect(loaded['orders']?.[0]).toEqual({
            code: 'O-1',
            orderPlacedAt: '2026-02-01T00:00:00.000Z',
            state: 'PaymentSettled',
            customer: 'anna@example.com',
            lines: [
                { sku: 'A-1', quantity: 2, price: 1050 },
                { sku: 'A-2', quantity: 1, price: 300 },
            ],
        });
    });

    it('joins the columns of a list, and reads words as empty', async () => {
        const plan: ImportPlan = {
            ...EMPTY_PLAN,
            facts: CSV_FACTS,
            fields: [
                filledBy('sku', 'sku'),
                filledBy('enabled', 'active', { type: 'BOOLEAN', yes: ['ja'], no: ['nein'] }),
                filledBy(
                    'stock',
                    'stock',
                    { type: 'EMPTY_WORDS', words: ['n/a'] },
                    { type: 'NUMBER', decimals: 'POINT' },
                ),
                { field: 'assets', columns: ['image_1', 'image_2'], conversions: [] },
            ],
        };
        const rows = ['sku,active,stock,image_1,image_2', 'A,Ja,n/a,,b.png', 'B,nein,7,a.png,b.png'];
        const { loaded } = await run({ plan, rows });
        expect(loaded['products']).toEqual([
            { sku: 'A', enabled: true, assets: ['b.png'] },
            { sku: 'B', enabled: false, stock: 7, assets: ['a.png', 'b.png'] },
        ]);
    });
});
