import fc from 'fast-check';
import { isFlowError } from '../../core/errors/flow-error';
import { fileName } from './file-name';

function named(given: string): string {
    try {
        return fileName(given);
    } catch (error) {
        if (isFlowError(error)) return `${error.code}: ${error.message}`;
        throw error;
    }
}

describe('the name of a file', () => {
    it.each([
        ['may.csv', 'may.csv'],
        ['../../etc/passwd', 'passwd'],
        ['C:\\feeds\\may.csv', 'may.csv'],
        ['/a\\b/c.csv', 'c.csv'],
        [' may.csv ', 'may.csv'],
        ['.htaccess', '.htaccess'],
        ['Übersicht € 🏷.csv', 'Übersicht € 🏷.csv'],
        ['a"b\'c;d.csv', 'a"b\'c;d.csv'],
        [`${'a'.repeat(251)}.csv`, `${'a'.repeat(251)}.csv`],
        [`${'dir/'.repeat(500)}a.csv`, 'a.csv'],
    ])('is the last part of %j', (given, name) => expect(named(given)).toBe(name));

    it.each(['', ' ', '/', 'a/', 'a\\', '.', '..', '../..', 'a/..'])('does not exist in %j', given =>
        expect(named(given)).toMatch(/^INPUT_INVALID: filename .*no file/),
    );

    it.each([
        'a\0.csv',
        'a\n.csv',
        'a\r\nX-Header: 1',
        'a\x7f.csv',
        'a\x85.csv',
        'invoice\u202excslx.exe',
        'a\u200b.csv',
        '\ufeffa.csv',
        'a\u2028.csv',
        'a\ud800.csv',
        'a\n/b.csv',
    ])('has nothing in it that cannot be seen: %j', given =>
        expect(named(given)).toMatch(/^INPUT_INVALID: filename .*invisible character/),
    );

    it('is not longer than its column', () =>
        expect(named('a'.repeat(256))).toMatch(/^INPUT_INVALID: filename has 256 characters /));

    it('never names a place', () => {
        fc.assert(
            fc.property(fc.string({ unit: fc.constantFrom('a', '.', '/', '\\', ' ', '\0', '\n') }), given => {
                const name = named(given);
                return (
                    name.startsWith('INPUT_INVALID: ') || (!/[/\\\0\n]/.test(name) && !['', '.', '..'].includes(name))
                );
            }),
            { numRuns: 1_000 },
        );
    });
});
