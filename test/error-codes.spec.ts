import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../src/core/errors/catalogue';

const root = join(__dirname, '..');
const files = ['src', 'e2e', 'test']
    .flatMap(folder =>
        readdirSync(join(root, folder), { recursive: true }).map(
            name => `${folder}/${String(name).replaceAll('\\', '/')}`,
        ),
    )
    .filter(file => /\.(ts|json)$/.test(file));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const isTest = (file: string): boolean => !file.startsWith('src/') || file.endsWith('.spec.ts');
const codes = Object.keys(ERRORS);

/** All errors are made by `flowError('CODE', …)`, so the code can be read where one is made. */
const thrown = new Set(
    files
        .filter(file => !isTest(file))
        .flatMap(file => [...read(file).matchAll(/\bflowError\(\s*'(\w+)'/g)].map(([, code]) => code!)),
);
const tests = files.filter(isTest).map(read).join('\n');

/** As a literal, or in the text of a message: "… (ADAPTER_NOT_FOUND)". */
const isExpected = (code: string): boolean => new RegExp(`['"(]${code}['")]`).test(tests);

describe('the error catalogue', () => {
    it('lists exactly the codes that are thrown', () => {
        expect([...thrown].sort()).toEqual([...codes].sort());
    });

    it('lists only codes that a test expects', () => {
        expect(codes.filter(code => !isExpected(code))).toEqual([]);
    });
});
