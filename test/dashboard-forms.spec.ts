import { faultsOf } from '../dashboard-ui/form/faults';
import { type FieldKind, fieldsOf, type JsonSchema, kindOf, resolved } from '../dashboard-ui/form/json-schema';
import { submitted } from '../dashboard-ui/form/values';
import {
    type Adapter,
    paletteOf,
    searchCalls,
    searchPalette,
    type StepKind,
    usualConfig,
} from '../dashboard-ui/pages/editor/catalogue/catalogue';
import { sentenceOf } from '../dashboard-ui/pages/editor/catalogue/sentence';
import { jsonSchemaOf } from '../src/core/schema/json-schema';
import { declaredKinds } from '../src/core/steps/kinds';
import { setUp } from '../src/plugin/setup';

/** The settings of an adapter in an example, whatever its kind calls them. */
interface Example {
    readonly settings?: unknown;
    readonly args?: unknown;
    readonly config?: unknown;
    readonly spec?: unknown;
}

const adapters = setUp({}).registry.definitions.map(adapter => ({
    name: `${adapter.kind} ${adapter.code}`,
    schema: jsonSchemaOf(adapter.config) as JsonSchema,
    examples: ((adapter as { readonly examples?: readonly Example[] }).examples ?? [])
        .map(({ settings, args, config, spec }) => settings ?? args ?? config ?? spec ?? {})
        // In the form that the API returns.
        .map(example => JSON.parse(JSON.stringify(example)) as unknown),
}));

describe.each(adapters.map(adapter => [adapter.name, adapter] as const))('the form of %s', (_name, adapter) => {
    const { schema, examples } = adapter;

    it('returns its values unchanged and without an error', () => {
        for (const example of examples) {
            expect(submitted(schema, example)).toEqual(example);
            expect({ example, faults: faultsOf(schema, example) }).toEqual({ example, faults: [] });
        }
    });

    it('describes each field', () => {
        const nameless = fieldsOf(schema, schema).filter(({ schema: field }) => !field.title && !field.anyOf);
        expect(nameless.map(({ key }) => key)).toEqual([]);
    });
});

/** What connections, hooks and scripts are made of. */
const OF_NO_STEP = ['CONNECTION', 'SCRIPT', 'ENGINE'];

describe('the palette', () => {
    const kinds: readonly StepKind[] = declaredKinds.map(({ kind, summary, frame, adapters: named, branches }) => ({
        kind,
        summary,
        remarks: null,
        schema: jsonSchemaOf(frame),
        behind: 'RECORDS',
        hasBranches: branches !== undefined,
        furtherBranches: [],
        adapters:
            named.form === 'none'
                ? null
                : named.form === 'one'
                  ? { kind: named.kind.toUpperCase(), field: named.field, list: null, value: null }
                  : { kind: named.kind.toUpperCase(), field: named.code, list: named.list, value: named.value },
    }));
    const views: readonly Adapter[] = setUp({}).registry.definitions.map(adapter => ({
        ...adapter,
        kind: adapter.kind.toUpperCase(),
        aliases: adapter.aliases ?? [],
        englishTitle: adapter.title,
        category: adapter.category ?? null,
        icon: null,
        sinkType: null,
        notes: [],
        requires: [],
        schema: jsonSchemaOf(adapter.config),
        canBeTried: true,
        examples: [],
    }));
    const entries = paletteOf({ kinds, adapters: views });

    it('contains each adapter that a step can use, once', () => {
        const nameOf = ({ kind, code }: Adapter): string => `${kind} ${code}`;
        const inSteps = views.filter(({ kind }) => !OF_NO_STEP.includes(kind)).map(nameOf);
        expect(entries.flatMap(({ adapter }) => (adapter ? [nameOf(adapter)] : [])).sort()).toEqual(inSteps.sort());
        expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    });

    it('adds only values of the right kind', () => {
        for (const { id, adapter, step, kind } of entries) {
            const list = kind.adapters?.list;
            const call = list ? (step.config[list] as ReadonlyArray<Record<string, unknown>>)[0] : step.config;
            const config = list && adapter ? call?.[kind.adapters!.value!] : step.config;
            const issues = faultsOf((adapter?.schema ?? kind.schema) as JsonSchema, config);
            const wrong = issues.filter(({ problem }) => problem !== 'missing' && problem !== 'few');
            expect({ id, wrong }).toEqual({ id, wrong: [] });
        }
    });

    it('finds adapters by their names and by what they do', () => {
        expect(searchPalette(entries, 'csv')[0]?.adapter?.code).toBe('csv');
        expect(searchPalette(entries, 'to cents').map(({ adapter }) => adapter?.code)).toContain('toCents');
        expect(searchPalette(entries, 'semver of a banana')).toEqual([]);
    });

    it.each([
        ['rename a column', 'rename'],
        ['euro', 'toCents'],
        ['comma', 'parseNumber'],
        ['remove text', 'replace'],
        ['Spalte umbenennen', 'rename'],
        ['Text entfernen', 'replace'],
        ['Preis', 'toCents'],
    ])('finds by words of the same meaning: %s', (text, code) => {
        const operators = views.filter(({ kind }) => kind === 'OPERATOR');
        expect(
            searchCalls(operators, text)
                .slice(0, 8)
                .map(one => one.code),
        ).toContain(code);
    });

    it('names new steps alike in every language', () => {
        const german = views.map(view => ({ ...view, title: `Auf Deutsch: ${view.code}` }));
        const names = (found: typeof entries): readonly string[] => found.map(({ step }) => step.called);
        expect(names(paletteOf({ kinds, adapters: german }))).toEqual(names(entries));
    });

    it('begins a required text that may be empty as empty text', () => {
        const schemaOf = (code: string): JsonSchema => views.find(view => view.code === code)!.schema as JsonSchema;
        expect(usualConfig(schemaOf('replace'))).toEqual({ replacement: '' });
    });

    it('shows patterns as they are typed', () =>
        expect(sentenceOf('Replace', {}, { pattern: String.raw`^\d+"$`, with: 'a\nb' }).settings).toBe(
            String.raw`pattern "^\d+"$", with "a\nb"`,
        ));

    it('describes each example of an operator in a sentence of one line', () => {
        for (const { name, schema, examples } of adapters.filter(one => one.name.startsWith('operator '))) {
            for (const example of examples) {
                const { subject, settings, title } = sentenceOf(name, schema, example);
                expect(title).toBe(name);
                expect(`${subject}${settings}`).not.toMatch(/\[object|undefined|\n/);
            }
        }
        const cents = adapters.find(({ name }) => name === 'operator toCents')!;
        expect(sentenceOf('To cents', cents.schema, { source: 'price', target: 'cents' })).toEqual({
            subject: 'price → cents',
            title: 'To cents',
            settings: '',
        });
    });
});

it('has a specific editor for most fields, and a JSON editor for those of any shape', () => {
    const kinds = new Map<FieldKind, number>();
    const visit = (schema: JsonSchema, root: JsonSchema): void => {
        for (const { schema: field } of fieldsOf(schema, root)) {
            const kind = kindOf(field, root);
            kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
            if (kind === 'object') visit(field, root);
            if (kind === 'list' && field.items) visit(resolved(field.items, root), root);
        }
    };
    for (const { schema } of adapters) visit(schema, schema);
    const all = [...kinds.values()].reduce((sum, count) => sum + count, 0);
    expect((kinds.get('json') ?? 0) / all).toBeLessThan(0.08);
});
