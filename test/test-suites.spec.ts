import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (file: string): string => readFileSync(join(__dirname, '..', file), 'utf8');

/** The names of an object of literals that a script declares. */
function namesIn(script: string, declaration: RegExp): readonly string[] {
    const [, body] = declaration.exec(script)!;
    return [...body!.matchAll(/(\w+): /g)].map(([, name]) => name!);
}

describe('docs/test-suites.md', () => {
    it('names each option of the scripts that kill and cut, and an example', () => {
        const script = read('scripts/faults.mjs');
        const counts = namesIn(script, /const COUNTS = \{(.*?)\};/s);
        const options = [...script.matchAll(/^ {8}(\w+): \{ type: 'string' \},$/gm)].map(([, name]) => name!);
        expect(counts).toContain('drops');
        expect(options).toEqual(['queue', 'times', 'database', 'only', 'keep']);
        const text = read('docs/test-suites.md');
        for (const name of [...counts, ...options])
            expect(text).toMatch(new RegExp(`^\\| .*\`--${name}[ \`].*\\|`, 'm'));
        const example = /^npm run test:faults -- (--.*)$/m.exec(text)![1]!;
        for (const [, name] of example.matchAll(/--(\w+)/g)) expect([...counts, ...options]).toContain(name);
    });
});
