import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { shownAt } from '../../core/schema/groups';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import { jsonObject, path, withRules } from '../../core/schema/fields';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { typeText, variableProblem } from '../requests/graphql-text';
import { adviseUrl } from '../requests/url-advice';
import { apiFields, checkApi, pageFields, urlField } from './api-fields';
import { type QueryVariable, variablesOfQuery } from './graphql-query';
import { sinceFields } from './incremental';

const MAX_QUERY = 50_000;

const variable = (title: string, description: string) => z.string().min(1).max(128).meta({ title, description });

/** Which types of pagination have a field. */
const OF_TYPES: Readonly<Record<string, readonly string[]>> = {
    limit: ['OFFSET', 'CURSOR', 'RELAY'],
    maxPages: ['OFFSET', 'CURSOR', 'RELAY'],
    offsetVariable: ['OFFSET'],
    limitVariable: ['OFFSET', 'CURSOR', 'RELAY'],
    cursorVariable: ['CURSOR', 'RELAY'],
    cursorPath: ['CURSOR'],
    hasMorePath: ['OFFSET', 'CURSOR'],
    totalCountPath: ['OFFSET', 'CURSOR', 'RELAY'],
    pageInfoPath: ['RELAY'],
};

const pagination = z
    .strictObject({
        type: z.enum(['NONE', 'OFFSET', 'CURSOR', 'RELAY']).default('NONE').meta({
            title: 'Type',
            description:
                'NONE (one request), OFFSET (the number of records to skip), CURSOR (each response has the next cursor) or RELAY (connections with edges, nodes and pageInfo).',
            aliases: {},
        }),
        ...shownAt('type', OF_TYPES, {
            ...pageFields,
            offsetVariable: variable(
                'Offset variable',
                'For OFFSET: the variable for the number of records to skip.',
            ).default('skip'),
            limitVariable: z.string().min(1).max(128).nullable().optional().meta({
                title: 'Limit variable',
                description: 'The variable for the page size. Default: take, or first with RELAY. null: not sent.',
            }),
            cursorVariable: variable('Cursor variable', 'For CURSOR and RELAY: the variable for the cursor.').default(
                'after',
            ),
            cursorPath: path('Cursor path', 'For CURSOR: the path of the next cursor in the response.').optional(),
            hasMorePath: path(
                'More path',
                'For OFFSET and CURSOR: the path of the value that says whether there are more records. It overrides all other end conditions.',
            ).optional(),
            totalCountPath: path(
                'Total count path',
                'The path of the total number of records in the response. Reading ends at that number.',
            ).optional(),
            pageInfoPath: path(
                'Page info path',
                'For RELAY: the path of pageInfo in the response. Default: next to the edges or nodes.',
            ).optional(),
        }),
    })
    .prefault({})
    .meta({ title: 'Pagination', description: 'How the API splits its results into pages.' });

/** The configuration of `graphql`. */
export const graphqlConfig = withRules(
    z.strictObject({
        url: urlField(
            'The address of the API or, with a connection, a path after its base URL. "?" means the base URL itself.',
        ),
        query: z
            .string()
            .min(1)
            .max(MAX_QUERY)
            .meta({ title: 'Query', description: 'A GraphQL document with a query.', widget: 'textarea' }),
        ...apiFields,
        variables: jsonObject()
            .default({})
            .meta({ title: 'Variables', description: 'Values of variables that the query declares.', widget: 'json' }),
        operationName: z.string().min(1).max(128).optional().meta({
            title: 'Operation name',
            description: 'The operation to execute, if the document has several.',
        }),
        dataPath: path(
            'Data path',
            'The path of the records in the response, from its root: data.products.items.',
        ).default('data'),
        pagination,
        incremental: z
            .strictObject({
                variable: variable('Since variable', 'The variable for the time since which changes are read.'),
                ...sinceFields,
            })
            .optional()
            .meta({
                title: 'Incremental',
                description: 'Reads what has changed since the start of the last completed run.',
            }),
    }),
    (args, issue) => {
        checkApi(args, issue);
        checkPaths(args, issue);
        const { query, operationName } = args;
        if (typeof query !== 'string' || query === '' || query.length > MAX_QUERY) return;
        const declared = variablesOfQuery(query, typeof operationName === 'string' ? operationName : undefined);
        if ('problem' in declared) return issue(declared.field, declared.problem);
        checkVariables(args, declared, issue);
    },
);
export type GraphqlArgs = z.output<typeof graphqlConfig>;

type Fault = (path: string, problem: FactText) => void;

/** The variable for the page size; undefined if there is none. */
export function limitVariableOf({ type, limitVariable }: GraphqlArgs['pagination']): string | undefined {
    if (type === 'NONE' || limitVariable === null) return undefined;
    return limitVariable ?? (type === 'RELAY' ? 'first' : 'take');
}

const LIMIT_FIELD = 'pagination.limitVariable';

/** The variables for the pages and the moment, each with the field that names it and an example of its value. */
function pagingVariables({
    pagination: paging,
    incremental,
}: GraphqlArgs): ReadonlyArray<{ readonly field: string; readonly name: string; readonly example?: JsonValue }> {
    const { type, limit, offsetVariable, cursorVariable } = paging;
    const size = limitVariableOf(paging);
    return [
        ...(size === undefined ? [] : [{ field: LIMIT_FIELD, name: size, example: limit }]),
        ...(type === 'OFFSET' ? [{ field: 'pagination.offsetVariable', name: offsetVariable, example: 0 }] : []),
        // A cursor may be a number or a text.
        ...(type === 'CURSOR' || type === 'RELAY'
            ? [{ field: 'pagination.cursorVariable', name: cursorVariable }]
            : []),
        ...(incremental ? [{ field: 'incremental.variable', name: incremental.variable }] : []),
    ];
}

function checkVariables(args: GraphqlArgs, declared: readonly QueryVariable[], issue: Fault): void {
    const { pagination: paging, incremental, variables } = args;
    const known =
        declared.length === 0
            ? clause`it declares none`
            : clause`it declares ${declared.map(({ name }) => name).join(', ')}`;
    const typeOf = (name: string) => declared.find(one => one.name === name);
    const given: JsonObject = isJsonObject(variables) ? variables : {};
    for (const [name, value] of Object.entries(given)) {
        const type = typeOf(name)?.type;
        const problem = type ? variableProblem(value, type) : clause`is not a variable of the query; ${known}`;
        if (problem !== undefined) issue(`variables.${name}`, problem);
    }
    if (typeof paging !== 'object' || (incremental !== undefined && typeof incremental !== 'object')) return;
    const taken = new Map<string, string>();
    for (const { field, name, example } of pagingVariables(args)) {
        const found = typeOf(name);
        const problem = found && example !== undefined ? variableProblem(example, found.type) : undefined;
        if (!found)
            issue(
                field,
                field === LIMIT_FIELD
                    ? clause`"${name}" is not a variable of the query; ${known}; null sends no page size`
                    : clause`"${name}" is not a variable of the query; ${known}`,
            );
        else if (problem !== undefined) issue(field, clause`"${name}" ${problem}`);
        const other = taken.get(name);
        if (other !== undefined) issue(field, clause`is "${name}", as ${other} is`);
        taken.set(name, field);
        if (Object.hasOwn(given, name) && field !== 'pagination.cursorVariable')
            issue(`variables.${name}`, clause`is given by ${field}`);
    }
    for (const { name, type, isRequired } of declared) {
        const field = taken.get(name);
        const isGiven = Object.hasOwn(given, name) || (field !== undefined && !isMissingAtFirst(field, args));
        if (!isRequired || isGiven) continue;
        const why =
            field === undefined
                ? clause`which the query needs`
                : clause`which the query needs, and ${field} does not give at first`;
        issue('variables', clause`says nothing of $${name}: ${typeText(type)}, ${why}`);
    }
}

/** The first page has no cursor, and the first run has no moment unless one is set. */
function isMissingAtFirst(field: string, { incremental }: GraphqlArgs): boolean {
    if (field === 'incremental.variable') return incremental?.from === undefined;
    return field === 'pagination.cursorVariable';
}

const IN_RESPONSE = ['cursorPath', 'hasMorePath', 'totalCountPath', 'pageInfoPath'] as const;

function checkPaths({ dataPath, pagination: paging }: GraphqlArgs, issue: Fault): void {
    const isOfResponse = (given: string): boolean => given === 'data' || given.startsWith('data.');
    const ofResponse = clause`is not a path from the root of the response; it must begin with data or extensions`;
    if (typeof dataPath === 'string' && !isOfResponse(dataPath))
        issue('dataPath', clause`is not a path from the root of the response; it must begin with data`);
    if (typeof paging !== 'object') return;
    const { type, cursorPath } = paging;
    for (const field of IN_RESPONSE) {
        const given = paging[field];
        if (typeof given !== 'string') continue;
        if (!isOfResponse(given) && !given.startsWith('extensions.')) issue(`pagination.${field}`, ofResponse);
        else if (dataPath !== 'data' && `${given}.`.startsWith(`${dataPath}.`))
            issue(`pagination.${field}`, clause`leads into the records; allowed: a path next to them`);
    }
    if (type !== 'NONE' && dataPath === 'data')
        issue('dataPath', clause`is missing; ${String(type)} needs the path of the list of records`);
    if (type === 'CURSOR' && cursorPath === undefined)
        issue('pagination.cursorPath', clause`is missing; CURSOR needs it`);
}

/** Warns of fields that have no effect in this combination. */
export function adviseGraphql({ url, pagination: paging }: GraphqlArgs): readonly Advice[] {
    const usual = pagination.parse({}) as Readonly<Record<string, JsonValue | undefined>>;
    const idle = Object.entries(OF_TYPES)
        .filter(
            ([field, types]) => !types.includes(paging.type) && paging[field as keyof typeof paging] !== usual[field],
        )
        .map(([field]) => withoutEffect(`pagination.${field}`, clause`together with the type ${paging.type}`));
    return [...idle, ...adviseUrl('url', url)];
}
