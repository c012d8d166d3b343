import { z } from 'zod';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import { connectionCode, path, paths, wholeNumber, withRules } from '../../core/schema/fields';
import { shownIf } from '../../core/schema/groups';
import { isElementName } from '../../io/formats/writing/xml';
import { REMOTE_TYPES } from '../remote-files/open-remote';
import { PUT_TYPES } from './export-put';
import { adviseCommon, commonFields } from './common-fields';
import { EXPORT_FORMATS, type ExportFormat, fileNameProblem, folderProblem, PLACEHOLDERS } from './export-name';

/** The formats in which a publisher takes a feed. */
const OF_FEED = { googleMerchant: ['XML', 'TSV'], metaCatalog: ['CSV'] } as const satisfies Record<
    string,
    readonly ExportFormat[]
>;

/** Where the settings of a feed have an effect. */
const IN_FEED = { feed: Object.keys(OF_FEED) };

const { languageCode, translationsField, channelCode, fields, excludeFields, channelField } = commonFields;

function elementName(title: string, description: string): z.ZodOptional<z.ZodString> {
    return z
        .string()
        .max(64)
        .refine(isElementName, 'allowed: the name of an element of XML, without a colon')
        .optional()
        .meta({ title, description, showIf: { format: 'XML' } });
}

/** What a file export is configured with. */
export const exportConfig = withRules(
    z.strictObject({
        format: z.enum(EXPORT_FORMATS).meta({
            title: 'Format',
            description: 'CSV, TSV, JSON, NDJSON, XML or XLSX.',
            aliases: {},
        }),
        feed: z.enum(['googleMerchant', 'metaCatalog']).optional().meta({
            title: 'Feed',
            description:
                'Whose rules the records are held to: googleMerchant (XML or TSV) or metaCatalog (CSV). Records have the attributes under their published names.',
        }),
        fileName: z
            .string()
            .min(1)
            .max(255)
            .optional()
            .meta({
                title: 'Name of the file',
                description: `What the file is called. May have ${PLACEHOLDERS.join(', ')} in it; the pipeline and the date where it is left out.`,
            }),
        exportCode: z
            .string()
            .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'allowed: up to 128 letters, digits, hyphens, underscores and dots')
            .optional()
            .meta({
                title: 'Export',
                description:
                    'The code by which the newest file is found, for example in the addresses of feeds. Default: the codes of the pipeline and the step.',
            }),
        keep: wholeNumber(
            { min: 1, max: 100 },
            { title: 'Files kept', description: 'How many of the newest files of the export stay.' },
        ).default(1),
        connectionCode: connectionCode([...REMOTE_TYPES, ...PUT_TYPES], {
            title: 'Connection',
            description:
                'Where the file goes in place of a managed file: a connection of the type SFTP, FTP, OBJECT_STORAGE, HTTP or REST.',
        }).optional(),
        folder: z.string().max(1_024).optional().meta({
            title: 'Folder',
            description:
                'With connectionCode: the folder from the root of the server, the bucket or the base URL, for example `out/products`. Missing folders are created, except with HTTP and REST.',
        }),
        ...shownIf(
            { format: ['CSV', 'TSV', 'XLSX'] },
            {
                columns: paths(
                    'Columns',
                    'Of CSV, TSV and XLSX, in their order; all fields of the records where it is left out.',
                ).optional(),
            },
        ),
        delimiter: z
            .string()
            .regex(
                /^(?:\t|[^"\p{Cc}\uFEFF])$/u,
                'allowed: one character, or a tab, and no quote, line end or control character',
            )
            .optional()
            .meta({
                title: 'Delimiter',
                showIf: { format: 'CSV' },
                description: 'Between the cells of CSV; a tab may be written as \\t. Default: a comma.',
                aliases: { '\\t': '\t' },
            }),
        formulaSafe: z
            .boolean()
            .optional()
            .meta({
                title: 'Safe in spreadsheets',
                showIf: { format: ['CSV', 'TSV'] },
                description:
                    'Of CSV and TSV: cells that a spreadsheet would take for formulas begin with an apostrophe. True where it is left out, and never in a feed.',
            }),
        byteOrderMark: z
            .boolean()
            .default(false)
            .meta({
                title: 'Byte order mark',
                showIf: { format: ['CSV', 'TSV'] },
                description: 'Of CSV and TSV: some versions of Excel know UTF-8 by it.',
            }),
        xmlRoot: elementName('Root', 'Of XML: the element round the records; `records` where it is left out.'),
        xmlRecord: elementName('Element', 'Of XML: the element of a record; `record` where it is left out.'),
        country: z
            .string()
            .regex(/^[A-Z]{2}$/, 'allowed: an ISO 3166 code such as DE')
            .optional()
            .meta({
                title: 'Country',
                showIf: IN_FEED,
                description:
                    'For a feed: the country in which it is shown. Prices are without tax for US and CA, and with tax elsewhere.',
            }),
        currencyCode: z
            .string()
            .regex(/^[A-Z]{3}$/, 'allowed: an ISO 4217 code such as EUR')
            .optional()
            .meta({
                title: 'Currency',
                showIf: IN_FEED,
                description: 'For a feed: the currency of prices that are numbers, if the record has no currencyCode.',
            }),
        pricesIncludeTax: z.boolean().optional().meta({
            title: 'Prices include tax',
            showIf: IN_FEED,
            description: 'For a feed: whether prices that are numbers include tax. Default: as in the channel.',
        }),
        ...shownIf(IN_FEED, {
            taxRateField: path(
                'Tax rate field',
                'For a feed: the field with the tax rate in percent, if prices have to be calculated. Default: `taxRate`.',
            ).optional(),
        }),
        feedTitle: z
            .string()
            .min(1)
            .max(255)
            .optional()
            .meta({
                title: 'Title of the feed',
                showIf: { feed: 'googleMerchant' },
                description: 'Of XML for Google; the code of the pipeline where it is left out.',
            }),
        feedLink: z
            .url({ protocol: /^https?$/, error: 'allowed: an address that begins with https://' })
            .optional()
            .meta({
                title: 'Address of the shop',
                showIf: { feed: 'googleMerchant' },
                description: 'For XML for Google: the title at the top of the feed.',
            }),
        batchSize: wholeNumber(
            { min: 1, max: 10_000 },
            {
                title: 'Batch size',
                description:
                    'How many records are put on disk at a time; as many as come together where it is left out (throughput.batchSize).',
            },
        ).optional(),
        languageCode,
        translationsField,
        channelCode,
        fields,
        excludeFields,
        channelField,
    }),
    ({ format, feed, country, feedLink, fileName, folder }, issue) => {
        const known = typeof feed === 'string' && Object.hasOwn(OF_FEED, feed);
        const allowed: readonly unknown[] = known ? OF_FEED[feed as keyof typeof OF_FEED] : EXPORT_FORMATS;
        if (
            typeof format === 'string' &&
            (EXPORT_FORMATS as readonly string[]).includes(format) &&
            !allowed.includes(format)
        )
            issue('format', `is ${format}, which ${String(feed)} does not take; allowed: ${allowed.join(', ')}`);
        if (known && country === undefined) issue('country', 'is missing; feed needs it');
        if (feed === 'googleMerchant' && format === 'XML' && feedLink === undefined)
            issue('feedLink', 'is missing; the XML of googleMerchant needs it');
        const problem = typeof fileName === 'string' ? fileNameProblem(fileName) : undefined;
        if (problem !== undefined) issue('fileName', problem);
        const wrong = typeof folder === 'string' ? folderProblem(folder) : undefined;
        if (wrong !== undefined) issue('folder', wrong);
    },
);
export type ExportArgs = z.output<typeof exportConfig>;

const OF_TABLES = ['delimiter', 'formulaSafe'] as const;
const OF_FEEDS = ['country', 'currencyCode', 'pricesIncludeTax', 'taxRateField', 'feedTitle', 'feedLink'] as const;

/** What does nothing. */
export function adviseExport(args: ExportArgs): readonly Advice[] {
    const { format, feed } = args;
    const said = (name: keyof ExportArgs): boolean => args[name] !== undefined && args[name] !== false;
    const isText = format === 'CSV' || format === 'TSV';
    const isRemote = args.connectionCode !== undefined;
    const idle: ReadonlyArray<readonly [keyof ExportArgs, boolean, string]> = [
        ...OF_TABLES.map(name => [name, isText, `together with format ${format}`] as const),
        ['delimiter', format !== 'TSV', 'together with format TSV'],
        ['formulaSafe', feed === undefined, 'together with feed'],
        ['byteOrderMark', isText, `together with format ${format}`],
        ['columns', isText || format === 'XLSX', `together with format ${format}`],
        ['xmlRoot', format === 'XML' && feed === undefined, 'together with this format or feed'],
        ['xmlRecord', format === 'XML' && feed === undefined, 'together with this format or feed'],
        ['folder', isRemote, 'without connectionCode'],
        ['exportCode', !isRemote, 'together with connectionCode'],
        ...OF_FEEDS.map(name => [name, feed !== undefined, 'without feed'] as const),
    ];
    const empty = (['languageCode', 'channelCode'] as const).flatMap(name =>
        args[name] === undefined && args.fileName?.includes(`\${${name}}`)
            ? [{ ...withoutEffect('fileName', ''), problem: `has \${${name}} in it, which is empty without ${name}` }]
            : [],
    );
    const told = new Set<string>();
    const advice = idle.flatMap(([name, isUsed, why]) => {
        if (isUsed || !said(name) || told.has(name)) return [];
        told.add(name);
        return [withoutEffect(name, why)];
    });
    const { columns = [] } = args;
    const again = columns.flatMap((name, i) => {
        const problem = `is "${name}" again; readers of the file find two columns of one name`;
        return columns.indexOf(name) < i ? [{ code: 'LIKELY_MISTAKE', path: `columns.${i}`, problem } as const] : [];
    });
    return [...empty, ...advice, ...again, ...adviseCommon(args)];
}
