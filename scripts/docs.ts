/**
 * Writes docs/reference and the types of the dashboard's documents from what the code declares. `--check` writes nothing and lists
 * the files that are stale (exit code 1).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { connections, extractors, outsideOperators as ioOperators, remoteLoaders, sinks } from '../src/adapters';
import { pimOperators } from '../src/connectors/pim/operators';
import type { ConnectionType } from '../src/core/adapter/connection';
import type { Extractor } from '../src/core/adapter/extractor';
import type { Loader } from '../src/core/adapter/loader';
import type { Operator } from '../src/core/adapter/operator';
import type { Rule } from '../src/core/adapter/rule';
import type { Sink } from '../src/core/adapter/sink';
import { operators } from '../src/core/operators';
import { rules } from '../src/core/rules';
import { loaders, shopExtractors, shopRules as platformRules } from '../src/platform';
import { clientsPage } from './client-versions';
import { dashboardTypes } from './dashboard-schema';
import { definitionPage } from './definition-page';
import { withRights } from './rights-table';
import { graphqlPages, permissionsPage } from './graphql-reference';
import { adapterPage, errorsPage, indexPage } from './reference-pages';
import { templatesPage } from './template-page';

const ROOT = join(__dirname, '..');
const REFERENCE = join(ROOT, 'docs', 'reference');
const TYPES = join(ROOT, 'dashboard-ui', 'gql', 'graphql-env.d.ts');
/** The folders of adapters. */
const FOLDERS = ['operators', 'rules', 'extractors', 'loaders', 'sinks', 'connections'] as const;
/** The folders whose pages are all generated; a page that is no longer generated is removed. */
const GENERATED_FOLDERS = [...FOLDERS, 'graphql'] as const;

async function pages(): Promise<ReadonlyMap<string, string>> {
    const made = new Map<string, string>();
    const groups: Readonly<
        Record<(typeof FOLDERS)[number], ReadonlyArray<Operator | Rule | Extractor | Loader | Sink | ConnectionType>>
    > = {
        operators: [...operators, ...ioOperators, ...pimOperators],
        rules: [...rules, ...platformRules],
        extractors: [...extractors, ...shopExtractors],
        loaders: [...loaders, ...remoteLoaders],
        sinks,
        connections,
    };
    for (const folder of FOLDERS) {
        for (const adapter of groups[folder]) made.set(join(folder, `${adapter.code}.md`), adapterPage(adapter));
        made.set(join(folder, 'README.md'), indexPage(folder, groups[folder]));
    }
    made.set('clients.md', clientsPage());
    made.set('definition.md', definitionPage());
    made.set('errors.md', errorsPage());
    made.set('templates.md', templatesPage());
    for (const [name, text] of graphqlPages()) made.set(name, text);
    made.set('permissions.md', permissionsPage());
    made.set('security.md', withRights(readFileSync(join(REFERENCE, 'security.md'), 'utf8')));
    made.set(relative(REFERENCE, TYPES), await dashboardTypes());
    return made;
}

function leftOver(made: ReadonlyMap<string, string>): readonly string[] {
    const present = GENERATED_FOLDERS.flatMap(folder => {
        const path = join(REFERENCE, folder);
        return existsSync(path)
            ? readdirSync(path)
                  .filter(name => name.endsWith('.md'))
                  .map(name => join(folder, name))
            : [];
    });
    return present.filter(name => !made.has(name));
}

function stale(made: ReadonlyMap<string, string>): readonly string[] {
    return [...made]
        .filter(([name, text]) => {
            const path = join(REFERENCE, name);
            return !existsSync(path) || readFileSync(path, 'utf8') !== text;
        })
        .map(([name]) => name);
}

async function main(): Promise<void> {
    const made = await pages();
    const changed = stale(made);
    const extra = leftOver(made);
    if (process.argv.includes('--check')) {
        for (const name of [...changed, ...extra]) console.error(`stale: ${relative(ROOT, join(REFERENCE, name))}`);
        if (changed.length + extra.length > 0) process.exitCode = 1;
        return;
    }
    for (const name of changed) {
        mkdirSync(dirname(join(REFERENCE, name)), { recursive: true });
        writeFileSync(join(REFERENCE, name), made.get(name)!);
    }
    for (const name of extra) rmSync(join(REFERENCE, name));
    console.log(`docs/reference: ${made.size} files, ${changed.length} written, ${extra.length} removed`);
}

main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
});
