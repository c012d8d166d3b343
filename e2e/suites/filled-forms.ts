import gql from 'graphql-tag';
import type { Page } from 'playwright-core';
import type { JsonObject } from '../../src';
import type { BrowserShop } from '../config/browser-shop';

const REGISTERED = gql`
    query {
        flowAdapters {
            kind
            code
            examples
        }
        flowDefinitionFormat {
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

interface Registered {
    readonly flowAdapters: ReadonlyArray<{
        readonly kind: string;
        readonly code: string;
        readonly examples: ReadonlyArray<{ readonly config?: JsonObject }>;
    }>;
    readonly flowDefinitionFormat: {
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

/** An example as a step that a person pastes. */
interface Pasted {
    readonly name: string;
    readonly adapter: string;
    readonly step: JsonObject;
}

const settingsOf = ({ config }: { readonly config?: JsonObject }): JsonObject => config ?? {};

/** Those examples that fill a field which none before them fills: the others are gone through without a browser (`test/dashboard-forms`). */
function telling<T extends { readonly config?: JsonObject }>(examples: readonly T[]): readonly T[] {
    const seen = new Set<string>();
    return examples.filter((example, i) => {
        const fresh = Object.keys(settingsOf(example)).filter(key => !seen.has(key));
        for (const key of fresh) seen.add(key);
        return i === 0 || fresh.length > 0;
    });
}

function pastedSteps({ flowAdapters, flowDefinitionFormat }: Registered): readonly Pasted[] {
    return flowAdapters.flatMap(({ kind, code, examples }) => {
        const at = flowDefinitionFormat.kinds.find(({ adapters }) => adapters?.kind === kind);
        if (!at) return [];
        const { field, list, value } = at.adapters!;
        const configOf = (settings: JsonObject): JsonObject =>
            list === null
                ? { [field]: code, ...settings }
                : { [list]: [{ [field]: code, ...(value !== null && { [value]: settings }) }] };
        // A trigger has no examples: it starts empty.
        return (examples.length === 0 ? [{}] : telling(examples)).map((example, i) => ({
            name: `${kind} ${code}, example ${i + 1}`,
            adapter: `${kind} ${code}`,
            step: { key: 'tried', kind: at.kind, config: configOf(settingsOf(example)) },
        }));
    });
}

/** Forms that are filled with the examples of every registered adapter that a step can be of, touched field by field, and give them back. */
export function filledForms(open: () => BrowserShop, begun: () => Promise<string>): void {
    it('of every adapter of a step give its examples back, whatever is typed and taken back', async () => {
        const { shop, visit } = open();
        const steps = pastedSteps((await shop.adminClient.query(REGISTERED)) as Registered);
        const { page } = await visit(`/flow/pipelines/${await begun()}/edit`);
        await page.getByRole('tab', { name: 'Outline' }).click();
        await page
            .getByText(/No problems found|fault/)
            .first()
            .waitFor();
        const back = await filled(page, steps);
        expect(back).toHaveLength(steps.length);
        const wrong = steps.flatMap(({ name, step }, i) => {
            const given = (JSON.parse(back[i]!.text || '{"steps":[]}') as { readonly steps: readonly JsonObject[] })
                .steps[0];
            return JSON.stringify(given?.['config']) === JSON.stringify(step['config'])
                ? []
                : [{ name, wanted: step['config'], given: given?.['config'] }];
        });
        expect(wrong).toEqual([]);
        expect(back.reduce((sum, { fields }) => sum + fields, 0)).toBeGreaterThan(steps.length);
    });
}

interface GivenBack {
    /** How many fields were touched. */
    readonly fields: number;
    /** The step as it was copied. */
    readonly text: string;
}

function filled(page: Page, steps: readonly Pasted[]): Promise<readonly GivenBack[]> {
    return page.evaluate(`(${PASTES})(${JSON.stringify(steps)})`);
}

/** Types one letter more into each field that the example fills and no example before, and takes it back; answers how many there were. */
const TOUCH = `async (root, seen) => {
    const turn = () => new Promise(resolve => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0); });
    const write = (control, value) => {
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value').set.call(control, value);
        control.dispatchEvent(new Event('input', { bubbles: true }));
    };
    const kept = '[type=file], [type=checkbox], [aria-hidden=true], [readonly], :disabled';
    let fields = 0;
    for (const control of root.querySelectorAll('[data-slot=field] :is(input, textarea)')) {
        const { value } = control;
        if (!control.isConnected || control.matches(kept) || value === '') continue;
        const name = control.id || control.getAttribute('aria-label');
        if (seen.has(name)) continue;
        seen.add(name);
        fields++;
        write(control, value + '1');
        await turn();
        write(control, value);
        await turn();
    }
    return fields;
}`;

/** Pastes each step, touches the fields of its form, and copies it. */
const PASTES = `async steps => {
    const back = [];
    const give = (type, text) => {
        const clipboardData = new DataTransfer();
        if (text !== undefined) clipboardData.setData('text/plain', text);
        document.body.dispatchEvent(new ClipboardEvent(type, { clipboardData, bubbles: true, cancelable: true }));
        return clipboardData.getData('text/plain');
    };
    const turn = () => new Promise(resolve => setTimeout(resolve));
    const seen = new Map();
    for (const { adapter, step } of steps) {
        if (!seen.has(adapter)) seen.set(adapter, new Set());
        document.activeElement?.blur?.();
        getSelection().removeAllRanges();
        give('paste', JSON.stringify({ version: 1, steps: [step], edges: [] }));
        await turn();
        const fields = await (${TOUCH})(document.querySelector('aside[aria-label="What is chosen"]'), seen.get(adapter));
        document.activeElement?.blur?.();
        back.push({ fields, text: give('copy') });
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true }));
        await turn();
    }
    return back;
}`;
