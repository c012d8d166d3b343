import type { Page } from 'playwright-core';
import type { JsonObject } from '../../src';
import type { BrowserShop } from '../config/browser-shop';
import { itInTier as it } from '../config/matrix';

/** A definition with an error in a field of each kind. */
const FAULTY: JsonObject = {
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'file', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: 'sku\nA\n', delimiter: 'much' } },
        {
            key: 'shape',
            kind: 'TRANSFORM',
            config: {
                operators: [
                    { op: 'trim', args: { path: 'name' } },
                    { op: 'round', args: { source: 'price', decimals: 99 } },
                    {
                        op: 'when',
                        args: {
                            conditions: [
                                { field: 'a', cmp: 'eq', value: 1 },
                                { field: 'b', cmp: 'nope' },
                                { not: { field: 'c', cmp: 'startsWith', value: 7 } },
                            ],
                        },
                    },
                ],
            },
        },
        {
            key: 'load',
            kind: 'LOAD',
            retry: { maxRetries: -1 },
            config: { adapterCode: 'productUpsert', matchBy: 'sku', nonsense: true },
        },
    ],
    edges: [
        { from: 'start', to: 'file' },
        { from: 'file', to: 'shape' },
        { from: 'shape', to: 'load' },
    ],
    throughput: { batchSize: 0 },
};

const FOCUSED = `(() => {
    const { activeElement: at } = document;
    return at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent;
})()`;

/** From the list of issues to the field of each issue. */
export function ledToFields(
    open: () => BrowserShop,
    create: (code: string, definition: JsonObject) => Promise<string>,
): void {
    const focused = async (page: Page, name: RegExp): Promise<void> => {
        await page.waitForFunction(`${String(name)}.test(${FOCUSED})`);
        // It is also visible.
        await page.waitForFunction(`(() => {
            const { top, bottom } = document.activeElement.getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;
        })()`);
    };

    it('leads from an issue to its field, whatever has to be unfolded', async () => {
        const id = await create('faulty', FAULTY);
        const { page } = await open().visit(`/flow/pipelines/${id}/edit`);
        const problems = page.getByRole('region', { name: 'Problems' }).getByRole('button');
        await page.getByText(/\d+ errors/).waitFor();
        const lead = (words: RegExp): Promise<void> => problems.filter({ hasText: words }).first().click();
        await lead(/decimals/);
        await focused(page, /^Decimals/);
        await lead(/conditions\[1\]/);
        await focused(page, /^(Field|Comparison)$/);
        expect(await page.evaluate('document.activeElement.closest("[data-at]").dataset.at')).toBe('1');
        await lead(/conditions\[2\]\.not\.value/);
        await focused(page, /^Value$/);
        expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
        // An issue of another step, twice.
        await lead(/delimiter/);
        await focused(page, /^Delimiter/);
        await page.keyboard.press('Tab');
        await lead(/delimiter/);
        await focused(page, /^Delimiter/);
        // The settings of retries are folded, on another tab.
        await lead(/maxRetries/);
        await focused(page, /^Retries/);
        // An unknown key is shown where its step is configured.
        await lead(/nonsense/);
        await focused(page, /nonsense/);
        await page.getByRole('button', { name: 'Remove “nonsense”' }).click();
        await problems.filter({ hasText: /nonsense/ }).waitFor({ state: 'detached' });
        // The settings of the pipeline belong to no step.
        await lead(/batchSize/);
        await focused(page, /batch/i);
        const phone = await open().visit(`/flow/pipelines/${id}/edit`, { size: 'phone' });
        await phone.page.getByText(/\d+ errors/).waitFor();
        await phone.page
            .getByRole('region', { name: 'Problems' })
            .getByRole('button')
            .filter({ hasText: /decimals/ })
            .click();
        await focused(phone.page, /^Decimals/);
    });
}
