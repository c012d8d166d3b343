import gql from 'graphql-tag';
import type { Locator, Page } from 'playwright-core';
import { stringify } from 'yaml';
import { demoPipelines } from '../demo/pipelines';
import type { JsonObject } from '../src';
import { makeAdministrator } from './config/administrators';
import { accessFaults, judgePage, takePictures, type Visit } from './config/browser';
import { browserShop } from './config/browser-shop';
import { itInTier as it } from './config/matrix';
import { begunFrom } from './suites/begun-from';
import { connectionForms, filledForms, hookForms } from './suites/filled-forms';
import { ledToFields } from './suites/led-to-fields';
import { ownFile } from './suites/own-file';
import { triggerPanels } from './suites/trigger-panels';

const CREATE = gql`
    mutation Create($code: String!, $definition: FlowJSON) {
        createFlowPipeline(input: { code: $code, definition: $definition }) {
            id
        }
    }
`;
const STORED = gql`
    query Stored($id: ID!) {
        flowPipeline(id: $id) {
            version
            status
            workingCopy {
                definition
            }
            revision {
                number
                message
            }
        }
    }
`;
const SAVE = gql`
    mutation Save($id: ID!, $version: Int!, $definition: FlowJSON!) {
        updateFlowPipeline(input: { id: $id, version: $version, definition: $definition }) {
            version
        }
    }
`;
const PUBLISH = gql`
    mutation Publish($id: ID!, $version: Int!) {
        publishFlowPipeline(id: $id, version: $version) {
            id
        }
    }
`;
const SAMPLE = 'sku,name,price\nNEW-1, Desk lamp ,49.00\nNEW-2,Floor lamp,129.90\n';

interface Step extends JsonObject {
    readonly key: string;
    readonly kind: string;
    readonly config: JsonObject;
}

interface Stored {
    readonly version: number;
    readonly status: string;
    readonly workingCopy: {
        readonly definition: { readonly steps: readonly Step[]; readonly edges: readonly JsonObject[] };
    };
    readonly revision: { readonly number: number; readonly message: string | null } | null;
}

browserShop('the editor of pipelines', { pipelines: demoPipelines }, open => {
    const judged = async (invocation: Visit, name: string): Promise<void> => {
        expect(await judgePage(invocation, name, ['desktop'])).toEqual([]);
    };
    const create = async (code: string, definition?: JsonObject): Promise<string> => {
        const { createFlowPipeline } = await open().shop.adminClient.query(CREATE, { code, definition });
        return createFlowPipeline.id as string;
    };
    const stored = async (id: string): Promise<Stored> =>
        (await open().shop.adminClient.query(STORED, { id })).flowPipeline as Stored;
    const waysOf = async (id: string): Promise<readonly string[]> =>
        (await stored(id)).workingCopy.definition.edges.map(({ from, to }) => `${String(from)} > ${String(to)}`);
    const answered = (page: Page, operation: string): Promise<unknown> =>
        page.waitForResponse(answer => new RegExp(`\\b${operation}\\b`).test(answer.request().postData() ?? ''));
    const saved = async ({ page }: Pick<Visit, 'page'>): Promise<void> => {
        // A message about an earlier save may still be visible.
        const stored = answered(page, 'FlowEditorSave');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await stored;
        await page.getByText('Saved', { exact: true }).first().waitFor();
    };
    const published = async (id: string): Promise<void> => {
        await open().shop.adminClient.query(PUBLISH, { id, version: (await stored(id)).version });
    };
    const stepAt = (key: string, place: 'first' | 'second' | 'between' | 'last'): Step => {
        switch (place) {
            case 'first':
                return { key, kind: 'TRIGGER', config: { type: 'MANUAL' } };
            case 'second':
                return { key, kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: SAMPLE } };
            case 'between':
                return { key, kind: 'TRANSFORM', config: { operators: [{ op: 'trim', args: { path: 'name' } }] } };
            case 'last':
                return { key, kind: 'LOAD', config: { adapterCode: 'productUpsert', matchBy: 'sku' } };
        }
    };
    const chain = (...keys: readonly string[]): JsonObject => ({
        version: 1,
        steps: keys.map((key, i) =>
            stepAt(key, i === 0 ? 'first' : i === 1 ? 'second' : i === keys.length - 1 ? 'last' : 'between'),
        ),
        edges: keys.slice(1).map((to, i) => ({ from: keys[i]!, to })),
    });

    it('builds a pipeline of five steps from nothing to a run, by mouse', async () => {
        const visit = await open().visit('/flow/pipelines/new');
        const { page } = visit;
        await page.getByLabel('Name').fill('Drawn lamps');
        await judged(visit, 'editor-new');
        await page.getByRole('button', { name: 'Create pipeline' }).click();
        await page.waitForURL(/\/edit$/);
        const id = /pipelines\/([^/]+)\/edit/.exec(page.url())![1]!;
        const palette = page.getByRole('complementary', { name: 'Selection' });
        const add = async (words: string, title: string): Promise<void> => {
            await page.locator('.react-flow__pane').click({ position: { x: 20, y: 20 } });
            await palette.getByLabel('Search for a step').fill(words);
            await palette
                .getByRole('button', { name: new RegExp(`^${title}`) })
                .first()
                .click();
            await palette.getByRole('heading', { level: 2 }).waitFor();
        };
        await add('csv', 'CSV');
        await palette.getByLabel(/^CSV text/).fill(SAMPLE);
        await add('trim', 'Trim');
        await palette
            .getByLabel(/^Field|^Path/)
            .first()
            .fill('name');
        await palette.getByLabel('Add a step by its purpose').fill('to cents');
        await palette.getByLabel('Add a step by its purpose').press('Enter');
        await palette.getByLabel(/^From/).fill('price');
        await palette.getByLabel(/^To/).fill('price');
        await palette.getByLabel('Add a step by its purpose').fill('slugify');
        await palette.getByLabel('Add a step by its purpose').press('Enter');
        await palette.getByLabel(/^From/).fill('name');
        await palette.getByLabel(/^To/).fill('slug');
        await add('business', 'Business');
        await palette
            .getByLabel(/^Field/)
            .first()
            .fill('name');
        await palette.getByRole('switch', { name: 'Required' }).click();
        await add('productUpsert', 'Products');
        await page.getByText('No problems found').waitFor();
        await palette.getByRole('tab', { name: 'Try' }).click();
        await palette.getByRole('button', { name: 'Test' }).click();
        await palette.getByText('Would be written').waitFor();
        await palette.getByText('CREATE').nth(1).waitFor();
        await judged(visit, 'editor-tried');
        await palette.getByLabel('Sample records').selectOption('given');
        await palette.getByLabel('A file with records').setInputFiles({
            name: 'more.csv',
            mimeType: 'text/csv',
            buffer: Buffer.from('sku,name,slug,price\nOTHER-1,Shade,shade,500\n'),
        });
        await page.waitForFunction(
            `document.querySelector('[aria-label="Records as JSON"]').value.includes('OTHER-1')`,
        );
        await page.getByRole('button', { name: 'Dry run' }).click();
        await page.waitForURL(/\/flow\/runs\//);
        await page
            .getByText(/1–2 of 2|NEW-1/)
            .first()
            .waitFor();
        expect((await stored(id)).workingCopy.definition.steps.map(({ kind }) => kind)).toEqual([
            'TRIGGER',
            'EXTRACT',
            'TRANSFORM',
            'VALIDATE',
            'LOAD',
        ]);
        await page.goBack();
        await page.getByRole('button', { name: 'Publish', exact: true }).click();
        await page.getByLabel('Message, kept with the revision').fill('First lamps');
        await page.getByRole('button', { name: 'Publish' }).click();
        await page.getByText('Revision 1 published').waitFor();
        await page.getByText('Nothing starts it automatically').waitFor();
        expect(await page.getByRole('button', { name: 'Run now' }).count()).toBe(1);
        expect((await stored(id)).revision).toEqual({ number: 1, message: 'First lamps' });
        expect(await open().shop.perform('drawn-lamps')).toMatchObject({ status: 'COMPLETED', recordsLoaded: 2 });
    });

    it('builds a pipeline from nothing to a revision by keyboard alone', async () => {
        const id = await create('typed-lamps');
        const visit = await open().visit(`/flow/pipelines/${id}/edit`);
        const { page } = visit;
        await page
            .getByText('No problems found')
            .or(page.getByText(/\d+ error/))
            .first()
            .waitFor();
        const to = async (role: 'button' | 'tab' | 'menuitem' | 'textbox', name: string | RegExp): Promise<void> => {
            await page
                .getByRole(role, { name, exact: typeof name === 'string' })
                .first()
                .focus();
        };
        await to('tab', 'Outline');
        await page.keyboard.press('Enter');
        const add = async (after: string, words: string): Promise<void> => {
            await to('button', `Add a step after ${after}`);
            await page.keyboard.press('Enter');
            await page.getByRole('dialog').getByRole('searchbox').waitFor();
            await page.keyboard.type(words);
            await page.keyboard.press('Enter');
            await page.getByRole('dialog').waitFor({ state: 'detached' });
        };
        const panel = page.getByRole('complementary', { name: 'Selection' });
        await add('start', 'csv');
        await panel.getByLabel(/^CSV text/).focus();
        await page.keyboard.insertText(SAMPLE);
        await add('csv', 'slugify');
        await panel.getByLabel(/^From/).focus();
        await page.keyboard.type('name');
        await panel.getByLabel(/^To/).focus();
        await page.keyboard.type('slug');
        await panel.getByLabel('Add a step by its purpose').focus();
        await page.keyboard.type('to cents');
        await page.keyboard.press('Enter');
        await panel.getByLabel(/^From/).focus();
        await page.keyboard.type('price');
        await panel.getByLabel(/^To/).focus();
        await page.keyboard.type('price');
        await add('slugify', 'productUpsert');
        await page.getByText('No problems found').waitFor();
        await judged(visit, 'editor-outline');
        await page.keyboard.press('Control+s');
        await page.getByText('Saved', { exact: true }).first().waitFor();
        await to('button', 'Publish');
        await page.keyboard.press('Enter');
        await to('button', 'Publish');
        await page.keyboard.press('Enter');
        await page.getByText('Revision 1 published').waitFor();
        expect(await open().shop.perform('typed-lamps')).toMatchObject({ status: 'COMPLETED' });
    });

    it('connects, splices, deletes and undoes', async () => {
        const id = await create('spliced', chain('start', 'file', 'shape', 'load'));
        const visit = await open().visit(`/flow/pipelines/${id}/edit`);
        const { page } = visit;
        const box = (key: string) => page.locator(`.react-flow__node[data-id="${key}"]`);
        await box('load').waitFor();
        await judged(visit, 'editor-graph');
        await page.getByRole('button', { name: 'Add a step between file and shape' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').getByRole('searchbox').fill('upper');
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        expect(await page.locator('.react-flow__node').count()).toBe(5);
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.locator('.react-flow__node').nth(4).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Redo' }).click();
        await page.locator('.react-flow__node').nth(4).waitFor();
        await box('shape').click();
        await page.keyboard.press('Delete');
        await box('shape').waitFor({ state: 'detached' });
        await saved(visit);
        const ways = await waysOf(id);
        expect(ways).toHaveLength(3);
        expect(ways[0]).toBe('start > file');
        // Moving a box does not change the pipeline.
        const place = (await box('load').boundingBox())!;
        await page.mouse.move(place.x + 30, place.y + 30);
        await page.mouse.down();
        await page.mouse.move(place.x + 90, place.y + 120, { steps: 6 });
        await page.mouse.up();
        const tidy = page.getByRole('button', { name: 'Auto-layout' });
        expect(await tidy.isEnabled()).toBe(true);
        expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
        // A line is drawn from one box to another.
        const from = (await box('file').locator('.react-flow__handle.source').boundingBox())!;
        const target = (await box('load').locator('.react-flow__handle.target').boundingBox())!;
        await page.mouse.move(from.x + 5, from.y + 5);
        await page.mouse.down();
        await page.mouse.move(target.x + 5, target.y + 5, { steps: 8 });
        await page.mouse.up();
        await saved(visit);
        expect(await waysOf(id)).toContain('file > load');
    });

    it('keeps unsaved changes, and lets the user decide about them', async () => {
        const id = await create('unsaved', chain('start', 'file', 'load'));
        const { page } = await open().visit(`/flow/pipelines/${id}/edit?x=1`);
        await page.locator('.react-flow__node[data-id="load"]').click();
        await page.keyboard.press('Delete');
        await page.locator('.react-flow__node[data-id="load"]').waitFor({ state: 'detached' });
        await page.waitForFunction(`Object.keys(localStorage).some(key => key.startsWith('flow-editor-copy'))`);
        await page.reload();
        await page.getByRole('heading', { name: 'Unsaved changes' }).waitFor();
        await page.getByRole('button', { name: 'Restore' }).click();
        await page.locator('.react-flow__node[data-id="file"]').waitFor();
        expect(await page.locator('.react-flow__node').count()).toBe(2);
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.locator('.react-flow__node[data-id="load"]').waitFor();
    });

    it('keeps the cursor in the outline at the place of a deleted line', async () => {
        const id = await create('outlined', chain('start', 'file', 'shape', 'load'));
        const { page } = await open().visit(`/flow/pipelines/${id}/edit`);
        await page.getByRole('tab', { name: 'Outline' }).click();
        const lines = page.locator('[data-flow-line]');
        await lines.nth(1).click();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.keyboard.press('Delete');
        await lines.nth(3).waitFor({ state: 'detached' });
        await page.locator('[data-flow-line]:focus').getByText('load').waitFor();
        await page.keyboard.press('ArrowUp');
        await page.locator('[data-flow-line]:focus').getByText('file').waitFor();
    });

    it('lets two people edit one draft, and loses no change of either', async () => {
        const id = await create('shared', chain('start', 'file', 'shape', 'load'));
        const visit = await open().visit(`/flow/pipelines/${id}/edit`);
        const { page } = visit;
        await page.locator('.react-flow__node[data-id="shape"]').click();
        const panel = page.getByRole('complementary', { name: 'Selection' });
        await panel.getByRole('tab', { name: 'About' }).click();
        await panel.getByLabel('Name', { exact: true }).fill('Mine');
        const { version, workingCopy } = await stored(id);
        const theirs = {
            ...workingCopy.definition,
            steps: workingCopy.definition.steps.map(step =>
                step.key === 'load'
                    ? { ...step, name: 'Theirs' }
                    : step.key === 'shape'
                      ? { ...step, name: 'Also theirs' }
                      : step,
            ),
        };
        await open().shop.adminClient.query(SAVE, { id, version, definition: theirs });
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        // A user who postpones the decision must find it again, since nothing can be saved before.
        await page.getByRole('button', { name: 'Later' }).click();
        await page.getByRole('button', { name: 'Later' }).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Compare' }).click();
        await page.getByRole('dialog').getByText('changed by both').waitFor();
        await takePictures(visit, 'editor-conflict', ['desktop']);
        await page.getByRole('button', { name: 'Use the selection' }).click();
        await saved(visit);
        await visit.expectFault('has changed since you read it');
        const names = (await stored(id)).workingCopy.definition.steps.map(({ name }) => name);
        expect(names).toEqual([undefined, undefined, 'Mine', 'Theirs']);
    });

    it('selects all steps by a key', async () => {
        const id = await create('all-of-them', chain('start', 'file', 'load'));
        const { page } = await open().visit(`/flow/pipelines/${id}/edit`);
        const boxes = page.locator('.react-flow__node');
        await boxes.nth(2).waitFor();
        await page.keyboard.press('Control+a');
        await page.locator('.react-flow__node.selected').nth(2).waitFor();
        await page.keyboard.press('Delete');
        await boxes.first().waitFor({ state: 'detached' });
        await page.keyboard.press('Control+z');
        await boxes.nth(2).waitFor();
    });

    it('keeps only the clicked box of several selected, and drags all of them', async () => {
        const id = await create('one-of-several', chain('start', 'file', 'shape', 'load'));
        const { page } = await open().visit(`/flow/pipelines/${id}/edit`);
        const boxes = page.locator('.react-flow__node');
        const chosen = page.locator('.react-flow__node.selected');
        const box = (key: string) => page.locator(`.react-flow__node[data-id="${key}"]`);
        const place = async (key: string) => (await box(key).boundingBox())!;
        const pulled = async (key: string, x: number, y: number): Promise<void> => {
            const from = await place(key);
            await page.mouse.move(from.x + 30, from.y + 30);
            await page.mouse.down();
            await page.mouse.move(from.x + 30 + x, from.y + 30 + y, { steps: 4 });
            await page.mouse.up();
        };
        await boxes.nth(3).waitFor();
        await page.keyboard.press('Control+a');
        await chosen.nth(3).waitFor();
        const [shape, load] = [await place('shape'), await place('load')];
        await pulled('shape', 60, 20);
        const now = { shape: await place('shape'), load: await place('load') };
        expect(now.shape.x - shape.x).toBeGreaterThan(30);
        expect([now.load.x - load.x, now.load.y - load.y]).toEqual([now.shape.x - shape.x, now.shape.y - shape.y]);
        expect(await chosen.count()).toBe(4);
        await box('shape').click({ modifiers: ['Control'] });
        await chosen.nth(3).waitFor({ state: 'detached' });
        // A small movement during a click is still a click.
        await pulled('load', 1, 1);
        await chosen.nth(1).waitFor({ state: 'detached' });
        // Selected by drawing a frame around them.
        const [first, last] = [await place('start'), await place('load')];
        await page.keyboard.down('Shift');
        await page.mouse.move(Math.min(first.x, last.x) - 30, first.y - 10);
        await page.mouse.down();
        await page.mouse.move(last.x + last.width + 30, last.y + last.height + 10, { steps: 6 });
        await page.mouse.up();
        await page.keyboard.up('Shift');
        await chosen.nth(3).waitFor();
        await box('file').click();
        await chosen.nth(1).waitFor({ state: 'detached' });
        await page.keyboard.press('Delete');
        await box('file').waitFor({ state: 'detached' });
        expect(await boxes.count()).toBe(3);
    });

    it('rejects pasted text that is not a step, with a sentence', async () => {
        const id = await create('pasted', chain('start', 'file', 'load'));
        const { page } = await open().visit(`/flow/pipelines/${id}/edit`);
        await page.locator('.react-flow__node[data-id="load"]').waitFor();
        const paste = async (text: string): Promise<void> => {
            await page.getByRole('button', { name: 'Paste steps' }).click();
            await page.getByLabel('Steps as text').fill(text);
            await page.getByRole('button', { name: 'Paste', exact: true }).click();
        };
        await paste('<img src=x onerror=alert(1)>');
        await page.getByText('Not valid JSON').waitFor();
        await page.keyboard.press('Escape');
        await paste('{"steps":[{"key":"a","kind":"LOAD","config":{"__proto__":{"x":1}}}]}');
        await page.getByText('has a field with a name that is not allowed').waitFor();
        await page.getByLabel('Steps as text').fill(JSON.stringify(chain('start', 'file', 'load')));
        await page.getByRole('button', { name: 'Paste', exact: true }).click();
        await page.locator('.react-flow__node[data-id="load-2"]').waitFor();
        // Pasted content is always shown as text.
        const name = '<img src=x onerror="globalThis.flowWasHere = 1"> ${7*7} \u202e';
        const hostile = { ...stepAt('odd', 'between'), name, someday: '</script><script>1</script>' };
        await page.getByRole('button', { name: 'Paste steps' }).click();
        await page.getByLabel('Steps as text').fill(JSON.stringify({ steps: [hostile] }));
        await page.getByRole('button', { name: 'Paste', exact: true }).click();
        await page.locator('.react-flow__node[data-id="odd"]').getByText('<img src=x').waitFor();
        await page.getByRole('complementary').getByRole('heading', { name: '<img src=x' }).waitFor();
        expect(await page.locator('img[src=x]').count()).toBe(0);
        expect(await page.evaluate('globalThis.flowWasHere')).toBeUndefined();
        await saved({ page });
        expect((await stored(id)).workingCopy.definition.steps.at(-1)).toEqual(hostile);
    });

    it('is text, in both directions', async () => {
        const id = await create('as-text', chain('start', 'file', 'load'));
        const visit = await open().visit(`/flow/pipelines/${id}/edit`);
        const { page } = visit;
        // The selection stays in each view.
        await page.locator('.react-flow__node[data-id="file"]').click();
        await page.getByRole('tab', { name: 'Text' }).click();
        const text = page.getByLabel('The definition as text');
        await text.waitFor();
        await judged(visit, 'editor-text');
        await text.fill('{ "version": 1, "steps": [');
        await page.getByText('This text is not valid yet').waitFor();
        await text.fill(JSON.stringify({ ...chain('start', 'file', 'shape', 'load'), someday: { kept: true } }));
        await page.getByText('This text is not valid yet').waitFor({ state: 'detached' });
        await page.getByRole('tab', { name: 'Graph' }).click();
        await page.locator('.react-flow__node[data-id="shape"]').waitFor();
        await page.locator('.react-flow__node[data-id="file"].selected').waitFor();
        await saved(visit);
        expect((await stored(id)).workingCopy.definition).toMatchObject({ someday: { kept: true } });
        await page.getByRole('tab', { name: 'Text' }).click();
        await page.getByLabel('Format').selectOption('YAML');
        await text.getByText('kind: TRIGGER').waitFor();
        const drawn = (await stored(id)).workingCopy.definition;
        await text.fill('steps: &all [*all]');
        await page.getByText('This text is not valid yet').waitFor();
        const [first, ...others] = drawn.steps;
        const renamed = { ...drawn, steps: [{ ...first, name: 'By hand' }, ...others] };
        await text.fill(stringify(renamed, { collectionStyle: 'flow', lineWidth: 0 }));
        await page.getByText('This text is not valid yet').waitFor({ state: 'detached' });
        // A text that is not valid yet is never lost.
        const content = page.locator('.cm-content');
        await content.click();
        await page.keyboard.press('Control+End');
        await page.keyboard.insertText('- [');
        await page.getByText('This text is not valid yet').waitFor();
        await page.getByRole('tab', { name: 'Graph' }).click();
        await page.getByText('The text is not valid yet').waitFor();
        expect(await page.getByRole('button', { name: 'Add a step' }).count()).toBe(0);
        await page.getByRole('button', { name: 'Fix the text' }).click();
        await page.getByText('This text is not valid yet').waitFor();
        await page.locator('.cm-content').click();
        await page.keyboard.press('Control+End');
        for (let i = 0; i < 3; i++) await page.keyboard.press('Backspace');
        await page.getByText('This text is not valid yet').waitFor({ state: 'detached' });
        await page.getByRole('tab', { name: 'Graph' }).click();
        await page.locator('.react-flow__node[data-id="start"]').getByText('By hand').waitFor();
        await saved(visit);
        expect((await stored(id)).workingCopy.definition).toEqual(renamed);
    });

    it('is set with the mouse alone, and shows what operators do with the records of the last run', async () => {
        const id = await create('mouse', {
            version: 1,
            steps: [
                stepAt('start', 'first'),
                {
                    ...stepAt('file', 'second'),
                    config: { adapterCode: 'csv', csvText: `${SAMPLE}ODD-1,Odd lamp,much\n` },
                },
                {
                    key: 'shape',
                    kind: 'TRANSFORM',
                    config: {
                        operators: [
                            { op: 'toCents', args: { source: 'price', target: 'price' } },
                            { op: 'trim', args: { path: 'name' } },
                        ],
                    },
                },
            ],
            edges: [
                { from: 'start', to: 'file' },
                { from: 'file', to: 'shape' },
            ],
        });
        await published(id);
        expect(await open().shop.perform('mouse')).toMatchObject({ status: 'COMPLETED', recordsRejected: 1 });
        const visit = await open().visit(`/flow/pipelines/${id}/edit`);
        const { page } = visit;
        const panel = page.getByRole('complementary', { name: 'Selection' });
        const box = (key: string): Locator => page.locator(`.react-flow__node[data-id="${key}"]`);
        await box('shape').click();
        const show = panel.getByRole('button', { name: 'Preview' });
        await panel.getByLabel('Sample records').selectOption('lastRun');
        await show.click();
        await panel.getByText('1 record rejected here by the last run').waitFor();
        await panel.getByText('Sample: 1 in, 0 out, 1 rejected').waitFor();
        await panel.getByRole('button', { name: 'Other samples' }).click();
        await panel.getByLabel('Sample records').selectOption('source');
        await show.click();
        await panel.getByText('Sample: 3 in, 2 out, 1 rejected').waitFor();
        // Sorted by dragging.
        const calls = panel.getByRole('list', { name: 'In this order' }).getByRole('listitem');
        await calls.nth(1).locator('[draggable]').dragTo(calls.nth(0));
        await calls.nth(0).filter({ hasText: 'Trim' }).waitFor();
        // Code with completion.
        await panel.getByLabel('Add a step by its purpose').fill('run a script');
        await panel.getByLabel('Add a step by its purpose').press('Enter');
        const code = panel.getByRole('textbox', { name: 'Code', exact: true });
        const offers = page.locator('.cm-tooltip-autocomplete');
        await code.click();
        await page.keyboard.type('record.');
        await offers.getByText('sku', { exact: true }).first().waitFor();
        await page.keyboard.press('Escape');
        await page.keyboard.type('told = context.mo');
        await offers.getByText('mode', { exact: true }).waitFor();
        // A key that is meant for the text does not accept a completion.
        await offers.getByText('mode', { exact: true }).click();
        await page.keyboard.type(';');
        await page.keyboard.press('Enter');
        await page.keyboard.type('return record;');
        await panel.getByText('"preview"').first().waitFor();
        await judged(visit, 'editor-operators');
        // Dragged from the palette: onto the canvas, and onto a step.
        const pane = page.locator('.react-flow__pane');
        await pane.click({ position: { x: 20, y: 20 } });
        await panel.getByRole('button', { name: /^Gate/ }).dragTo(pane, { targetPosition: { x: 80, y: 300 } });
        await box('gate').waitFor();
        await pane.click({ position: { x: 20, y: 20 } });
        await panel.getByRole('button', { name: /^Check Accepts/ }).dragTo(box('shape'));
        await box('validate').waitFor();
        await saved(visit);
        const { steps } = (await stored(id)).workingCopy.definition;
        expect(steps.map(({ key }) => key)).toEqual(['start', 'file', 'shape', 'gate', 'validate']);
        expect(steps[2]!.config['operators']).toEqual([
            { op: 'trim', args: { path: 'name' } },
            { op: 'toCents', args: { source: 'price', target: 'price' } },
            { op: 'script', args: { code: 'record.told = context.mode;\nreturn record;' } },
        ]);
        expect(await waysOf(id)).toEqual(['start > file', 'file > shape', 'shape > validate']);
    });

    it('creates a connection and its secret in place', async () => {
        const id = await create('on-the-spot', chain('start', 'file', 'load'));
        const visit = await open().visit(`/flow/pipelines/${id}/edit`);
        const { page } = visit;
        await page.locator('.react-flow__node[data-id="file"]').click();
        const panel = page.getByRole('complementary', { name: 'Selection' });
        await panel.getByLabel('Type').selectOption({ label: 'HTTP API' });
        await panel.getByRole('button', { name: 'Create connection' }).click();
        const dialog = page.getByRole('dialog', { name: 'New connection' });
        await dialog.getByLabel('Type', { exact: true }).first().selectOption({ label: 'HTTP' });
        await dialog.getByRole('button', { name: 'Create' }).click();
        await dialog.getByLabel('Code').fill('erp');
        await dialog.getByLabel('Base URL').fill('https://erp.example');
        const authentication = dialog.getByRole('group', { name: 'Authentication' });
        await authentication.getByLabel('Type').selectOption('API_KEY');
        await authentication.getByLabel('Header').fill('X-Api-Key');
        await authentication.getByRole('button', { name: 'Set a new secret' }).click();
        const secret = page.getByRole('dialog', { name: 'New secret' });
        await secret.getByLabel('Code').fill('erp-key');
        await secret.getByLabel('Secret', { exact: true }).fill('not-to-be-seen');
        await secret.getByRole('button', { name: 'Save' }).click();
        await secret.waitFor({ state: 'detached' });
        await authentication.getByText('The secret is set').waitFor();
        await takePictures(visit, 'editor-connection', ['desktop']);
        await dialog.getByRole('button', { name: 'Create' }).click();
        await dialog.waitFor({ state: 'detached' });
        await saved(visit);
        expect((await stored(id)).workingCopy.definition.steps[1]!.config).toMatchObject({
            adapterCode: 'httpApi',
            connectionCode: 'erp',
        });
        expect(await page.content()).not.toContain('not-to-be-seen');
        const { flowConnections } = await open().shop.adminClient.query(
            gql`
                query {
                    flowConnections {
                        items {
                            code
                            type
                        }
                    }
                }
            `,
        );
        expect(flowConnections.items).toContainEqual({ code: 'erp', type: 'HTTP' });
    });

    it('is reviewed, sent back with a comment, published, and reset to an older revision', async () => {
        const begun = chain('start', 'file', 'shape', 'load');
        const id = await create('reviewed', begun);
        await published(id);
        const reviewer = await makeAdministrator(open().shop, {
            name: 'reviewer',
            permissions: ['ReadFlowPipeline', 'UpdateFlowPipeline', 'ReviewFlowPipeline'],
        });
        const visit = await open().visit(`/flow/pipelines/${id}/edit`);
        const { page } = visit;
        const act = async (on: Page, item: string): Promise<void> => {
            await on.getByRole('button', { name: 'More actions' }).click();
            await on.getByRole('menuitem', { name: item }).click();
        };
        await page.locator('.react-flow__node[data-id="shape"]').click();
        await page.keyboard.press('Delete');
        await page.getByRole('button', { name: 'Add a step between file and load' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').getByRole('searchbox').fill('upper');
        await page.keyboard.press('Enter');
        const panel = page.getByRole('complementary', { name: 'Selection' });
        await panel
            .getByLabel(/^Field|^Path/)
            .first()
            .fill('name');
        await page.getByText('No problems found').waitFor();
        await act(page, 'Submit for review');
        await page.getByText('in review', { exact: true }).waitFor();
        const other = await open().visit(`/flow/pipelines/${id}/edit`, { token: reviewer.getAuthToken() });
        await act(other.page, 'Send back …');
        await other.page.getByLabel('Changes').fill('Say why, please');
        await other.page.getByRole('button', { name: 'Send back', exact: true }).click();
        await other.page.getByText('The reviewer sent it back').waitFor();
        // A user who may not publish submits it with one click.
        expect(await other.page.getByRole('button', { name: 'Submit for review' }).isEnabled()).toBe(true);
        await page.reload();
        await page.getByText('Say why, please').waitFor();
        await page.getByRole('button', { name: 'Publish', exact: true }).click();
        const picture = page.getByRole('group', { name: 'Differences as a graph' });
        await picture.getByRole('button', { name: 'upper-case added' }).waitFor();
        await picture.getByRole('button', { name: 'file unchanged' }).waitFor();
        const gone = page.getByRole('row').filter({ hasText: 'step: removed' });
        const come = page.getByRole('row').filter({ hasText: 'step: added' });
        await come.waitFor();
        await picture.getByRole('button', { name: 'shape removed' }).click();
        await come.waitFor({ state: 'detached' });
        expect(await gone.count()).toBe(1);
        await takePictures(visit, 'editor-publish', ['desktop']);
        await page.getByLabel('Message, kept with the revision').fill('Names are shouted');
        // A double click publishes it once.
        await page.getByRole('button', { name: 'Publish' }).dblclick();
        await page.getByText('Revision 2 published').waitFor();
        await page.getByRole('link', { name: 'Runs and revisions' }).click();
        await page.getByRole('tab', { name: 'Revisions' }).click();
        const first = page.getByRole('listitem').filter({ hasText: 'Revision 1' });
        await first
            .getByRole('button', { name: 'Edit from here' })
            .or(first.getByRole('link', { name: 'Edit from here' }))
            .click();
        await page.locator('.react-flow__node[data-id="shape"]').waitFor();
        await saved(visit);
        expect((await stored(id)).workingCopy.definition).toMatchObject(begun);
        expect((await stored(id)).revision).toEqual({ number: 2, message: 'Names are shouted' });
    });

    it('takes newcomers few clicks and keys', async () => {
        const id = await create('a-newcomer', {
            version: 1,
            steps: [
                stepAt('start', 'first'),
                stepAt('file', 'second'),
                {
                    key: 'shape',
                    kind: 'TRANSFORM',
                    config: {
                        operators: [
                            { op: 'map', args: { mapping: { sku: 'sku', title: 'name', price: 'price' } } },
                            { op: 'toCents', args: { source: 'price', target: 'price' } },
                        ],
                    },
                },
                {
                    key: 'ways',
                    kind: 'ROUTE',
                    config: { branches: [{ name: 'dear', when: [{ field: 'price', cmp: 'gt', value: 5000 }] }] },
                },
                { key: 'wait', kind: 'GATE', config: { approvalType: 'MANUAL' } },
                stepAt('load', 'last'),
            ],
            edges: [
                { from: 'start', to: 'file' },
                { from: 'file', to: 'shape' },
                { from: 'shape', to: 'ways' },
                { from: 'ways', to: 'load', branch: 'default' },
                { from: 'wait', to: 'load' },
            ],
        });
        const { page } = await open().visit(`/flow/pipelines/${id}/edit`);
        const panel = page.getByRole('complementary', { name: 'Selection' });
        const box = (key: string): Locator => page.locator(`.react-flow__node[data-id="${key}"]`);
        await box('load').waitFor();
        await page.evaluate(COUNTS_PRESSES);
        const taken = async (): Promise<number> =>
            Number(await page.evaluate('globalThis.flowPresses.splice(0).length'));
        const save = async (): Promise<void> => {
            const stored = answered(page, 'FlowEditorSave');
            await page.keyboard.press('Control+s');
            await stored;
        };

        // An operator is added, set and saved. Its first field has the focus.
        await box('shape').click();
        await panel.getByLabel('Add a step by its purpose').click();
        await page.keyboard.type('upper');
        await page.keyboard.press('Enter');
        await page.waitForFunction(`/^(Path|Field)/.test(document.activeElement?.labels?.[0]?.textContent ?? '')`);
        await page.keyboard.type('title');
        await save();
        const adding = await taken();
        expect((await stored(id)).workingCopy.definition.steps[2]!.config['operators']).toContainEqual({
            op: 'uppercase',
            args: { path: 'title' },
        });

        // A branch of a route is connected with a step.
        await box('ways').click();
        await panel.getByRole('tab', { name: 'Connections' }).click();
        await panel.getByLabel('Connect branch dear to').selectOption('wait');
        await save();
        const connecting = await taken();
        expect(await waysOf(id)).toContain('ways > wait');

        // A mapping is changed and published, starting at the page after signing in.
        await page.goto(page.url().replace(/\/flow\/.*$/, '/'));
        await page.evaluate(COUNTS_PRESSES);
        await page.getByRole('button', { name: 'Flow', exact: true }).click();
        await page.getByRole('link', { name: 'Pipelines', exact: true }).click();
        await page.getByRole('link', { name: 'Edit a-newcomer' }).click();
        await box('shape').click();
        await panel.getByRole('button', { name: /Map fields/ }).click();
        await panel.getByLabel('Source 2').click();
        await page.keyboard.type('sku');
        await page
            .getByText('No problems found')
            .or(page.getByText(/\d+ warning/))
            .first()
            .waitFor();
        await page.getByRole('button', { name: 'Publish', exact: true }).click();
        await page.getByRole('button', { name: 'Publish' }).click();
        await page.getByText('Revision 1 published').waitFor();
        const changing = await taken();
        expect((await stored(id)).workingCopy.definition.steps[2]!.config['operators']).toContainEqual({
            op: 'map',
            args: { mapping: { sku: 'sku', title: 'sku', price: 'price' } },
        });
        // As in the guide.
        expect({ adding, connecting, changing }).toEqual({ adding: 6, connecting: 5, changing: 9 });
    });

    it('only renders again what moves', async () => {
        const id = await create(
            'still',
            chain('start', 'file', ...Array.from({ length: 8 }, (_, i) => `s${i}`), 'load'),
        );
        const { page } = await open().visit('/flow/pipelines');
        await page.getByRole('heading', { name: 'Pipelines' }).waitFor();
        await page.addInitScript(COUNTS_RENDERS);
        await page.goto(page.url().replace(/\/flow\/pipelines.*$/, `/flow/pipelines/${id}/edit`));
        const box = page.locator('.react-flow__node[data-id="s3"]');
        await box.waitFor();
        await page.waitForLoadState('networkidle');
        const place = (await box.boundingBox())!;
        await page.mouse.move(place.x + 30, place.y + 20);
        await page.mouse.down();
        await page.mouse.move(place.x + 40, place.y + 40, { steps: 3 });
        await page.evaluate('globalThis.flowRendered = new Map()');
        await page.mouse.move(place.x + 60, place.y + 120, { steps: 10 });
        const rendered = (await page.evaluate('[...globalThis.flowRendered.keys()]')) as readonly string[];
        await page.mouse.up();
        const boxes = rendered.filter(name => name.startsWith('step '));
        const lines = rendered.filter(name => name.startsWith('line '));
        expect(boxes).toEqual(['step s3']);
        expect([...lines].sort()).toEqual(['line ["s2","s3",null]', 'line ["s3","s4",null]']);
    });

    it('shows pipelines of the shop’s code, and lets no one change them', async () => {
        const { shop, visit } = open();
        const seen = await visit(`/flow/pipelines/${await shop.pipelineId('approved-prices')}/edit`);
        await seen.page.getByText('Read-only').waitFor();
        await seen.page.locator('.react-flow__node[data-id="approval"]').click();
        expect(await seen.page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
        await judged(seen, 'editor-code-first');
    });

    it('is an outline on a phone, and is translated into German', async () => {
        await open().shop.adminClient.query(
            gql`
                mutation Make($input: CreateFlowConnectionInput!) {
                    createFlowConnection(input: $input) {
                        id
                    }
                }
            `,
            { input: { code: 'lieferant', type: 'HTTP', settings: { baseUrl: 'https://supplier.example' } } },
        );
        const { steps, edges } = chain('start', 'file', 'shape', 'load') as unknown as {
            readonly steps: readonly Step[];
            readonly edges: readonly JsonObject[];
        };
        const api = {
            ...stepAt('file', 'second'),
            config: { adapterCode: 'httpApi', connectionCode: 'lieferant', url: '/prices.csv', format: 'CSV' },
        };
        const id = await create('telefon', {
            version: 1,
            steps: steps.map(step => (step.key === 'file' ? api : step)),
            edges,
        });
        const reader = await makeAdministrator(open().shop, {
            name: 'zeichnerin',
            permissions: ['ReadFlowPipeline', 'UpdateFlowPipeline'],
        });
        const visit = await open().visit(`/flow/pipelines/${id}/edit`, {
            token: reader.getAuthToken(),
            language: 'de',
            size: 'phone',
        });
        await visit.page.getByRole('button', { name: /^shape Umformen/ }).waitFor();
        expect(await visit.page.locator('.react-flow').count()).toBe(0);
        await visit.page.getByText('Keine Probleme gefunden').waitFor();
        expect(await accessFaults(visit)).toEqual([]);
        await visit.page.getByRole('button', { name: /^shape Umformen/ }).click();
        await visit.page.getByRole('tab', { name: 'Einstellungen' }).waitFor();
        // Records of runs are only for users who may see runs.
        const samples = visit.page.getByLabel('Probedatensätze').getByRole('option');
        expect(await samples.allTextContents()).not.toContain('aus dem letzten Lauf');
        expect(await samples.count()).toBe(2);
        await visit.page.keyboard.press('Escape');
        await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
        await visit.page.getByRole('button', { name: /^file HTTP/ }).click();
        await visit.page
            .getByLabel(/^Verbindung/)
            .first()
            .waitFor();
        // The option is missing for users who may not create connections.
        expect(await visit.page.getByRole('button', { name: 'Neue Verbindung anlegen' }).count()).toBe(0);
        await takePictures(visit, 'editor-step', ['phone']);
    });

    begunFrom(open, async id => (await stored(id)).workingCopy.definition as unknown as JsonObject);
    ledToFields(open, create);
    ownFile(open, {
        create,
        configAt: async (id, index) => (await stored(id)).workingCopy.definition.steps[index]!.config,
    });
    triggerPanels(open, {
        create,
        firstConfig: async id => (await stored(id)).workingCopy.definition.steps[0]!.config,
    });
    filledForms(open, () => create('all-forms', chain('start', 'file', 'load')));
    hookForms(open, create);
    connectionForms(open);

    it('reports issues in German, at their fields and in the list', async () => {
        const { steps, edges, ...rest } = chain('start', 'file', 'shape', 'load') as {
            steps: readonly Step[];
            edges: readonly JsonObject[];
        };
        const config = { operators: [{ op: 'trim', args: { path: 'a..b', mode: 'bth' } }] };
        const id = await create('german-issues', {
            ...rest,
            steps: steps.map(step => (step.key === 'shape' ? { ...step, config } : step)),
            edges: [...edges, { from: 'shape', to: 'nowhere' }],
            throughput: { batchSize: 0 },
        });
        const visit = await open().visit(`/flow/pipelines/${id}/edit`, { language: 'de' });
        const { page } = visit;
        const list = page.getByRole('region', { name: 'Probleme' });
        await list.getByText('edges[3].to ist "nowhere"; kein Schritt hat diesen Schlüssel').waitFor();
        await list.getByText('throughput.batchSize ist 0; erlaubt: 1 bis 10000').waitFor();
        await list.getByText(/operators\[0\]\.args\.mode ist "bth"; erlaubt: .*\. Ist "both" gemeint\?/).click();
        await page.getByText(/^Ist "bth"; erlaubt: .*\. Ist "both" gemeint\?$/).waitFor();
        await page.getByText(/^Pfad „a\.\.b“ hat einen leeren Abschnitt/).waitFor();
        await takePictures(visit, 'editor-german-issues');
    });

    it('loads its libraries only with itself', async () => {
        const { page } = await open().visit('/flow/pipelines');
        await page.getByRole('row').filter({ hasText: 'Sample products' }).waitFor();
        await page.waitForLoadState('networkidle');
        const loaded = async (): Promise<readonly string[]> =>
            page.evaluate(
                'performance.getEntriesByType("resource").map(({ name }) => name).filter(name => name.endsWith(".js"))',
            );
        const texts = await Promise.all((await loaded()).map(async url => (await page.request.get(url)).text()));
        expect(texts.some(text => text.includes('react-flow__node'))).toBe(false);
        expect(texts.some(text => text.includes('cm-activeLineGutter'))).toBe(false);
    });
});

/**
 * Counts each press of a pointer and each key. Typing into one field counts once. A choice in a native list, which
 * opens outside the page, counts twice: to open it and to choose.
 */
const COUNTS_PRESSES = `{
    const presses = (globalThis.flowPresses = []);
    let typedInto;
    const note = (what, target) => { typedInto = target; presses.push(what); };
    addEventListener('pointerdown', () => note('pointer'), true);
    addEventListener('change', ({ target }) => { if (target instanceof HTMLSelectElement) { note('open'); note('choose'); } }, true);
    addEventListener('keydown', event => {
        if (['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return;
        const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
        if (!isText) note(event.key);
        else if (typedInto !== event.target) note('text', event.target);
    }, true);
}`;

/** Counts which boxes and lines React has rendered, as its developer tools would. */
const COUNTS_RENDERS = `
globalThis.flowRendered = new Map();
const PERFORMED_WORK = 1;
const visit = fiber => {
    for (let one = fiber; one; one = one.sibling) {
        const props = one.memoizedProps;
        const isOurs = props && (props.type === 'step' || props.type === 'line') && typeof props.id === 'string' && 'data' in props && typeof one.type !== 'string';
        if (isOurs && one.alternate && (one.flags & PERFORMED_WORK) && one.alternate.memoizedProps !== props) {
            const name = props.type + ' ' + props.id;
            globalThis.flowRendered.set(name, (globalThis.flowRendered.get(name) ?? 0) + 1);
        }
        if (one.child) visit(one.child);
    }
};
globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true, renderers: new Map(), inject: () => 1, checkDCE() {}, onCommitFiberUnmount() {}, onPostCommitFiberRoot() {},
    onCommitFiberRoot: (_, root) => visit(root.current),
};`;
