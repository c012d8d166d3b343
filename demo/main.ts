import { randomBytes } from 'node:crypto';
import { MASTER_KEY } from '../src/io/crypto/master-key';
import { dashboardFolder } from './config';
import { buildDashboard } from './dashboard';
import { AdminApi } from './admin-api';
import { nextSteps } from './next-steps';
import { uploadedPriceList } from './pipelines';
import { findPlace } from './place';
import { publishPipeline } from './publish';
import { openLanguages, startShop } from './shop';
import { leaveToDo } from './to-do';
import { type Difference, type Run, recordErrors, runPipeline } from './watch';

process.env['VENDURE_DISABLE_TELEMETRY'] = 'true';
// Secrets need a master key. The shop is new each time, so the key may be new too.
process.env[MASTER_KEY] ||= randomBytes(32).toString('hex');
const isOnce = process.argv.includes('--once');
const hasDashboard = !process.argv.includes('--no-dashboard');
const portArgument = process.argv.indexOf('--port');

function say(line = ''): void {
    console.log(line);
}

/** Says what a step does, performs it, and says how long it took. */
async function step<T>(title: string, perform: () => Promise<T>): Promise<T> {
    say(title);
    const started = Date.now();
    const result = await perform();
    say(`   (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    return result;
}

async function main(): Promise<void> {
    const place = await findPlace(portArgument > 0 ? Number(process.argv[portArgument + 1]) : undefined);
    const base = `http://127.0.0.1:${place.port}`;
    const api = new AdminApi(`${base}/admin-api`);
    const app = await step('Creating a new shop on SQLite …', async () => {
        const shop = await startShop(place);
        await api.login('superadmin', 'superadmin');
        await openLanguages(api);
        return shop;
    });

    await step('\n1. Dry run of supplier-import: what would a price list of 1,000 rows change?', async () => {
        const planned = await runPipeline(api, 'supplier-import', true);
        say(`   ${counts(planned)}. Nothing was written.`);
        for (const difference of (planned.report?.differences ?? []).slice(0, 3)) show(difference);
    });

    await step('\n2. Run it.', async () => {
        const loaded = await runPipeline(api, 'supplier-import');
        say(`   ${counts(loaded)}; ${rate(loaded)}.`);
        say('   Rejected records:');
        for (const error of await recordErrors(api, loaded.id))
            say(`     record ${error.seq + 1}, step ${error.stepKey}: ${error.message}`);
    });

    await step('\n3. Import the same file again: nothing changed, so nothing is written.', async () => {
        say(`   ${counts(await runPipeline(api, 'supplier-import'))}.`);
    });

    await step('\n4. Dry run and run of nightly-stock: new prices and stock levels for 300 products.', async () => {
        const nightly = await runPipeline(api, 'nightly-stock', true);
        say(`   ${nightly.recordsRead} read, ${nightly.recordsRejected} would be rejected. Some of the changes:`);
        for (const difference of (nightly.report?.differences ?? []).slice(0, 3)) show(difference);
        const changed = await runPipeline(api, 'nightly-stock');
        for (const { stepKey, updated, unchanged, rejected } of changed.counters)
            if (updated + unchanged > 0)
                say(`   step ${stepKey}: ${updated} updated, ${unchanged} unchanged, ${rejected} rejected`);
        say(`   ${rate(changed)}. Rejected: the products that were rejected in step 2.`);
        for (const error of await recordErrors(api, changed.id))
            say(`     record ${error.seq + 1}, step ${error.stepKey}: ${error.message}`);
    });

    const { products } = await api.ask<{ products: { totalItems: number } }>(
        '{ products(options: { take: 1 }) { totalItems } }',
    );
    say(`\nThe shop has ${products.totalItems} products now.`);
    if (isOnce) {
        await app.close();
        process.exit(0);
    }
    await leaveOpen(api, base);
}

async function leaveOpen(api: AdminApi, base: string): Promise<void> {
    const toDo = await leaveToDo(api);
    await publishPipeline(api, uploadedPriceList);
    const isBuilt = hasDashboard && (await openDashboard());
    say();
    for (const line of nextSteps(base, toDo, { hasDashboard: isBuilt })) say(line);
}

/** Builds the dashboard unless it is there already. Returns whether it can be opened. */
async function openDashboard(): Promise<boolean> {
    try {
        await step('\nBuilding the dashboard (one to two minutes the first time) …', () =>
            buildDashboard(dashboardFolder),
        );
        return true;
    } catch (error) {
        say(`The dashboard could not be built: ${(error as Error).message}`);
        return false;
    }
}

/** Sums over the load steps. */
function counts(run: Run): string {
    const sum = (field: 'created' | 'updated' | 'unchanged'): number =>
        run.counters.reduce((total, step) => total + step[field], 0);
    return `${run.recordsRead} read: ${sum('created')} created, ${sum('updated')} updated, ${sum('unchanged')} unchanged, ${run.recordsRejected} rejected`;
}

function rate(run: Run): string {
    const seconds = (Date.parse(run.finishedAt ?? '') - Date.parse(run.startedAt ?? '')) / 1000;
    return `${seconds.toFixed(2)} s, ${Math.round(run.recordsRead / seconds)} records per second`;
}

function show({ action, key, before, after }: Difference): void {
    say(`     ${action} ${key}`);
    for (const [field, value] of Object.entries(after ?? {}).slice(0, 6)) {
        say(`       ${field}: ${before ? `${JSON.stringify(before[field])} → ` : ''}${JSON.stringify(value)}`);
    }
}

/** The reason of `fetch failed` is in its cause. */
function causeOf({ cause }: Error): string {
    return cause instanceof Error ? cause.message : '';
}

// The parent process ended. Before the shop has started, the signal ends the demo at once.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

main().catch((error: unknown) => {
    console.error(error instanceof Error ? [error.message, causeOf(error)].filter(Boolean).join(': ') : error);
    process.exit(1);
});
