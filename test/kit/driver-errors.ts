import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The files in which the installed drivers create their errors. */
const PLACES = {
    pg: { root: 'pg/package.json', at: 'lib' },
    'pg-pool': { root: 'pg-pool/package.json', at: 'index.js' },
    'pg-protocol': { root: 'pg-protocol/package.json', at: 'dist' },
    mysql2: { root: 'mysql2/package.json', at: 'lib' },
} as const;

const ERROR = /new (?:\w+\.)?(?:Database)?Error\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** The texts of all errors that the installed drivers create, in order. The code of inserted values is kept as written. */
export function driverErrors(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
        Object.entries(PLACES).map(([name, { root, at }]) => [name, textsBelow(join(folderOf(root), at))]),
    );
}

/** Packages may hide their package.json in `exports`. */
function folderOf(file: string): string {
    return dirname(join(__dirname, '../../node_modules', file));
}

function textsBelow(path: string): readonly string[] {
    const files = statSync(path).isDirectory()
        ? readdirSync(path, { recursive: true }).map(name => join(path, String(name)))
        : [path];
    const texts = files
        .filter(file => /\.js$/.test(file) && !/\btest|native/.test(relative(path, file)))
        .flatMap(file =>
            [...readFileSync(file, 'utf8').matchAll(ERROR)].map(([, quote, text]) => unescaped(text!, quote!)),
        );
    return [...new Set(texts)].sort();
}

const unescaped = (text: string, quote: string): string => text.replaceAll(`\\${quote}`, quote);
