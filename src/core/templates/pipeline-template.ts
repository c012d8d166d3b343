import { createPipelineBuilder } from '../pipeline/builder';
import type { Catalogue } from '../pipeline/catalogue';
import type { DefinitionInput } from '../pipeline/definition';
import type { JsonObject, JsonValue } from '../value/json';

/** The groups of templates, in the order in which they are shown. */
export const TEMPLATE_GROUPS = ['IMPORT', 'SYNC', 'EXPORT', 'FEEDS', 'SEARCH', 'AUTOMATION'] as const;
export type TemplateGroup = (typeof TEMPLATE_GROUPS)[number];

/** A pipeline to start from, with data to try it with. */
export interface PipelineTemplate {
    /** Names the template; also the code that is suggested for a pipeline of it. */
    readonly code: string;
    readonly group: TemplateGroup;
    readonly title: string;
    /** What the pipeline does, in one or two sentences. */
    readonly description: string;
    /** Valid for publication, apart from the connections and secrets that it names. */
    readonly definition: DefinitionInput;
    /** Records as the source of the pipeline reads them. */
    readonly sample: readonly JsonObject[];
    /** What has to be set or installed before the pipeline is published, one sentence each. */
    readonly notes?: readonly string[];
}

/** A template of Flow itself, with the section of the documentation that explains it. */
export interface BuiltinTemplate extends PipelineTemplate {
    /** Below `docs/guide`: `webhooks.md#example-stock-levels`. If the section prints a pipeline with the code, it has this definition. */
    readonly guide: string;
}

/** Adapters of all layers, which this one cannot import: any code with any settings. A test checks the definitions. */
interface AnyAdapters extends Catalogue {
    readonly triggers: readonly [];
    readonly extractors: readonly [];
    readonly loaders: readonly [];
    readonly sinks: readonly [];
}

/** Builds the definition of a template. */
export const templatePipeline = createPipelineBuilder<AnyAdapters>();

/** Records of texts as a CSV file. Default columns: the fields of all records. A field that a record lacks is an empty cell. */
export function csvTextOf(records: readonly JsonObject[], columns?: readonly string[]): string {
    const names = columns ?? [...new Set(records.flatMap(record => Object.keys(record)))];
    const lines = [names, ...records.map(record => names.map(name => record[name] ?? ''))];
    return lines.map(cells => `${cells.map(cellText).join(',')}\n`).join('');
}

function cellText(value: JsonValue): string {
    const text = String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
