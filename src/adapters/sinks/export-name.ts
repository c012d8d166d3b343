import { clause, type FactText } from '../../core/errors/rendered';

/** The formats of exported files. */
export const EXPORT_FORMATS = ['CSV', 'TSV', 'JSON', 'NDJSON', 'XML', 'XLSX'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The placeholders of the name of an exported file. */
const NAMES = ['date', 'time', 'pipelineCode', 'runId', 'languageCode', 'channelCode'] as const;
type Name = (typeof NAMES)[number];

/** The placeholders as they are written. */
export const PLACEHOLDERS: readonly string[] = NAMES.map(name => `\${${name}}`);

const PLACEHOLDER = /\$\{([^{}]*)\}/g;

/** What is wrong with a template for names, as the end of a sentence; undefined if nothing. */
export function fileNameProblem(template: string): FactText | undefined {
    for (const [whole, name] of template.matchAll(PLACEHOLDER))
        if (!(NAMES as readonly string[]).includes(name!))
            return clause`has ${whole} in it, which stands for nothing; allowed: ${PLACEHOLDERS.join(', ')}`;
    const rest = template.replace(PLACEHOLDER, 'x');
    if (rest.includes('${')) return clause`has a \${ in it that no } ends; allowed: ${PLACEHOLDERS.join(', ')}`;
    if (/[\\/\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(rest)) return clause`has a slash or an invisible character in it`;
    return /^[.\s]*$/.test(rest) ? clause`names no file` : undefined;
}

/** What is wrong with a folder on another server, as the end of a sentence; undefined if nothing. */
export function folderProblem(folder: string): FactText | undefined {
    const parts = partsOf(folder);
    const wrong = parts.find(part => part === '.' || part === '..' || /[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(part));
    return wrong === undefined
        ? undefined
        : clause`has a part that is not a folder name; allowed: names with / between them`;
}

/** The path of a file on another server. In object storage it is the key, which does not begin with a slash. */
export function remotePath(folder: string | undefined, name: string, isKey: boolean): string {
    const parts = [...partsOf(folder ?? ''), name].join('/');
    return isKey || !folder?.startsWith('/') ? parts : `/${parts}`;
}

function partsOf(folder: string): readonly string[] {
    return folder.split('/').filter(part => part !== '');
}

/** The values for names. */
interface NamedRun {
    readonly runId: string;
    readonly pipelineCode: string;
    /** In ms: every attempt and every worker of a run creates the same name. */
    readonly startedAt: number;
    readonly languageCode: string | undefined;
    readonly channelCode: string | undefined;
}

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
    CSV: 'csv',
    TSV: 'tsv',
    JSON: 'json',
    NDJSON: 'ndjson',
    XML: 'xml',
    XLSX: 'xlsx',
};

/** The name of a run's file. Times are in UTC. */
export function exportName(template: string | undefined, format: ExportFormat, run: NamedRun): string {
    const iso = new Date(run.startedAt).toISOString();
    const values: Readonly<Record<Name, string>> = {
        date: iso.slice(0, 10),
        time: iso.slice(11, 19).replaceAll(':', ''),
        pipelineCode: run.pipelineCode,
        runId: run.runId,
        languageCode: run.languageCode ?? '',
        channelCode: run.channelCode ?? '',
    };
    const filled = (requested: string): string =>
        requested.replace(PLACEHOLDER, (_, name: Name) => values[name].replace(/[\\/]/g, '_'));
    const usual = `\${pipelineCode}-\${date}.${EXTENSIONS[format]}`;
    // Blanks at the ends are removed by some servers, and significant for others.
    const name = filled(template ?? usual).trim();
    // Placeholders may have empty values.
    return /^[.\s]*$/.test(name) ? filled(usual) : name;
}
