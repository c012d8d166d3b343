import type { ConnectionType } from '../src/core/adapter/connection';
import type { ExampleFile, Extractor } from '../src/core/adapter/extractor';
import type { Loader, LoaderExample } from '../src/core/adapter/loader';
import type { BatchExample, Operator, OperatorExample } from '../src/core/adapter/operator';
import type { Rule } from '../src/core/adapter/rule';
import type { Sink } from '../src/core/adapter/sink';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/core/value/json';
import { ERRORS, type Treatment } from '../src/core/errors/catalogue';
import { jsonSchemaOf } from '../src/core/schema/json-schema';

type Adapter = Operator | Rule | Extractor | Loader | Sink | ConnectionType;

/** The first line of every page that is made here. */
export const GENERATED = '<!-- Generated from the source by scripts/docs.ts; changes here are lost. -->\n';

/** The reference page of one adapter. */
export function adapterPage(adapter: Adapter): string {
    const parts = [
        `${GENERATED}\n# ${adapter.code}\n\n${adapter.summary}\n`,
        `**${adapter.title}** · ${adapter.kind}${adapter.category === undefined ? '' : ` · ${adapter.category}`}\n`,
    ];
    if (adapter.aliases && adapter.aliases.length > 0)
        parts.push(`Also accepted as: ${adapter.aliases.map(code).join(', ')}.\n`);
    if (adapter.requires && adapter.requires.length > 0)
        parts.push(permissionsLine(adapter.requires.map(need => [need].flat().map(code).join(' or '))));
    const possible = adapter.mayRequire?.({}) ?? [];
    if (possible.length > 0)
        parts.push(
            [
                'Some records need more permissions. They are checked when you publish, and for each record in a run:\n',
                ...possible.map(({ need, reason }) => `- ${[need].flat().map(code).join(' or ')}: ${reason}.`),
                '',
            ].join('\n'),
        );
    parts.push(fieldsTable(adapter));
    if (adapter.notes && adapter.notes.length > 0)
        parts.push(`## Notes\n\n${adapter.notes.map(note => `- ${note}`).join('\n')}\n`);
    const examples = shownExamples(adapter);
    if (examples.length > 0) parts.push(`## Examples\n\n${examples.join('\n')}`);
    return parts.join('\n');
}

/** The permissions that a run needs, in a sentence. */
function permissionsLine(needs: readonly string[]): string {
    const list = new Intl.ListFormat('en').format(needs);
    return `A run needs the ${needs.length === 1 ? 'permission' : 'permissions'} ${list}.\n`;
}

function shownExamples(adapter: Adapter): readonly string[] {
    if (adapter.kind === 'operator') return examplesOf(adapter);
    if (adapter.kind === 'rule') return ruleExamples(adapter);
    if (adapter.kind === 'extractor') return extractorExamples(adapter);
    if (adapter.kind === 'sink') return sinkExamples(adapter);
    if (adapter.kind === 'loader') return loaderExamples(adapter, adapter.examples ?? []);
    return adapter.kind === 'connection' ? connectionExamples(adapter) : [];
}

/** The list of a kind's adapters. */
export function indexPage(title: string, adapters: readonly Adapter[]): string {
    const heading = `${GENERATED}\n# ${title[0]!.toUpperCase()}${title.slice(1)}\n`;
    if (adapters.length === 0)
        return `${heading}\nFlow has none yet. See [your own adapters](../../guide/custom-adapters.md).\n`;
    const rows = [...adapters]
        .sort((a, b) => (a.code < b.code ? -1 : 1))
        .map(({ code: name, summary }) => `| [${name}](${name}.md) | ${cell(summary)} |`);
    return `${heading}\n| Code | What it does |\n|---|---|\n${rows.join('\n')}\n`;
}

const TREATMENTS: Readonly<Record<Treatment, string>> = {
    config: 'The run fails until someone changes the definition, a setting or a permission.',
    transient: 'Another system is not available; the work is retried.',
    record: 'One record is rejected; the others continue.',
    request: 'Change the request.',
    stop: 'The work ends as requested.',
    bug: 'A bug in Flow. Please report it.',
};

/** Every error code with its message and its treatment. */
export function errorsPage(): string {
    const rows = Object.entries(ERRORS).map(
        ([name, { treat, text }]) => `| ${code(name)} | ${treat} | ${cell(text)} |`,
    );
    const treatments = Object.entries(TREATMENTS).map(([treat, meaning]) => `| ${treat} | ${meaning} |`);
    return (
        `${GENERATED}\n# Errors\n\nCodes are never reused or renamed. Words in braces are replaced by values.\n\n` +
        `| Code | Treatment | Message |\n|---|---|---|\n${rows.join('\n')}\n\n## Treatments\n\n| Treatment | What happens |\n|---|---|\n${treatments.join('\n')}\n`
    );
}

function fieldsTable(adapter: Adapter): string {
    const heading = adapter.kind === 'operator' ? 'Arguments' : 'Fields';
    const schema = jsonSchemaOf(adapter.config);
    const syntax = takesPaths(schema) ? `\n${PATH_SYNTAX}\n` : '';
    return `## ${heading}\n\n${schemaTable(schema)}${syntax}`;
}

/** Follows a table with fields that take paths. */
const PATH_SYNTAX =
    'In paths, write a dot that belongs to a name as `\\.`: the field "Art.-Nr." has the path `Art\\.-Nr\\.`.';
const WITH_PATHS: ReadonlySet<unknown> = new Set(['path', 'mapping', 'template']);

function takesPaths(schema: JsonValue): boolean {
    if (typeof schema !== 'object' || schema === null) return false;
    if (isJsonObject(schema) && WITH_PATHS.has(schema['widget'])) return true;
    return Object.values(schema).some(part => takesPaths(part as JsonValue));
}

/** The fields of an object, as a table. */
export function schemaTable(schema: JsonObject): string {
    const rows = fieldRows(schema, '');
    if (rows.length === 0) return 'None.\n';
    return `| Name | Type | Required | Default | Description |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

/** A row for each field, followed by rows for the fields of objects: `auth.type`. */
function fieldRows(schema: JsonObject, parent: string): readonly string[] {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    return Object.entries(properties).flatMap(([key, value]) => {
        const field = isJsonObject(value) ? value : {};
        const name = parent + key;
        return [fieldRow(name, field, required.has(key)), ...fieldRows(field, `${name}.`)];
    });
}

function fieldRow(name: string, field: JsonObject, isRequired: boolean): string {
    const fallback = field['default'];
    return `| ${code(name)} | ${cell(typeOf(field))} | ${isRequired ? 'yes' : ''} | ${fallback === undefined ? '' : cell(code(JSON.stringify(fallback)))} | ${cell(String(field['description'] ?? ''))} |`;
}

function typeOf(field: JsonObject): string {
    const widget = field['widget'];
    if (field['const'] !== undefined) return code(JSON.stringify(field['const']));
    if (Array.isArray(field['enum'])) return field['enum'].map(value => code(JSON.stringify(value))).join(', ');
    if (widget === 'path') return field['type'] === 'array' ? 'list of paths' : 'path';
    if (widget === 'code') return 'JavaScript';
    if (widget === 'conditions') return 'list of conditions';
    if (widget === 'operators') return 'list of operators';
    if (widget === 'secret') return 'code of a secret';
    if (widget === 'connection') return 'code of a connection';
    if (widget === 'headers') return 'header → value';
    const options = field['anyOf'] ?? field['oneOf'];
    if (Array.isArray(options)) return [...new Set(options.map(option => typeOf(option as JsonObject)))].join(' or ');
    if (field['type'] === 'array') return `list${bounds(field['minItems'], field['maxItems'], ' elements')}`;
    if (field['type'] === 'string') return `text${bounds(field['minLength'], field['maxLength'], ' characters')}`;
    if (field['type'] === 'integer') return `whole number${bounds(field['minimum'], field['maximum'], '')}`;
    if (field['type'] === 'number') return `number${bounds(field['minimum'], field['maximum'], '')}`;
    if (field['type'] === 'boolean') return 'true or false';
    return field['type'] === 'object' ? 'object' : 'any JSON value';
}

function bounds(low: JsonValue | undefined, high: JsonValue | undefined, unit: string): string {
    const [min, max] = [low, high].map(end =>
        typeof end === 'number' && Math.abs(end) < Number.MAX_SAFE_INTEGER ? end : undefined,
    );
    if (min === undefined && max === undefined) return '';
    if (min === max) return `, ${min}${min === 1 ? unit.replace(/s$/, '') : unit}`;
    if (max === undefined) return `, at least ${min}${min === 1 ? unit.replace(/s$/, '') : unit}`;
    return min === undefined ? `, at most ${max}${unit}` : `, ${min} to ${max}${unit}`;
}

function examplesOf(operator: Operator): readonly string[] {
    if (operator.form === 'batch')
        return operator.examples.map(example => exampleText(operator.code, example, batchOutcome(example)));
    return operator.examples.map(example => exampleText(operator.code, example, outcome(example)));
}

function outcome({ out, error }: OperatorExample<object>): string {
    return error !== undefined ? `rejected: … ${error} …` : out === 'drop' ? 'the record is filtered' : shown(out);
}

/** The whole output batch, and why the other records are not in it. */
function batchOutcome({ out, errors = [] }: BatchExample<object>): string {
    return [shown(out), ...errors.map(error => `     rejected: … ${error} …`)].join('\n');
}

function exampleText(
    op: string,
    { args, in: given, note }: OperatorExample<object> | BatchExample<object>,
    out: string,
): string {
    const call = `{ "op": ${JSON.stringify(op)}, "args": ${JSON.stringify(args)} }`;
    return noted(note, [call, `in:  ${shown(given)}`, `out: ${out}`]);
}

function ruleExamples(rule: Rule): readonly string[] {
    const examples =
        rule.form === 'record'
            ? rule.examples.map(({ spec, in: given, problem, note }) => ({
                  spec,
                  note,
                  judged: [[given, problem ?? null] as const],
              }))
            : rule.examples.map(({ spec, in: given, problems, note }) => ({
                  spec,
                  note,
                  judged: given.map((one, i) => [one, problems[i] ?? null] as const),
              }));
    return examples.map(({ spec, note, judged }) => {
        const call = `{ "type": ${JSON.stringify(rule.code)}, "spec": ${JSON.stringify(spec)} }`;
        const lines = judged.map(
            ([given, problem]) => `${shown(given)}  →  ${problem === null ? 'sound' : `… ${problem} …`}`,
        );
        return noted(note, [call, ...lines]);
    });
}

function extractorExamples({ code: name, examples = [] }: Extractor): readonly string[] {
    return examples.map(({ config, files = {}, shop = {}, out, errors = [], note }) => {
        const call = JSON.stringify({ adapterCode: name, ...config });
        const given = [
            ...Object.entries(files).map(([id, content]) => `${id}:\n${indented(fileText(content))}`),
            ...Object.entries(shop).map(
                ([by, records]) => `in the shop, by ${by}:\n${indented(records.map(shown).join('\n'))}`,
            ),
        ];
        const records = out.length === 0 ? ['out: no records'] : [`out: ${out.map(shown).join('\n     ')}`];
        const rejected = errors.map(error => `     rejected: … ${error} …`);
        return noted(note, [call, ...given, ...records, ...rejected]);
    });
}

function fileText(content: ExampleFile): string {
    if (typeof content === 'string') return content.trimEnd().replaceAll('\r\n', '\n');
    return Object.entries(content)
        .map(([sheet, rows]) => `${sheet}:\n${indented(rows.map(shown).join('\n'))}`)
        .join('\n');
}

function indented(text: string): string {
    return text.replaceAll(/^/gm, '  ');
}

function connectionExamples({ code: type, examples = [] }: ConnectionType): readonly string[] {
    return examples.map(({ settings, note }) => noted(note, [JSON.stringify({ type, settings }, null, 2)]));
}

function noted(note: string | undefined, lines: readonly string[]): string {
    return `${note === undefined ? '' : `${note}\n\n`}\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`;
}

function loaderExamples(loader: Loader, examples: readonly LoaderExample[]): readonly string[] {
    return examples.map(({ note, given = [], config, in: records, does, rejects = [], after = [] }) => {
        const step = (adapterCode: string, configured: object = {}): string => shown({ adapterCode, ...configured });
        const before = given.map(
            other =>
                `${step(other.loader, other.config)}\n${other.records.map(record => `${shown(record)}\n`).join('')}`,
        );
        const [paths, differences] = [[...rejects], [...after]];
        const outcomes = does.map(action => {
            if (action === 'reject') return `rejected for "${paths.shift()}"`;
            const fields = action === 'unchanged' || action === 'delete' ? undefined : differences.shift();
            return fields ? `${action} ${shown(fields)}` : action;
        });
        const lines = records.map((record, i) => `${shown(record)}  →  ${outcomes[i]}`);
        return `${note === undefined ? '' : `${note}\n\n`}\`\`\`text\n${before.map(text => `${text}\n`).join('')}${step(loader.code, config)}\n${lines.join('\n')}\n\`\`\`\n`;
    });
}

function sinkExamples({ code: name, examples = [] }: Sink): readonly string[] {
    return examples.map(({ config, in: records, does, rejects = [], note }) => {
        const paths = [...rejects];
        const outcomes = does.map(action => (action === 'reject' ? `rejected for "${paths.shift()}"` : action));
        const lines = records.map((record, i) => `${shown(record)}  →  ${outcomes[i]}`);
        return noted(note, [shown({ adapterCode: name, ...config }), ...lines]);
    });
}

const MAX_SHOWN = 80;

/** JSON in one line. Long texts without spaces (pictures) are cut. */
function shown(value: unknown): string {
    return JSON.stringify(value, (_, field: unknown) =>
        typeof field === 'string' && field.length > MAX_SHOWN && !field.includes(' ')
            ? `${field.slice(0, MAX_SHOWN / 2)}…`
            : field,
    );
}

/** A text as code within a line. */
export function code(text: string): string {
    return `\`${text}\``;
}

/** A text within a cell of a table. */
export function cell(text: string): string {
    return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
