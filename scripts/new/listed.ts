import { posix } from 'node:path';
import { AskedWrongly } from './asked-wrongly';

/** A new element of a list. */
export interface Listed {
    readonly list: string;
    readonly name: string;
    /** Where it is imported from: `./json/pick`. */
    readonly from: string;
}

const IMPORT = /^import (?:type )?\{([^}]*)\} from '([^']*)';\n/gm;

interface Import {
    readonly names: readonly string[];
    readonly from: string;
    readonly start: number;
    readonly end: number;
}

function importsOf(text: string): readonly Import[] {
    return [...text.matchAll(IMPORT)].map(match => ({
        names: split(match[1]!).map(name => name.replace(/^type /, '').replace(/^.* as /, '')),
        from: match[2]!,
        start: match.index,
        end: match.index + match[0].length,
    }));
}

const DECLARED = /^(?:export )?(?:const|function\*?|interface|type) (?:(\w+)|\{([^}]*)\})/gm;

/** The names at the top level of a file: imported and declared ones. */
export function namesAtTop(text: string): readonly string[] {
    const own = [...text.matchAll(DECLARED)].flatMap(([, name, several = '']) => name ?? split(several));
    return [...importsOf(text).flatMap(({ names }) => names), ...own];
}

/** The index with a new element: its import in order, its name after the last one of its folder. Not formatted. */
export function withListed(index: string, { list, name, from }: Listed): string {
    const found = new RegExp(`^export const ${list} = \\[([^\\]]*)\\] as const;$`, 'm').exec(index);
    if (!found) throw new AskedWrongly(`The index has no list "${list}" that could be read; nothing was written.`);
    const imports = importsOf(index);
    const folder = posix.dirname(from);
    const siblings = new Set(
        imports.filter(other => posix.dirname(other.from) === folder).flatMap(({ names }) => names),
    );
    const names = [...split(found[1]!)];
    const last = names.findLastIndex(other => siblings.has(other));
    names.splice(last < 0 ? names.length : last + 1, 0, name);

    const before = imports.filter(other => other.from < from).at(-1);
    const place = before?.end ?? imports[0]?.start ?? 0;
    return [
        index.slice(0, place),
        `import { ${name} } from '${from}';\n`,
        index.slice(place, found.index),
        `export const ${list} = [${names.join(', ')}] as const;`,
        index.slice(found.index + found[0].length),
    ].join('');
}

function split(names: string): readonly string[] {
    return names
        .split(',')
        .map(name => name.trim())
        .filter(name => name !== '');
}
