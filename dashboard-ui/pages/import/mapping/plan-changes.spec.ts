import type { ImportPlan } from '../import-plan';
import { usedColumns, withColumn, withGrouping, withoutField, withValue } from './plan-changes';

const plan: ImportPlan = {
    version: 1,
    source: { kind: 'FILE', fileId: '1' },
    facts: { format: 'CSV', decimals: 'COMMA', headerRow: 1, skipAfterHeader: 0, footerRows: 0 },
    target: 'PRODUCTS',
    matchBy: 'sku',
    fields: [
        { field: 'sku', columns: ['Art'], conversions: [{ type: 'TRIM' }] },
        { field: 'assets', columns: ['Image 1', 'Image 2'], conversions: [] },
        { field: 'stock', columns: ['Qty'], conversions: [] },
    ],
    prices: { missing: 'REJECT' },
    missing: { action: 'NONE', maxShare: 0.1 },
    createMissingFacetValues: true,
    remedies: [{ type: 'TREAT_AS_ZERO', field: 'stock' }, { type: 'SKIP_PICTURES' }],
};

const mapped = (changed: ImportPlan): string[] =>
    changed.fields.map(({ field, columns = ['='] }) => `${field} ${columns}`);

describe('a change of the mapping', () => {
    it('moves a column from its former field to another one', () => {
        expect(mapped(withColumn(plan, 'name', 'Art', []))).toEqual([
            'assets Image 1,Image 2',
            'stock Qty',
            'name Art',
        ]);
    });

    it('takes one of several columns from a field, and keeps the others', () => {
        expect(mapped(withColumn(plan, 'featuredAsset', 'Image 1', []))).toContain('assets Image 2');
    });

    it('replaces the column of a field in its place', () => {
        expect(mapped(withColumn(plan, 'sku', 'EAN', []))).toEqual(['sku EAN', 'assets Image 1,Image 2', 'stock Qty']);
    });

    it('without the field drops the decisions about it, and no others', () => {
        const changed = withoutField(plan, 'stock');
        expect(mapped(changed)).toEqual(['sku Art', 'assets Image 1,Image 2']);
        expect(changed.remedies).toEqual([{ type: 'SKIP_PICTURES' }]);
    });

    it('can be one value for all rows', () => {
        expect(withValue(plan, 'stock', '5').fields[2]).toEqual({ field: 'stock', value: '5', conversions: [] });
    });

    it('counts the columns of variants as used', () => {
        const grouped: ImportPlan = {
            ...plan,
            variants: {
                grouping: { kind: 'BY_COLUMN', column: 'Handle' },
                pairs: [{ nameColumn: 'Option1 Name', valueColumn: 'Option1 Value' }],
            },
        };
        expect([...usedColumns(grouped)]).toEqual([
            'Art',
            'Image 1',
            'Image 2',
            'Qty',
            'Handle',
            'Option1 Name',
            'Option1 Value',
        ]);
    });
});

describe('rows that are variants of a product', () => {
    const names = ['Item', 'Title', 'Colour', 'Brand'];
    const file = {
        columns: names.map((name, index) => ({ name, index })) as never,
        facts: {
            ...plan.facts,
            encoding: null,
            delimiter: ';',
            quote: null,
            trim: null,
            sheet: null,
            recordPath: null,
        },
        head: [
            names,
            ['A-1', 'Jumper', 'Red', 'Acme'],
            ['A-2', 'Jumper', 'Blue', 'Acme'],
            ['A-3', 'Scarf', 'Red', 'Nord'],
        ],
        headNumbers: [1, 2, 3, 4],
    };
    const facet = (column: string) => ({ field: `facet:${column}`, columns: [column], conversions: [] });
    const rows: ImportPlan = { ...plan, fields: [facet('Colour'), facet('Brand')] };

    it('have options instead of the facets that differ within a product, and facets again without variants', () => {
        const grouped = withGrouping(rows, file, 'Title');
        expect(grouped.variants).toEqual({ grouping: { kind: 'BY_COLUMN', column: 'Title' } });
        expect(mapped(grouped)).toEqual(['option:Colour Colour', 'facet:Brand Brand']);
        expect(withGrouping(grouped, file, undefined)).toEqual(rows);
    });

    it('keep the kind of the suggested grouping as long as its column stays', () => {
        const grouping = { kind: 'CONTINUING', column: 'Title' } as const;
        expect(withGrouping({ ...rows, variants: { grouping } }, file, 'Title').variants).toEqual({ grouping });
        expect(withGrouping({ ...rows, variants: { grouping } }, file, 'Item').variants?.grouping.kind).toBe(
            'BY_COLUMN',
        );
    });
});
