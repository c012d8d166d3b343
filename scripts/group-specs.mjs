// Groups many specs into a few files for full runs: jest gives each file its own modules, and evaluating Vendure's or Flow's modules takes longer than the
// tests of most specs. Runs of chosen paths use the specs themselves.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder in which jest.config.ts finds the groups. */
export const GROUPS_FOLDER = 'grouped-specs';

/** The folders with specs. */
const FOLDERS = ['src', 'test', 'scripts', 'bench', 'demo', 'dashboard-ui'];

/** Specs that form one group because of their imports. They parse thousands of files, and then do that only once. */
const PARSING = [/\/kit\/compiled-beside'/, /\/(?:kit\/(?:parsed-source|clock-judgements)|wording\/sources)'/];

/** Which other specs share a group, and over how many groups they are distributed, so that none takes much longer than another. */
const DECKS = [
    { folders: /^src\/(core|io|adapters|database)\//, groups: 8 },
    { folders: /^src\/(platform|plugin|testing)\//, groups: 2 },
    { folders: /^(test|scripts|bench|demo|dashboard-ui)\//, groups: 4 },
];

/** The marks of a spec that needs its own modules. */
const ALONE = /\bjest\.(mock|doMock|unmock|isolateModules\w*|resetModules)\b|@jest-environment/;

/** Jest has one time limit per file, which any of the specs may set. A test that hangs is ended by jest.config.ts. */
const TIME_LIMIT = 'jest.setTimeout(600_000);\n';

/** The specs below `root`, as lists that become one test file each. */
export function groupsOf(root) {
    const specs = FOLDERS.flatMap(folder => specsBelow(root, folder));
    const textOf = new Map(specs.map(name => [name, readFileSync(join(root, name), 'utf8')]));
    const alone = specs.filter(name => ALONE.test(textOf.get(name)));
    const parsing = PARSING.map(imports =>
        specs.filter(name => !alone.includes(name) && imports.test(textOf.get(name))),
    );
    const shared = specs.filter(name => ![alone, ...parsing].flat().includes(name));
    const decks = DECKS.map(({ folders, groups }) => {
        const deck = shared.filter(name => folders.test(name));
        return Array.from({ length: groups }, (_, group) => deck.filter((_name, place) => place % groups === group));
    });
    const others = shared.filter(name => !DECKS.some(({ folders }) => folders.test(name)));
    return [...parsing, ...decks.flat(), ...[...alone, ...others].map(name => [name])].filter(
        group => group.length > 0,
    );
}

function specsBelow(root, folder) {
    if (!existsSync(join(root, folder))) return [];
    return readdirSync(join(root, folder), { recursive: true })
        .map(name => `${folder}/${String(name).split('\\').join('/')}`)
        .filter(name => name.endsWith('.spec.ts'))
        .sort();
}

/** Writes the groups, and replaces those of an earlier run. */
export function writeGroups(root) {
    const folder = join(root, GROUPS_FOLDER);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    groupsOf(root).forEach((group, i) => {
        const file = join(folder, `${String(i + 1).padStart(2, '0')}.spec.js`);
        writeFileSync(file, [...group.map(blockOf), TIME_LIMIT].join('\n'));
    });
}

/** One spec, which must not leave spies or fake clocks for the next one. */
function blockOf(spec) {
    return `describe(${JSON.stringify(spec)}, () => {
    afterAll(() => {
        jest.restoreAllMocks();
        jest.useRealTimers();
    });
    require(${JSON.stringify(`../${spec}`)});
});
`;
}
