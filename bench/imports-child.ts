import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportFigures, ImportMoment } from './imports';
import { openShop } from './shop';

process.env['VENDURE_DISABLE_TELEMETRY'] = 'true';

const MIB = 1024 * 1024;
const SAMPLE_MS = 50;
/** As often as the import page queries it. */
const POLL_MS = 1_000;
const GROUPS = ['Kitchen', 'Garden', 'Office'];

/** A server that also executes runs, and an import of a large file by its API. */
async function measure(rows: number, checks: number): Promise<void> {
    const directory = mkdtempSync(join(tmpdir(), 'flow-bench-imports-'));
    const shop = await openShop('sqlite', { files: { storage: { type: 'local', directory } } }, { as: 'server' });
    await shop.queues.start();
    const { port } = ((shop.app as INestApplication).getHttpServer() as { address(): AddressInfo }).address();
    const user = await ApiUser.of(`http://127.0.0.1:${port}`);
    const moments: ImportMoment[] = [];
    let [peak, held] = [0, 0];
    const sampling = setInterval(() => void (peak = Math.max(peak, process.memoryUsage.rss())), SAMPLE_MS);
    new PerformanceObserver(list => {
        const isFull = list
            .getEntries()
            .some(
                entry =>
                    (entry as unknown as { readonly detail: { readonly kind: number } }).detail.kind ===
                    constants.NODE_PERFORMANCE_GC_MAJOR,
            );
        if (isFull) held = Math.max(held, process.memoryUsage().heapUsed);
    }).observe({ entryTypes: ['gc'] });
    const moment = async (what: string, milliseconds: number): Promise<void> => {
        const highest = { rss: Math.max(peak, process.memoryUsage.rss()), held };
        for (let i = 0; i < 3; i++) {
            global.gc!();
            await sleep(300);
        }
        const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
        moments.push({
            what,
            milliseconds,
            peakRss: highest.rss / MIB,
            held: Math.max(highest.held, heapUsed) / MIB,
            rss: rss / MIB,
            heap: heapUsed / MIB,
            external: (external + arrayBuffers) / MIB,
        });
        [peak, held] = [rss, 0];
    };
    const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
        const started = performance.now();
        const result = await work();
        await moment(what, performance.now() - started);
        return result;
    };
    await moment('start', 0);
    const fileId = await timed('upload', () => user.upload(priceList(rows)));
    const profileId = await timed('profile', async () => {
        const { flowImportProfile } = await user.ask<{ flowImportProfile: { id: string } }>(
            'query P($fileId: ID!) { flowImportProfile(fileId: $fileId) { id rows columns { name type examples } head } }',
            { fileId },
        );
        return flowImportProfile.id;
    });
    const draftId = await timed('suggestion', async () => {
        const { flowImportSuggestion } = await user.ask<{ flowImportSuggestion: { plan: object } }>(
            'query S($id: String!) { flowImportSuggestion(profileId: $id) { plan } }',
            { id: profileId },
        );
        const { saveFlowImportDraft } = await user.ask<{ saveFlowImportDraft: { id: string } }>(
            'mutation D($input: SaveFlowImportDraftInput!) { saveFlowImportDraft(input: $input) { id } }',
            { input: { profileId, plan: flowImportSuggestion.plan, step: 'CHECK' } },
        );
        return saveFlowImportDraft.id;
    });
    const counted: string[] = [];
    for (let n = 1; n <= checks; n++)
        await timed(`check ${n}`, async () => void counted.push(await checked(user, draftId)));
    clearInterval(sampling);
    const figures: ImportFigures = { moments, checks: counted };
    process.stdout.write(JSON.stringify(figures));
    await shop.close();
    rmSync(directory, { recursive: true, force: true });
    process.exit(0);
}

const CHECK = 'rows created updated rejected causes { code rows } unusual { code } run { status }';

/** Starts a check and polls it as the import page does. Returns what it has counted. */
async function checked(user: ApiUser, draftId: string): Promise<string> {
    type Check = { readonly run: { readonly status: string } } & Readonly<Record<string, unknown>>;
    await user.ask(`mutation C($id: ID!) { checkFlowImport(draftId: $id) { ${CHECK} } }`, { id: draftId });
    for (;;) {
        await sleep(POLL_MS);
        const { flowImportCheck: check } = await user.ask<{ flowImportCheck: Check }>(
            `query C($id: ID!) { flowImportCheck(draftId: $id) { ${CHECK} } }`,
            { id: draftId },
        );
        if (['COMPLETED', 'FAILED', 'CANCELLED'].includes(check.run.status)) return JSON.stringify(check);
    }
}

/** A supplier's price list, with a row in 200 that has no price. */
function priceList(rows: number): string {
    const lines = Array.from({ length: rows }, (_, i) => {
        const price = i % 200 === 199 ? 'on request' : `${100 + (i % 900)}.${String((i * 7) % 100).padStart(2, '0')}`;
        return `PL-${String(100_000 + i)},Door no. ${i + 1} with two locks and a frame of oak,${GROUPS[i % 3]},${price},${(i * 13) % 400}`;
    });
    // The first article again.
    return ['Article number,Name,Category,Price,Stock', ...lines, lines[0]].join('\n');
}

/** The superadmin at the admin API. */
class ApiUser {
    private constructor(
        private readonly base: string,
        private readonly token: string,
    ) {}

    static async of(base: string): Promise<ApiUser> {
        const response = await fetch(`${base}/admin-api`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
                query: 'mutation { login(username: "superadmin", password: "superadmin") { __typename } }',
            }),
        });
        return new ApiUser(base, response.headers.get('vendure-auth-token') ?? '');
    }

    async ask<T>(query: string, variables: object): Promise<T> {
        const response = await fetch(`${this.base}/admin-api`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: `Bearer ${this.token}` },
            body: JSON.stringify({ query, variables }),
        });
        const { data, errors } = (await response.json()) as { readonly data: T; readonly errors?: unknown };
        if (errors) throw new Error(JSON.stringify(errors));
        return data;
    }

    async upload(text: string): Promise<string> {
        const form = new FormData();
        form.append('file', new Blob([text]), 'prices.csv');
        const headers = { authorization: `Bearer ${this.token}` };
        const response = await fetch(`${this.base}/flow/upload`, { method: 'POST', headers, body: form });
        return ((await response.json()) as { readonly file: { readonly id: string } }).file.id;
    }
}

measure(Number(process.argv[2]), Number(process.argv[3])).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
});
