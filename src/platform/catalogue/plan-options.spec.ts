import { naming } from '../../../test/kit/naming';
import type { DesiredVariant } from './desired';
import { RecordIssues } from '../entities/record-issues';
import { fieldNames } from './load-config';
import { OptionsDraft } from './plan-options';
import { Columns } from '../entities/columns';
import { ProductState } from '../entity-descriptions/product-state';

const wish = (sku: string, options?: Record<string, string>): DesiredVariant => ({
    isDelete: false,
    path: '',
    names: fieldNames({}),
    isFlat: false,
    sku,
    texts: new Map(),
    enabled: undefined,
    prices: new Map(),
    stock: [],
    taxCategory: undefined,
    trackInventory: undefined,
    options: options && new Map(Object.entries(options)),
    facetValues: undefined,
    gallery: { assets: undefined, featured: undefined },
    custom: undefined,
    productSlug: undefined,
});

function shirt(): ProductState {
    const product = new ProductState(1, new Columns({}), 'shirt');
    product.groups = [{ id: 5, code: 'size', name: 'Size', options: [{ id: 7, code: 's', name: 'S' }] }];
    product.combinations = new Map([['["size","s"]', 'SHIRT-S']]);
    return product;
}

function faultsOf(product: ProductState, ...variants: readonly DesiredVariant[]): readonly string[] {
    const issues = new RecordIssues();
    const draft = new OptionsDraft(product, issues);
    for (const variant of variants) draft.choose(variant);
    for (const variant of variants) draft.check(variant, { isNew: true });
    return issues.count > 0 ? [issues.error().message] : [];
}

/** The codes of a product's options after a variant has named one by a text. */
function optionCodes(option: { readonly name: string; readonly code: string }, text: string): readonly string[] {
    const product = new ProductState(1, new Columns({}), 'paint');
    product.groups = [{ id: 5, code: 'kind', name: 'Kind', options: [{ id: 7, ...option }] }];
    const draft = new OptionsDraft(product, new RecordIssues());
    draft.choose(wish('PAINT-1', { kind: text }));
    draft.commit();
    return product.groups[0]!.options.map(({ code }) => code);
}

describe('the options of new variants', () => {
    it('find groups and options by name or code, and make the options that are missing', () => {
        const product = shirt();
        const issues = new RecordIssues();
        const draft = new OptionsDraft(product, issues);
        const [medium, large] = [wish('M', { Size: 'M' }), wish('L', { size: 'L' })];
        for (const variant of [medium, large]) draft.choose(variant);
        for (const variant of [medium, large]) draft.check(variant, { isNew: true });
        expect(issues.count).toBe(0);
        expect(product.groups![0]!.options).toHaveLength(1);
        draft.commit();
        expect(product.groups![0]!.options.map(({ code }) => code)).toEqual(['s', 'm', 'l']);
    });

    it.each([
        ['Grün', 'gruen'],
        ['Größe', 'groesse'],
        ["O'Neill", 'oneill'],
        ['Rock & Pop', 'rock-pop'],
        ['1,5 l', '15-l'],
    ])('find %s by the code %s exactly as given', (name, code) => {
        expect(optionCodes({ name, code }, code)).toEqual([code]);
    });

    it.each([
        ['3/4', '34', '34'],
        ['1,5l', '15l', '15l'],
        ['C++', 'c', 'c'],
        ['1,5 l', '15-l', '15 l'],
    ])('keep %s with the code %s apart from %s', (name, code, text) => {
        expect(optionCodes({ name, code }, text)).toEqual([code, `${code}-2`]);
    });

    it('prefer an option of that name to the code of another name', () => {
        const product = new ProductState(1, new Columns({}), 'paint');
        const options = [
            { id: 7, code: 'gruen', name: 'Grün' },
            { id: 8, code: 'gruen-2', name: 'gruen' },
        ];
        product.groups = [{ id: 5, code: 'colour', name: 'Colour', options }];
        product.combinations = new Map([['["colour","gruen"]', 'PAINT-1']]);
        expect(faultsOf(product, wish('PAINT-2', { Colour: 'gruen' }))).toEqual([]);
    });

    it('leave the product alone when the record turns out to be bad', () => {
        const product = shirt();
        expect(faultsOf(product, wish('X', { Size: 'S' }))).toEqual([
            expect.stringMatching(naming('"options"', '"SHIRT-S"')),
        ]);
        expect([product.groups![0]!.options.length, product.combinations!.size]).toEqual([1, 1]);
    });

    it('must name each group', () => {
        expect(faultsOf(shirt(), wish('X'))).toEqual([expect.stringContaining('lacks "size"')]);
    });

    it.each([
        [{ Size: 'M', size: 'L' }, 'size'],
        [{ size: 'S', SIZE: 'S' }, 'SIZE'],
    ])('name a group only once: %j', (options, again) => {
        for (const product of [shirt(), new ProductState(undefined, new Columns({}), 'shirt')]) {
            const group = JSON.stringify(product.groups?.[0]?.name ?? Object.keys(options)[0]);
            expect(faultsOf(product, wish('X', options))).toEqual([
                expect.stringMatching(naming(`"options.${again}"`, group)),
            ]);
        }
    });

    it('may bring a group only to a product without variants', () => {
        expect(faultsOf(shirt(), wish('X', { Size: 'M', Colour: 'red' }))).toEqual([
            expect.stringMatching(naming('"options.Colour"', '"Colour"', '"size"')),
        ]);
        const empty = new ProductState(undefined, new Columns({}), 'shirt');
        expect(faultsOf(empty, wish('A', { Size: 'M' }), wish('B', { Size: 'L' }))).toEqual([]);
    });

    it('may take the place of what the same record deletes', () => {
        const product = shirt();
        const gone = { ...wish('SHIRT-S'), isDelete: true };
        const issues = new RecordIssues();
        const draft = new OptionsDraft(product, issues);
        draft.leave([gone, wish('X', { Size: 'S', Colour: 'red' })]);
        const [red, blue] = [wish('X', { Size: 'S', Colour: 'red' }), wish('Y', { Size: 'S', Colour: 'blue' })];
        for (const variant of [red, blue]) draft.choose(variant);
        for (const variant of [red, blue]) draft.check(variant, { isNew: true });
        expect(issues.count).toBe(0);
        expect(draft.newGroupNames).toEqual(['Colour']);
    });

    it('are required when a product is to have a second variant', () => {
        const plain = new ProductState(undefined, new Columns({}), 'shirt');
        expect(faultsOf(plain, wish('A'), wish('B'))).toEqual([expect.stringMatching(naming('"sku"', '"B"', '"A"'))]);
    });
});
