import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { GROUPS, shownAt } from '../../core/schema/groups';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import { pathProblem } from '../../core/data/path';
import { json, path, wholeNumber, withRules } from '../../core/schema/fields';
import { headerNameProblem } from '../../core/schema/static-headers';
import { ENCODINGS } from '../../io/formats/decode';
import { DELIMITER_RULE, isDelimiter } from '../../io/formats/delimiters';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import { FORMATS } from './api-response';
import { adviseUrl } from '../requests/url-advice';
import { apiFields, checkApi, pageFields, urlField } from './api-fields';
import { cellFields } from './csv-cells';
import { sinceFields } from './incremental';
import { checkRowFields, rowFields } from './row-fields';

const name = (title: string, description: string) => z.string().min(1).max(128).meta({ title, description });
const nameOrNone = (title: string, description: string) =>
    z
        .string()
        .min(1)
        .max(128)
        .nullable()
        .default('limit')
        .meta({ title, description: `${description} null: not sent.` });

/** Which types of pagination have a field. */
const OF_TYPES: Readonly<Record<string, readonly string[]>> = {
    limit: ['OFFSET', 'PAGE', 'CURSOR', 'LINK_HEADER'],
    maxPages: ['OFFSET', 'PAGE', 'CURSOR', 'LINK_HEADER'],
    offsetParam: ['OFFSET'],
    limitParam: ['OFFSET', 'CURSOR', 'LINK_HEADER'],
    pageParam: ['PAGE'],
    pageSizeParam: ['PAGE'],
    firstPage: ['PAGE'],
    cursorParam: ['CURSOR'],
    endStatus: ['OFFSET', 'PAGE'],
    cursorPath: ['CURSOR'],
    cursorHeader: ['CURSOR'],
    cursorField: ['CURSOR'],
    cursorIs: ['CURSOR'],
    initialCursor: ['CURSOR'],
    hasMorePath: ['OFFSET', 'PAGE', 'CURSOR', 'LINK_HEADER'],
    totalPath: ['OFFSET', 'PAGE', 'CURSOR', 'LINK_HEADER'],
};

const pagination = z
    .strictObject({
        type: z.enum(['NONE', 'OFFSET', 'CURSOR', 'PAGE', 'LINK_HEADER']).default('NONE').meta({
            title: 'Type',
            description:
                'NONE (one request), OFFSET (the number of records to skip), PAGE (page numbers), CURSOR (each response has the next cursor) or LINK_HEADER (a Link header names the next page).',
            aliases: {},
        }),
        ...shownAt('type', OF_TYPES, {
            ...pageFields,
            offsetParam: name(
                'Offset parameter',
                'For OFFSET: the variable for the number of records to skip.',
            ).default('offset'),
            limitParam: nameOrNone(
                'Limit parameter',
                'For OFFSET, CURSOR and LINK_HEADER: the parameter for the page size.',
            ),
            pageParam: name('Page parameter', 'For PAGE: the parameter for the page number.').default('page'),
            pageSizeParam: nameOrNone('Page size parameter', 'For PAGE: the parameter for the page size.'),
            firstPage: wholeNumber(
                { min: 0, max: 1_000_000 },
                { title: 'First page', description: 'For PAGE: the number of the first page.' },
            ).default(1),
            cursorParam: name('Cursor parameter', 'For CURSOR: the parameter for the cursor.').default('cursor'),
            cursorPath: path('Cursor path', 'For CURSOR: the path of the next cursor in the response.').optional(),
            cursorHeader: name(
                'Cursor header',
                'For CURSOR: the response header that contains the next cursor.',
            ).optional(),
            cursorField: path(
                'Cursor field',
                'For CURSOR: the field of the last record that is the next cursor, for example id.',
            ).optional(),
            cursorIs: z.enum(['VALUE', 'LINK']).default('VALUE').meta({
                title: 'Cursor is',
                description:
                    'For CURSOR: VALUE is sent in the cursor parameter; LINK is the address of the next page, or its query part starting with "?".',
                aliases: {},
            }),
            initialCursor: z.string().min(1).max(2_000).optional().meta({
                title: 'Initial cursor',
                description: 'For CURSOR: the cursor of the first page, for example "*".',
            }),
            hasMorePath: path(
                'More path',
                'The path of the value that says whether there are more records: true or false, or the address of the next page or null. It overrides all other end conditions.',
            ).optional(),
            endStatus: z
                .array(wholeNumber({ min: 400, max: 499 }, { title: 'Status', description: 'A response status.' }))
                .max(10)
                .default([])
                .meta({
                    title: 'End status',
                    description:
                        'For OFFSET and PAGE: response statuses that mean "no more pages" on a page after the first one. 404 for Django REST, 400 for WordPress.',
                }),
            totalPath: path(
                'Total path',
                'The path of the total number of records in the response. Reading ends at that number.',
            ).optional(),
        }),
    })
    .prefault({})
    .meta({ title: 'Pagination', description: 'How the API splits its results into pages.' });

/** The configuration of `httpApi`. */
export const httpApiConfig = withRules(
    z.strictObject({
        url: urlField(
            'The address to request or, with a connection, a path after its base URL. An absolute address must have the origin of the base URL.',
        ),
        method: z.enum(['GET', 'POST', 'PUT', 'PATCH']).default('GET').meta({
            title: 'Method',
            description: 'The HTTP method. A request may be sent more than once, whatever the method.',
            aliases: {},
        }),
        ...apiFields,
        body: json('Body', 'The body that is sent as JSON with POST, PUT and PATCH. Text is sent as it is.').optional(),
        dataPath: path(
            'Data path',
            'The path of the list of records in the response. Default: the whole response. In XML, the names of elements from the root to the records.',
        ).optional(),
        format: z.enum(FORMATS).default('AUTO').meta({
            title: 'Format',
            description:
                'The format of responses: JSON, NDJSON (one object per line), CSV or XML. AUTO uses their Content-Type.',
            aliases: {},
        }),
        delimiter: z
            .string()
            .length(1, { error: `allowed: ${DELIMITER_RULE}`, abort: true })
            .refine(isDelimiter, `allowed: ${DELIMITER_RULE}`)
            .optional()
            .meta({ title: 'Delimiter', description: 'For CSV: the delimiter. Default: a comma.' }),
        csv: withRules(
            z.strictObject({
                header: z.boolean().default(true).meta({
                    title: 'Header',
                    description: 'Whether the first row, or the row in headerRow, contains the column names.',
                }),
                ...rowFields,
                encoding: z.enum(ENCODINGS).optional().meta({
                    title: 'Encoding',
                    description:
                        'The encoding. Default: the one that the response names; UTF-8 and UTF-16 are detected.',
                }),
                trim: cellFields.trim.default(false),
                formulaSafe: cellFields.formulaSafe.default(false),
            }),
            (given, issue) => checkRowFields(given, { hasHeader: given.header, headerField: 'header' }, issue),
        )
            .optional()
            .meta({ title: 'CSV', group: GROUPS.rows, description: 'For CSV: how the files are written.' }),
        pagination,
        paramsIn: z.enum(['QUERY', 'BODY']).default('QUERY').meta({
            title: 'Parameters in',
            description:
                'Where the parameters of pagination and incremental are sent: in the QUERY of the address, or in the BODY, where their names are paths.',
            aliases: {},
        }),
        incremental: z
            .strictObject({
                param: name(
                    'Since parameter',
                    'The parameter for the time since which changes are read, for example updated_since.',
                ),
                ...sinceFields,
            })
            .optional()
            .meta({
                title: 'Incremental',
                description: 'Reads what has changed since the start of the last completed run.',
            }),
        rateLimit: z
            .strictObject({
                requestsPerSecond: z.number().min(0.01).max(1_000).meta({
                    title: 'Requests a second',
                    description: 'The limit is shared by all steps in this process that set one for the same host.',
                }),
            })
            .optional()
            .meta({
                title: 'Rate limit',
                description: 'The maximum number of requests per second, in addition to the limit of the pipeline.',
            }),
    }),
    (args, issue) => {
        checkApi(args, issue);
        const { method, body, paramsIn } = args;
        if (method === 'GET' && body !== undefined)
            issue('body', clause`is sent with POST, PUT and PATCH; the method is GET`);
        if (paramsIn === 'BODY') checkBody(args, issue);
        if (typeof args.pagination === 'object') checkPagination(args, issue);
    },
);
export type HttpApiArgs = z.output<typeof httpApiConfig>;

type Fault = (path: string, problem: FactText) => void;

/** The parameters that are sent, with the fields that name them. */
function sentParams({ pagination: paging, incremental }: HttpApiArgs): ReadonlyMap<string, string> {
    const { type, limitParam, pageSizeParam, cursorIs } = paging;
    const fields: Array<readonly [string, string | null | undefined]> = [
        ['incremental.param', incremental?.param],
        ['pagination.offsetParam', type === 'OFFSET' ? paging.offsetParam : undefined],
        ['pagination.pageParam', type === 'PAGE' ? paging.pageParam : undefined],
        ['pagination.pageSizeParam', type === 'PAGE' ? pageSizeParam : undefined],
        ['pagination.limitParam', type === 'PAGE' || type === 'NONE' ? undefined : limitParam],
        ['pagination.cursorParam', type === 'CURSOR' && cursorIs === 'VALUE' ? paging.cursorParam : undefined],
    ];
    return new Map(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
}

function checkBody(args: HttpApiArgs, issue: Fault): void {
    const { method, body, pagination: paging } = args;
    if (method === 'GET') issue('paramsIn', clause`is BODY, which a GET does not have`);
    else if (body !== undefined && !isJsonObject(body))
        issue('body', clause`must be an object, since it takes the parameters (paramsIn is BODY)`);
    if (typeof paging !== 'object') return;
    const { type, cursorIs } = paging;
    if (type === 'LINK_HEADER' || (type === 'CURSOR' && cursorIs === 'LINK'))
        issue('paramsIn', clause`is BODY, and the next page has an address; allowed: QUERY`);
    for (const [field, param] of sentParams(args)) {
        const problem = pathProblem(param);
        if (problem !== undefined) issue(field, clause`path ${problem}`);
    }
}

const IN_ANSWER = ['cursorPath', 'hasMorePath', 'totalPath'] as const;
const CURSOR_SOURCES = ['cursorPath', 'cursorHeader', 'cursorField'] as const;

function checkPagination(args: HttpApiArgs, issue: Fault): void {
    const { pagination: paging, dataPath, format } = args;
    const { type, cursorHeader, initialCursor, cursorIs } = paging;
    for (const field of IN_ANSWER) {
        const given = paging[field];
        if (typeof given !== 'string' || type === 'NONE') continue;
        const where = `pagination.${field}`;
        if (format !== 'AUTO' && format !== 'JSON') issue(where, clause`looks into JSON; the format is ${format}`);
        else if (dataPath === undefined)
            issue(where, clause`needs dataPath: if the response itself is the list, there is nothing next to it`);
        else if (`${given}.`.startsWith(`${dataPath}.`))
            issue(
                where,
                clause`leads into the records; allowed: a path next to them, or cursorField for the last record`,
            );
    }
    const names = new Map<string, string>();
    for (const [field, param] of sentParams(args)) {
        const other = names.get(param);
        if (other !== undefined) issue(field, clause`is "${param}", as ${other} is`);
        names.set(param, field);
    }
    if (type !== 'CURSOR') return;
    const [first, ...others] = CURSOR_SOURCES.filter(field => paging[field] !== undefined);
    if (first === undefined)
        issue('pagination.cursorPath', clause`is missing; CURSOR needs one of ${CURSOR_SOURCES.join(', ')}`);
    for (const field of others) issue(`pagination.${field}`, clause`cannot be combined with ${first!}`);
    const problem =
        typeof cursorHeader === 'string' && cursorHeader !== '' ? headerNameProblem(cursorHeader) : undefined;
    if (problem !== undefined) issue('pagination.cursorHeader', problem);
    if (cursorIs === 'LINK' && initialCursor !== undefined)
        issue('pagination.initialCursor', clause`goes into the cursor parameter; the cursor is a LINK`);
}

/** Warns of fields that have no effect in this combination. */
export function adviseHttpApi(args: HttpApiArgs): readonly Advice[] {
    const { url, pagination: paging, format, dataPath, paramsIn } = args;
    const usual = pagination.parse({}) as Readonly<Record<string, JsonValue | undefined>>;
    const advice: Advice[] = Object.entries(OF_TYPES)
        .filter(
            ([field, types]) =>
                !types.includes(paging.type) && !isEqual(paging[field as keyof typeof paging], usual[field]),
        )
        .map(([field]) => withoutEffect(`pagination.${field}`, clause`together with the type ${paging.type}`));
    advice.push(...adviseUrl('url', url));
    if (format !== 'AUTO' && format !== 'CSV')
        for (const field of ['delimiter', 'csv'] as const)
            if (args[field] !== undefined)
                advice.push(withoutEffect(field, clause`together with the format ${format}`));
    if (dataPath !== undefined && (format === 'CSV' || format === 'NDJSON'))
        advice.push(withoutEffect('dataPath', clause`together with the format ${format}, which contains only records`));
    if (paramsIn === 'BODY' && sentParams(args).size === 0)
        advice.push(withoutEffect('paramsIn', clause`without parameters: neither pagination nor incremental has any`));
    return advice;
}

function isEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
    return JSON.stringify(one) === JSON.stringify(other);
}
