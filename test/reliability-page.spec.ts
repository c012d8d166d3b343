import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');
const page = (name: string): string => readFileSync(join(ROOT, 'docs', 'reference', name), 'utf8');
const PAGES = ['fault-tests.md', 'security.md'] as const;

/** How many failures there are of each group, by the first letter of their names: C1, C2, …. */
const GROUPS = { C: 12, N: 13, D: 10, F: 13, P: 13, J: 10, X: 10, W: 13, V: 8, K: 8, M: 4, G: 3, U: 3 } as const;
const FAULTS = Object.entries(GROUPS).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
);

/** The tests that a page names: `` `file` “title” ``, with the title as in the file. */
const proofsOf = (text: string): ReadonlyArray<readonly [file: string, title: string]> =>
    [...text.matchAll(/`([\w./-]+\.ts)` “([^”]+)”/g)].map(([, file, title]) => [
        file!,
        title!.replaceAll('\\|', '|').replaceAll('\\_', '_').replaceAll('\\*', '*'),
    ]);

/** The rows of the catalogue of failures, by their names. */
const rows = page('fault-tests.md')
    .split('\n')
    .flatMap(line => {
        const cells = line.split(/(?<!\\)\|/).map(cell => cell.trim());
        return /^[A-Z]\d+$/.test(cells[1] ?? '') ? [cells.slice(1, 5)] : [];
    });

describe.each(PAGES)('the page %s', name => {
    const proofs = proofsOf(page(name));

    it('names tests that exist', () => {
        expect(proofs.length).toBeGreaterThan(30);
        const missing = proofs.filter(([file, title]) => {
            if (!existsSync(join(ROOT, file))) return true;
            const source = readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'");
            return (
                !["'", '"', '`'].some(quote => source.includes(`(${quote}${title}${quote}`)) && !isBroken(source, title)
            );
        });
        expect(missing).toEqual([]);
    });

    it('names each of them by its title: no file in its tables is without one', () => {
        const named = [...page(name).matchAll(/`[\w./-]+\.(?:spec|suite|e2e)\.ts`/g)].length;
        const prose = page(name)
            .split('\n')
            .filter(line => !line.startsWith('|'));
        const inProse = [...prose.join('\n').matchAll(/`[\w./-]+\.(?:spec|suite|e2e)\.ts`/g)].length;
        expect(proofs.filter(([file]) => /\.(spec|suite|e2e)\.ts$/.test(file)).length).toBe(named - inProse);
    });
});

/** Whether the title is on a separate line, because a formatter has broken the line after the bracket. */
function isBroken(source: string, title: string): boolean {
    return ["'", '"', '`'].some(quote => source.includes(`\n        ${quote}${title}${quote},`));
}

describe('the catalogue of failures', () => {
    it('has each failure once, and no other', () => {
        expect(rows.map(([issue]) => issue)).toEqual(FAULTS);
    });

    it('names a test for each of them, or gives the reason why there is none', () => {
        const open = rows.filter(([, , proved]) => proofsOf(proved!).length === 0);
        expect(open.filter(([, , proved, why]) => proved !== '–' || why === '')).toEqual([]);
        expect(open.length).toBeLessThan(rows.length / 2);
    });
});
