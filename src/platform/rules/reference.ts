import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { type BatchRuleFn, defineRule, type RuleProblem } from '../../core/adapter/rule';
import { isNothing } from '../../core/data/decimal';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { compilePath } from '../../core/data/path';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { SPEC_NOTE, specFields, validated } from '../../core/rules/fields';
import { recordCheck } from '../../core/rules/spec-checks';
import { path, withRules } from '../../core/schema/fields';
import { vendureOf } from '../lookup/vendure';
import { type Entity, ENTITIES, KEYS, finderOf, keysOf, permissionsOf } from './entities';

/** The number of values in one statement. */
const CHUNK = 1000;

/** An entity that the shop must have. */
export const reference = defineRule({
    code: 'reference',
    title: 'Reference',
    summary: 'Requires an existing entity of the shop: a product, a customer, a facet value and so on.',
    config: withRules(
        validated(
            z.strictObject({
                ...specFields,
                field: path('Field', 'The field with the key: text, or a list of texts that must all exist.'),
                entity: z.enum(ENTITIES).meta({ title: 'Entity', description: 'What must exist.', aliases: {} }),
                by: z.enum(KEYS).optional().meta({
                    title: 'By',
                    description:
                        'The key that the field contains. PRODUCT: slug (default) or id. The others have one key each: COLLECTION slug, PRODUCT_VARIANT sku, FACET code, FACET_VALUE facet:value, CUSTOMER emailAddress, CHANNEL token, TAX_CATEGORY, STOCK_LOCATION and CUSTOMER_GROUP name.',
                    aliases: {},
                }),
            }),
        ),
        ({ entity, by }, issue) => {
            const keys = (ENTITIES as readonly string[]).includes(entity) ? keysOf(entity) : [];
            if (keys.length > 0 && by !== undefined && !(keys as readonly string[]).includes(by))
                issue('by', clause`allowed: ${keys.map(show).join(', ')} where entity is ${show(entity)}`);
        },
    ),
    requiresFor: ({ entity }) =>
        (ENTITIES as readonly unknown[]).includes(entity) ? [permissionsOf(entity as Entity)] : [],
    notes: [
        SPEC_NOTE,
        "Only entities of the run's channel that are not deleted count; channels and tax categories are those of the whole shop. Slugs are in the run's language.",
        'Entities written by an earlier step of the same run count. In a dry run, this includes products, variants, collections, facets, facet values, stock locations, customers and customer groups that it would have created.',
        'The comparison is case-sensitive on every database, except for e-mail addresses.',
        "The run's user must be allowed to read the entities.",
    ],
    examples: [
        {
            spec: { field: 'product', entity: 'PRODUCT' },
            in: [{ product: 'trail-shoe' }, { product: 'no-such-shoe' }, {}],
            problems: [null, 'is "no-such-shoe"', null],
        },
        {
            spec: { field: 'facets', entity: 'FACET_VALUE', required: true },
            in: [
                { facets: ['colour:red', 'colour:blue'] },
                { facets: ['colour:red', 'colour:gold'] },
                { facets: null },
            ],
            problems: [null, 'is "colour:gold"', 'is required but missing'],
            note: 'Every text of a list must exist; here in a shop that has red and blue.',
        },
        {
            spec: { field: 'mail', entity: 'CUSTOMER' },
            in: [{ mail: 'anna@example.com' }, { mail: 'unknown@example.com' }],
            problems: [null, 'is "unknown@example.com"'],
        },
    ],
    async open(spec, cx): Promise<BatchRuleFn> {
        const { ctx, database } = vendureOf(cx);
        const permissions = permissionsOf(spec.entity);
        if (!ctx.userHasPermissions([...permissions])) {
            throw flowError('FORBIDDEN', {
                who: "The run's user",
                permission: permissions.join(' or '),
                what: `rule "reference" of step "${cx.stepKey}"`,
            });
        }
        const key = spec.by ?? keysOf(spec.entity)[0]!;
        const find = finderOf(vendureOf(cx), { entity: spec.entity, key, mode: cx.mode });
        const from = compilePath(spec.field);
        const check = recordCheck(spec);
        return async (batch, { turn }) => {
            const requested: Array<Named | RuleProblem> = [];
            for (const { data } of batch) {
                await turn();
                requested.push(check(data) ?? namedBy(from.get(data), spec));
            }
            const desired = [
                ...new Set(
                    requested.flatMap(named =>
                        'names' in named ? named.names.map(({ name }) => find.normal(name)) : [],
                    ),
                ),
            ].filter(isStorable);
            const found = new Set<string>();
            for (let at = 0; at < desired.length; at += CHUNK) {
                await turn();
                for (const name of await database.run(() => find.existing(desired.slice(at, at + CHUNK))))
                    found.add(find.normal(name));
            }
            return requested.map((named): RuleProblem | undefined => {
                if ('problem' in named) return named;
                const missing = named.names.find(({ name }) => !found.has(find.normal(name)));
                return missing && { path: missing.path, problem: `is ${show(missing.name)}; ${find.absent}` };
            });
        };
    },
});

interface Named {
    readonly names: ReadonlyArray<{ readonly path: string; readonly name: string }>;
}

interface Wanted {
    readonly field: string;
    readonly required: boolean;
}

function namedBy(value: JsonValue | undefined, { field, required }: Wanted): Named | RuleProblem {
    if (isNothing(value)) return required ? { path: field, problem: 'is required but missing' } : { names: [] };
    const list = Array.isArray(value)
        ? (value as readonly JsonValue[])
        : [value as string | number | boolean | JsonObject];
    const names: Array<Named['names'][number]> = [];
    for (const [index, one] of list.entries()) {
        const at = Array.isArray(value) ? `${field}.${index}` : field;
        // A typed source may have an id or a SKU as a number.
        const name = typeof one === 'number' ? String(one) : one;
        if (typeof name !== 'string') return { path: at, problem: `is ${show(one)}; allowed: text` };
        names.push({ path: at, name });
    }
    return { names };
}

const MAX_NAME = 1000;

/** No database could store it, and some raise an error when they search for it. */
function isStorable(name: string): boolean {
    return name.length <= MAX_NAME && !/[\0\p{Surrogate}]/u.test(name);
}
