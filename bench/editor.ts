import type { Locator, Page } from 'playwright-core';
import { AdminApi } from '../demo/admin-api';
import { dashboardFolder } from '../demo/config';
import { buildDashboard } from '../demo/dashboard';
import { findPlace } from '../demo/place';
import { startShop } from '../demo/shop';
import { medianMs, openBrowser, signedIn } from './browser';

const STEPS = 200;
const ROUNDS = 5;
/** From the click on "Edit" to the boxes. The limit is the aim of the dashboard's design. */
const OPENING_MS = 1_500;
const TYPED = 'a typed name';

/**
 * Measures the editor with a pipeline of 200 steps: opening it, dragging a box, typing in a field. Needs Chromium;
 * FLOW_BENCH_CHROMIUM names it.
 */
export async function benchEditor(): Promise<boolean> {
    const place = await findPlace(undefined);
    await buildDashboard(dashboardFolder);
    const app = await startShop(place);
    const base = `http://127.0.0.1:${place.port}`;
    const api = new AdminApi(`${base}/admin-api`);
    await api.login('superadmin', 'superadmin');
    const { createFlowPipeline } = await api.ask<{ createFlowPipeline: { id: string } }>(
        'mutation($d: FlowJSON) { createFlowPipeline(input: { code: "many-steps", definition: $d }) { id } }',
        { d: manySteps() },
    );
    const browser = await openBrowser();
    let page: Page | undefined;
    try {
        page = await signedIn(browser, base);
        const opened: number[] = [];
        for (let round = 0; round < ROUNDS; round++) opened.push(await openingMs(page, base, createFlowPipeline.id));
        console.log(`\n${STEPS} steps`);
        console.log(
            `opened from the pipeline's page, median of ${ROUNDS}: ${medianMs(opened)} ms (aim: ${OPENING_MS})`,
        );
        const box = await boxInSight(page);
        const frames = await framesOfDrag(page, box);
        console.log(
            `frames while a box is dragged: median ${medianMs(frames)} ms, longest ${Math.round(Math.max(...frames))} ms`,
        );
        const keys = await keysMs(page, box);
        console.log(
            `a key in the name of a step: median ${medianMs(keys)} ms, longest ${Math.round(Math.max(...keys))} ms`,
        );
        return medianMs(opened) <= OPENING_MS;
    } catch (error) {
        // What the page shows explains more than the name of the missing element.
        if (page) console.error(`${page.url()}\n${(await page.locator('body').innerText()).slice(0, 1_000)}`);
        throw error;
    } finally {
        await browser.close();
        await app.close();
    }
}

/** A trunk with two branches at every tenth step. */
function manySteps(): object {
    const steps: object[] = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'file', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: 'sku,name\nA-1,Lamp\n' } },
    ];
    const edges: object[] = [{ from: 'start', to: 'file' }];
    let trunk = 'file';
    while (steps.length < STEPS) {
        const key = `step-${steps.length}`;
        steps.push({ key, kind: 'TRANSFORM', config: { operators: [{ op: 'trim', args: { path: 'name' } }] } });
        edges.push({ from: trunk, to: key });
        if (steps.length % 10 !== 0) trunk = key;
    }
    return { version: 1, steps, edges };
}

async function openingMs(page: Page, base: string, id: string): Promise<number> {
    await page.goto(`${base}/dashboard/flow/pipelines/${id}`);
    const edit = page.locator(`a[href$="/flow/pipelines/${id}/edit"]`);
    await edit.waitFor();
    await page.waitForLoadState('networkidle');
    const begun = performance.now();
    await edit.click();
    await page.locator('.react-flow__node').first().waitFor();
    return performance.now() - begun;
}

/** Returns a box that can be clicked. The canvas also contains boxes outside the visible part. */
async function boxInSight(page: Page): Promise<Locator> {
    const canvas = (await page.locator('[data-flow-drawing]').boundingBox())!;
    for (const box of await page.locator('.react-flow__node').all()) {
        const place = (await box.boundingBox())!;
        const isAcross = place.x >= canvas.x && place.x + place.width <= canvas.x + canvas.width;
        const isAlong = place.y >= canvas.y && place.y + place.height <= canvas.y + canvas.height / 2;
        if (isAcross && isAlong)
            return page.locator(`.react-flow__node[data-id="${await box.getAttribute('data-id')}"]`);
    }
    throw new Error('No box is visible.');
}

async function framesOfDrag(page: Page, dragged: Locator): Promise<readonly number[]> {
    const box = (await dragged.boundingBox())!;
    await page.evaluate(`{
        globalThis.frames = [];
        let last = performance.now();
        const next = () => { const now = performance.now(); globalThis.frames.push(now - last); last = now; requestAnimationFrame(next); };
        requestAnimationFrame(next);
    }`);
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 120, { steps: 60 });
    const frames = (await page.evaluate('globalThis.frames')) as readonly number[];
    await page.mouse.up();
    return frames;
}

async function keysMs(page: Page, box: Locator): Promise<readonly number[]> {
    await box.click();
    await page.locator('aside [role=tab]').last().click();
    await page.locator('#flow-step-name').focus();
    const times: number[] = [];
    for (const key of TYPED) {
        const begun = performance.now();
        await page.keyboard.type(key);
        await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
        times.push(performance.now() - begun);
    }
    return times;
}
