import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { connectionCode, withRules, wholeNumber } from '../../core/schema/fields';
import { LOOKUP, seedMode } from '../../core/schema/seed-mode';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { readJsonText } from '../../core/data/json-text';
import { typeText, variableProblem } from '../requests/graphql-text';
import { apiFields } from './api-fields';
import { readPimDocument } from './pim-document';
import { listingQuery, PIM_ENTITIES, PIM_LISTINGS, type PimEntity, sortColumns } from './pim-listing';

const MAX_QUERY = 50_000;
const MAX_FILTER = 10_000;
const COLUMNS = /^\s*[A-Za-z_]\w*(\s*,\s*[A-Za-z_]\w*)*\s*$/;
const NAME = /^[_A-Za-z]\w*$/;
/** As the PIM and the shop write them. */
const LANGUAGE = /^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$/;

/** The configuration of `pimGraphQL`. */
export const pimConfig = withRules(
    z.strictObject({
        connectionCode: connectionCode(['HTTP', 'REST', 'GRAPHQL'], {
            title: 'Connection',
            description: 'The GraphQL endpoint of the PIM. Its base URL is the full address of the configuration.',
        }),
        entityType: z.enum(PIM_ENTITIES).meta({
            title: 'Entity type',
            description: 'The type of objects to read: product, category or asset.',
            aliases: {},
        }),
        seedMode: seedMode(),
        responseField: z
            .string()
            .regex(NAME, 'allowed: a name of GraphQL')
            .max(128)
            .optional()
            .meta({
                title: 'Response field',
                description: `The name of the listing in the query. Default: ${Object.values(PIM_LISTINGS).slice(0, -1).join(', ')} or ${Object.values(PIM_LISTINGS).at(-1)}.`,
            }),
        sortBy: z.string().max(200).regex(COLUMNS, 'allowed: columns of the PIM, joined by commas').optional().meta({
            title: 'Sort by',
            description:
                'One column, or several joined by commas. Default: id; for categories fullpath, which is sent as path and key because the PIM has no such column.',
        }),
        sortOrder: z
            .enum(['ASC', 'DESC'])
            .default('ASC')
            .meta({ title: 'Sort order', description: 'ASC or DESC.', aliases: {} }),
        first: wholeNumber(
            { min: 1, max: 1_000 },
            { title: 'Page size', description: 'The number of records requested per page.' },
        ).default(100),
        maxPages: wholeNumber(
            { min: 1, max: 10_000 },
            { title: 'Pages', description: 'The maximum number of pages. If there are more, the run fails.' },
        ).default(100),
        includeUnpublished: z.boolean().default(false).meta({
            title: 'Include unpublished',
            description: 'Also reads unpublished objects. Assets do not have this state.',
        }),
        filter: z.string().min(2).max(MAX_FILTER).optional().meta({
            title: 'Filter',
            description: 'The filter of the PIM, as JSON text: {"path": {"$like": "/Products/%"}}.',
            widget: 'textarea',
        }),
        query: z.string().min(1).max(MAX_QUERY).optional().meta({
            title: 'Query',
            description:
                'A GraphQL query that replaces the default one. It declares those of $first, $after, $sortBy, $sortOrder, $filter, $published and $defaultLanguage that it uses.',
            widget: 'textarea',
        }),
        defaultLanguage: z.string().regex(LANGUAGE, 'allowed: a language such as en or pt_BR').optional().meta({
            title: 'Default language',
            description:
                'The language of fields that are requested without a language. Default: the default language of the PIM.',
        }),
        languages: z
            .array(z.string().regex(LANGUAGE, 'allowed: languages such as en or pt_BR'))
            .min(1)
            .max(100)
            .optional()
            .meta({
                title: 'Languages',
                description:
                    "The languages in which fields with @languages are read. Default: the languages of the run's channel.",
            }),
        retry: apiFields.retry,
        timeoutMs: apiFields.timeoutMs,
    }),
    (args, issue) => {
        const { query, filter, entityType, responseField } = args;
        if (typeof filter === 'string' && !filterOf(filter))
            issue('filter', clause`is not a JSON object; allowed: {"column": {"$like": "text"}}`);
        const isKnown = (PIM_ENTITIES as readonly unknown[]).includes(entityType);
        if (typeof query !== 'string' || query.length > MAX_QUERY || query === '' || !isKnown) return;
        if (responseField !== undefined && typeof responseField !== 'string') return;
        checkQuery(args, issue);
    },
);
export type PimArgs = z.output<typeof pimConfig>;

/** A filter as the PIM takes it; undefined if the text is not a filter. */
export function filterOf(text: string | undefined): JsonObject | undefined {
    const read = text === undefined ? undefined : readJsonText(text);
    return read && 'value' in read && isJsonObject(read.value) ? read.value : undefined;
}

/** The name of the listing in the response. */
export function responseFieldOf({ responseField, entityType }: Pick<PimArgs, 'responseField' | 'entityType'>): string {
    return responseField ?? PIM_LISTINGS[entityType];
}

/** The query of a step. */
export function queryOf({ query, entityType, responseField }: PimArgs): string {
    return query ?? listingQuery({ entityType, responseField });
}

/** The default order. */
export function usualSort(entityType: PimEntity): string {
    return entityType === 'category' ? 'fullpath' : 'id';
}

function checkQuery(args: PimArgs, issue: (path: string, problem: FactText) => void): void {
    const { query, filter, includeUnpublished, seedMode: mode, sortBy, defaultLanguage, entityType } = args;
    const document = readPimDocument(query!, responseFieldOf(args));
    if ('problem' in document) return issue('query', document.problem);
    const { variables } = document;
    const known =
        variables.size === 0 ? clause`it declares none` : clause`it declares ${[...variables.keys()].join(', ')}`;
    const needs = (field: string, variable: string, isGiven: boolean): void => {
        if (isGiven && !variables.has(variable))
            issue(field, clause`needs the variable $${variable} in the query, which gives it to the listing; ${known}`);
    };
    needs('query', 'first', true);
    needs('query', 'after', true);
    needs('filter', 'filter', filter !== undefined);
    needs('seedMode', 'filter', mode === LOOKUP);
    needs('includeUnpublished', 'published', includeUnpublished === true && entityType !== 'asset');
    needs('sortBy', 'sortBy', sortBy !== undefined);
    needs('defaultLanguage', 'defaultLanguage', defaultLanguage !== undefined);
    const sorted = typeof sortBy === 'string' && COLUMNS.test(sortBy) ? sortBy : usualSort(entityType);
    const columns = sortColumns(sorted, entityType);
    const examples: Readonly<Record<string, JsonValue>> = {
        first: 1,
        after: 0,
        sortBy: columns,
        sortOrder: columns.map(() => 'ASC'),
        filter: '{}',
        published: true,
        defaultLanguage: 'en',
    };
    for (const [name, type] of variables) {
        const example = Object.hasOwn(examples, name) ? examples[name]! : undefined;
        const problem =
            example === undefined
                ? clause`declares $${name}, which nothing gives; allowed: ${Object.keys(examples).join(', ')}`
                : variableProblem(example, type) === undefined
                  ? undefined
                  : clause`declares $${name} as ${typeText(type)}, which does not take ${JSON.stringify(example)}`;
        if (problem !== undefined) issue('query', problem);
    }
}
