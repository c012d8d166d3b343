/**
 * npm run new operator <code> [--category String] [--batch]: writes an operator that works, with its schema, examples and a spec, and puts
 * it into the list. Examples, contract and reference page follow from the list.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorFile, operatorSpec } from './new-operator';

const ROOT = join(__dirname, '..');
const OPERATORS = 'src/core/operators';
const USAGE = 'npm run new operator <code> [--category Data] [--batch]';
const CODE = /^[a-z][A-Za-z]{0,63}$/;
const MAX_COLUMNS = 150;
/** Operators that read and write elsewhere live there; their codes are taken, too. */
const WITH_OPERATORS = [OPERATORS, 'src/adapters/operators'];
/** What no constant may be called; a code like it is exported with "Value" behind it. */
const RESERVED = new Set([
    'break',
    'case',
    'catch',
    'class',
    'const',
    'continue',
    'debugger',
    'default',
    'delete',
    'do',
    'else',
    'enum',
    'export',
    'extends',
    'false',
    'finally',
    'for',
    'function',
    'if',
    'import',
    'in',
    'instanceof',
    'let',
    'new',
    'null',
    'package',
    'return',
    'static',
    'super',
    'switch',
    'this',
    'throw',
    'true',
    'try',
    'typeof',
    'var',
    'void',
    'while',
    'with',
    'yield',
    'await',
    'eval',
    'arguments',
    'operators',
]);

/** What was asked for. */
export interface NewOperator {
    readonly code: string;
    readonly category: string;
    readonly isBatch: boolean;
}

/** A request that cannot be met; its message is for whoever has typed it. */
export class Refusal extends Error {}

/** Writes the files below `root` and answers their paths. Throws a Refusal, and has written nothing then. */
export function newOperator(root: string, { code, category, isBatch }: NewOperator): readonly string[] {
    if (!CODE.test(code))
        throw new Refusal(
            `The code is "${code}"; allowed: camelCase, 1 to 64 letters, the first one small, like "stripHtml".`,
        );
    const folders = readdirSync(join(root, OPERATORS), { withFileTypes: true })
        .filter(entry => entry.isDirectory())
        .map(({ name }) => name);
    const folder = folders.find(name => name === category.toLowerCase());
    if (folder === undefined)
        throw new Refusal(`The category is "${category}"; allowed: ${folders.map(labelOf).join(', ')}.`);
    const owner = ownerOf(root, code);
    if (owner !== undefined) throw new Refusal(`The code "${code}" is taken by ${owner}.`);

    const name = RESERVED.has(code) ? `${code}Value` : code;
    const kebab = code.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
    const file = `${OPERATORS}/${folder}/${kebab}.ts`;
    const spec = `${OPERATORS}/${folder}/${kebab}.spec.ts`;
    const index = `${OPERATORS}/index.ts`;
    for (const path of [file, spec])
        if (existsSync(join(root, path))) throw new Refusal(`${path} is there already; nothing was written.`);
    const listed = withOperator(readFileSync(join(root, index), 'utf8'), {
        name,
        folder,
        file: `./${folder}/${kebab}`,
    });

    const parts = { code, name, file: `./${kebab}`, category: labelOf(folder), title: titleOf(code), isBatch };
    writeFileSync(join(root, file), operatorFile(parts), { flag: 'wx' });
    writeFileSync(join(root, spec), operatorSpec(parts), { flag: 'wx' });
    writeFileSync(join(root, index), listed);
    return [file, spec, index];
}

/** The file that has an operator of this code or alias. */
function ownerOf(root: string, code: string): string | undefined {
    const files = WITH_OPERATORS.flatMap(folder =>
        (existsSync(join(root, folder)) ? readdirSync(join(root, folder), { recursive: true }) : []).map(
            name => `${folder}/${String(name)}`,
        ),
    ).filter(path => path.endsWith('.ts') && !path.endsWith('.spec.ts'));
    const declared = new RegExp(`(?:^|\\s)(?:code: |aliases: \\[[^\\]]*)'${code}'`);
    return files.find(path => declared.test(readFileSync(join(root, path), 'utf8')));
}

interface Listed {
    readonly name: string;
    readonly folder: string;
    readonly file: string;
}

/** The index with one more operator: its import in order, its name behind the last one of its folder. */
export function withOperator(index: string, { name, folder, file }: Listed): string {
    const lines = index.split('\n');
    const imports = lines
        .map((line, at) => ({
            at,
            ...(/^import \{ (?<names>.+) \} from '(?<from>.+)';$/.exec(line)?.groups as
                { names: string; from: string } | undefined),
        }))
        .filter(({ from }) => from !== undefined);
    const siblings = new Set(
        imports.filter(({ from }) => from!.startsWith(`./${folder}/`)).flatMap(({ names }) => names!.split(', ')),
    );
    const open = lines.findIndex(line => line.startsWith('export const operators = ['));
    const close = lines.findIndex((line, at) => at > open && line.startsWith('] as const'));
    if (open < 0 || close < 0)
        throw new Refusal(`${OPERATORS}/index.ts has no list "operators" that could be read; nothing was written.`);
    if (imports.some(({ names }) => names!.split(', ').includes(name)))
        throw new Refusal(`${OPERATORS}/index.ts has a "${name}" already; nothing was written.`);

    const rows = lines.slice(open + 1, close);
    const row = rows.findLastIndex(line => namesOf(line).some(known => siblings.has(known)));
    if (row < 0) rows.push(`    ${name},`);
    else if (rows[row]!.length + name.length + 2 <= MAX_COLUMNS) rows[row] = withName(rows[row]!, name, siblings);
    else rows.splice(row + 1, 0, `    ${name},`);

    const before = imports.filter(({ from }) => from! < file).at(-1);
    const place = before === undefined ? (imports[0]?.at ?? 0) : before.at + 1;
    return [
        ...lines.slice(0, place),
        `import { ${name} } from '${file}';`,
        ...lines.slice(place, open + 1),
        ...rows,
        ...lines.slice(close),
    ].join('\n');
}

function namesOf(line: string): readonly string[] {
    return line
        .split(',')
        .map(name => name.trim())
        .filter(name => name !== '');
}

/** A row may hold the operators of two folders. */
function withName(line: string, name: string, siblings: ReadonlySet<string>): string {
    const names = [...namesOf(line)];
    names.splice(names.findLastIndex(known => siblings.has(known)) + 1, 0, name);
    return `    ${names.join(', ')},`;
}

function labelOf(folder: string): string {
    return folder === 'json' ? 'JSON' : folder[0]!.toUpperCase() + folder.slice(1);
}

function titleOf(code: string): string {
    const words = code.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
    return words[0]!.toUpperCase() + words.slice(1);
}

function requested(args: readonly string[]): NewOperator {
    const [kind, code, ...options] = args;
    let category = 'Data';
    let isBatch = false;
    for (let i = 0; i < options.length; i++) {
        const option = options[i]!;
        if (option === '--batch') isBatch = true;
        else if (option === '--category' && options[i + 1] !== undefined) category = options[++i]!;
        else throw new Refusal(`Unknown: ${option}. ${USAGE}`);
    }
    if (kind !== 'operator' || code === undefined || code.startsWith('-')) throw new Refusal(USAGE);
    return { code, category, isBatch };
}

function main(): void {
    try {
        const operator = requested(process.argv.slice(2));
        const [file, spec, index] = newOperator(ROOT, operator) as [string, string, string];
        console.log(`Written: ${file}, ${spec}, and a line in ${index}.\n`);
        console.log('Next:');
        console.log(
            `  1. Say in ${file} what it does: summary, arguments, examples with the awkward cases, and the function.`,
        );
        console.log(
            `  2. npm run test:unit -- ${OPERATORS}    runs its examples, the contract of all operators and its spec`,
        );
        console.log(`  3. npm run docs    writes docs/reference/operators/${operator.code}.md`);
    } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        console.error(error.message);
        process.exitCode = 2;
    }
}

if (require.main === module) main();
