import { benchAliases } from './aliases';
import { benchAttacks } from './attacks';
import { benchChecks } from './checks';
import { benchCsv } from './csv';
import { benchEditor } from './editor';
import { benchExecutor } from './executor';
import { benchFiles } from './files';
import { benchFolders } from './folders';
import { benchGates } from './gates';
import { benchImport, importPipelines } from './import';
import { benchImports } from './imports';
import { benchJson } from './json';
import { benchLatency } from './latency';
import { benchLists } from './lists';
import { benchLoaders } from './loaders';
import { benchMatching } from './matching';
import { benchMedia } from './media';
import { benchMessages } from './messages';
import { countStatements } from './meter';
import { benchOperators } from './operators';
import { benchPictures } from './pictures';
import { benchPim } from './pim';
import { benchPlatformQuery } from './platform-query';
import { benchPosts } from './posts';
import { benchRegex } from './regex';
import { benchRemote } from './remote';
import { type Row, report } from './report';
import { benchScript } from './script';
import { benchSideBySide, sideBySidePipelines } from './side-by-side';
import { benchSinks } from './sinks';
import { benchSources } from './sources';
import { benchStorefront } from './storefront';
import { benchTrials } from './trials';
import { benchWebhooks } from './webhooks';
import { benchWorkbooks } from './workbooks';
import { benchXlsx } from './xlsx';
import { benchXml } from './xml';

process.env['VENDURE_DISABLE_TELEMETRY'] = 'true';

const IMPORTED = 10_000;

const BENCHES = [
    'import',
    'imports',
    'operators',
    'regex',
    'script',
    'executor',
    'checks',
    'lists',
    'loaders',
    'matching',
    'media',
    'csv',
    'json',
    'xml',
    'xlsx',
    'workbooks',
    'files',
    'folders',
    'gates',
    'platform-query',
    'pictures',
    'pim',
    'remote',
    'memory',
    'webhooks',
    'messages',
    'latency',
    'sinks',
    'storefront',
    'sources',
    'editor',
    'aliases',
    'posts',
    'attacks',
];

function option(name: string): string | undefined {
    const place = process.argv.indexOf(`--${name}`);
    return place < 0 ? undefined : process.argv[place + 1];
}

async function rowsOf(bench: string): Promise<readonly Row[]> {
    const records = option('records') === undefined ? undefined : Number(option('records'));
    if (bench === 'operators') return benchOperators(records);
    if (bench === 'regex') return benchRegex(records);
    if (bench === 'media') return benchMedia(records);
    if (bench === 'script') return benchScript(records);
    if (bench === 'csv') return benchCsv(records);
    if (bench === 'json') return benchJson(records);
    if (bench === 'xml') return benchXml(records);
    if (bench === 'xlsx') return benchXlsx(records);
    if (bench === 'files') return benchFiles(records);
    if (bench === 'remote') return benchRemote(records, option('only'));
    if (bench === 'platform-query') return benchPlatformQuery(records);
    if (bench === 'sinks') return benchSinks(records, option('only'));
    if (bench === 'sources') return benchSources(records, option('only'));
    if (bench === 'executor') return benchExecutor(records);
    countStatements();
    const desired = option('database');
    const imported = records ?? IMPORTED;
    // A process has only one set of pipelines, whichever shops it opens.
    const pipelines = [...importPipelines(imported), ...sideBySidePipelines(imported)];
    const rows: Row[] = [];
    for (const database of ['postgres', 'sqlite'] as const) {
        if (desired === undefined || desired === database)
            rows.push(
                ...(await (bench === 'loaders'
                    ? benchLoaders(database, { records, only: option('loader') })
                    : benchImport(database, imported, pipelines))),
            );
    }
    // SQLite has one writer.
    if (bench === 'import' && desired !== 'sqlite') rows.push(...(await benchSideBySide(imported, pipelines)));
    return rows;
}

/** Only the lists are measured on MariaDB as well. */
function listsDatabase(requested: string | undefined): 'postgres' | 'sqlite' | 'mariadb' {
    return requested === 'sqlite' || requested === 'mariadb' ? requested : 'postgres';
}

async function main(): Promise<void> {
    const bench = process.argv[2] ?? '';
    if (!BENCHES.includes(bench)) {
        console.error(
            `npm run bench -- ${BENCHES.join('|')} [--records N] [--products N] [--database postgres|sqlite|mariadb] [--loader CODE] [--only http|postgres|mariadb] [--json FILE]`,
        );
        process.exit(2);
    }
    if (bench === 'memory') {
        const isHeld = await benchTrials(option('records') === undefined ? undefined : Number(option('records')));
        process.exit(isHeld ? 0 : 1);
    }
    if (bench === 'imports')
        process.exit(
            (await benchImports(option('records') === undefined ? undefined : Number(option('records')))) ? 0 : 1,
        );
    if (bench === 'matching') process.exit((await benchMatching(option('only'))) ? 0 : 1);
    if (bench === 'editor') process.exit((await benchEditor()) ? 0 : 1);
    if (bench === 'aliases') process.exit((await benchAliases(option('only'))) ? 0 : 1);
    if (bench === 'posts') process.exit((await benchPosts()) ? 0 : 1);
    if (bench === 'attacks') process.exit((await benchAttacks(option('only'))) ? 0 : 1);
    if (bench === 'webhooks') process.exit((await benchWebhooks()) ? 0 : 1);
    if (bench === 'latency') process.exit((await benchLatency()) ? 0 : 1);
    const records = option('records') === undefined ? undefined : Number(option('records'));
    if (bench === 'messages') process.exit((await benchMessages(records)) ? 0 : 1);
    if (bench === 'storefront') process.exit((await benchStorefront(records)) ? 0 : 1);
    const products = option('products') === undefined ? undefined : Number(option('products'));
    if (bench === 'pim')
        process.exit((await benchPim(option('database') === 'sqlite' ? 'sqlite' : 'postgres', products)) ? 0 : 1);
    if (bench === 'folders')
        process.exit((await benchFolders(option('database') === 'sqlite' ? 'sqlite' : 'postgres', records)) ? 0 : 1);
    if (bench === 'gates') await benchGates(option('database') === 'sqlite' ? 'sqlite' : 'postgres', records);
    else if (bench === 'pictures')
        await benchPictures(option('database') === 'sqlite' ? 'sqlite' : 'postgres', products);
    else if (bench === 'checks') await benchChecks(option('json'));
    else if (bench === 'lists') await benchLists(listsDatabase(option('database')), option('json'));
    else if (bench === 'workbooks') benchWorkbooks();
    else report(await rowsOf(bench), option('json'));
    process.exit(0);
}

main().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
});
