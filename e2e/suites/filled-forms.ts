import gql from 'graphql-tag';
import type { Page } from 'playwright-core';
import type { JsonObject } from '../../src';
import { canonicalJson } from '../../src/core/value/json';
import type { BrowserShop } from '../config/browser-shop';
import { itInTier as it } from '../config/matrix';

const REGISTERED = gql`
    query {
        flowAdapters {
            kind
            code
            schema
            examples
        }
        flowDefinitionFormat {
            hookStages
            hooks
            kinds {
                kind
                adapters {
                    kind
                    field
                    list
                    value
                }
            }
        }
    }
`;

const HIDE = gql`
    mutation Hide($input: CreateFlowSecretInput!) {
        createFlowSecret(input: $input) {
            id
        }
    }
`;
const CONNECT = gql`
    mutation Connect($input: CreateFlowConnectionInput!) {
        createFlowConnection(input: $input) {
            id
        }
    }
`;

interface Adapter {
    readonly kind: string;
    readonly code: string;
    readonly schema: JsonObject;
    readonly examples: ReadonlyArray<{ readonly config?: JsonObject }>;
}

interface Registered {
    readonly flowAdapters: readonly Adapter[];
    readonly flowDefinitionFormat: {
        readonly hookStages: readonly string[];
        readonly hooks: Readonly<Record<string, JsonObject>>;
        readonly kinds: ReadonlyArray<{
            readonly kind: string;
            readonly adapters: {
                readonly kind: string;
                readonly field: string;
                readonly list: string | null;
                readonly value: string | null;
            } | null;
        }>;
    };
}

/** An example as a step that a user pastes. */
interface Pasted {
    readonly name: string;
    readonly adapter: string;
    readonly step: JsonObject;
    readonly settings: JsonObject;
    /** The number of fields with code that the settings fill. */
    readonly codes: number;
}

/** If there were fewer, fields of a kind would not be found any more. */
const AT_LEAST = { choices: 60, switches: 10 };

const settingsOf = ({ config }: { readonly config?: JsonObject }): JsonObject => config ?? {};

/** The examples that fill a field which no earlier example fills. The others are checked without a browser (`test/dashboard-forms`). */
function telling<T extends { readonly config?: JsonObject }>(examples: readonly T[]): readonly T[] {
    const seen = new Set<string>();
    return examples.filter((example, i) => {
        const fresh = Object.keys(settingsOf(example)).filter(key => !seen.has(key));
        for (const key of fresh) seen.add(key);
        return i === 0 || fresh.length > 0;
    });
}

/** The fields that have a special editor, such as code or operators. */
function fieldsWith(widget: string, { properties = {} }: JsonObject): readonly string[] {
    return Object.entries(properties as Readonly<Record<string, JsonObject>>).flatMap(([key, field]) =>
        field['widget'] === widget ? [key] : [],
    );
}

function pastedSteps({ flowAdapters, flowDefinitionFormat }: Registered): readonly Pasted[] {
    const callOf = ({ kind, code }: Pick<Adapter, 'kind' | 'code'>, settings: JsonObject) => {
        const at = flowDefinitionFormat.kinds.find(({ adapters }) => adapters?.kind === kind);
        if (!at) return undefined;
        const { field, list, value } = at.adapters!;
        const beside = list === null || value === null;
        return { kind: at.kind, list, call: { [field]: code, ...(beside ? settings : { [value]: settings }) } };
    };
    const stepOf = (adapter: Adapter, settings: JsonObject): readonly JsonObject[] => {
        const called = callOf(adapter, settings);
        if (!called) return [];
        const { kind, list, call } = called;
        return [{ key: 'tried', kind, config: list === null ? call : { [list]: [call] } }];
    };
    const withCode = flowAdapters.filter(({ schema }) => fieldsWith('code', schema).length > 0);
    return flowAdapters.flatMap((adapter): readonly Pasted[] => {
        const { kind, code, schema, examples } = adapter;
        const codes = fieldsWith('code', schema);
        // A trigger has no examples: it starts empty. Each example has other code.
        const shown = examples.length === 0 ? [{}] : codes.length > 0 ? examples : telling(examples);
        const own = shown.map((example, i) => ({ name: `example ${i + 1}`, settings: settingsOf(example), codes }));
        const within = fieldsWith('operators', schema).flatMap(list =>
            withCode.map(inner => ({
                name: `with ${inner.code} within`,
                settings: {
                    ...settingsOf(examples[0] ?? {}),
                    [list]: [callOf(inner, settingsOf(inner.examples[0]!))!.call],
                },
                codes: fieldsWith('code', inner.schema),
            })),
        );
        return [...own, ...within].flatMap(({ name, settings, codes: some }) =>
            stepOf(adapter, settings).map(step => ({
                name: `${kind} ${code}, ${name}`,
                adapter: `${kind} ${code}`,
                step,
                settings,
                codes: some.length,
            })),
        );
    });
}

/** Fills forms with the examples of every registered adapter of a step, edits each field, undoes the edit, and expects the example back. */
export function filledForms(open: () => BrowserShop, begun: () => Promise<string>): void {
    it('of every adapter of a step return its examples, whatever is typed and undone', async () => {
        const { shop, visit } = open();
        const steps = pastedSteps((await shop.adminClient.query(REGISTERED)) as Registered);
        const { page } = await visit(`/flow/pipelines/${await begun()}/edit`);
        await page.getByRole('tab', { name: 'Outline' }).click();
        await page
            .getByText(/No problems found|\d+ error/)
            .first()
            .waitFor();
        const back = await filled(page, steps);
        expect(back).toHaveLength(steps.length);
        const wrong = steps.flatMap(({ name, step }, i) => {
            const given = (JSON.parse(back[i]!.text || '{"steps":[]}') as { readonly steps: readonly JsonObject[] })
                .steps[0];
            return canonicalJson(given?.['config']) === canonicalJson(step['config'])
                ? []
                : [{ name, wanted: step['config'], given: given?.['config'] }];
        });
        expect(wrong).toEqual([]);
        const sum = (kind: keyof Touched): number => back.reduce((all, { touched }) => all + touched[kind], 0);
        expect(sum('texts')).toBeGreaterThan(steps.length);
        for (const kind of ['choices', 'switches'] as const) expect(sum(kind)).toBeGreaterThanOrEqual(AT_LEAST[kind]);
        const codes = back.map(({ touched }, i) => ({ name: steps[i]!.name, codes: touched.codes }));
        expect(codes).toEqual(steps.map(({ name, codes }) => ({ name, codes })));
        expect(sum('codes')).toBeGreaterThan(1);
    });
}

/** Types code of hooks at every stage and undoes it: then there is nothing to save. */
export function hookForms(
    open: () => BrowserShop,
    create: (code: string, definition: JsonObject) => Promise<string>,
): void {
    it('of hooks at every stage return their code, whatever is typed and undone', async () => {
        const { shop, visit } = open();
        const { hookStages, hooks } = ((await shop.adminClient.query(REGISTERED)) as Registered).flowDefinitionFormat;
        const coded = (stage: string): readonly JsonObject[] =>
            Object.entries(hooks).flatMap(([type, schema]) => {
                const fields = fieldsWith('code', schema).map(field => [field, `return; // ${stage}`] as const);
                return fields.length === 0 ? [] : [{ type, ...Object.fromEntries(fields) }];
            });
        const atAll = Object.fromEntries(hookStages.map(stage => [stage, coded(stage)]));
        const id = await create('all-hooks', {
            version: 1,
            steps: [],
            edges: [],
            hooks: atAll as unknown as JsonObject,
        });
        const { page } = await visit(`/flow/pipelines/${id}/edit`);
        const panel = page.getByRole('complementary', { name: 'Selection' });
        await panel.getByRole('tab', { name: 'Pipeline' }).click();
        await panel.locator('summary').filter({ hasText: 'Hooks' }).click();
        await panel
            .locator('.cm-content')
            .nth(hookStages.length - 1)
            .waitFor();
        const touched: Touched = await page.evaluate(
            `(${TOUCH})(document.querySelector('aside[aria-label="Selection"]'), new Set(), {})`,
        );
        expect(touched.codes).toBe(Object.values(atAll).flat().length);
        expect(touched.codes).toBeGreaterThanOrEqual(hookStages.length);
        expect(await page.getByRole('button', { name: 'Save', exact: true }).isEnabled()).toBe(false);
    });
}

/** The number of edited fields of each kind. */
type Touched = Readonly<Record<'texts' | 'choices' | 'switches' | 'codes', number>>;

/** The codes of secrets that the settings name. */
function secretsIn(value: unknown): readonly string[] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) =>
        /secretCode$/i.test(key) ? [String(inner)] : secretsIn(inner),
    );
}

/** Fills forms of connections with the examples of each type, edits each field and undoes the edit: then there is nothing to save. */
export function connectionForms(open: () => BrowserShop): void {
    it('of every type of connections return its examples, whatever is typed and undone', async () => {
        const { shop, visit } = open();
        const { flowAdapters } = (await shop.adminClient.query(REGISTERED)) as Registered;
        const examples = flowAdapters
            // Only the shop's code can name a file of the server.
            .filter(({ kind, code }) => kind === 'CONNECTION' && code !== 'SQLITE')
            .flatMap(({ code, examples }) =>
                telling(examples).map((example, i) => ({
                    type: code,
                    settings: settingsOf(example),
                    code: `${code.toLowerCase()}-${i}`,
                })),
            );
        for (const code of new Set(examples.flatMap(({ settings }) => secretsIn(settings))))
            await shop.adminClient.query(HIDE, { input: { code, provider: 'INLINE', value: 'x' } });
        const { page } = await visit('/flow/connections');
        for (const { type, code, settings } of examples) {
            const { createFlowConnection } = await shop.adminClient.query(CONNECT, { input: { type, code, settings } });
            const id = createFlowConnection.id as string;
            // Like a link, without loading the page again.
            await page.evaluate(`history.pushState({}, '', '/dashboard/flow/connections/${id}')`);
            await page.getByRole('heading', { name: code, exact: true }).waitFor();
            const save = page.getByRole('button', { name: 'Save', exact: true });
            const touched: Touched = await page.evaluate(
                `(${TOUCH})(document.querySelector('main'), new Set(), ${JSON.stringify(settings)})`,
            );
            expect({ code, isTouched: touched.texts > 0, isChanged: await save.isEnabled() }).toEqual({
                code,
                isTouched: true,
                isChanged: false,
            });
        }
        expect(new Set(examples.map(({ type }) => type)).size).toBeGreaterThan(10);
    });
}

interface GivenBack {
    readonly touched: Touched;
    /** The copied step. */
    readonly text: string;
}

function filled(page: Page, steps: readonly Pasted[]): Promise<readonly GivenBack[]> {
    return page.evaluate(`(${PASTES})(${JSON.stringify(steps)})`);
}

/**
 * Edits each field that the example fills and no earlier example has filled, and undoes the edit. Returns the number of fields of each
 * kind. A text gets one more letter, a choice another value, a switch is toggled, and code gets a letter with the browser's own editing.
 */
const TOUCH = `async (root, seen, filled, codes = 0) => {
    // What an event changes is there when its microtasks are done. A frame is not waited for: to draw each letter would be most of the work.
    const turn = async () => { for (let i = 0; i < 5; i++) await undefined; };
    const touched = { texts: 0, choices: 0, switches: 0, codes: 0 };
    const isFresh = (control, name) => control.isConnected && !seen.has(name) && Boolean(seen.add(name));
    const write = (control, value, type) => {
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value').set.call(control, value);
        control.dispatchEvent(new Event(type, { bubbles: true }));
    };
    const both = async (control, values, type) => {
        for (const value of values) {
            write(control, value, type);
            await turn();
        }
    };
    // Each form has a unique id without a hyphen. The ids of its fields append their path in the settings.
    const formOf = control => {
        let form = control.closest('[role=group][id]');
        while (form?.id.includes('-')) form = form.parentElement.closest('[role=group][id]');
        return form?.id ?? '';
    };
    // The id belongs to the hidden checkbox next to the switch, to which a label leads.
    const idOf = control => control.parentElement.querySelector(':scope > [type=checkbox][id]')?.id ?? control.id;
    const nameOf = control => idOf(control).replace(formOf(control), '') || control.getAttribute('aria-label');
    const isFilled = control =>
        idOf(control).slice(formOf(control).length + 1).split('-').reduce((value, key) => value?.[key], filled) !== undefined;
    const kept = '[type=file], [type=checkbox], [aria-hidden=true], [readonly], :disabled';
    for (const control of root.querySelectorAll('[data-slot=field] :is(input, textarea)')) {
        const { value } = control;
        if (control.matches(kept) || value === '' || !isFresh(control, nameOf(control))) continue;
        touched.texts++;
        await both(control, [value + '1', value], 'input');
    }
    for (const control of root.querySelectorAll('[role=group] [data-slot=field] select:enabled')) {
        const { value } = control;
        const other = [...control.options].find(option => option.value !== '' && option.value !== value);
        if (!other || (control.id !== '' && !isFilled(control)) || !isFresh(control, nameOf(control))) continue;
        touched.choices++;
        await both(control, [other.value, value], 'change');
    }
    for (const control of root.querySelectorAll('[role=group] [data-slot=field] [role=switch]:not([aria-disabled=true])')) {
        if (!isFilled(control) || !isFresh(control, nameOf(control))) continue;
        touched.switches++;
        for (const is of ['true', 'false']) {
            const was = control.getAttribute('aria-checked');
            control.click();
            await turn();
            if (control.getAttribute('aria-checked') === was) throw new Error('The switch ' + nameOf(control) + ' does not turn.');
        }
    }
    const isLoading = () => root.querySelector('[data-slot=field] [role=status]') !== null;
    const editors = () => root.querySelectorAll('[data-slot=field] .cm-content');
    // The editors appear a moment after loading. If some do not, the counts of the test show how many were missed.
    for (let i = 0; isLoading() || (editors().length < codes && i < 200); i++) await new Promise(resolve => setTimeout(resolve, 20));
    for (const code of editors()) {
        const before = code.textContent;
        touched.codes++;
        code.focus();
        document.execCommand('insertText', false, 'x');
        await turn();
        if (code.textContent === before) throw new Error('The code ' + nameOf(code) + ' takes no letter.');
        document.execCommand('delete');
        await turn();
    }
    return touched;
}`;

/** Pastes each step, edits the fields of its form, and copies it. */
const PASTES = `async steps => {
    const back = [];
    const touch = ${TOUCH};
    const give = (type, text) => {
        const clipboardData = new DataTransfer();
        if (text !== undefined) clipboardData.setData('text/plain', text);
        document.body.dispatchEvent(new ClipboardEvent(type, { clipboardData, bubbles: true, cancelable: true }));
        return clipboardData.getData('text/plain');
    };
    const turn = () => new Promise(resolve => setTimeout(resolve));
    const seen = new Map();
    for (const { adapter, step, settings, codes } of steps) {
        if (!seen.has(adapter)) seen.set(adapter, new Set());
        document.activeElement?.blur?.();
        getSelection().removeAllRanges();
        give('paste', JSON.stringify({ version: 1, steps: [step], edges: [] }));
        await turn();
        const panel = document.querySelector('aside[aria-label="Selection"]');
        const touched = await touch(panel, seen.get(adapter), settings, codes);
        document.activeElement?.blur?.();
        getSelection().removeAllRanges();
        back.push({ touched, text: give('copy') });
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true }));
        await turn();
    }
    return back;
}`;
