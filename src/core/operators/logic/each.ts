import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { stepwise } from '../../adapter/record-walk';
import { ITEM } from '../../data/item';
import { isJsonObject, type JsonObject, type JsonValue } from '../../value/json';
import { compilePath } from '../../data/path';
import { recordInvalid, valueInvalid } from '../../errors/record-invalid';
import { path } from '../../schema/fields';
import { operatorCalls } from '../../schema/operator-calls';

/** A longer list would fill the worker's memory; it can be expanded to records instead. */
const MAX_ELEMENTS = 100_000;

/** Applies operators to each element of a list. */
export const each = recordOperator({
    code: 'each',
    category: 'Logic',
    title: 'For each element',
    summary: 'Applies operators to every element of a list.',
    config: z.strictObject({
        path: path('List', 'The list with the elements to change.'),
        operators: operatorCalls(
            'Operators',
            'The operators to apply to each element, one after another. They must work on one record at a time, and may include further operators of this kind. Their paths begin at the element.',
        ),
    }),
    notes: [
        `An element that is an object is the record of the operators. Any other element becomes the field ${ITEM} of a record. Afterwards the value of that field is the element again; without the field, the record is.`,
        'An operator that drops a record removes the element from the list; one that makes several records makes several elements.',
        'An error in an element rejects the record and names the path of the element, such as variants.2.price.',
        `Missing and null leave the record unchanged. Any other value that is not a list rejects it, and so does a list that has or gets more than ${MAX_ELEMENTS} elements.`,
        'Operators that work on whole batches (aggregate, deduplicateRecords, script …) are not allowed. Operators can be nested up to 4 levels deep.',
    ],
    examples: [
        {
            args: {
                path: 'variants',
                operators: [
                    { op: 'toCents', args: { source: 'price', target: 'price' } },
                    { op: 'default', args: { path: 'stock', value: 0 } },
                ],
            },
            in: {
                name: 'Hemd',
                variants: [
                    { sku: 'S', price: '19.99' },
                    { sku: 'M', price: '21', stock: 4 },
                ],
            },
            out: {
                name: 'Hemd',
                variants: [
                    { sku: 'S', price: 1999, stock: 0 },
                    { sku: 'M', price: 2100, stock: 4 },
                ],
            },
        },
        {
            args: { path: 'tags', operators: [{ op: 'trim', args: { path: '_item' } }] },
            in: { tags: [' rot', 'blau '] },
            out: { tags: ['rot', 'blau'] },
            note: 'An element that is not an object is the field _item.',
        },
        {
            args: {
                path: 'variants',
                operators: [{ op: 'toCents', args: { source: 'price', target: 'price' } }],
            },
            in: { variants: [{ price: '1' }, { price: '2' }, { price: '12,50 €' }] },
            error: 'Field "variants.2.price": "12,50 €" is not a decimal number',
        },
        {
            args: {
                path: 'variants',
                operators: [
                    { op: 'when', args: { conditions: [{ field: 'sku', cmp: 'isNotEmpty' }], action: 'keep' } },
                    { op: 'each', args: { path: 'sizes', operators: [{ op: 'uppercase', args: { path: '_item' } }] } },
                ],
            },
            in: {
                variants: [
                    { sku: '', sizes: ['s'] },
                    { sku: 'A', sizes: ['s', 'm'] },
                ],
            },
            out: { variants: [{ sku: 'A', sizes: ['S', 'M'] }] },
            note: 'The first element is dropped, and its sizes with it.',
        },
        {
            args: { path: 'v', operators: [{ op: 'expand', args: { path: 'sizes', mergeParent: true } }] },
            in: { v: [{ sku: 'A', sizes: [{ size: 'S' }, { size: 'M' }] }] },
            out: {
                v: [
                    { sku: 'A', size: 'S' },
                    { sku: 'A', size: 'M' },
                ],
            },
        },
        { args: { path: 'v', operators: [{ op: 'remove', args: { path: 'a' } }] }, in: { b: 1 }, out: { b: 1 } },
        {
            args: { path: 'v', operators: [{ op: 'remove', args: { path: 'a' } }] },
            in: { v: { a: 1 } },
            error: 'Field "v": an object is not a list',
        },
    ],
    reads: ({ path: at }) => [at],
    compile({ path: at, operators }, env) {
        const list = compilePath(at);
        const inner = env.inner(operators);
        const changed = env.bounds.field(at);
        return stepwise(function* (data, place) {
            const elements = list.get(data);
            if (elements === undefined || elements === null) return data;
            if (!Array.isArray(elements)) throw valueInvalid(at, elements, 'is not a list');
            assertNotTooLong(at, elements.length);
            const made: JsonValue[] = [];
            for (const [index, element] of (elements as readonly JsonValue[]).entries()) {
                const isItem = !isJsonObject(element);
                const part = isItem ? { [ITEM]: element } : element;
                const pathOf = (path_: string | undefined): string => joined(`${at}.${index}`, path_, isItem);
                for (const piece of yield* inner.pass(part, { outer: place, index, most: MAX_ELEMENTS, pathOf })) {
                    const one = isItem ? itemOf(piece) : piece;
                    if (one !== element && typeof one === 'object' && one !== null) env.bounds.value(at, one);
                    made.push(one);
                }
                assertNotTooLong(at, made.length);
            }
            const isSame = made.length === elements.length && made.every((element, i) => element === elements[i]);
            return isSame ? data : changed.set(data, made);
        });
    },
});

function assertNotTooLong(at: string, length: number): void {
    if (length > MAX_ELEMENTS) throw recordInvalid(at, `has ${length} elements; at most ${MAX_ELEMENTS} are allowed`);
}

function itemOf(piece: JsonObject): JsonValue {
    return Object.hasOwn(piece, ITEM) ? piece[ITEM]! : piece;
}

/** The path in the record of a path in the element. */
function joined(element: string, inner: string | undefined, isItem: boolean): string {
    const isOfItem = isItem && (inner === ITEM || inner?.startsWith(`${ITEM}.`));
    const rest = isOfItem ? inner!.slice(ITEM.length + 1) : (inner ?? '');
    return rest === '' ? element : `${element}.${rest}`;
}
