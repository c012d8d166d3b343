/** The texts that the server declares and the dashboard shows: adapters, their fields, the format of definitions, and the error catalogue. */
import { ERRORS, type ErrorCode } from '../src/core/errors/catalogue';
import { remedyOf } from '../src/core/errors/remedies';
import { HOOK_SCHEMAS } from '../src/core/pipeline/hook-definition';
import { jsonSchemaOf } from '../src/core/schema/json-schema';
import { capabilitiesSchema, errorHandlingSchema, stepRetrySchema, throughputSchema } from '../src/core/schema/settings';
import { declaredKinds } from '../src/core/steps/kinds';
import { setUp } from '../src/plugin/setup';
import { DATA_NAMES, TEXT_NAMES } from '../dashboard-ui/i18n/server-texts';

/** A text with the first place that declares it: `operator.trim.fields.title`, `error.RUN_NOT_FOUND`. */
export interface ServerText {
    readonly key: string;
    readonly text: string;
}

/** Each text once, with its first place. */
export function serverTexts(): readonly ServerText[] {
    const places = new Map<string, string>();
    for (const { key, text } of [...adapterTexts(), ...formatTexts(), ...errorTexts()]) {
        if (text !== '' && !places.has(text)) places.set(text, key);
    }
    return [...places].map(([text, key]) => ({ key, text }));
}

function adapterTexts(): ServerText[] {
    const shown = setUp({}).registry.definitions.filter(({ kind }) => kind !== 'script' && kind !== 'engine');
    return shown.flatMap(adapter => {
        const place = `${adapter.kind}.${adapter.code}`;
        const { title, summary, category, notes = [], config } = adapter;
        const examples = ('examples' in adapter ? (adapter.examples ?? []) : []) as ReadonlyArray<{ note?: unknown }>;
        return [
            { key: place, text: title },
            { key: `${place}.summary`, text: summary },
            ...(category === undefined ? [] : [{ key: `category.${category}`, text: category }]),
            ...notes.map((text, i) => ({ key: `${place}.notes.${i}`, text })),
            ...examples.flatMap(({ note }, i) =>
                typeof note === 'string' ? [{ key: `${place}.examples.${i}`, text: note }] : [],
            ),
            ...schemaTexts(place, jsonSchemaOf(config)),
        ];
    });
}

function formatTexts(): ServerText[] {
    const schemas = {
        retry: stepRetrySchema,
        'settings.capabilities': capabilitiesSchema,
        'settings.throughput': throughputSchema,
        'settings.errorHandling': errorHandlingSchema,
        ...Object.fromEntries(Object.entries(HOOK_SCHEMAS).map(([name, schema]) => [`hook.${name}`, schema])),
    };
    return [
        ...declaredKinds.flatMap(({ kind, summary, remarks, frame }) => [
            { key: `step.${kind}.summary`, text: summary },
            ...(remarks === undefined ? [] : [{ key: `step.${kind}.remarks`, text: remarks }]),
            ...schemaTexts(`step.${kind}`, jsonSchemaOf(frame)),
        ]),
        ...Object.entries(schemas).flatMap(([place, schema]) => schemaTexts(place, jsonSchemaOf(schema))),
    ];
}

function errorTexts(): ServerText[] {
    const codes = Object.keys(ERRORS) as ErrorCode[];
    return [
        ...codes.map(code => ({ key: `error.${code}`, text: ERRORS[code].text })),
        ...codes.map(code => ({ key: `remedy.${code}`, text: remedyOf(code) })),
    ];
}

/** The texts of a JSON Schema, each with its path in it: `operator.trim.fields.title`. */
function schemaTexts(place: string, schema: unknown): ServerText[] {
    if (Array.isArray(schema)) return schema.flatMap((one, i) => schemaTexts(`${place}.${i}`, one));
    if (typeof schema !== 'object' || schema === null) return [];
    return Object.entries(schema).flatMap(([name, value]: [string, unknown]) => {
        if (name === 'labels' && typeof value === 'object' && value !== null)
            return Object.entries(value).map(([choice, text]) => ({ key: `${place}.${choice}`, text: String(text) }));
        if (TEXT_NAMES.has(name) && typeof value === 'string') return [{ key: `${place}.${name}`, text: value }];
        if (DATA_NAMES.has(name)) return [];
        return schemaTexts(name === 'properties' ? place : `${place}.${name}`, value);
    });
}
