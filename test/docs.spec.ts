import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');
const CODE = ['src', 'e2e', 'test', 'scripts', 'bench', 'demo', 'dashboard-ui', 'migrations'] as const;
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** All files below a folder whose names match, by their paths in the repository. */
function filesIn(folder: string, ending: RegExp): readonly string[] {
    return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap(entry => {
        const path = `${folder}/${entry.name}`;
        if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path, ending);
        return ending.test(entry.name) ? [path] : [];
    });
}

const adrs = filesIn('docs/adr', /\.md$/);
const numbers = adrs.map(file => Number(/\/(\d{4})-/.exec(file)?.[1])).sort((a, b) => a - b);
const pages = ['docs/architecture.md', 'docs/test-suites.md', 'docs/benchmarks.md', 'CONTRIBUTING.md', ...adrs];

/** Texts between backticks that are paths into one of the repository's folders. */
const pathsOn = (text: string): readonly string[] =>
    [...text.matchAll(/`([\w-]+\/[\w./-]+)`/g)]
        .map(([, path]) => path!)
        .filter(path => [...CODE, 'docs'].some(folder => path.startsWith(`${folder}/`)));

/** Rows of a table whose first cell names files and whose second names what they export. */
const rowsOf = (
    text: string,
): ReadonlyArray<{ readonly files: readonly string[]; readonly names: readonly string[] }> =>
    text
        .split('\n')
        .map(line => line.split('|').map(cell => cell.trim()))
        .filter(([, files = '', names = '']) => /^(`src\/[\w./-]+\.ts`(, )?)+$/.test(files) && names.startsWith('`'))
        .map(([, files, names]) => ({
            files: pathsOn(files!),
            names: [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
        }));

describe('the pages for maintainers', () => {
    it.each(pages)('%s names files that exist', page => {
        expect(pathsOn(read(page)).filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
    });

    it('name declarations that exist in the files of their tables', () => {
        const rows = pages.flatMap(page => rowsOf(read(page)));
        expect(rows.length).toBeGreaterThan(40);
        const missing = rows.flatMap(({ files, names }) => {
            const source = files.map(read).join('\n');
            return names.filter(name => !new RegExp(`\\b${name}\\b`).test(source)).map(name => `${files[0]}: ${name}`);
        });
        expect(missing).toEqual([]);
    });
});

describe('the decisions', () => {
    it('are 25 at most, numbered without gaps', () => {
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
        expect(numbers.length).toBeLessThanOrEqual(25);
    });

    it.each(adrs)('%s has its number, a context, a decision and consequences on one page', file => {
        const text = read(file);
        expect(text).toMatch(new RegExp(`^# ${Number(/\/(\d{4})-/.exec(file)![1])}\\. `));
        expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
            'Context',
            'Decision',
            'Consequences',
        ]);
        expect(text.split('\n').length).toBeLessThanOrEqual(70);
    });
});

/** References to texts outside of the repository, as comments once had them. */
const ELSEWHERE: readonly RegExp[] = [
    /\bspec(ification)? \d/i,
    /\bthe specification\b/i,
    /\barchitecture,? (\d|decision|["“])/i,
    /\bwidening\b/i,
    /\b(models|facts(-\w+)?|house|writer|wizard|language|dialect)\.md\b/,
    /\bdecisions? \d/i,
];

/** The comment of a line: of a block, or after its code. */
const commentOf = (line: string): string | undefined =>
    /^\s*(?:\*|\/\*\*?|\/\/)(.*)$/.exec(line)?.[1] ?? / \/\/ (.*)$/.exec(line)?.[1];

/** Numbers of decisions that a text refers to and that do not exist. */
const unknownIn = (text: string): readonly string[] =>
    [...text.matchAll(/\bADR (\d+)|\badr\/(\d{4})/g)]
        .filter(([, number, file]) => !numbers.includes(Number(number ?? file)))
        .map(([name]) => name);

describe('references', () => {
    const comments = CODE.flatMap(folder => filesIn(folder, /\.(tsx?|[mc]?js)$/)).flatMap(file =>
        read(file)
            .split('\n')
            .flatMap((line, index) => {
                const comment = commentOf(line);
                return comment === undefined ? [] : [{ comment, at: `${file}:${index + 1}` }];
            }),
    );

    it('of comments name nothing outside of the repository', () => {
        expect(comments.length).toBeGreaterThan(1000);
        const led = comments.filter(({ comment }) => ELSEWHERE.some(pattern => pattern.test(comment)));
        expect(led.map(({ comment, at }) => `${at}${comment}`)).toEqual([]);
    });

    it('to decisions name an existing one', () => {
        const unknown = comments.flatMap(({ comment, at }) => unknownIn(comment).map(name => `${at} ${name}`));
        const onPages = [...filesIn('docs', /\.md$/), 'README.md', 'CONTRIBUTING.md'].flatMap(page =>
            unknownIn(read(page)).map(name => `${page} ${name}`),
        );
        expect([...unknown, ...onPages]).toEqual([]);
    });
});
