import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { textNaming } from './kit/naming';
import { said, saidLike, type WordingKey } from './kit/said';
import { HouseWords } from './wording/house-words';
import { belongInGolden, spelledOut } from './wording/rules';
import { packageSources, testSources } from './wording/sources';

const root = join(__dirname, '..');
const written = readFileSync(join(root, 'test/golden/wording.json'), 'utf8');
const wordings = JSON.parse(written) as Record<string, string>;
const keys = [...written.matchAll(/^ +"([^"]+)":/gm)].map(([, key]) => key!);
const tests = testSources(root);

const keysUsed = (source: ts.SourceFile): string[] =>
    [...source.text.matchAll(/\bsaid(?:Like)?\(\s*'([^']+)'/g)].map(([, key]) => key!);

/** The lines of a test file with this text that the check complains about. */
const complaints = (text: string, golden: Record<string, string> = {}): number[] => {
    const house = new HouseWords([
        parsed('said.ts', 'const a = `Pipeline "${code}" cannot be started: it is ${why}.`;'),
    ]);
    const spelled = spelledOut([parsed('a.spec.ts', text)], house);
    return belongInGolden(spelled, golden).map(lineOf);
};
const parsed = (name: string, text: string) => ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
const lineOf = ({ source, literal }: { source: ts.SourceFile; literal: ts.Node }): number =>
    source.getLineAndCharacterOfPosition(literal.getStart(source)).line + 1;

describe('the wording of messages', () => {
    it('is asserted by its key in the golden file, and is not repeated elsewhere', () => {
        const spelled = spelledOut(tests, new HouseWords(packageSources(root)));
        expect(
            belongInGolden(spelled, wordings).map(
                found => `${found.source.fileName}:${lineOf(found)} ${found.literal.getText()}`,
            ),
        ).toEqual([]);
    });

    it('is in the golden file only while a test asserts it', () => {
        const used = new Set(tests.flatMap(keysUsed));
        expect(keys.filter(key => !used.has(key))).toEqual([]);
    });

    it('is asserted word for word for at most 60 messages, and otherwise by code, path and values', () => {
        expect(keys.length).toBeLessThanOrEqual(60);
    });

    it('has one key, and the keys are sorted', () => {
        expect(keys).toEqual([...new Set(keys)].sort());
        expect(keys).toEqual(Object.keys(wordings));
        expect(new Set(Object.values(wordings)).size).toBe(keys.length);
    });
});

describe('the check of wordings', () => {
    const SAID = `'Pipeline "a" cannot be started: it is off.'`;

    it.each([
        ['thrown', `expect(start).toThrow(${SAID});`],
        ['as the message of an error', `expect(error.message).toBe(${SAID});`],
        ['in an object', `expect(error).toMatchObject({ code: 'A', message: ${SAID} });`],
        ['as a part of a text', `const issue = { message: expect.stringContaining('cannot be started: it is') };`],
        ['as a template', 'expect(text).toBe(`Pipeline "${code}" cannot be started: it is off.`);'],
        ['as a pattern', 'expect(text).toMatch(/^Pipeline .* cannot be started: it /);'],
        ['by node:assert', `assert.equal(text, ${SAID});`],
        ['as a pattern by node:assert', 'assert.match(text, /^Pipeline .* cannot be started: it /);'],
        ['thrown, by node:assert', `assert.throws(start, { message: ${SAID} });`],
        ['as a searched part of a text', `expect(text.includes('cannot be started: it is')).toBe(true);`],
        ['as the start of a text', `expect(texts.some(text => text.startsWith(${SAID}))).toBe(true);`],
        ['as a searched part of a text, by node:assert', `assert.ok(text.includes(${SAID}), 'it is not said');`],
        ['as a pattern that is tried', 'expect(/^Pipeline .* cannot be started: it /.test(text)).toBe(true);'],
        ['by node:assert, under a name', `const OFF = ${SAID}; assert.equal(text, OFF);`],
        ['by node:assert, through a function', `const fails = text => assert.throws(run, text); fails(${SAID});`],
        ['under a name', `const OFF = ${SAID}; expect(text).toBe(OFF);`],
        ['through a function', `const fails = text => expect(run).toThrow(text); fails(${SAID});`],
    ])('finds one that is repeated %s', (_, text) => {
        expect(complaints(text)).toEqual([1]);
    });

    it.each([
        ['the input of a tested function', `expect(reading(${SAID})).toBe(1);`],
        ['the input of a function that node:assert tests', `assert.equal(reading(${SAID}), 1);`],
        ['the failure message of node:assert', `assert.ok(started, ${SAID}); assert.equal(text, 1, ${SAID});`],
        ['an error that a test throws itself', `throw new Error(${SAID});`],
        ['a text in other words', `expect(text).toBe('Some words that the package never uses.');`],
        ['a fragment of two words', `expect(text).toContain('cannot be');`],
        ['a wording by its key', `expect(text).toBe(said('disabled', { pipeline: ${SAID} }));`],
    ])('ignores %s', (_, text) => {
        expect(complaints(text)).toEqual([]);
    });

    it('ignores the cells of a table, unless the golden file has their wording as well', () => {
        const table = `it.each([\n['a', ${SAID}],\n])('%s', (input, text) => expect(run(input)).toBe(text));`;
        expect(complaints(table)).toEqual([]);
        expect(complaints(table, { off: 'Pipeline "{pipeline}" cannot be started: it is off.' })).toEqual([2]);
    });
});

describe('a wording', () => {
    it('is returned with its values', () => {
        expect(said('did-you-mean', { guess: 'a$&b' })).toBe('Did you mean "a$&b"?');
        expect(said('did-you-mean', { guess: 5 })).toContain('"5"');
    });

    it.each<[string, string, Record<string, string>, string]>([
        ['an unknown key', 'no-such-key', {}, 'no wording "no-such-key"'],
        ['a value too few', 'did-you-mean', {}, 'needs a value for {guess}'],
        ['a value too many', 'did-you-mean', { guess: 'a', other: 'b' }, 'no placeholder {other}'],
    ])('throws with %s', (_, key, values, problem) => {
        expect(() => said(key as WordingKey, values)).toThrow(problem);
        expect(() => saidLike(key as WordingKey, values)).toThrow(problem);
    });

    it('is a pattern whose text is literal, bound to its ends if wanted', () => {
        const like = saidLike('did-you-mean', { guess: /a+|b/ }, '^$');
        expect(['Did you mean "aa"?', 'Did you mean "b"?'].filter(text => like.test(text))).toHaveLength(2);
        expect(
            ['Did you mean "aa"', 'Did you mean "c"?', 'So: Did you mean "b"?'].filter(text => like.test(text)),
        ).toEqual([]);
        expect(saidLike('did-you-mean', { guess: 'a.b' }).test('So: Did you mean "a.b"?')).toBe(true);
        expect(saidLike('did-you-mean', { guess: 'a.b' }).test('Did you mean "axb"?')).toBe(false);
    });
});

describe('the values that a message must name', () => {
    it('may be in any order and on several lines', () => {
        expect('of 12\nit is "a"').toEqual(textNaming('"a"', 12, 'it'));
        expect('of 12\nit is "a"').not.toEqual(textNaming('"a"', 12, '"b"'));
    });

    it('are literal, and numbers are whole', () => {
        for (const text of ['of 120', 'of 312', 'of 3.12']) expect(text).not.toEqual(textNaming('of ', 12));
        expect('axb').not.toEqual(textNaming('a.b'));
    });
});
