import type { JsonObject } from '../value/json';
import type { ImportContext } from './import-context';
import { layoutOf } from './import-context';
import type { ImportPlan } from './import-plan';
import type { ImportFacts, ImportFormat } from './import-profile';
import { OWN_EXPORT } from './known-exports';
import { groupBySetting, rowSettings } from './row-operators';

/** The format as extractors of remote files call it. */
const FORMATS: Readonly<Record<ImportFormat, string>> = {
    CSV: 'CSV',
    XLSX: 'XLSX',
    JSON: 'JSON',
    NDJSON: 'JSON',
    XML: 'XML',
};
const UTF_8 = 'utf-8';
const OBJECT_STORAGE = 'OBJECT_STORAGE';

/** The configuration of the extractor that reads the plan's source, with the settings of its facts. */
export function extractConfig(plan: ImportPlan, context: ImportContext): JsonObject {
    const { source } = plan;
    switch (source.kind) {
        case 'FILE':
            return { ...fileConfig(plan, source.fileId), ...grouping(plan) };
        case 'URL':
            return {
                adapterCode: 'httpApi',
                url: source.url,
                ...(source.connectionCode !== undefined && { connectionCode: source.connectionCode }),
                ...responseSettings(plan),
            };
        case 'REMOTE':
            return {
                ...remoteConfig(source, context),
                format: FORMATS[plan.facts.format],
                ...remoteSettings(plan),
                ...grouping(plan),
            };
    }
}

function grouping(plan: ImportPlan): JsonObject {
    return hasGroups(plan) ? { groupBy: groupBySetting(plan.variants!.grouping) } : {};
}

/** Whether rows of the source are joined to products or orders. */
export function hasGroups(plan: ImportPlan): boolean {
    const layout = layoutOf(plan);
    const isGrouped = layout === 'PRODUCTS' || layout === 'ORDERS';
    return isGrouped && plan.variants !== undefined && plan.variants.columns === undefined;
}

/** Flow writes texts as they are, except that an apostrophe keeps spreadsheets from reading them as formulas. Others put blanks around cells. */
function cellSettings({ facts, knownExport }: ImportPlan): JsonObject {
    if (knownExport !== OWN_EXPORT) return { trim: true };
    return { ...(facts.trim === true && { trim: true }), formulaSafe: true };
}

function fileConfig(plan: ImportPlan, fileId: string): JsonObject {
    const { facts } = plan;
    switch (facts.format) {
        case 'CSV':
            return {
                adapterCode: 'csv',
                fileId,
                ...(facts.delimiter !== undefined && { delimiter: facts.delimiter }),
                ...encoding(facts),
                ...rowSettings(facts),
                ...cellSettings(plan),
            };
        case 'XLSX':
            return { adapterCode: 'xlsx', fileId, ...sheetName(facts), ...rowSettings(facts) };
        case 'JSON':
        case 'NDJSON':
            return { adapterCode: 'json', fileId, ...encoding(facts), ...recordPath(facts, 'itemsPath') };
        case 'XML':
            return { adapterCode: 'xml', fileId, ...encoding(facts), ...recordPath(facts, 'recordPath') };
    }
}

/** UTF-8 is the default of all formats. */
function encoding({ encoding: name = UTF_8 }: ImportFacts): JsonObject {
    return name === UTF_8 ? {} : { encoding: name };
}

function sheetName({ sheet }: ImportFacts): JsonObject {
    return sheet === undefined ? {} : { sheetName: sheet };
}

function recordPath({ recordPath: path = '' }: ImportFacts, name: string): JsonObject {
    return path === '' ? {} : { [name]: path };
}

/** A response is a document of one page. */
function responseSettings(plan: ImportPlan): JsonObject {
    const { facts } = plan;
    if (facts.format !== 'CSV') return { format: facts.format, ...recordPath(facts, 'dataPath') };
    return {
        format: 'CSV',
        ...(facts.delimiter !== undefined && { delimiter: facts.delimiter }),
        csv: textSettings(plan),
    };
}

/** How a CSV file of another server is written. */
function textSettings(plan: ImportPlan): JsonObject {
    const { hasHeader, ...rows } = rowSettings(plan.facts);
    return {
        ...(hasHeader === false && { header: false }),
        ...encoding(plan.facts),
        ...rows,
        ...cellSettings(plan),
    };
}

function remoteConfig(
    { connectionCode, path }: Extract<ImportPlan['source'], { kind: 'REMOTE' }>,
    { connections = {} }: ImportContext,
): JsonObject {
    if (Object.hasOwn(connections, connectionCode) && connections[connectionCode] === OBJECT_STORAGE)
        return { adapterCode: 'objectStorage', connectionCode, prefix: path };
    const end = path.lastIndexOf('/');
    const folder = end === 0 ? '/' : path.slice(0, Math.max(end, 0));
    return {
        adapterCode: 'ftp',
        connectionCode,
        remotePath: folder === '' ? '.' : folder,
        filePattern: patternOf(path.slice(end + 1)),
    };
}

/** A pattern that only this name matches. */
function patternOf(name: string): string {
    return name.replace(/[\\*?[\]{}()!+@,]/g, '\\$&');
}

function remoteSettings(plan: ImportPlan): JsonObject {
    const { facts } = plan;
    switch (facts.format) {
        case 'CSV':
            return {
                csv: {
                    ...(facts.delimiter !== undefined && { delimiter: facts.delimiter }),
                    ...textSettings(plan),
                },
            };
        case 'XLSX': {
            const { hasHeader, ...rows } = rowSettings(facts);
            const xlsx = {
                ...(facts.sheet !== undefined && { sheet: facts.sheet }),
                ...(hasHeader === false && { header: false }),
                ...rows,
            };
            return Object.keys(xlsx).length === 0 ? {} : { xlsx };
        }
        case 'JSON':
        case 'NDJSON':
            return nested('json', recordPath(facts, 'path'));
        case 'XML':
            return nested('xml', recordPath(facts, 'recordPath'));
    }
}

function nested(name: string, settings: JsonObject): JsonObject {
    return Object.keys(settings).length === 0 ? {} : { [name]: settings };
}
