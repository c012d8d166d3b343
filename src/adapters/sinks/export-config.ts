import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { shownIf } from '../../core/schema/groups';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import { connectionCode, path, paths, wholeNumber, withRules } from '../../core/schema/fields';
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
        .meta({ title, description });
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
                'The feed format, whose rules the records must follow: googleMerchant (XML or TSV) or metaCatalog (CSV). Name the fields as the publisher does, such as image_link.',
        }),
        fileName: z
            .string()
            .min(1)
            .max(255)
            .optional()
            .meta({
                title: 'Name of the file',
                description: `The name of the file. It may contain ${PLACEHOLDERS.slice(0, -1).join(', ')} and ${PLACEHOLDERS.at(-1)}. Default: the pipeline and the date.`,
            }),
        exportCode: z
            .string()
            .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'allowed: up to 128 letters, digits, hyphens, underscores and dots')
            .optional()
            .meta({
                title: 'Export',
                description:
                    'The code that identifies the newest file, for example in the addresses of feeds. Default: the codes of the pipeline and the step.',
            }),
        keep: wholeNumber(
            { min: 1, max: 100 },
            { title: 'Files kept', description: 'The number of files of this export to keep.' },
        ).default(1),
        connectionCode: connectionCode([...REMOTE_TYPES, ...PUT_TYPES], {
            title: 'Connection',
            description:
                'The connection that receives the file, instead of a managed file: type SFTP, FTP, OBJECT_STORAGE, HTTP or REST.',
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
                    'For CSV, TSV and XLSX: the columns, in order. Default: all fields of the records.',
                ).optional(),
            },
        ),
        ...shownIf(
            { format: 'CSV' },
            {
                delimiter: z
                    .string()
                    .regex(
                        /^(?:\t|[^"\p{Cc}\uFEFF])$/u,
                        'allowed: one character, or a tab, and no quote, line end or control character',
                    )
                    .optional()
                    .meta({
                        title: 'Delimiter',
                        description: 'For CSV: the delimiter; a tab may be written as \\t. Default: a comma.',
                        aliases: { '\\t': '\t' },
                    }),
            },
        ),
        ...shownIf(
            { format: ['CSV', 'TSV'] },
            {
                formulaSafe: z.boolean().optional().meta({
                    title: 'Safe in spreadsheets',
                    description:
                        'For CSV and TSV: cells that a spreadsheet would read as formulas begin with an apostrophe. Default: true, except in a feed.',
                }),
                byteOrderMark: z.boolean().default(false).meta({
                    title: 'Byte order mark',
                    description:
                        'For CSV and TSV: adds a byte order mark, by which some versions of Excel detect UTF-8.',
                }),
            },
        ),
        ...shownIf(
            { format: 'XML' },
            {
                xmlRoot: elementName('Root', 'For XML: the element around the records. Default: `records`.'),
                xmlRecord: elementName('Element', 'For XML: the element of a record. Default: `record`.'),
            },
        ),
        ...shownIf(IN_FEED, {
            country: z
                .string()
                .regex(/^[A-Z]{2}$/, 'allowed: an ISO 3166 code such as DE')
                .optional()
                .meta({
                    title: 'Country',
                    description:
                        'For a feed: the country in which it is shown. Prices are without tax for US and CA, and with tax elsewhere.',
                }),
            currencyCode: z
                .string()
                .regex(/^[A-Z]{3}$/, 'allowed: an ISO 4217 code such as EUR')
                .optional()
                .meta({
                    title: 'Currency',
                    description:
                        'For a feed: the currency of prices that are numbers, if the record has no currencyCode.',
                }),
            pricesIncludeTax: z.boolean().optional().meta({
                title: 'Prices include tax',
                description: 'For a feed: whether prices that are numbers include tax. Default: as in the channel.',
            }),
            taxRateField: path(
                'Tax rate field',
                'For a feed: the field with the tax rate in percent, if prices have to be calculated. Default: `taxRate`.',
            ).optional(),
        }),
        ...shownIf(
            { feed: 'googleMerchant' },
            {
                feedTitle: z.string().min(1).max(255).optional().meta({
                    title: 'Title of the feed',
                    description:
                        'For XML for Google: the title at the top of the feed. Default: the code of the pipeline.',
                }),
                feedLink: z
                    .url({ protocol: /^https?$/, error: 'allowed: an address that begins with https://' })
                    .optional()
                    .meta({
                        title: 'Address of the shop',
                        description: 'For XML for Google: the address of the shop, at the top of the feed.',
                    }),
            },
        ),
        batchSize: wholeNumber(
            { min: 1, max: 10_000 },
            {
                title: 'Batch size',
                description: 'The number of records written to disk at a time. Default: throughput.batchSize.',
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
            issue('format', clause`is ${format}, which ${String(feed)} does not take; allowed: ${allowed.join(', ')}`);
        if (known && country === undefined) issue('country', clause`is missing; feed needs it`);
        if (feed === 'googleMerchant' && format === 'XML' && feedLink === undefined)
            issue('feedLink', clause`is missing; the XML of googleMerchant needs it`);
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
    const idle: ReadonlyArray<readonly [keyof ExportArgs, boolean, FactText]> = [
        ...OF_TABLES.map(name => [name, isText, clause`together with format ${format}`] as const),
        ['delimiter', format !== 'TSV', clause`together with format TSV`],
        ['formulaSafe', feed === undefined, clause`together with feed`],
        ['byteOrderMark', isText, clause`together with format ${format}`],
        ['columns', isText || format === 'XLSX', clause`together with format ${format}`],
        ['xmlRoot', format === 'XML' && feed === undefined, clause`together with this format or feed`],
        ['xmlRecord', format === 'XML' && feed === undefined, clause`together with this format or feed`],
        ['folder', isRemote, clause`without connectionCode`],
        ['exportCode', !isRemote, clause`together with connectionCode`],
        ...OF_FEEDS.map(name => [name, feed !== undefined, clause`without feed`] as const),
    ];
    const empty = (['languageCode', 'channelCode'] as const).flatMap(name =>
        args[name] === undefined && args.fileName?.includes(`\${${name}}`)
            ? [
                  {
                      code: 'WITHOUT_EFFECT' as const,
                      path: 'fileName',
                      problem: clause`has \${${name}} in it, which is empty without ${name}`,
                  },
              ]
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
        const problem = clause`is "${name}" again; readers of the file find two columns of one name`;
        return columns.indexOf(name) < i ? [{ code: 'LIKELY_MISTAKE', path: `columns.${i}`, problem } as const] : [];
    });
    return [...empty, ...advice, ...again, ...adviseCommon(args)];
}
