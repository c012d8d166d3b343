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
import { leaveToDo, pagesOf, type ToDo } from './to-do';
import { type Difference, type Run, recordErrors, runPipeline } from './watch';

process.env['VENDURE_DISABLE_TELEMETRY'] = 'true';
// So that secrets can be set, of webhooks say; the shop is a new one every time, and so may the key be.
process.env[MASTER_KEY] ||= randomBytes(32).toString('hex');
const isOnce = process.argv.includes('--once');
const hasDashboard = !process.argv.includes('--no-dashboard');
const portArgument = process.argv.indexOf('--port');

function say(line = ''): void {
    console.log(line);
}

async function main(): Promise<void> {
    const place = await findPlace(portArgument > 0 ? Number(process.argv[portArgument + 1]) : undefined);
    say('Setting up a shop on SQLite (a new one every time) …');
    const app = await startShop(place);
    const base = `http://127.0.0.1:${place.port}`;
    const api = new AdminApi(`${base}/admin-api`);
    await api.login('superadmin', 'superadmin');
    await openLanguages(api);

    say('\n1. supplier-import as a dry run: what would a price list of 1,000 rows do?');
    const planned = await runPipeline(api, 'supplier-import', true);
    say(`   ${counts(planned)}. Nothing was written.`);
    for (const difference of (planned.report?.differences ?? []).slice(0, 3)) show(difference);

    say('\n2. The same for real.');
    const loaded = await runPipeline(api, 'supplier-import');
    say(`   ${counts(loaded)}; ${rate(loaded)}.`);
    say('   Rejected, while their neighbours were loaded:');
    for (const error of await recordErrors(api, loaded.id))
        say(`     record ${error.seq + 1}, step ${error.stepKey}: ${error.message}`);

    say('\n3. The same file once more: nothing has changed, so nothing is written.');
    say(`   ${counts(await runPipeline(api, 'supplier-import'))}.`);

    say('\n4. nightly-stock as a dry run, then for real: new prices and levels for 300 of them.');
    const nightly = await runPipeline(api, 'nightly-stock', true);
    say(`   ${nightly.recordsRead} read, ${nightly.recordsRejected} would be rejected. Some of the changes:`);
    for (const difference of (nightly.report?.differences ?? []).slice(0, 3)) show(difference);
    const changed = await runPipeline(api, 'nightly-stock');
    for (const step of changed.counters.filter(({ updated, unchanged }) => updated + unchanged > 0)) {
        say(`   step ${step.stepKey}: ${step.updated} updated, ${step.unchanged} unchanged, ${step.rejected} rejected`);
    }
    say(`   ${rate(changed)}. Rejected are the articles that step 2 refused:`);
    for (const error of await recordErrors(api, changed.id))
        say(`     record ${error.seq + 1}, step ${error.stepKey}: ${error.message}`);

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
    say(`\nAdmin API   ${base}/admin-api`);
    say(`Shop API    ${base}/shop-api`);
    if (hasDashboard) say('Dashboard   is being built (one to two minutes, once); what follows needs no waiting …');
    const toDo = await leaveToDo(api);
    for (const line of nextSteps(base, await publishPipeline(api, uploadedPriceList))) say(line);
    if (hasDashboard) await openDashboard(base, toDo);
    say('Ctrl-C ends it.');
}

async function openDashboard(base: string, toDo: ToDo): Promise<void> {
    try {
        await buildDashboard(dashboardFolder);
        say(`5. The page to open: ${base}/dashboard   (superadmin / superadmin)`);
        for (const line of pagesOf(base, toDo)) say(line);
    } catch (error) {
        say(`There is no dashboard: ${(error as Error).message}`);
    }
}

/** Added up over the load steps. */
function counts(run: Run): string {
    const sum = (field: 'created' | 'updated' | 'unchanged'): number =>
        run.counters.reduce((total, step) => total + step[field], 0);
    return `${run.recordsRead} read: ${sum('created')} created, ${sum('updated')} updated, ${sum('unchanged')} unchanged, ${run.recordsRejected} rejected`;
}

function rate(run: Run): string {
    const seconds = (Date.parse(run.finishedAt ?? '') - Date.parse(run.startedAt ?? '')) / 1000;
    return `${seconds.toFixed(2)} s, ${Math.round(run.recordsRead / seconds)} records a second`;
}

function show({ action, key, before, after }: Difference): void {
    say(`     ${action} ${key}`);
    for (const [field, value] of Object.entries(after ?? {}).slice(0, 6)) {
        say(`       ${field}: ${before ? `${JSON.stringify(before[field])} → ` : ''}${JSON.stringify(value)}`);
    }
}

/** `fetch failed` says nothing; what it was is in the cause. */
function causeOf({ cause }: Error): string {
    return cause instanceof Error ? cause.message : '';
}

// Whoever has started it has gone without a word. Before the shop is there the signal ends it at once.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

main().catch((error: unknown) => {
    console.error(error instanceof Error ? [error.message, causeOf(error)].filter(Boolean).join(': ') : error);
    process.exit(1);
});
