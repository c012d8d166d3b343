import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/core/value/json';
import { COMPARISONS, type Comparison, NEEDS } from '../src/core/operators/logic/comparison';
import { when } from '../src/core/operators/logic/when';
import { edgeFrame, rootFrame, stepFrame } from '../src/core/pipeline/definition-frames';
import { MAX_HOOKS } from '../src/core/pipeline/hook-check';
import { HOOK_SCHEMAS } from '../src/core/pipeline/hook-definition';
import { HOOK_STAGES, type HookStage } from '../src/core/adapter/hook-stages';
import { MAX_DEFINITION_BYTES, MAX_DEFINITION_LEVELS } from '../src/core/pipeline/read-input';
import {
    capabilitiesSchema,
    errorHandlingSchema,
    stepRetrySchema,
    throughputSchema,
} from '../src/core/schema/settings';
import { declaredKinds } from '../src/core/steps/kinds';
import type { AdapterCalls, OneAdapter, StepKindDeclaration } from '../src/core/steps/kinds/step-kind';
import { jsonSchemaOf } from '../src/core/schema/json-schema';
import type { TriggerType } from '../src/core/adapter/trigger';
import { triggers } from '../src/core/triggers';
import { cell, code, GENERATED, schemaTable } from './reference-pages';

/** The example of the page, which a test checks and runs. */
export const EXAMPLE: JsonObject = {
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        {
            key: 'articles',
            kind: 'EXTRACT',
            config: {
                adapterCode: 'csv',
                csvText: 'sku,name,price,kind\nLA-1, Desk lamp ,49.00,lamp\nLA-2,Shade,,shade\nLA-3,Bulb,much,bulb\n',
            },
        },
        {
            key: 'shape',
            kind: 'TRANSFORM',
            name: 'To whole cents',
            config: {
                operators: [
                    { op: 'trim', args: { path: 'name' } },
                    { op: 'toCents', args: { source: 'price', target: 'price' } },
                ],
            },
        },
        {
            key: 'check',
            kind: 'VALIDATE',
            config: {
                errorHandlingMode: 'ACCUMULATE',
                rules: [{ type: 'business', spec: { field: 'name', required: true } }],
            },
        },
        {
            key: 'kinds',
            kind: 'ROUTE',
            config: { branches: [{ name: 'lamps', when: [{ field: 'kind', cmp: 'in', value: ['lamp', 'shade'] }] }] },
        },
        { key: 'products', kind: 'LOAD', config: { adapterCode: 'productUpsert', matchBy: 'sku' } },
    ],
    edges: [
        { from: 'start', to: 'articles' },
        { from: 'articles', to: 'shape' },
        { from: 'shape', to: 'check' },
        { from: 'check', to: 'kinds' },
        { from: 'kinds', to: 'products', branch: 'lamps' },
    ],
    capabilities: { requires: ['UpdateCatalog'] },
    throughput: { batchSize: 250 },
    errorHandling: { maxErrors: 100 },
    hooks: { RUN_FAILED: [{ type: 'LOG', level: 'WARN', message: 'The import failed' }] },
};

/** The page with the whole format of a definition. */
export function definitionPage(): string {
    return [
        `${GENERATED}\n# The definition of a pipeline\n`,
        'A definition describes a pipeline as one JSON object. `createFlowPipeline` and `updateFlowPipeline` accept it, `importFlowPipeline` and ' +
            '`exportFlowPipeline` have it under `definition` (also as YAML), and `pipeline(…).build()` creates it. Fields that are not listed here are errors. ' +
            'All issues are listed at once, each with its code, path and step.\n',
        `${json(EXAMPLE)}`,
        tableOf(rootFrame, ['version']),
        `A definition has at most ${number(MAX_DEFINITION_BYTES / 1024 / 1024)} MiB without spaces and ${MAX_DEFINITION_LEVELS} levels.\n`,
        `## Steps\n\n${tableOf(stepFrame, ['key', 'kind'])}`,
        `\`retry\` applies to reading, to batches and to opening the step. \`errorHandling\` applies to everything else:\n\n${tableOf(stepRetrySchema)}`,
        ...declaredKinds.map(declared => `### ${declared.kind}\n\n${ofKind(declared)}`),
        `## Edges\n\n${tableOf(edgeFrame)}`,
        edgeRules(),
        `## Capabilities\n\n${tableOf(capabilitiesSchema)}`,
        'A run also needs the permissions of its loaders.\n',
        `## Throughput\n\n${tableOf(throughputSchema)}`,
        `## Error handling\n\n${tableOf(errorHandlingSchema)}`,
        hooks(),
        conditions(),
    ].join('\n');
}

function ofKind(declared: StepKindDeclaration): string {
    const { summary, adapters, remarks } = declared;
    const words = adapters.form === 'one' ? ofOneAdapter(summary, adapters) : `${summary}\n\n${fieldsOf(declared)}`;
    return remarks === undefined ? words : `${words}\n${remarks}\n`;
}

const listed = (words: readonly string[]): string => words.map(code).join(', ');

/** Triggers do not have separate pages. */
function ofOneAdapter(summary: string, { kind, field, planned }: OneAdapter): string {
    if (kind !== 'trigger')
        return `${summary} \`config\` has ${code(field)}, the code of one of the [${kind}s](${kind}s/README.md), and the fields of that ${kind} on the same level.\n`;
    const others = (planned ?? []).filter(type => !triggers.some(trigger => trigger.code === type));
    const tables = triggers.map(
        trigger =>
            `${code(trigger.code)}: ${trigger.summary}\n\n${schemaTable(jsonSchemaOf(trigger.config))}${notesOf(trigger)}`,
    );
    const waiting = others.length > 0 ? `\nNot available yet: ${listed(others)}.\n` : '';
    return `${summary} \`config\` has its ${code(field)} and the fields of that type:\n\n${tables.join('\n')}${waiting}`;
}

function notesOf({ notes = [] }: Pick<TriggerType, 'notes'>): string {
    return notes.length === 0 ? '' : `\n${notes.map(note => `- ${note}\n`).join('')}`;
}

/** The fields of a step, and of the elements of its lists. */
function fieldsOf({ frame, adapters }: StepKindDeclaration): string {
    const schema = jsonSchemaOf(frame);
    if (adapters.form === 'calls') return `${schemaTable(schema)}\n${ofCalls(adapters)}`;
    const properties = schema['properties'] as Readonly<Record<string, JsonObject>>;
    const lists = Object.entries(properties).flatMap(([name, { items }]) =>
        isJsonObject(items) && items['properties'] !== undefined
            ? [`Each of ${code(name)}:\n\n${schemaTable(items)}`]
            : [],
    );
    return [schemaTable(schema), ...lists].join('\n');
}

function ofCalls({ kind, list, frame, code: field, value }: AdapterCalls): string {
    return (
        `Each of ${code(list)}:\n\n${tableOf(frame)}\n` +
        `${code(field)} is one of the [${kind}s](${kind}s/README.md), and ${code(value)} has its fields.\n`
    );
}

function edgeRules(): string {
    const rules = [
        'There is at least one TRIGGER. It leads to an EXTRACT step, or to any step if it brings its own records (WEBHOOK). Every step is reachable from a trigger, and there are no cycles.',
        'No edge leads to a TRIGGER. An EXTRACT step directly after a trigger reads. An EXTRACT step after other steps passes records on, or looks them up with seedMode LOOKUP. After a MANUAL, SCHEDULE or FILE trigger it must look them up.',
        'If several edges leave a step, each gets every batch. If several edges lead to a step, it takes batches as they arrive.',
        'Every edge from a ROUTE step has a `branch`. Other edges have none.',
    ];
    return `${rules.map(rule => `- ${rule}`).join('\n')}\n`;
}

function hooks(): string {
    const types = Object.entries(HOOK_SCHEMAS).map(
        ([type, schema]) => `### Hook ${type}\n\n${tableOf(schema as z.ZodType)}`,
    );
    const stages = HOOK_STAGES.map(stage => `| ${code(stage)} | ${MAY[sortOf(stage)]} |`);
    return [
        `## Hooks\n\nAn object of stages, each with a list of at most ${MAX_HOOKS} hooks, which are called in order. See [hooks](../guide/hooks.md).\n`,
        `| Stage | Hooks |\n|---|---|\n${stages.join('\n')}\n`,
        ...types,
    ].join('\n');
}

type Sort = 'data' | 'empty' | 'run' | 'on';

const MAY: Readonly<Record<Sort, string>> = {
    data: 'get the records of a batch; their result replaces them',
    empty: 'get no records; their result is ignored',
    run: 'observe the run',
    on: 'observe records or work',
};

function sortOf(stage: HookStage): Sort {
    if (stage === 'BEFORE_EXTRACT') return 'empty';
    if (stage.startsWith('RUN_')) return 'run';
    return stage.startsWith('ON_') ? 'on' : 'data';
}

const VALUES: Readonly<Record<(typeof NEEDS)[Comparison], string>> = {
    any: 'any JSON value',
    ordered: 'a number, a numeric text, or an ISO date',
    list: 'a list',
    text: 'text',
    nothing: 'none',
};

/** When a comparison matches, in a few words. A new comparison does not compile without them. */
const MEETS: Readonly<Record<Comparison, string>> = {
    eq: 'an equal value',
    ne: 'a different value, or no value',
    gt: 'a greater or later value',
    gte: 'an equal, greater or later value',
    lt: 'a smaller or earlier value',
    lte: 'an equal, smaller or earlier value',
    in: 'a value of the list',
    notIn: 'a value that is not in the list',
    contains: 'a text that contains the value, or a list with the value',
    notContains: 'the opposite of `contains`',
    startsWith: 'a text that starts with the value',
    endsWith: 'a text that ends with the value',
    regex: 'a text that contains a match of the pattern (RE2)',
    matches: 'a text that matches the whole glob: `*` is any text, `?` one character',
    exists: 'a present field, also null',
    notExists: 'a missing field',
    isNull: 'null',
    isEmpty: 'a missing field, null, empty text, an empty list or object',
    isNotEmpty: 'the opposite of `isEmpty`',
};

function conditions(): string {
    const rows = COMPARISONS.map(cmp => `| ${code(cmp)} | ${VALUES[NEEDS[cmp]]} | ${cell(MEETS[cmp])} |`);
    const ofConditions = (when.notes ?? []).filter(note => !note.startsWith('A record that is filtered'));
    return [
        '## Conditions\n',
        'Branches of ROUTE steps and the operators `when` and `ifThenElse` use conditions: `{ "field": …, "cmp": …, "value": … }`. `field` is a path, and `cmp` defaults to `eq`. ' +
            'All conditions of a list must match. `{ "all": […] }`, `{ "any": […] }` and `{ "not": … }` can be nested.\n',
        json({
            any: [
                { field: 'stock', cmp: 'gt', value: 0 },
                {
                    all: [
                        { field: 'tags', cmp: 'contains', value: 'new' },
                        { not: { field: 'sku', cmp: 'startsWith', value: 'OLD-' } },
                    ],
                },
            ],
        }),
        `| \`cmp\` | \`value\` | Matches |\n|---|---|---|\n${rows.join('\n')}\n`,
        `${ofConditions.map(note => `- ${note}`).join('\n')}\n`,
    ].join('\n');
}

/** `judged`: fields that are required by separate checks with their own messages, and not by the schema. */
function tableOf(schema: z.ZodType, judged: readonly string[] = []): string {
    const told = jsonSchemaOf(schema);
    const required = Array.isArray(told['required']) ? told['required'] : [];
    return schemaTable({ ...told, required: [...judged, ...required] });
}

function json(value: JsonValue): string {
    return `\`\`\`json\n${laidOut(value)}\n\`\`\`\n`;
}

const WIDTH = 120;

/** Values that fit into one line are written in one line. */
function laidOut(value: JsonValue, indent = ''): string {
    const line = oneLine(value);
    if (typeof value !== 'object' || value === null || indent.length + line.length <= WIDTH) return line;
    const inner = `${indent}    `;
    const parts = Array.isArray(value)
        ? value.map((element: JsonValue) => inner + laidOut(element, inner))
        : Object.entries(value).map(([key, field]) => `${inner}${JSON.stringify(key)}: ${laidOut(field, inner)}`);
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    return `${open!}\n${parts.join(',\n')}\n${indent}${close!}`;
}

function oneLine(value: JsonValue): string {
    if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
    if (!isJsonObject(value)) return JSON.stringify(value);
    const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${oneLine(field)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function number(value: number): string {
    return value.toLocaleString('en-US');
}
