import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { AskedWrongly } from './asked-wrongly';
import type { ComponentKind, NewComponent, Parts } from './component-kind';
import { KINDS, type KindName } from './kinds';
import { namesAtTop, withListed } from './listed';
import { capital, isFree, namesOf } from './names';

/** What was written, and what comes next. */
export interface Written {
    /** Declaration, spec and index. */
    readonly files: readonly [string, string, string];
    readonly next: readonly string[];
}

/** Names of files that say nothing of what is in them, or that something else has (test/architecture.spec.ts). */
const NO_FILE = /^(index|utils?|helpers?|common|misc|support|types|constants)$/;
const DEFAULT_CATEGORY = 'Data';

/** Writes a component below `root`: a declaration, a spec, and its line in the index. Throws AskedWrongly, and has written nothing then. */
export async function writeComponent(root: string, kindName: KindName, requested: NewComponent): Promise<Written> {
    const kind: ComponentKind = KINDS[kindName];
    const { code, category, isBatch = false } = requested;
    if (!kind.codes.pattern.test(code))
        throw new AskedWrongly(`The code is "${code}"; allowed: ${kind.codes.allowed}.`);
    const { kebab, camel, title } = namesOf(code);
    if (NO_FILE.test(kebab))
        throw new AskedWrongly(
            `The code is "${code}", and no file is called ${kebab}.ts; choose a code that says more.`,
        );
    if (isBatch && !kind.hasBatch) throw new AskedWrongly(`No ${kindName} works on a batch.`);
    if (category !== undefined && !kind.hasCategories)
        throw new AskedWrongly(`There are no folders for categories of a ${kindName}; its file names the category.`);
    const sub = kind.hasCategories ? categoryFolder(root, kind, category ?? DEFAULT_CATEGORY) : undefined;
    const owner = ownerOf(root, kind, code);
    if (owner !== undefined) throw new AskedWrongly(`The code "${code}" is taken by ${owner}.`);

    const folder = sub === undefined ? kind.folder : `${kind.folder}/${sub}`;
    const [file, spec] = [`${folder}/${kebab}.ts`, `${folder}/${kebab}.spec.ts`];
    for (const path of [file, spec])
        if (existsSync(join(root, path))) throw new AskedWrongly(`${path} is there already; nothing was written.`);

    const index = readFileSync(join(root, kind.index), 'utf8');
    const unnamed = {
        code,
        file: `./${kebab}`,
        title,
        category: sub === undefined ? '' : labelOf(sub),
        isBatch,
    };
    const parts: Parts = { ...unnamed, name: constantFor(camel, kindName, { index, unnamed }) };
    const path = posix.relative(posix.dirname(kind.index), `${folder}/${kebab}`);
    const texts = {
        [file]: kind.declaration(parts),
        [spec]: kind.spec(parts),
        [kind.index]: withListed(index, { list: kind.list, name: parts.name, from: `./${path}` }),
    };
    const formatted = await Promise.all(
        Object.entries(texts).map(async ([name, text]) => [name, await inHouseFormat(text)] as const),
    );
    // A folder of which there is no component yet.
    mkdirSync(join(root, folder), { recursive: true });
    for (const [name, text] of formatted)
        writeFileSync(join(root, name), text, { flag: name === kind.index ? 'w' : 'wx' });
    return { files: [file, spec, kind.index], next: kind.next(file, parts) };
}

async function inHouseFormat(text: string): Promise<string> {
    return format(text, { ...(await resolveConfig(__filename)), parser: 'typescript' });
}

/** As the code, unless the language, the index or what is written has another use for that name. */
function constantFor(
    camel: string,
    kindName: KindName,
    { index, unnamed }: { readonly index: string; readonly unnamed: Omit<Parts, 'name'> },
): string {
    const kind: ComponentKind = KINDS[kindName];
    const nameless: Parts = { ...unnamed, name: '' };
    const taken = new Set([index, kind.declaration(nameless), kind.spec(nameless)].flatMap(namesAtTop));
    const candidates = [...(isFree(camel) ? [camel] : [`${camel}Value`]), `${camel}${capital(kindName)}`];
    const name = candidates.find(candidate => !taken.has(candidate));
    if (name === undefined)
        throw new AskedWrongly(`${kind.index} has constants called ${candidates.join(' and ')} already.`);
    return name;
}

function categoryFolder(root: string, kind: ComponentKind, category: string): string {
    const folders = readdirSync(join(root, kind.folder), { withFileTypes: true })
        .filter(entry => entry.isDirectory())
        .map(({ name }) => name);
    const folder = folders.find(name => name === category.toLowerCase());
    if (folder === undefined)
        throw new AskedWrongly(`The category is "${category}"; allowed: ${folders.map(labelOf).join(', ')}.`);
    return folder;
}

function labelOf(folder: string): string {
    return folder === 'json' ? 'JSON' : capital(folder);
}

const DECLARED =
    /(?:recordOperator|batchOperator|define[A-Z][A-Za-z]+)\(\{\s*(?:code|kind): '([^']*)',(?:\s*aliases: \[([^\]]*)\])?/g;

/** The file that declares this code or alias. */
function ownerOf(root: string, { folder, alsoIn }: ComponentKind, code: string): string | undefined {
    const places = [folder, ...alsoIn].filter(place => existsSync(join(root, place)));
    const files = places.flatMap(place =>
        readdirSync(join(root, place), { recursive: true }).map(name => `${place}/${String(name)}`),
    );
    return files
        .filter(path => path.endsWith('.ts') && !basename(path).endsWith('.spec.ts'))
        .find(path =>
            [...readFileSync(join(root, path), 'utf8').matchAll(DECLARED)].some(
                ([, own, aliases = '']) => own === code || aliases.includes(`'${code}'`),
            ),
        );
}
