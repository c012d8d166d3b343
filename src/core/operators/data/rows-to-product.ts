import { clause } from '../../errors/rendered';
import { z } from 'zod';
import type { Bounds } from '../../adapter/bounds';
import { recordOperator } from '../../adapter/operator';
import { splitEscaped } from '../../data/escaped-list';
import { compilePath, type Path, pathOf } from '../../data/path';
import { readText } from '../../data/read-text';
import { compileTemplate, type Render, templatePaths } from '../../data/template';
import { unpadded } from '../../data/unpadded';
import { recordInvalid, valueInvalid } from '../../errors/record-invalid';
import { path, pathMapping, paths, template, withRules } from '../../schema/fields';
import { isJsonObject, type JsonObject, type JsonValue } from '../../value/json';

/** As many as the extractors group. */
const MAX_ROWS = 10_000;
const MAX_OPTIONS = 20;

const option = withRules(
    z.strictObject({
        name: z.string().min(1).max(255).optional().meta({
            title: 'Name',
            description: 'The name of the option group, if it is the same for all products.',
        }),
        nameColumn: path(
            'Name column',
            'The field of a row with the name of the option group. A row without a name has that of the first row with one.',
        ).optional(),
        valueColumn: path('Value column', 'The field of a row with the option.'),
        delimiter: z.string().min(1).max(10).optional().meta({
            title: 'Delimiter',
            description: 'Splits both fields if they hold several names and options, for example "|".',
        }),
        escape: z.boolean().default(false).meta({
            title: 'Escape',
            description: 'A delimiter after a backslash belongs to its name or option; two backslashes are one.',
        }),
    }),
    ({ name, nameColumn }, issue) => {
        if (name === undefined && nameColumn === undefined)
            issue('nameColumn', clause`is missing: set name or nameColumn`);
        if (name !== undefined && nameColumn !== undefined)
            issue('name', clause`cannot be used together with nameColumn`);
    },
);

/** Builds a product with its variants from the rows of a group. */
export const rowsToProduct = recordOperator({
    code: 'rowsToProduct',
    category: 'Data',
    title: 'Rows to product',
    summary: 'Builds a product with variants, options and pictures from grouped rows.',
    config: withRules(
        z.strictObject({
            rows: path('Rows', "The list of rows, as produced by an extractor's groupBy.").default('rows'),
            key: path(
                'Key',
                'The field of the record that all rows have in common, for ${key} in skuFallback.',
            ).optional(),
            product: pathMapping(
                'Product',
                'Field of the product on the left, field of a row on the right. The first row that has a value counts.',
            ),
            variantWhen: paths(
                'Row is a variant if',
                'A row is a variant if one of these fields has a value. Other rows only have pictures. Default: all rows are variants.',
            ).optional(),
            parent: path(
                'Parent',
                'The field of a row that names its product. If a row of the group has it, the rows without it describe the product and are not variants.',
            ).optional(),
            variant: pathMapping('Variant', 'Field of the variant on the left, field of a row on the right.'),
            options: z.array(option).max(MAX_OPTIONS).default([]).meta({
                title: 'Options',
                description: 'Where the option groups and options of a variant are.',
            }),
            noOption: z.array(z.string().min(1).max(255)).max(100).default([]).meta({
                title: 'Not an option',
                description:
                    'Names of option groups that are left out. Shopify writes "Title" for a product without options.',
            }),
            assets: paths(
                'Pictures',
                "The fields of all rows with pictures of the product. Their values become the product's list assets, without duplicates.",
                0,
            ).default([]),
            variantAssets: paths(
                'Pictures of the variant',
                "The fields of the variant with its pictures. Their values are moved into the variant's list assets.",
                0,
            ).default([]),
            skuFallback: template(
                'SKU if there is none',
                'The SKU of a variant without one. ${key} is the key of the product, ${n} the number of the variant, starting with 1; other placeholders are fields of the variant.',
            ).optional(),
        }),
        ({ key, skuFallback }, issue) => {
            if (key === undefined && typeof skuFallback === 'string' && templatePaths(skuFallback).includes('key'))
                issue('skuFallback', clause`uses \${key}: set key to the field that all rows have in common`);
        },
    ),
    notes: [
        'The result has only the mapped fields, variants and assets. Text that is empty or blank counts as no value.',
        `At most ${MAX_ROWS} rows are allowed. A row that is not an object, and an option without the name of its group, reject the record.`,
        'skuFallback makes no SKU if one of its values is missing or empty; the loader rejects such a product.',
        'skuFallback with ${n} depends on the order of the rows: if rows are added in between, later variants get other SKUs. A fallback made of options, such as ${key}-${options.Size}, is stable.',
    ],
    examples: [
        {
            args: {
                key: 'Handle',
                product: { slug: 'Handle', name: 'Title' },
                variantWhen: ['Variant Price'],
                variant: { sku: 'Variant SKU', price: 'Variant Price', picture: 'Variant Image' },
                options: [{ nameColumn: 'Option1 Name', valueColumn: 'Option1 Value' }],
                noOption: ['Title'],
                assets: ['Image Src'],
                variantAssets: ['picture'],
                skuFallback: '${key}-${n}',
            },
            in: {
                Handle: 'bracelet',
                rows: [
                    {
                        Handle: 'bracelet',
                        Title: 'Bracelet',
                        'Option1 Name': 'Color',
                        'Option1 Value': 'Blue',
                        'Variant Price': '42.99',
                        'Variant Image': 'navy.jpg',
                        'Image Src': 'blue.jpg',
                    },
                    {
                        Handle: 'bracelet',
                        'Option1 Value': 'Black',
                        'Variant SKU': 'B-2',
                        'Variant Price': '42.99',
                        'Image Src': 'black.jpg',
                    },
                    { Handle: 'bracelet', 'Image Src': 'blue.jpg' },
                ],
            },
            out: {
                slug: 'bracelet',
                name: 'Bracelet',
                variants: [
                    { price: '42.99', options: { Color: 'Blue' }, assets: ['navy.jpg'], sku: 'bracelet-1' },
                    { sku: 'B-2', price: '42.99', options: { Color: 'Black' } },
                ],
                assets: ['blue.jpg', 'black.jpg'],
            },
            note: 'A product of a Shopify export.',
        },
        {
            args: {
                key: 'h',
                product: { name: 't' },
                variant: { price: 'p' },
                options: [{ nameColumn: 'o', valueColumn: 'v' }],
                noOption: ['Title'],
                skuFallback: '${key}',
            },
            in: { h: 'mug', rows: [{ t: 'Mug', o: 'Title', v: 'Default Title', p: '5' }] },
            out: { name: 'Mug', variants: [{ price: '5', sku: 'mug' }] },
        },
        {
            args: {
                product: { name: 'name' },
                variant: { sku: 'sku' },
                options: [{ nameColumn: 'optionGroups', valueColumn: 'optionValues', delimiter: '|' }],
            },
            in: {
                name: 'Shirt',
                rows: [
                    { name: 'Shirt', sku: 'S-1', optionGroups: 'Size|Color', optionValues: 'S|Red' },
                    { sku: 'S-2', optionValues: 'M|Red' },
                ],
            },
            out: {
                name: 'Shirt',
                variants: [
                    { sku: 'S-1', options: { Size: 'S', Color: 'Red' } },
                    { sku: 'S-2', options: { Size: 'M', Color: 'Red' } },
                ],
            },
            note: 'Several options in one field, as Vendure writes them.',
        },
        {
            args: {
                product: { name: 'name' },
                variant: { sku: 'sku' },
                options: [{ nameColumn: 'optionGroups', valueColumn: 'optionValues', delimiter: '|', escape: true }],
            },
            in: {
                name: 'Shirt',
                rows: [{ name: 'Shirt', sku: 'S-1', optionGroups: 'Size|Color', optionValues: 'S\\|M|Red' }],
            },
            out: { name: 'Shirt', variants: [{ sku: 'S-1', options: { Size: 'S|M', Color: 'Red' } }] },
            note: 'An option that contains the delimiter.',
        },
        {
            args: {
                key: 'sku',
                product: { name: 'name' },
                variant: { stock: 'stock' },
                options: [{ name: 'Size', valueColumn: 'size' }],
                skuFallback: '${key}-${options.Size}',
            },
            in: { sku: 'H1', rows: [{ name: 'Hemd', size: 'S', stock: 3 }] },
            out: { name: 'Hemd', variants: [{ stock: 3, options: { Size: 'S' }, sku: 'H1-S' }] },
        },
        {
            args: {
                product: { name: 'Name' },
                parent: 'Parent',
                variant: { sku: 'SKU', price: 'Price' },
                options: [{ name: 'Size', valueColumn: 'Size' }],
            },
            in: {
                Parent: 'TS',
                rows: [
                    { SKU: 'TS', Name: 'Shirt', Size: 'S, M' },
                    { SKU: 'TS-S', Parent: 'TS', Price: 10, Size: 'S' },
                    { SKU: 'TS-M', Parent: 'TS', Price: 11, Size: 'M' },
                ],
            },
            out: {
                name: 'Shirt',
                variants: [
                    { sku: 'TS-S', price: 10, options: { Size: 'S' } },
                    { sku: 'TS-M', price: 11, options: { Size: 'M' } },
                ],
            },
            note: 'A parent and its variants, grouped by apart and fallback.',
        },
        {
            args: {
                product: { name: 't' },
                variant: { sku: 's' },
                options: [{ nameColumn: 'o', valueColumn: 'v' }],
            },
            in: { rows: [{ t: 'Mug', s: 'M', v: 'Blue' }] },
            error: 'Field "rows.0.v": "Blue" is an option without a group; no row has a name in "o"',
        },
        {
            args: { product: { name: 't' }, variant: { sku: 's' } },
            in: { t: 'Mug', s: 'M' },
            error: 'Field "rows": is missing',
        },
    ],
    reads: ({ rows }) => [rows],
    compile(args, { bounds }) {
        const list = compilePath(args.rows);
        const key = args.key === undefined ? undefined : compilePath(args.key);
        const product = moves(args.product);
        const assets = args.assets.map(compilePath);
        const isVariant = variantFilter(args);
        const variantOf = variantBuilder(args, bounds);
        return data => {
            const rows = readRows(args.rows, list.get(data));
            let out: JsonObject = {};
            for (const { to, from } of product) {
                const value = firstValue(rows, from);
                if (value !== undefined) out = to.set(out, value);
            }
            const namesOf = optionNames(rows);
            const variants: JsonObject[] = [];
            const counts = isVariant(rows);
            for (const [index, row] of rows.entries()) {
                if (!counts(row)) continue;
                const place = { at: `${args.rows}.${index}`, n: variants.length + 1, key: key?.get(data) };
                variants.push(variantOf(row, place, namesOf));
            }
            out = { ...out, variants };
            const pictures = picturesOf(rows, assets);
            if (pictures.length > 0) out = { ...out, assets: pictures };
            bounds.value('variants', out);
            return out;
        };
    },
});

type Args = z.output<typeof rowsToProduct.config>;

interface Move {
    readonly to: Path;
    readonly from: Path;
}

function moves(mapping: Readonly<Record<string, string>>): readonly Move[] {
    return Object.entries(mapping).map(([to, from]) => ({ to: compilePath(to), from: compilePath(from) }));
}

function readRows(at: string, rows: JsonValue | undefined): readonly JsonObject[] {
    if (!Array.isArray(rows)) throw valueInvalid(at, rows, 'is not a list; use it after an extractor with groupBy');
    const list = rows as readonly JsonValue[];
    if (list.length > MAX_ROWS) throw recordInvalid(at, `has ${list.length} rows; at most ${MAX_ROWS} are allowed`);
    for (const [index, row] of list.entries())
        if (!isJsonObject(row)) throw valueInvalid(`${at}.${index}`, row, 'is not an object');
    return list as readonly JsonObject[];
}

function hasValue(value: JsonValue | undefined): boolean {
    return value !== undefined && value !== null && !(typeof value === 'string' && unpadded(value) === '');
}

/** The first value of a field that is not empty; if all are empty, the field of the first row that has it. */
function firstValue(rows: readonly JsonObject[], field: Path): JsonValue | undefined {
    let empty: JsonValue | undefined;
    for (const row of rows) {
        const value = field.get(row);
        if (hasValue(value)) return value;
        empty ??= value;
    }
    return empty;
}

/** The text of a field without the white space around it; undefined if it is empty or not a text. */
function textOf(value: JsonValue | undefined): string | undefined {
    const text = unpadded(readText(value) ?? '');
    return text === '' ? undefined : text;
}

/** The texts of fields, which may be lists, in the order of the rows; each text once. */
function picturesOf(rows: readonly JsonObject[], fields: readonly Path[]): readonly JsonValue[] {
    const found = new Map<string, JsonValue>();
    for (const row of rows) {
        for (const field of fields) {
            const value = field.get(row);
            for (const one of Array.isArray(value) ? (value as readonly JsonValue[]) : [value]) {
                const text = textOf(one);
                if (text !== undefined) found.set(text, text);
                else if (isJsonObject(one)) found.set(JSON.stringify(one), one);
            }
        }
    }
    return [...found.values()];
}

/** Finds the names of option groups in a column for rows without names: those of the first row with names. */
type OptionNames = (column: Path) => string | undefined;

function optionNames(rows: readonly JsonObject[]): OptionNames {
    const known = new Map<Path, string | undefined>();
    return column => {
        if (!known.has(column)) known.set(column, textOf(firstValue(rows, column)));
        return known.get(column);
    };
}

/** Says which rows of a group are variants. */
function variantFilter({ variantWhen, parent }: Args): (rows: readonly JsonObject[]) => (row: JsonObject) => boolean {
    const fields = variantWhen?.map(compilePath);
    const owner = parent === undefined ? undefined : compilePath(parent);
    return rows => {
        const hasOwner = (row: JsonObject): boolean => owner !== undefined && hasValue(owner.get(row));
        const isGroup = rows.some(hasOwner);
        return row =>
            (!isGroup || hasOwner(row)) && (fields === undefined || fields.some(field => hasValue(field.get(row))));
    };
}

interface RowPlace {
    /** The path of the row in the record. */
    readonly at: string;
    /** The number of the variant from 1. */
    readonly n: number;
    readonly key: JsonValue | undefined;
}

function variantBuilder(
    args: Args,
    bounds: Bounds,
): (row: JsonObject, place: RowPlace, namesOf: OptionNames) => JsonObject {
    const fields = moves(args.variant);
    const pictures = args.variantAssets.map(compilePath);
    const optionsOf = optionReader(args);
    const sku = skuRenderer(args.skuFallback, bounds);
    return (row, place, namesOf) => {
        let variant: JsonObject = {};
        for (const { to, from } of fields) {
            const value = from.get(row);
            if (value !== undefined) variant = to.set(variant, value);
        }
        const options = optionsOf(row, place.at, namesOf);
        if (options.size > 0) variant = { ...variant, options: Object.fromEntries(options) };
        const assets = picturesOf([variant], pictures);
        for (const field of pictures) variant = field.unset(variant);
        if (assets.length > 0) variant = { ...variant, assets };
        const text =
            sku && !hasValue(variant['sku']) ? sku({ ...variant, key: place.key ?? null, n: place.n }) : undefined;
        return text === undefined ? variant : { ...variant, sku: text };
    };
}

/** Renders the fallback SKU. Without one of its values it would be the same for several products, so there is none. */
function skuRenderer(text: string | undefined, bounds: Bounds): Render | undefined {
    if (text === undefined) return undefined;
    const values = templatePaths(text).map(compilePath);
    const render = compileTemplate(text, false, {
        textOf: value => bounds.textOf('variants', value),
        fits: length => bounds.fits('variants', length),
    });
    return data => (values.every(value => hasValue(value.get(data))) ? render(data) : undefined);
}

function optionReader({
    options,
    noOption,
}: Args): (row: JsonObject, at: string, namesOf: OptionNames) => ReadonlyMap<string, string> {
    const left = new Set(noOption);
    const columns = options.map(({ name, nameColumn, valueColumn, delimiter, escape }) => ({
        name,
        nameColumn: nameColumn === undefined ? undefined : compilePath(nameColumn),
        valueColumn: compilePath(valueColumn),
        parts: (text: string): readonly string[] =>
            delimiter === undefined
                ? [text]
                : (escape ? splitEscaped(text, delimiter) : text.split(delimiter)).map(unpadded),
    }));
    return (row, at, namesOf) => {
        const found = new Map<string, string>();
        for (const { name, nameColumn, valueColumn, parts } of columns) {
            const value = textOf(valueColumn.get(row));
            if (value === undefined) continue;
            const field = `${at}.${valueColumn.text}`;
            const names = name ?? (nameColumn && (textOf(nameColumn.get(row)) ?? namesOf(nameColumn)));
            if (names === undefined)
                throw valueInvalid(
                    field,
                    value,
                    `is an option without a group; no row has a name in "${nameColumn!.text}"`,
                );
            const groups = parts(names);
            const values = parts(value);
            if (groups.length !== values.length)
                throw valueInvalid(field, value, `has ${values.length} options for ${groups.length} option groups`);
            for (const [i, group] of groups.entries()) {
                if (group === '' || values[i] === '' || left.has(group)) continue;
                if (found.has(group))
                    throw recordInvalid(field, `is a second option of the group "${pathOf(group)}" for one variant`);
                found.set(group, values[i]!);
            }
        }
        return found;
    };
}
