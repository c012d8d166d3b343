/**
 * The texts that the server declares and the dashboard shows: adapters, their fields, the format of definitions, the error catalogue, and templates.
 * `npm run texts` writes them into dashboard-ui/i18n/server/*.de.json. New ones have an empty translation; a changed English text keeps its
 * translation and gets `was`, the former English text, until someone has checked the translation and deleted `was`; `--checked` deletes all.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorCode } from '../src/core/errors/catalogue';
import { remedyOf } from '../src/core/errors/remedies';
import { LOG_EVENTS } from '../src/core/log/log-events';
import { HOOK_SCHEMAS } from '../src/core/pipeline/hook-definition';
import { jsonSchemaOf } from '../src/core/schema/json-schema';
import {
    capabilitiesSchema,
    errorHandlingSchema,
    stepRetrySchema,
    throughputSchema,
} from '../src/core/schema/settings';
import { declaredKinds } from '../src/core/steps/kinds';
import { builtinTemplates } from '../src/core/templates/builtin-templates';
import { setUp } from '../src/plugin/setup';
import { factTexts, issueTexts } from './fact-texts';
import { DATA_NAMES, TEXT_NAMES } from '../dashboard-ui/i18n/server-texts';

/** A text with the first place that declares it: `operator.trim.fields.title`, `error.RUN_NOT_FOUND`. */
export interface ServerText {
    readonly key: string;
    readonly text: string;
}

/** An entry of a file of translations. */
export interface TranslatedText {
    readonly en: string;
    readonly de: string;
    /** The English text that was translated, if it has changed since. */
    readonly was?: string;
}

/** A problem of a translation, with the place of the text. STALE: `npm run texts` would change the files. */
export interface TranslationProblem {
    readonly code: 'STALE' | 'UNTRANSLATED' | 'CHANGED' | 'OTHER_PLACEHOLDERS';
    readonly key: string;
}

export type TranslationFile = Readonly<Record<string, TranslatedText>>;

const FOLDER = join(__dirname, '../dashboard-ui/i18n/server');

/** The files by the first part of their keys; all others are in `format`. */
const FILES: Readonly<Record<string, string>> = {
    trigger: 'triggers',
    connection: 'connections',
    extractor: 'extractors',
    operator: 'operators',
    rule: 'rules',
    loader: 'loaders',
    sink: 'sinks',
    error: 'errors',
    remedy: 'errors',
    issue: 'issues',
    fact: 'facts',
    template: 'templates',
    log: 'log',
};

/** The files of translations, by name. */
export function translationFiles(): ReadonlyMap<string, TranslationFile> {
    const names = readdirSync(FOLDER).filter(name => name.endsWith('.de.json'));
    return new Map(names.map(name => [name, JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as TranslationFile]));
}

/** The files with exactly these texts: with the translations that they have of the same text, or of the same place. */
export function updatedFiles(
    texts: readonly ServerText[],
    files: ReadonlyMap<string, TranslationFile>,
): ReadonlyMap<string, TranslationFile> {
    const entries = [...files.values()].flatMap(file => Object.entries(file));
    const byKey = new Map(entries);
    const byText = new Map(entries.map(([, entry]) => [entry.en, entry]));
    const updated = new Map<string, Record<string, TranslatedText>>([...files.keys()].map(name => [name, {}]));
    for (const { key, text } of texts) {
        const name = `${FILES[key.split('.')[0]!] ?? 'format'}.de.json`;
        const file = updated.get(name) ?? {};
        file[key] = byText.get(text) ?? changed(text, byKey.get(key));
        updated.set(name, file);
    }
    return updated;
}

function changed(en: string, entry: TranslatedText | undefined): TranslatedText {
    if (entry === undefined || entry.de === '') return { en, de: '' };
    return { en, de: entry.de, was: entry.was ?? entry.en };
}

/** The files without the former English texts: someone has checked all translations. */
export function checkedFiles(files: ReadonlyMap<string, TranslationFile>): ReadonlyMap<string, TranslationFile> {
    const checked = ({ en, de }: TranslatedText): TranslatedText => ({ en, de });
    return new Map(
        [...files].map(([name, file]) => [
            name,
            Object.fromEntries(Object.entries(file).map(([key, entry]) => [key, checked(entry)])),
        ]),
    );
}

/** What is wrong with the translations: stale files, missing ones, ones of changed texts, and ones with other placeholders or code. */
export function translationProblems(
    texts: readonly ServerText[],
    files: ReadonlyMap<string, TranslationFile>,
): readonly TranslationProblem[] {
    const updated = updatedFiles(texts, files);
    const isStale = JSON.stringify([...updated]) !== JSON.stringify([...files]);
    const entries = [...updated.values()].flatMap(file => Object.entries(file));
    return [
        ...(isStale ? [{ code: 'STALE', key: 'npm run texts' } as const] : []),
        ...entries.flatMap(([key, { en, de, was }]): readonly TranslationProblem[] => {
            if (de === '') return [{ code: 'UNTRANSLATED', key }];
            if (was !== undefined) return [{ code: 'CHANGED', key }];
            return marksOf(en) === marksOf(de) ? [] : [{ code: 'OTHER_PLACEHOLDERS', key }];
        }),
    ];
}

/** Placeholders and code in a text, in any order. The forms for a number may occur any number of times, since languages differ in them. */
function marksOf(text: string): string {
    const marks = [...text.matchAll(/`[^`]*`|\$?\{\w*(?:\|[^}]*)?\}/g)].map(([mark]) => mark);
    const forms = new Set(marks.filter(mark => mark.includes('|')).map(mark => mark.slice(0, mark.indexOf('|'))));
    return [...marks.filter(mark => !mark.includes('|')), ...forms].sort().join(' ');
}

/** Writes the files. */
export function writeTranslations(files: ReadonlyMap<string, TranslationFile>): void {
    for (const [name, file] of files) writeFileSync(join(FOLDER, name), `${JSON.stringify(file, null, 4)}\n`);
}

/** Each text once, with its first place, and each event of logs. */
export function serverTexts(): readonly ServerText[] {
    const places = new Map<string, string>();
    for (const { key, text } of [
        ...adapterTexts(),
        ...formatTexts(),
        ...errorTexts(),
        ...issueTexts(),
        ...factTexts(),
        ...templateTexts(),
    ]) {
        if (text !== '' && !places.has(text)) places.set(text, key);
    }
    return [...[...places].map(([text, key]) => ({ key, text })), ...logTexts()];
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

function templateTexts(): ServerText[] {
    return builtinTemplates.flatMap(({ code, title, description, notes = [] }) => [
        { key: `template.${code}`, text: title },
        { key: `template.${code}.description`, text: description },
        ...notes.map((text, i) => ({ key: `template.${code}.notes.${i}`, text })),
    ]);
}

function logTexts(): ServerText[] {
    return Object.entries(LOG_EVENTS).map(([code, { text }]) => ({ key: `log.${code}`, text }));
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

if (require.main === module) {
    const files = updatedFiles(serverTexts(), translationFiles());
    writeTranslations(process.argv.includes('--checked') ? checkedFiles(files) : files);
    for (const problem of translationProblems(serverTexts(), translationFiles()))
        console.log(`${problem.code} ${problem.key}`);
}
