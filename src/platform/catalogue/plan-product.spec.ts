import type { Change } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { naming } from '../../../test/kit/naming';
import { RecordIssues } from '../entities/record-issues';
import { fieldNames, listModesIn } from './load-config';
import type { ProductRules } from './match-products';
import { planProduct } from './plan-product';
import type { CatalogueContext } from './catalogue';
import { readProduct } from './read-product';
import { rules } from '../../../test/kit/record-rules';
import { Columns } from '../entities/columns';
import { product as products } from '../entity-descriptions/product';
import { ProductState } from '../entity-descriptions/product-state';
import { variant as variants } from '../entity-descriptions/variant';
import { VariantState } from '../entity-descriptions/variant-state';
import { UnitOfWork } from '../entities/unit-of-work';

/** A shop with the products "lamp" (variant L-1) and "table" (variant T-1). */
function shop(): UnitOfWork {
    const work = new UnitOfWork();
    [
        ['lamp', 'L-1'],
        ['table', 'T-1'],
    ].forEach(([slug, sku], i) => {
        const product = new ProductState(i + 1, new Columns({}), slug!);
        product.setText('en', { id: i + 1, columns: new Columns({ slug: slug!, name: slug! }) });
        work.of(products).addRead(product, slug!);
        work.of(variants).addRead(new VariantState(i + 1, new Columns({ sku: sku!, productId: i + 1 }), sku!), sku!);
    });
    return work;
}

/** Why the record is rejected; it is valid as far as that is known without the shop. */
function problem(
    data: JsonObject,
    { matchBy = 'slug', strategy = 'UPSERT', ...renamed }: Partial<ProductRules> & Record<string, unknown> = {},
): string {
    const issues = new RecordIssues();
    const desired = readProduct(data, rules, { names: fieldNames(renamed), faults: issues })!;
    const { reference, product, variant } = rules;
    const catalogue = { reference, products: product, variants: variant } as unknown as CatalogueContext;
    const plan: ProductRules = {
        catalogue,
        work: shop(),
        answers: new Map(),
        isLive: true,
        createsFacetValues: false,
        missingPrice: 'REJECT',
        matchBy,
        strategy,
        modes: listModesIn({}, strategy),
        pictures: new Map(),
    };
    // The script yields no statements here.
    const change = planProduct(plan, desired, issues).next().value as Change;
    return change.action === 'reject' ? change.error.message : 'none';
}

describe('a product record that is rejected', () => {
    it.each<[JsonObject, Parameters<typeof problem>[1], string]>([
        [{ Pfad: 'sofa' }, { slugField: 'Pfad', nameField: 'Titel' }, 'Titel'],
        [{ Pfad: 'lamp' }, { slugField: 'Pfad', strategy: 'CREATE' }, 'Pfad'],
        [{ Artikel: 'L-1', Pfad: 'lamp' }, { skuField: 'Artikel', matchBy: 'sku', strategy: 'CREATE' }, 'Artikel'],
        [{ Titel: 'Sofa' }, { skuField: 'Artikel', nameField: 'Titel', matchBy: 'sku' }, 'Artikel'],
        [{ slug: 'lamp', Artikel: 'T-1' }, { skuField: 'Artikel' }, 'Artikel'],
        [
            { slug: 'lamp', Arten: [{ Artikel: 'T-1' }] },
            { variantsField: 'Arten', skuField: 'Artikel' },
            'Arten.0.Artikel',
        ],
        [{ slug: 'lamp', Texte: { de: { slug: 'lampe' } } }, { translationsField: 'Texte' }, 'Texte.de.name'],
    ])('names the field as the record calls it (%#)', (data, config, field) => {
        expect(problem(data, config)).toContain(`Field "${field}": `);
    });

    it('names the product that has its SKU', () => {
        expect(problem({ slug: 'lamp', sku: 'T-1' })).toMatch(naming('"sku"', '"T-1"', '"table"'));
    });
});
