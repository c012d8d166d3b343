import type { Connection } from '../../core/adapter/connection';
import type { ExportDraft, ExportedFile } from '../../core/adapter/exports';
import { allTaken, type Delivered, type Outcome } from '../../core/adapter/loader';
import { logEvent } from '../../core/adapter/log-event';
import { defineSink, type SinkSession, type SinkRunContext } from '../../core/adapter/sink';
import type { Batch } from '../../core/data/record';
import { recordInvalid } from '../../core/errors/record-invalid';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { isElementName } from '../../io/formats/writing/xml';
import { MAX_CELL_CHARS, type WorkbookWriter } from '../../io/formats/writing/xlsx';
import { openRemote } from '../remote-files/open-remote';
import { DocumentSession, SentDocuments } from './documents';
import { adviseExport, type ExportArgs, exportConfig } from './export-config';
import { ExportWriting, STORED_AS, workbookWriter } from './export-files';
import { exportName, remotePath } from './export-name';
import { PUT_TYPES, putFile, type WrittenFile } from './export-put';
import { Feed } from './feeds/feed';
import { googleMerchant } from './feeds/google-merchant';
import { metaCatalog } from './feeds/meta-catalog';
import { feedIncludesTax } from './feeds/prices';

const FEEDS = { googleMerchant, metaCatalog } as const;
const CODE = 'fileExport';

const PRODUCT = {
    id: 'TS-1',
    title: 'T-shirt',
    description: 'Of cotton.',
    link: 'https://shop.example.com/p/t-shirt',
    image_link: 'https://shop.example.com/i/t-shirt.jpg',
    availability: 12,
    price: 1999,
    brand: 'Example',
    gtin: '4006381333931',
};

/** Writes records into a file. */
export const fileExport = defineSink({
    code: CODE,
    category: 'Files',
    title: 'File export',
    summary:
        'Writes all records of a run into one file: CSV, TSV, JSON, NDJSON, XML or XLSX, or a feed for Google or Meta.',
    config: exportConfig,
    notes: [
        'The file appears when it is complete, at the end of a completed run. Until then, or if the run fails, the previous file stays. A run without records, or one that has not read its sources completely, writes no file. Rejected records are omitted; errorHandling.maxErrorRate sets the share at which the run fails instead.',
        'The file is a managed file of the channel; older files of the same export are deleted. `createFlowFeed` gives an export an address that serves the newest file.',
        'With connectionCode, the file goes to SFTP, FTP or object storage instead: it is written under another name in the same folder and moved into place when it is complete. A file with the same name is replaced.',
        'With a connection of the type HTTP or REST, the file is sent by PUT to base URL, folder and name, with a Content-Length. Any response other than 2xx fails the run; 408, 429, 5xx and lost connections are retried from the beginning of the file. Redirects are followed within the origin of the base URL.',
        'Records stay in the order of the source. Each is in the file once, even if a worker dies and another one continues.',
        'Objects and lists are JSON in the cells of CSV, TSV and XLSX, and elements in XML; null is an empty cell or element.',
        'In CSV and TSV, cells that spreadsheets would read as formulas begin with an apostrophe. If a program reads the file, set formulaSafe to false.',
        'XLSX needs the package exceljs and supports at most 1,048,575 records with at most 32,767 characters per cell.',
        'Feeds: a record has the attributes under their published names. A record that lacks a required attribute or has an invalid value is rejected with the name of the attribute. Prices are text such as "19.99 EUR", or numbers in the smallest unit, which are converted to what the country of the feed shows: without tax in US and CA, with tax elsewhere.',
        'Records with `__operation` DELETE are rejected, because a file only contains existing records.',
    ],
    examples: [
        {
            config: { format: 'CSV', columns: ['sku', 'name', 'price'] },
            in: [
                { sku: 'TS-1', name: 'T-shirt', price: 1999 },
                { sku: 'TS-2', __operation: 'DELETE' },
            ],
            does: ['deliver', 'reject'],
            rejects: ['__operation'],
        },
        {
            config: {
                format: 'XML',
                feed: 'googleMerchant',
                country: 'DE',
                currencyCode: 'EUR',
                pricesIncludeTax: true,
                feedLink: 'https://shop.example.com',
            },
            in: [PRODUCT, { ...PRODUCT, gtin: '4006381333932' }, { ...PRODUCT, title: '' }],
            does: ['deliver', 'reject', 'reject'],
            rejects: ['gtin', 'title'],
        },
        {
            config: { format: 'XML', xmlRoot: 'products', xmlRecord: 'product' },
            in: [{ sku: 'TS-1' }, { 'unit price': 1999 }],
            does: ['deliver', 'reject'],
            rejects: ['unit price'],
        },
    ],
    advise: adviseExport,
    open: async (args, cx) =>
        new ExportSession(args, cx, args.format === 'XLSX' ? await workbookWriter(CODE) : undefined),
});

class ExportSession extends DocumentSession implements SinkSession {
    readonly batchSize?: number;
    readonly takesWhole = true;
    readonly keepsAll = true;
    private readonly feed: Feed | undefined;
    private readonly writing: ExportWriting;
    private readonly remote: Connection | undefined;

    constructor(
        private readonly args: ExportArgs,
        private readonly cx: SinkRunContext,
        Writer: WorkbookWriter | undefined,
    ) {
        super(new SentDocuments(args, 'id'));
        if (args.batchSize !== undefined) this.batchSize = args.batchSize;
        this.feed = feedOf(args);
        this.writing = new ExportWriting({ args, pipelineCode: cx.run.pipelineCode, Writer });
        this.remote = args.connectionCode === undefined ? undefined : cx.connections.get(args.connectionCode);
    }

    override shown(data: JsonObject): JsonObject {
        const sent = super.shown(data);
        return this.feed ? this.feed.shape(sent) : sent;
    }

    check(data: JsonObject): void {
        const { format } = this.args;
        if (!this.feed && format !== 'XML' && format !== 'XLSX') return;
        const shown = this.shown(data);
        if (format === 'XML' && !this.feed) checkNames(shown);
        if (format === 'XLSX') checkLengths(shown);
    }

    async deliver(batch: Batch, ids: readonly string[]): Promise<readonly Outcome[]> {
        const { exports, stepKey, signal } = this.cx;
        const records = batch.map(({ data }) => this.shown(data));
        const part = {
            key: ids[0]!,
            records: records.length,
            columns: this.writing.needsColumns ? fieldsOf(records) : [],
            content: this.writing.partOf(records),
        };
        await exports.put(stepKey, part, signal);
        return allTaken(batch.length);
    }

    async finish({ unread }: Delivered): Promise<void> {
        const { args, cx } = this;
        const { exports, stepKey, signal, log, run } = cx;
        if (unread !== undefined) {
            await exports.clear(stepKey);
            return logEvent(log, 'FILE_NOT_WRITTEN', { why: unread });
        }
        const parts = await exports.parts(stepKey);
        // A worker died after its end.
        if (parts.length === 0) return;
        const draft = await exports.draft(this.writing.fileOf(parts, signal), signal);
        const records = parts.reduce((sum, part) => sum + part.records, 0);
        const { languageCode, channelCode } = args;
        const filename = exportName(args.fileName, args.format, { ...run, languageCode, channelCode });
        try {
            const size = { records, bytes: draft.size };
            if (this.remote)
                logEvent(log, 'FILE_WRITTEN', { ...size, ...(await this.sendTo(this.remote, draft, filename)) });
            else logEvent(log, 'EXPORT_WRITTEN', { ...size, ...(await this.publish(draft, { filename, records })) });
        } finally {
            await draft.discard();
        }
        await exports.clear(stepKey);
    }

    private async publish(draft: ExportDraft, file: Pick<ExportedFile, 'filename' | 'records'>) {
        const { args, cx } = this;
        const { exportCode = `${cx.run.pipelineCode}.${cx.stepKey}`, keep, format } = args;
        const { id } = await draft.publish({ ...file, exportCode, keep, ...STORED_AS[format] });
        return { file: id, export: exportCode };
    }

    /** Sent under another name first, so that a complete file appears in the folder at once. */
    private async sendTo(connection: Connection, draft: ExportDraft, filename: string): Promise<WrittenFile> {
        const { folder, format } = this.args;
        if ((PUT_TYPES as readonly string[]).includes(connection.type)) {
            const { mimeType } = STORED_AS[format];
            const path = remotePath(folder, filename, true);
            return putFile({ connectionCode: connection.code, path, mimeType, draft }, this.cx);
        }
        const path = remotePath(folder, filename, connection.type === 'OBJECT_STORAGE');
        const files = await openRemote(connection, this.cx);
        try {
            await files.put(path, draft.content.open(this.cx.signal));
            return { path, host: files.host };
        } finally {
            files.close();
        }
    }
}

function feedOf({
    feed,
    country,
    currencyCode,
    pricesIncludeTax,
    taxRateField = 'taxRate',
}: ExportArgs): Feed | undefined {
    if (feed === undefined) return undefined;
    return new Feed(FEEDS[feed], {
        currencyCode,
        pricesIncludeTax,
        feedIncludesTax: feedIncludesTax(country!),
        taxRateField,
    });
}

function fieldsOf(records: readonly JsonObject[]): readonly string[] {
    const fields = new Set<string>();
    for (const record of records) for (const name in record) fields.add(name);
    return [...fields];
}

/** Throws a record error for a field whose name cannot be an element name. */
function checkNames(data: JsonValue, place = ''): void {
    if (Array.isArray(data)) return (data as readonly JsonValue[]).forEach(one => checkNames(one, place));
    if (!isJsonObject(data)) return;
    for (const [name, value] of Object.entries(data)) {
        if (!isElementName(name))
            throw recordInvalid(place + name, 'is not an XML element name; allowed: letters, digits, dots, _ and -');
        checkNames(value, `${place}${name}.`);
    }
}

function checkLengths(data: JsonObject): void {
    for (const [name, value] of Object.entries(data)) {
        const length =
            typeof value === 'string'
                ? value.length
                : isJsonObject(value) || Array.isArray(value)
                  ? JSON.stringify(value).length
                  : 0;
        if (length > MAX_CELL_CHARS)
            throw recordInvalid(name, `has ${length} characters; a cell of XLSX has at most ${MAX_CELL_CHARS}`);
    }
}
